"""Loss distributions of pairs of inputs, which questions about several measures share."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from taut.inference.channel import Channel
from taut.inference.loss import Quotients, pair_quotients
from taut.inference.totals import require_total
from taut.questions.bound import Bound
from taut.questions.loss import Atom, LossDistribution
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import InvalidInput, TautError
from taut.support.exact import quotient
from taut.synthesis.problem import Budget, Problem

__all__ = ["Collected", "Collector", "collected", "distinct", "loss_of", "pair_loss", "serves_pairs", "worst_collected"]


def pair_loss(channel: Channel, x: Any, x_prime: Any, max_beliefs: int) -> LossDistribution:
    """Return the loss distribution of two inputs, as users write them.

    Raises:
        ImpossibleEvidence: the evidence has probability 0 at one of them.
        TooLarge: there are more than ``max_beliefs`` different beliefs at a level.
    """
    positions = channel.positions(x), channel.positions(x_prime)
    return loss_of(channel, pair_quotients(channel.relation, *positions, channel.conditioned, max_beliefs), x, x_prime)


def loss_of(channel: Channel, quotients: Quotients, x: Any, x_prime: Any) -> LossDistribution:
    """Return ratios divided by the evidence of both inputs, as a result."""
    shares = quotients.masses
    for total in (quotients.evidence, quotients.evidence_prime):
        require_total(channel.name, [total], conditioned=channel.conditioned)
    if channel.conditioned:
        evidence, evidence_prime = quotients.evidence, quotients.evidence_prime
        for share, at in ((evidence, x), (evidence_prime, x_prime)):
            if share == 0:
                raise channel.impossible(at)
        shares = tuple((mass / evidence, mass_prime / evidence_prime) for mass, mass_prime in shares)
    return LossDistribution(x, x_prime, tuple(Atom(quotient(*pair), *pair) for pair in shares))


def distinct(cases: Iterable[PairCase]) -> list[PairCase]:
    """Return equal loss distributions once, with all their pairs counted."""
    known: dict[Any, PairCase] = {}
    for case in cases:
        first = known.get(case.loss.atoms, PairCase(case.loss, 0))
        known[case.loss.atoms] = PairCase(first.loss, first.count + case.count)
    return list(known.values())


def serves_pairs(problem: Problem, method: str) -> TautError | None:
    """Return the error of a solver that needs a measure of pairs, if the measure is of single outputs."""
    if isinstance(problem.measure, PairMeasure) and problem.neighbors is not None:
        return None
    name = type(problem.measure).__name__
    return InvalidInput(f"method={method!r} adds up all outputs of a pair, which {name} does not.", value=method)


_MOST_ATOMS = 1 << 17


@dataclass(frozen=True)
class Collected:
    """All different loss distributions; ``complete`` if no pair was left out."""

    cases: tuple[PairCase, ...]
    complete: bool
    method: str
    stats: Mapping[str, Any]


class Collector(Protocol):
    """A solver that computes loss distributions, whatever the measure."""

    name: str

    def collect(self, problem: Problem, budget: Budget) -> Collected:
        """Return the loss distributions of the related pairs; the measure is not used."""


def worst_collected(solver: Collector, problem: Problem, budget: Budget) -> Bound:
    """Return the bound of a measure over the loss distributions that a solver collects."""
    start, measure = time.perf_counter(), problem.measure
    assert isinstance(measure, PairMeasure)
    found = collected(solver, problem, budget)
    stats = {**found.stats, "pairs_seconds": round(time.perf_counter() - start, 6)}
    return measure.worst(found.cases, found.complete, method=found.method, stats=stats)


def collected(solver: Collector, problem: Problem, budget: Budget) -> Collected:
    """Return all different loss distributions of a problem, by one solver with one limit of beliefs.

    A collection that exceeds the limit is cached too, so that an answer does not depend on earlier questions; one that
    time, memory or Ctrl-C ended is not.
    """
    key = ("losses", solver.name, problem.neighbors, budget.max_beliefs)
    return problem.known.once(key, lambda: solver.collect(problem, budget), _lasting)


def _lasting(found: Collected) -> bool:
    stopped = found.stats.get("stopped")
    lasting = stopped is None or str(stopped).startswith("max_beliefs")
    return lasting and sum(len(case.loss.atoms) for case in found.cases) <= _MOST_ATOMS
