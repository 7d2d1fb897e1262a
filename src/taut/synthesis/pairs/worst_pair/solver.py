"""Bounds on divergences by the search for the worst pair, and on profiles and epsilon from many such searches."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from typing import Any

from taut.diagrams.semirings import EXACT
from taut.inference.beliefs import semiring_of
from taut.questions.bound import Bound
from taut.questions.pair_measure import Divergence, PairMeasure
from taut.support.errors import InvalidInput, TautError
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.process import collector_paused
from taut.synthesis.pairs.losses import serves_pairs
from taut.synthesis.pairs.worst_pair.summand import phi_of
from taut.synthesis.pairs.worst_pair.task import Task, smallest_epsilon, whole_profile
from taut.synthesis.problem import Budget, Problem

__all__ = ["WorstPair", "refused"]

_SAMPLES = 4
"""Integers below this are tried to see whether a divergence is convex."""


class WorstPair:
    """The largest divergence, by a search that lists no pairs.

    ``most_items`` limits the pairs of prefixes in all, reproducibly, unlike a time limit; ``widest`` limits those that
    are kept per entry.
    """

    name = "search"
    needs_channel = True

    def __init__(self, most_items: int | None = None, widest: int | None = None) -> None:
        self.most_items, self.widest = most_items, widest

    def refuses(self, problem: Problem) -> TautError | None:
        refusal = serves_pairs(problem, self.name)
        if refusal is not None:
            return refusal
        measure = problem.measure
        assert isinstance(measure, PairMeasure)
        if not (isinstance(measure, Divergence) or measure.profile or measure.at_delta is not None):
            return InvalidInput(
                f"method='search' maximises one divergence, and {type(measure).__name__} needs all of them; "
                "take method='exhaustive' or 'restricted'.",
                value=measure,
            )
        return refused(problem, "method='search'")

    def cost(self, problem: Problem) -> int | None:
        return None

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start, measure = time.perf_counter(), problem.measure
        with collector_paused(), in_precision():
            task = Task(problem, budget, self.most_items, self.widest)
            if isinstance(measure, Divergence):
                bound = task.largest(measure)
            else:
                assert isinstance(measure, PairMeasure)
                bound = whole_profile(task, measure) if measure.profile else smallest_epsilon(task, measure)
        return replace(bound, stats={**bound.stats, "search_seconds": round(time.perf_counter() - start, 6)})


def refused(problem: Problem, what: str) -> TautError | None:
    """Return the error for channels and measures for which only one pair at a time is exact."""
    channel = problem.channel
    if channel.conditioned:
        return InvalidInput(
            f"{what} cannot divide by the evidence of 'observe', which differs from pair to pair; take "
            "method='exhaustive' or 'restricted'.",
            value=channel.name,
        )
    if semiring_of(channel.relation) is not EXACT:
        return InvalidInput(
            f"{what} compares exact numbers, and '{channel.name}' has irrational probabilities (exp); take "
            "method='exhaustive' or 'restricted'.",
            value=channel.name,
        )
    if isinstance(problem.measure, Divergence) and not _convex(problem.measure):
        return InvalidInput(
            f"{what} prunes by convexity, and {problem.measure.name} is not jointly convex; take "
            "method='exhaustive' or 'restricted'.",
            value=problem.measure,
        )
    return None


def _convex(measure: Divergence) -> bool:
    """Return True if phi(p + p', q + q') <= phi(p, q) + phi(p', q'), as declared or on small integers."""
    if measure.monotone:
        return True
    points = [(p, q) for p, q in itertools.product(range(_SAMPLES), repeat=2) if p or q]
    phi = {point: _ends(measure, *point) for point in itertools.product(range(2 * _SAMPLES), repeat=2) if any(point)}
    return all(
        phi[p + r, q + s][0] <= phi[p, q][1] + phi[r, s][1] for (p, q), (r, s) in itertools.product(points, repeat=2)
    )


def _ends(measure: Divergence, p: int, q: int) -> tuple[Any, Any]:
    value = phi_of(measure, p, q)
    if isinstance(value, Ball):
        return value.lower, value.upper
    return (INFINITY, INFINITY) if value == INFINITY else (value, value)
