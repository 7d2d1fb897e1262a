"""Composition where exact quotients become too many: at every gamma a certified interval for delta."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.errors import TooLarge
from taut.forks import cached_property
from taut.limits import checkpoint
from taut.numbers import INFINITY, Ball, in_precision, large
from taut.results.compose import Part
from taut.results.grid import GridComposition
from taut.results.integral import IntegralComposition, TooManyTerms

__all__ = ["CertifiedComposition", "power_of_e"]

_PRECISE = 1e-13
"""The search for a gamma ends at this relative distance of its logarithm."""
_LARGEST = 1_000_000
"""The largest epsilon whose e^epsilon is written down."""
_MOST_RUNS = 10**9
_MOST_BITS = 1 << 24
"""Bits of the exact mass of what has a finite quotient in all runs."""


class CertifiedComposition:
    """The composition of some pairs of distributions, each run some number of times.

    With many runs an integral has few terms that count, and its interval does not widen with the runs; with few runs,
    or with losses that are multiples of one number, a grid is fine enough. Which one is used depends on gamma.

    Guarantee:
        For rational gamma > 0, ``interval(gamma)`` holds the delta of all runs together.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        _require_runs(parts)
        self._parts = parts
        self._integral = IntegralComposition(parts)
        with in_precision():
            logs = [
                count * max((_log(ratio) for ratio, mass, _ in atoms if ratio != INFINITY and mass), key=float)
                for atoms, count in parts
                if self._integral.mass
            ]
            self._top = sum(logs, flint.arb(0)).upper()
            """No output of finite loss has a larger one."""

    @cached_property
    def _grid(self) -> GridComposition:
        return GridComposition(self._parts)

    def interval(self, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """A lower and an upper bound of delta at gamma."""
        checkpoint()
        infinite = self._integral.infinite
        with in_precision():
            if not self._integral.mass or _log(gamma) >= self._top:
                return infinite, infinite
        try:
            return self._integral.interval(gamma)
        except TooManyTerms:
            return self._grid.interval(gamma)

    def ratios(self, delta: Fraction) -> tuple[Any, Any]:
        """Two numbers between which the smallest gamma >= 1 lies that reaches delta; INFINITY if there is none."""
        if self._integral.infinite > delta:
            return INFINITY, INFINITY
        if not self._integral.mass:
            return Fraction(1), Fraction(1)
        if self._integral.infinite == delta:  # every finite loss counts: gamma is the largest of all quotients
            power_of_e(float(self._top))  # which refuses what is too large
            largest = [
                max(ratio for ratio, mass, _ in atoms if ratio != INFINITY and mass) ** count
                for atoms, count in self._parts
            ]
            exact = max(Fraction(1), math.prod(largest, start=Fraction(1)))
            return exact, exact
        start = self._integral.level(float(delta - self._integral.infinite))
        return self._ratio(delta, 0, start), self._ratio(delta, 1, start)

    def _ratio(self, delta: Fraction, side: int, start: float) -> Fraction:
        """By bisection from a guess on: a gamma whose lower end exceeds delta, or one whose upper end does not."""

        def exceeds(level: float) -> bool:
            return self.interval(power_of_e(level))[side] > delta

        end = max(0.0, float(self._top) * (1 + 1e-14) + 1e-14)  # beyond the largest loss
        low = high = min(max(0.0, start), end)
        reach = 1e-6 * (1 + low)
        if exceeds(low):
            while exceeds(high):
                low, high, reach = high, min(high + reach, end), 4 * reach
        else:
            while not exceeds(low):
                if low == 0:
                    return Fraction(1)
                low, high, reach = max(0.0, low - reach), low, 4 * reach
        while high - low > _PRECISE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if exceeds(middle) else (low, middle)
        return power_of_e(high if side else low)


def _require_runs(parts: Sequence[Part]) -> None:
    """Refuse more runs than can be followed, or so many that their exact masses have too many digits."""
    runs = sum(count for _, count in parts)
    if runs > _MOST_RUNS:
        raise TooLarge(f"compose: at most {_MOST_RUNS} runs are followed; got {large(runs)}.", value=runs)
    for atoms, count in parts:
        for mass in (
            sum((mass for _, mass, _ in atoms), Fraction(0)),
            sum((mass for ratio, mass, _ in atoms if ratio != INFINITY), Fraction(0)),
        ):
            if mass != 1 and count * mass.denominator.bit_length() > _MOST_BITS:
                raise TooLarge(
                    f"compose: after {count} runs the mass of outputs that only one neighbour has would have too many "
                    "digits. Compose fewer runs.",
                    value=count,
                )


def power_of_e(power: float) -> Fraction:
    """A rational number near a power of e, with few digits.

    Raises
    ------
    TooLarge
        The number is too large to be written down.
    """
    if power > _LARGEST:
        raise TooLarge(
            f"e^epsilon is too large to be written down: epsilon is about {power:.3g}, and at most {_LARGEST} is "
            "followed. Compose fewer runs.",
            value=power,
        )
    with in_precision():
        exact = Ball(flint.arb(power).exp()).mid
    digits = 64 - (exact.numerator.bit_length() - exact.denominator.bit_length())
    return Fraction(round(exact * Fraction(2) ** digits)) / Fraction(2) ** digits


def _log(ratio: Fraction) -> Any:
    return flint.arb(flint.fmpq(ratio.numerator, ratio.denominator)).log()
