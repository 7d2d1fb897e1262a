"""Loss distributions of all pairs: they do not depend on the measure, so several questions share one collection."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from taut.questions.bound import Bound
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.synthesis.problem import Budget, Problem

__all__ = ["Collected", "Collector", "collected", "worst_collected"]

_MOST_ATOMS = 1 << 17


@dataclass(frozen=True)
class Collected:
    """All different loss distributions; ``complete`` if no pair was left out."""

    cases: tuple[PairCase, ...]
    complete: bool
    method: str
    stats: Mapping[str, Any]


class Collector(Protocol):
    """A solver that looks at loss distributions, whatever the measure."""

    name: str

    def collect(self, problem: Problem, budget: Budget) -> Collected:
        """The loss distributions of the related pairs; the measure is not asked."""


def worst_collected(solver: Collector, problem: Problem, budget: Budget) -> Bound:
    """The bound of a measure over the loss distributions that a solver collects."""
    start, measure = time.perf_counter(), problem.measure
    assert isinstance(measure, PairMeasure)
    found = collected(solver, problem, budget)
    stats = {**found.stats, "pairs_seconds": round(time.perf_counter() - start, 6)}
    return measure.worst(found.cases, found.complete, method=found.method, stats=stats)


def collected(solver: Collector, problem: Problem, budget: Budget) -> Collected:
    """All different loss distributions of a problem, by one solver in one budget of room.

    What the room did not suffice for is remembered as well, so that an answer does not depend on earlier questions;
    what time, memory or Ctrl-C ended is not.
    """
    key = ("losses", solver.name, problem.neighbors, budget.max_beliefs)
    return problem.known.once(key, lambda: solver.collect(problem, budget), _lasting)


def _lasting(found: Collected) -> bool:
    stopped = found.stats.get("stopped")
    lasting = stopped is None or str(stopped).startswith("max_beliefs")
    return lasting and sum(len(case.loss.atoms) for case in found.cases) <= _MOST_ATOMS
