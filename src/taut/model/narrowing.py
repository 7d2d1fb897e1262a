"""Privacy from the terms alone: what can be said with every draw revealed, before or instead of compiling."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from taut.errors import TautError, TooLarge
from taut.ir import Program
from taut.limits import limits, remaining
from taut.measures import LargestRatio
from taut.neighbors import Neighbors
from taut.numbers import INFINITY, large
from taut.results import Bound
from taut.solvers.revealed_draws import MOST_INPUTS, revealed_draws

__all__ = ["RevealedDraws"]

_SHARE = 0.3
_MOST = 10.0
"""The share of a limited time that is spent on the terms, and the most seconds of it."""
_MANY_PAIRS = 1 << 19
"""With more related pairs than that, no method looks at all cases, so that nothing is lost by not counting them."""


class RevealedDraws:
    """The bound with every draw revealed, of one mechanism and one neighbour relation; computed once, when asked for.

    Parameters
    ----------
    program, neighbors
        The mechanism, and which pairs are compared.
    distribution
        The distribution of the output on one input.
    """

    def __init__(
        self, program: Program, neighbors: Neighbors, distribution: Callable[[Any], Mapping[Any, Any]]
    ) -> None:
        self.program, self.neighbors, self.distribution = program, neighbors, distribution

    def answer(self) -> Bound | None:
        """The bound, where there are many pairs of few inputs and the pair that draws tell apart best attains it.

        Then it is exact, and nothing need be compiled.
        """
        program = self.program
        if not program.inputs or program.size > MOST_INPUTS:
            return None
        try:
            with limits(seconds=_seconds()):
                pairs = self.neighbors.automaton(program.space).count_pairs()
                if pairs <= _MANY_PAIRS or self._attained is None:
                    return None
        except TautError:  # an error that matters will be met again
            return None
        limit, (value, x, x_prime, y) = self._limit[0], self._attained
        if value != limit:
            return None
        why = (
            f"there are {large(pairs)} related pairs; with every draw revealed none has a larger quotient, and the "
            "output of this one tells as much"
        )
        measure, stats = LargestRatio(), {"inputs": program.size, "why": why}
        witness = measure.witness([x, x_prime], y)
        bound: Bound = measure.bound(value, limit, method="terms", stats=stats, witness=witness)
        return replace(bound, neighbors=self.neighbors.name)

    def narrow(self, bound: Bound) -> Bound:
        """An interval made narrower from above, and from below by the pair; exact bounds stay as they are."""
        if bound.exact or bound.stats.get("stopped") == "interrupted":
            return bound
        try:
            with limits(seconds=_MOST):
                limit = self._limit[0]
        except TautError:
            return bound
        if limit == INFINITY:
            return bound if bound.upper != INFINITY else _told(bound, _NO_BOUND)
        if not limit < bound.upper:
            return bound
        bound = replace(_told(bound, "the upper end is that of a mechanism that reveals every draw"), upper=limit)
        with contextlib.suppress(TautError), limits(seconds=_MOST):
            if self._attained is not None and (self._attained[0] > bound.lower or not bound.witnessed):
                value, x, x_prime, y = self._attained
                witness = LargestRatio().witness([x, x_prime], y)
                made = LargestRatio().bound(value, limit, method=bound.method, stats=bound.stats, witness=witness)
                bound = replace(made, neighbors=bound.neighbors)
        return bound

    @cached_property
    def _limit(self) -> tuple[Any, Any]:
        """A number that no quotient exceeds, and a pair that draws tell apart as well as that."""
        return revealed_draws(self.program, self.neighbors.automaton(self.program.space))

    @cached_property
    def _attained(self) -> tuple[Any, Any, Any, Any] | None:
        """The largest quotient of that pair, and where it is; None if it is not quickly known."""
        limit, pair = self._limit
        if limit == INFINITY or pair is None:
            return None
        x, x_prime = (self.program.space.at(positions) for positions in pair)
        try:
            own, other = self.distribution(x), self.distribution(x_prime)
        except TooLarge:
            return None
        cases = ((LargestRatio().value(mass, other.get(y, 0)), y) for y, mass in own.items())
        value, y = max(cases, key=lambda case: case[0])
        return value, x, x_prime, y


_NO_BOUND = (
    "no upper end follows from the draws either, because the output depends on inputs in other ways than by what is "
    "drawn from, or because a draw can rule an input out"
)


def _seconds() -> float:
    left = remaining()
    return _MOST if math.isinf(left) else min(_MOST, _SHARE * left)


def _told(bound: Bound, why: str) -> Bound:
    """The bound with one more reason."""
    told = f"{bound.stats['why']}; {why}" if "why" in bound.stats else why
    return replace(bound, stats={**bound.stats, "why": told})
