"""Exact numbers made of powers of e: c e^q times powers of sums of such terms, with rational c and q.

By the theorem of Lindemann and Weierstrass, different rational powers of e are linearly independent over the rational
numbers. So two of these numbers are equal exactly if they are as formal expressions, which no ball could show.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import flint

from taut.support.algebra.polynomial import to_flint

__all__ = ["Exponential"]

_TERMS = 4
"""Limit for the terms of a sum that is kept as a factor; sums of more are not followed."""
_DIGITS = 256
"""Limit for the bits of the coefficient and of the power."""
_EXPANDED = 64
"""Limit for the terms of a product that is multiplied out to compare two numbers."""
_FINEST = 1 << 14
"""Limit for the bits with which two different numbers are compared."""

Terms = dict[Fraction, Fraction]
"""Coefficients by the power of e."""
Sum = tuple[tuple[Fraction, Fraction], ...]
"""A sum of at least two powers of e with their coefficients, the first of which is e^0 with coefficient 1."""
_ONE, _ZERO = Fraction(1), Fraction(0)
_NONE: Mapping[Sum, int] = {}


class Exponential:
    """The number c e^q times factors, each a sum of terms to an integer power."""

    __slots__ = ("coefficient", "factors", "power")
    coefficient: Fraction
    power: Fraction
    factors: Mapping[Sum, int]

    def __init__(self, coefficient: Fraction = _ONE, power: Fraction = _ZERO, factors: Mapping[Sum, int] = _NONE):
        self.coefficient, self.power, self.factors = coefficient, power, factors

    def __reduce__(self) -> tuple[Any, ...]:
        return Exponential, (self.coefficient, self.power, dict(self.factors))

    def __repr__(self) -> str:
        return f"Exponential({self.coefficient}, {self.power}, {self.factors})"

    def __mul__(self, other: Exponential) -> Exponential | None:
        return self._times(other, 1)._short()

    def __truediv__(self, other: Exponential) -> Exponential | None:
        return self._times(other, -1)._short() if other.coefficient else None

    def __neg__(self) -> Exponential:
        return Exponential(-self.coefficient, self.power, self.factors)

    def __pow__(self, exponent: int) -> Exponential | None:
        if not self.coefficient:
            return None
        if self.coefficient != 1 and abs(exponent) > _DIGITS:
            return None
        factors = {one: times * exponent for one, times in self.factors.items()} if exponent else _NONE
        return Exponential(self.coefficient**exponent, self.power * exponent, factors)._short()

    def __add__(self, other: Exponential) -> Exponential | None:
        if not self.coefficient or not other.coefficient:
            return self if self.coefficient else other
        common = {one: min(times, other.factors.get(one, 0)) for one, times in self.factors.items()}
        common.update({one: min(times, 0) for one, times in other.factors.items() if one not in common})
        total: Terms = {}
        for part in (self, other):
            rest = _expanded(_without(part.factors, common), _TERMS)
            if rest is None:
                return None
            for power, coefficient in rest.items():
                place = power + part.power
                total[place] = total.get(place, _ZERO) + coefficient * part.coefficient
        kept = sorted((power, coefficient) for power, coefficient in total.items() if coefficient)
        if not kept:
            return Exponential(_ZERO)
        if len(kept) > _TERMS:
            return None
        least, first = kept[0]
        factors = {one: times for one, times in common.items() if times}
        if len(kept) > 1:
            made = tuple([(power - least, coefficient / first) for power, coefficient in kept])
            factors[made] = factors.get(made, 0) + 1
            if not factors[made]:
                del factors[made]
        return Exponential(first, least, factors)._short()

    def __sub__(self, other: Exponential) -> Exponential | None:
        return self + -other

    def same(self, other: Exponential) -> bool | None:
        """Return True if the two numbers are equal; None if their sums are too long to be multiplied out."""
        if not self.coefficient or not other.coefficient:
            return self.coefficient == other.coefficient
        ratio = self._times(other, -1)
        above = _expanded({one: times for one, times in ratio.factors.items() if times > 0}, _EXPANDED)
        below = _expanded({one: -times for one, times in ratio.factors.items() if times < 0}, _EXPANDED)
        if above is None or below is None:
            return None
        return {power + ratio.power: value * ratio.coefficient for power, value in above.items()} == below

    def above(self, other: Exponential) -> bool | None:
        """Return True if this number is larger than another, False if it is not; None if that was not found out."""
        same = self.same(other)
        if same is not False:
            return None if same is None else False
        bits = 512
        while bits <= _FINEST:
            with flint.ctx.workprec(bits):
                gap = self._ball() - other._ball()
                if gap > 0 or gap < 0:
                    return bool(gap > 0)
            bits *= 2
        return None

    def log(self) -> Fraction | None:
        """Return the logarithm of a bare power of e; None for any other number."""
        return self.power if self.coefficient == 1 and not self.factors else None

    def _times(self, other: Exponential, times: int) -> Exponential:
        factors = self.factors  # most products add no factors, and share them
        if other.factors:
            changed = dict(factors)
            for one, count in other.factors.items():
                total = changed.pop(one, 0) + times * count
                if total:
                    changed[one] = total
            factors = changed
        coefficient = self.coefficient
        if other.coefficient is not _ONE:
            coefficient = coefficient * other.coefficient if times > 0 else coefficient / other.coefficient
        return Exponential(coefficient, self.power + other.power if times > 0 else self.power - other.power, factors)

    def _short(self) -> Exponential | None:
        """Return this number unless it has too many digits to be worth following."""
        parts = (*self.coefficient.as_integer_ratio(), *self.power.as_integer_ratio())
        return self if max(part.bit_length() for part in parts) <= _DIGITS else None

    def _ball(self) -> Any:
        value = flint.arb(to_flint(self.coefficient)) * flint.arb(to_flint(self.power)).exp()
        for one, times in self.factors.items():
            parts = [flint.arb(to_flint(part)) * flint.arb(to_flint(power)).exp() for power, part in one]
            value *= sum(parts, flint.arb(0)) ** times
        return value


def _without(factors: Mapping[Sum, int], common: Mapping[Sum, int]) -> dict[Sum, int]:
    """Return what is left of a product when a common part is divided out."""
    left = {one: factors.get(one, 0) - times for one, times in common.items()}
    return {one: times for one, times in left.items() if times}


def _expanded(factors: Mapping[Sum, int], most: int) -> Terms | None:
    """Return a product of sums as one sum; None if it has more terms."""
    made: Terms = {_ZERO: _ONE}
    for one, times in factors.items():
        for _ in range(times):
            product: Terms = {}
            for power, coefficient in made.items():
                for more, factor in one:
                    product[power + more] = product.get(power + more, _ZERO) + coefficient * factor
            made = {power: coefficient for power, coefficient in product.items() if coefficient}
            if len(made) > most:
                return None
    return made
