"""Composition where exact quotients become too many: at every gamma a certified interval for delta."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.composition.grid import GridComposition, TooCoarse
from taut.composition.integral import IntegralComposition, TooManyTerms
from taut.composition.products import Part
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.forks import cached_property
from taut.support.limits import checkpoint

__all__ = ["CertifiedComposition", "power_of_e"]

_MOST_BITS = 6e6
"""Longer numbers are not written down."""
_PRECISE = 1e-13
"""The search for a gamma ends at this relative distance of its logarithm."""


class CertifiedComposition:
    """The composition of some pairs of distributions, each run some number of times.

    With many runs an integral has few terms that count, and its interval does not widen with the runs; with few runs,
    or with losses that are multiples of one number, a grid is fine enough. Which one is used depends on gamma.

    Guarantee:
        For rational gamma > 0, ``interval(gamma)`` holds the delta of all runs together.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
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

    def __eq__(self, other: object) -> bool:
        """The composition of the same parts."""
        return self._parts == other._parts if isinstance(other, CertifiedComposition) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple((tuple(atoms), count) for atoms, count in self._parts))

    def __repr__(self) -> str:
        return f"<composition of {sum(count for _, count in self._parts)} runs, by certified intervals>"

    def __reduce__(self) -> tuple[Any, ...]:
        return CertifiedComposition, (self._parts,)

    @cached_property
    def _grid(self) -> GridComposition | None:
        """The grid; None where there are too many runs for one."""
        try:
            return GridComposition(self._parts)
        except TooCoarse:
            return None

    def interval(self, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """A lower and an upper bound of delta at gamma.

        Raises:
            OutOfTime, OutOfMemory: a limit in force was passed.
        """
        checkpoint()
        infinite = self._integral.infinite
        with in_precision():
            if not self._integral.mass or _log(gamma) >= self._top:
                return infinite, infinite
        try:
            return self._integral.interval(gamma)
        except TooManyTerms:
            whole = self._integral.mass + infinite
            return (infinite, whole) if self._grid is None else self._grid.interval(gamma)

    def ratios(self, delta: Fraction) -> tuple[Any, Any]:
        """Two numbers between which the smallest gamma >= 1 lies that reaches delta; INFINITY if there is none.

        Raises:
            TooLarge: gamma has millions of digits.
            OutOfTime, OutOfMemory: a limit in force was passed.
        """
        if self._integral.infinite > delta:
            return INFINITY, INFINITY
        if not self._integral.mass:
            return Fraction(1), Fraction(1)
        if self._integral.infinite == delta:  # every finite loss counts: gamma is the largest of all quotients
            largest = [
                (max(ratio for ratio, mass, _ in atoms if ratio != INFINITY and mass), count)
                for atoms, count in self._parts
            ]
            _require_room(sum(n * (max(r.numerator, r.denominator) - 1).bit_length() for r, n in largest))
            exact = max(Fraction(1), math.prod((ratio**count for ratio, count in largest), start=Fraction(1)))
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


def power_of_e(power: float) -> Fraction:
    """A rational number near a power of e, with few digits.

    Raises:
        TooLarge: the number has millions of digits.
    """
    _require_room(power / math.log(2))
    with in_precision():
        exact = Ball(flint.arb(power).exp()).mid
    digits = 64 - (exact.numerator.bit_length() - exact.denominator.bit_length())
    return Fraction(round(exact * Fraction(2) ** digits)) / Fraction(2) ** digits


def _require_room(bits: float) -> None:
    if bits > _MOST_BITS:
        raise TooLarge(
            f"compose: e^epsilon may have about {bits * math.log10(2):.3g} digits, too many to be written down. "
            "Compose fewer runs, or ask for delta(...) at an epsilon.",
            value=bits,
        )


def _log(ratio: Fraction) -> Any:
    return flint.arb(flint.fmpq(ratio.numerator, ratio.denominator)).log()
