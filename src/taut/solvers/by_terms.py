"""Privacy from the terms alone: what can be said with every draw revealed, before or instead of compiling."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import replace
from operator import itemgetter
from typing import Any

from taut.errors import OutOfMemory, OutOfTime, TautError, TooLarge
from taut.forks import cached_property
from taut.ir import Program
from taut.ir.enumerator import evaluate
from taut.ir.replay import replay
from taut.limits import limits, remaining
from taut.measures import LargestRatio
from taut.numbers import INFINITY, large
from taut.results import Bound
from taut.solvers.problem import Problem
from taut.solvers.revealed_draws import Revealed, revealed_draws

__all__ = ["ByTerms"]

_SHARE = 0.3
_MOST = 10.0
"""The share of a limited time that is spent on the terms, and the most seconds of work on them."""
_OUTCOMES = 1 << 12
"""Outputs of the one pair of inputs that may settle a bound."""


class ByTerms:
    """What the terms of a problem say about the largest quotient, with every draw revealed; computed once, when asked.

    Parameters
    ----------
    problem
        Nothing is known where it asks for another measure, or has no terms or no inputs.
    """

    name = "terms"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        known = problem.program is not None and problem.program.inputs and problem.neighbors is not None
        self.program: Program | None = problem.program if known and type(problem.measure) is LargestRatio else None

    def answer(self, more_than: int) -> Bound | None:
        """The bound, where more pairs than so many are related and the pair that draws tell apart best attains it.

        Then it is exact, and nothing need be compiled.
        """
        if self.program is None:
            return None
        start = time.perf_counter()
        try:
            with limits(seconds=_seconds(), cpu_seconds=_MOST):
                pairs = self.problem.automaton.count_pairs()
                if pairs <= more_than or self._attained is None:
                    return None
        except TautError:  # an error that matters will be met again
            return None
        limit, (value, x, x_prime, y) = self._revealed.limit, self._attained
        if value != limit:
            return None
        why = (
            f"there are {large(pairs)} related pairs; with every draw revealed none has a larger quotient, and the "
            "output of this one tells as much"
        )
        spent = round(time.perf_counter() - start, 6)
        measure, stats = self.problem.measure, {"inputs": self.program.size, "why": why, "inference_seconds": spent}
        bound: Bound = measure.bound(
            value, limit, method=self.name, stats=stats, witness=measure.witness([x, x_prime], y)
        )
        return bound

    def narrow(self, bound: Bound) -> Bound:
        """An interval made narrower from above, and from below by the pair; exact bounds stay as they are."""
        if self.program is None or bound.exact or bound.stats.get("stopped") == "interrupted":
            return bound
        try:
            with limits(cpu_seconds=_MOST):
                limit = self._revealed.limit
        except TautError:
            return bound
        if limit == INFINITY:
            return bound if bound.upper != INFINITY else _told(bound, _NO_BOUND)
        if not limit < bound.upper:
            return bound
        bound = replace(_told(bound, "the upper end is that of a mechanism that reveals every draw"), upper=limit)
        with contextlib.suppress(TautError), limits(cpu_seconds=_MOST):
            if self._attained is not None and (self._attained[0] > bound.lower or not bound.witnessed):
                value, x, x_prime, y = self._attained
                measure = self.problem.measure
                witness = measure.witness([x, x_prime], y)
                bound = measure.bound(value, limit, method=bound.method, stats=bound.stats, witness=witness)
        return bound

    @cached_property
    def _revealed(self) -> Revealed:
        """A number that no quotient exceeds, and a pair that draws tell apart as well as that."""
        assert self.program is not None
        return revealed_draws(self.program, self.problem.automaton)

    @cached_property
    def _attained(self) -> tuple[Any, Any, Any, Any] | None:
        """The largest quotient of that pair, and where it is; None if it is not quickly known.

        Where outputs are too many to list, it is that of the output behind the draws that tell most.
        """
        worst = self._revealed.worst
        if self.program is None or worst is None:
            return None
        x, x_prime = (self.problem.space.at(positions) for positions in worst.pair)
        try:
            own, other = (self.problem.distribution(one, _OUTCOMES) for one in (x, x_prime))
            cases = [(y, mass, other.get(y, 0)) for y, mass in own.items()]
        except (OutOfTime, OutOfMemory):
            return None
        except TooLarge:
            likely = [
                max(zip(coin.weights, coin.outcomes, strict=True), key=itemgetter(0))[1] for coin in self.program.coins
            ]
            y = evaluate(self.program.output, self.program.entries(x), {**dict(enumerate(likely)), **worst.drawn})
            cases = [(y, *[replay(self.program, one, y)[0] for one in (x, x_prime)])]
        value, y = max([(LargestRatio().value(own, other), y) for y, own, other in cases], key=itemgetter(0))
        return value, x, x_prime, y


_NO_BOUND = (
    "no upper end follows from the draws either, because the output depends on inputs in other ways than by what is "
    "drawn from, or because a draw can rule an input out"
)


def _seconds() -> float | None:
    left = remaining()
    return None if math.isinf(left) else _SHARE * left


def _told(bound: Bound, why: str) -> Bound:
    """The bound with one more reason."""
    told = f"{bound.stats['why']}; {why}" if "why" in bound.stats else why
    return replace(bound, stats={**bound.stats, "why": told})
