"""Composition where exact ratios become too many: at every gamma a certified interval for delta."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.composition.grid import GridComposition, TooCoarse, lattice_of
from taut.composition.integral import IntegralComposition, TooManyTerms
from taut.composition.products import Mass, Part, mass_near, mass_of
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.limits import checkpoint
from taut.support.process import cached_property

__all__ = ["CertifiedComposition", "power_of_e"]

_MOST_BITS = 6e6
"""Limit for the bits of a number that is made."""
_UNLIKELY = (64, 160)
"""Exponents of 1/2: atoms less likely than this in all runs together are left out, more of them at the first try."""
_FEW = 16
_SHORT = 256
"""Digits after the point, in base 2, of the masses of those that are left."""
_SHARP = Fraction(1, 10**9)
"""An interval is narrow enough at this relative width."""
_PRECISE = 1e-13
"""The search for a gamma ends at this relative distance of its logarithm."""


class _Engines:
    """The two ways to compose: an exact grid if all losses lie on one, else an integral, else an approximate grid."""

    def __init__(self, parts: Sequence[Part], measured: Mass = mass_of) -> None:
        self.parts, self.measured = parts, measured
        self.integral = IntegralComposition(parts, measured=measured)
        self.lattice = bool(self.integral.mass) and lattice_of(*self.integral.floats) is not None

    @cached_property
    def grid(self) -> GridComposition | None:
        """The grid; None where there are too many runs for one."""
        try:
            return GridComposition(self.parts, measured=self.measured)
        except TooCoarse:
            return None

    def interval(self, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """Return a lower and an upper bound of delta at gamma."""
        if self.lattice and self.grid is not None:
            low, high = self.grid.interval(gamma)
            if high - low <= _SHARP * high:
                return low, high
        try:
            return self.integral.interval(gamma)
        except TooManyTerms:
            infinite = self.integral.infinite
            return (infinite, self.integral.mass + infinite) if self.grid is None else self.grid.interval(gamma)


class CertifiedComposition:
    """The composition of some pairs of distributions, each run some number of times.

    With many runs an integral has few terms that count, and its interval does not widen with the runs; with few runs,
    or with losses that are multiples of one number, a grid is fine enough. Which one is used depends on gamma.

    Atoms so unlikely under x that no delta shows them are left out at first: an output of all runs in which one of
    them occurs adds at most its mass under x to delta, so all of them together at most the sum of theirs.

    Guarantee:
        For rational gamma > 0, ``interval(gamma)`` holds the delta of all runs together.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._kept: dict[int, tuple[_Engines, Fraction]] = {}
        self._main, self._lost = self._likely(_UNLIKELY[0])
        self._integral = self._main.integral
        with in_precision():
            logs = [
                count * _log(max(ratio for ratio, mass, _ in atoms if ratio != INFINITY and mass))
                for atoms, count in parts
                if self._integral.mass
            ]
            self._top = sum(logs, flint.arb(0)).upper()
            """No output of finite loss has a larger one."""

    def _likely(self, digits: int) -> tuple[_Engines, Fraction]:
        """Return the engines for the likely atoms, and the mass left out; made once."""
        if digits not in self._kept:
            self._kept[digits] = self._without_unlikely(digits)
        return self._kept[digits]

    def _without_unlikely(self, digits: int) -> tuple[_Engines, Fraction]:
        """Return the engines without very unlikely atoms, and the most that these add to a delta.

        Remaining masses are rounded down; the mass lost by rounding counts as left out.
        """
        runs = sum(count for _, count in self._parts)
        least = Fraction(1, runs << digits)
        if max(sum(mass < least for _, mass, _ in atoms) for atoms, _ in self._parts) < _FEW:
            return _Engines(self._parts), Fraction(0)
        kept, lost = [], Fraction(1, 1 << _SHORT)
        for atoms, count in self._parts:
            likely = [
                (ratio, Fraction(math.floor(mass * (1 << _SHORT)), 1 << _SHORT), mass_prime)
                for ratio, mass, mass_prime in atoms
                if mass >= least and ratio != INFINITY
            ]
            kept.append((likely, count))
            whole = sum((mass for ratio, mass, _ in atoms if ratio != INFINITY), Fraction(0))
            rest = whole - sum((mass for _, mass, _ in likely), Fraction(0))
            lost += count * Fraction(math.ceil(rest * (1 << _SHORT)), 1 << _SHORT)
        return _Engines(kept, mass_near), lost

    @cached_property
    def _infinite(self) -> tuple[Fraction, Fraction]:
        """Return a lower and an upper end of the mass under x of outputs with an infinite ratio in some run."""
        if not self._lost:
            return self._integral.infinite, self._integral.infinite
        finite = [([atom for atom in atoms if atom[0] != INFINITY], count) for atoms, count in self._parts]
        if len(self._parts) == sum(
            len(one) == len(two) for (one, _), (two, _) in zip(finite, self._parts, strict=True)
        ):
            return Fraction(0), Fraction(0)
        near, slack = mass_near(self._parts) - mass_near(finite), Fraction(1, 1 << _SHORT)
        return max(Fraction(0), near - slack), near + slack

    @cached_property
    def _whole(self) -> _Engines:
        return _Engines(self._parts) if self._lost else self._main

    def __eq__(self, other: object) -> bool:
        """The composition of the same parts."""
        return self._parts == other._parts if isinstance(other, CertifiedComposition) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple((tuple(atoms), count) for atoms, count in self._parts))

    def __repr__(self) -> str:
        return f"<composition of {sum(count for _, count in self._parts)} runs, by certified intervals>"

    def __reduce__(self) -> tuple[Any, ...]:
        return CertifiedComposition, (self._parts,)

    def interval(self, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """Return a lower and an upper bound of delta at gamma.

        Raises:
            OutOfTime, OutOfMemory: a limit in force was passed.
        """
        checkpoint()
        least, most = self._infinite
        with in_precision():
            if not self._integral.mass or _log(gamma) >= self._top:
                return least, most
        for digits in _UNLIKELY:
            engines, lost = self._likely(digits)
            low, high = engines.interval(gamma)
            if not lost:
                return low, high
            if lost <= _SHARP * low:
                return max(Fraction(0), low - lost) + least, min(high + lost + most, Fraction(1))
        return self._whole.interval(gamma)

    def ratio(self, delta: Fraction, side: int) -> Any:
        """Return a lower (side 0) or an upper end (side 1) of the smallest gamma >= 1 that reaches delta; INFINITY for
        none.

        Raises:
            TooLarge: gamma has millions of digits.
            OutOfTime, OutOfMemory: a limit in force was passed.
        """
        if self._infinite[side] > delta:
            return INFINITY
        if not self._integral.mass:
            return Fraction(1)
        if (
            self._infinite[0] == self._infinite[1] == delta
        ):  # every finite loss counts: gamma is the largest of all quotients
            largest = [
                (max(ratio for ratio, mass, _ in atoms if ratio != INFINITY and mass), count)
                for atoms, count in self._parts
            ]
            _require_room(sum(n * (max(r.numerator, r.denominator) - 1).bit_length() for r, n in largest))
            return max(Fraction(1), math.prod((ratio**count for ratio, count in largest), start=Fraction(1)))
        return self._bisected(delta, side, self._integral.level(max(1e-300, float(delta - self._infinite[side]))))

    def _bisected(self, delta: Fraction, side: int, start: float) -> Fraction:
        """Bisect from a guess; return a gamma whose lower end exceeds delta, or one whose upper end does not."""

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
    """Return a rational number near a power of e, with few digits.

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
