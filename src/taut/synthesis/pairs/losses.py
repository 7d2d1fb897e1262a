"""Loss distributions of pairs of inputs: pairs with the same future go down the relation as one, and are counted."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from taut.inference.channel import Channel
from taut.inference.fold import require_total
from taut.inference.loss import Branches, LossWalk, Quotients, pair_quotients
from taut.inference.masses import Masses
from taut.neighbors import PairAutomaton
from taut.questions.bound import Bound, Interval
from taut.questions.loss import Atom, LossDistribution
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import InvalidInput, OutOfMemory, OutOfTime, TautError, TooLarge
from taut.support.exact import quotient
from taut.support.limits import grace
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.unfinished import limit_passed
from taut.synthesis.walk import UNREAD, CaseOrder, Counted, CountingWalk, Joined, PrefixWalk

__all__ = [
    "BranchWalk",
    "Collected",
    "Collector",
    "LossCollection",
    "collected",
    "completed",
    "distinct",
    "loss_of",
    "pair_loss",
    "reduced",
    "serves_pairs",
    "worst_collected",
]


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


N = TypeVar("N")
_MOST_COINS = 8


def reduced(branches: Branches) -> tuple[Branches, int]:
    """Return branches without the common factor of their masses, and the factor."""
    factor = math.gcd(*(weight for masses in branches.values() for weight in masses.values()))
    if factor > 1:
        branches = {
            branch: {key: weight // factor for key, weight in masses.items()} for branch, masses in branches.items()
        }
    return branches, factor


class BranchWalk(PrefixWalk[Branches, N]):
    """A walk in which the future of a pair of prefixes is its branches."""

    losses: LossWalk

    def reading(self, number: int, coins: Sequence[int]) -> Any:
        return self.losses.move(number, coins)

    def passing(self, place: int) -> Any:
        move = self.losses.move(self.levels[place][0])
        return None if move is None else lambda branches, same: ((move(branches, 0, 0, same), 0),)

    def key(self, state: int, future: Branches) -> Hashable:
        return state, frozenset((branch, frozenset(masses.items())) for branch, masses in future.items())

    def read_together(self, place: int) -> list[int]:
        """Return the coins right below an input, if some belief reads it: pairs are taken through both at once."""
        number = self.levels[place][0]
        if number == UNREAD or not self.losses.reads(number):
            return []
        below = itertools.takewhile(lambda level: level[1] == "coin", self.levels[place + 1 : place + 1 + _MOST_COINS])
        return [coin for coin, _ in below]


def completed(
    automaton: PairAutomaton, order: CaseOrder, number: int, state: int, entries: int
) -> tuple[list[int], list[int]]:
    """Return a pair, as positions, whose first ``entries`` are those of the pair of prefixes with a number."""
    own, other, _ = order.case(number)
    for entry, layer in zip(automaton.order[entries:], automaton.transitions[entries:], strict=True):
        way = layer[state].first_unequal
        own[entry], other[entry], state = way.value, way.other, way.state
    return own, other


_SAMPLED = 32
"""Number of pairs that are still evaluated after a limit was passed."""
_GRACE = 1.0


class LossCollection(BranchWalk[Counted], CountingWalk[Branches]):
    """The loss distributions of all pairs that an automaton accepts.

    Parameters:
        channel, automaton, order, budget: the mechanism; the pairs; their order; the limits.
        weights: the number of pairs that each state after the last entry stands for, if not one.
    """

    def __init__(
        self,
        channel: Channel,
        automaton: PairAutomaton,
        order: CaseOrder,
        budget: Budget,
        weights: Mapping[int, int] | None = None,
    ) -> None:
        super().__init__(channel.relation, automaton, order)
        self.channel, self.budget, self.weights = channel, budget, weights
        self.losses = LossWalk(channel.relation, channel.conditioned, budget.max_beliefs)
        self.open: Mapping[Any, Joined[Any, Counted]] = {None: Joined(automaton.states[0][0], None, (1, 0))}
        """The last complete layer, and the number of entries read before it."""
        self.read = 0
        self.largest = 1
        self.stopped: str | None = None

    def run(self) -> list[PairCase]:
        """Return the different loss distributions, the first pair of each; of a few pairs if ``stopped`` says why."""
        same = self.automaton.states[0][0] in self.automaton.same_after[0]
        try:
            return self._cases(self.walk(self.losses.start(same=same), (1, 0)).values())
        except (TooLarge, KeyboardInterrupt) as error:
            self.stopped = limit_passed(error, self.budget.max_beliefs)
        return self.sampled()

    def begun(self, place: int, layer: Mapping[Any, Any]) -> None:
        self.open, self.read = layer, self.entry
        self.largest = max(self.largest, len(layer))
        if self.budget.progress is not None:
            self.budget.progress(Interval(place, len(self.levels), None, None))

    def require_room(self, layer: Sized) -> None:
        if len(layer) > self.budget.max_beliefs:
            raise TooLarge("too many pairs of prefixes differ.", value=len(layer))

    def _cases(self, walked: Iterable[Any]) -> list[PairCase]:
        cases: dict[Any, tuple[Masses, int, int]] = {}
        for state, branches, (count, first) in walked:
            total = self.losses.total(branches)
            key = frozenset(total.items())
            _, before, known = cases.get(key, (total, 0, first))
            count *= 1 if self.weights is None else self.weights[state]
            cases[key] = (total, before + count, min(first, known))
        return distinct(
            PairCase(loss_of(self.channel, self.losses.finished(total), *self._inputs(first)), count)
            for total, count, first in sorted(cases.values(), key=itemgetter(2))
        )

    def sampled(self) -> list[PairCase]:
        """Return some pairs, finished one by one, also after a limit was passed: what they attain is attained.

        Raises:
            OutOfTime, OutOfMemory: not even one pair was finished.
        """
        cases: list[PairCase] = []
        try:
            with grace(_GRACE):
                for state, _, (_, first) in islice(self.open.values(), 0, None, max(1, len(self.open) // _SAMPLED)):
                    pair = completed(self.automaton, self.order, first, state, self.read)
                    x, x_prime = (self.channel.x(positions) for positions in pair)
                    cases.append(PairCase(pair_loss(self.channel, x, x_prime, self.budget.max_beliefs), 1))
        except (OutOfTime, OutOfMemory):
            if not cases:
                raise
        return distinct(cases)

    def _inputs(self, number: int) -> tuple[Any, Any]:
        x, x_prime, _ = self.order.case(number)
        return self.channel.x(x), self.channel.x(x_prime)
