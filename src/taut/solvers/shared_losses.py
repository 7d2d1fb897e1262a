"""Loss distributions that several questions share: they do not depend on the measure, so they are collected once."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from taut.channel.channel import Channel
from taut.measures import Collected, LossDistributions, PairMeasure
from taut.results import Bound
from taut.solvers.problem import Budget, Problem, Solver

__all__ = ["collected", "worst_of_losses"]

_MOST_KEPT = 8
"""Collections that are kept per channel: there are few relations and sizes of room that are asked for again."""
_MOST_ATOMS = 1 << 17
_known: WeakKeyDictionary[Channel, dict[Any, Collected]] = WeakKeyDictionary()


def worst_of_losses(solver: Solver, problem: Problem, budget: Budget) -> Bound:
    """The bound of a solver that collects loss distributions, whatever the measure."""
    start, measure = time.perf_counter(), problem.measure
    assert isinstance(measure, PairMeasure)
    found = collected(solver, problem, budget)
    stats = {**found.stats, "pairs_seconds": round(time.perf_counter() - start, 6)}
    return measure.worst(found.cases, found.complete, method=found.method, stats=stats)


def collected(solver: Solver, problem: Problem, budget: Budget) -> Collected:
    """All different loss distributions of a problem, by one solver in one budget of room.

    What the room did not suffice for is remembered as well, so that an answer does not depend on earlier questions;
    what time, memory or patience ended is not.
    """
    kept = _known.setdefault(problem.channel, {})
    key = (solver.name, problem.neighbors, budget.max_beliefs)
    if key in kept:
        return kept[key]
    found = solver.solve(replace(problem, measure=LossDistributions()), budget)
    assert isinstance(found, Collected)
    stopped = found.stats.get("stopped")
    lasting = stopped is None or str(stopped).startswith("max_beliefs")
    if lasting and sum(len(case.loss.atoms) for case in found.cases) <= _MOST_ATOMS:
        kept[key] = found
        if len(kept) > _MOST_KEPT:
            del kept[next(iter(kept))]
    return found
