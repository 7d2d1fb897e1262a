"""Exact numbers made of powers of e: c e^q times powers of sums of such terms, with rational c and q.

By the theorem of Lindemann and Weierstrass, different rational powers of e are linearly independent over the rational
numbers. So two of these numbers are equal exactly if they are as formal expressions, which no ball could show.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.support.algebra.polynomial import to_flint

__all__ = ["Exponential"]

_TERMS = 3
"""Limit for the terms of a sum that is kept as a factor; sums of more are not followed."""
_DIGITS = 256
"""Limit for the bits of the coefficient and of the power."""
_EXPANDED = 64
"""Limit for the terms of a product that is multiplied out to compare two numbers."""
_FINEST = 1 << 14
"""Limit for the bits with which two different numbers are compared."""

Terms = Sequence[tuple[Any, Any]]
"""Powers of e with their coefficients, in increasing order of the powers."""
_ONE, _ZERO = flint.fmpq(1), flint.fmpq(0)


class Sum:
    """A sum of at least two powers of e with their coefficients, the first of which is e^0 with coefficient 1."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: tuple[tuple[Any, Any], ...]) -> None:
        self.terms = terms
        self._hash = hash(tuple([int(part) for term in terms for one in term for part in (one.p, one.q)]))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sum) and self._hash == other._hash and self.terms == other.terms)

    def __reduce__(self) -> tuple[Any, ...]:
        return _sum_of, (tuple([(fraction(power), fraction(coefficient)) for power, coefficient in self.terms]),)

    def __repr__(self) -> str:
        return " + ".join(f"{coefficient} e^{power}" for power, coefficient in self.terms)


_NONE: Mapping[Sum, int] = {}
_UNIT: Terms = ((_ZERO, _ONE),)


class Exponential:
    """The number c e^q times factors, each a sum of terms to an integer power; c and q are numbers of Flint."""

    __slots__ = ("coefficient", "factors", "power")
    factors: Mapping[Sum, int]

    def __init__(self, coefficient: Any = _ONE, power: Any = _ZERO, factors: Mapping[Sum, int] = _NONE) -> None:
        self.coefficient, self.power, self.factors = coefficient, power, factors

    @staticmethod
    def of(coefficient: Fraction, power: Fraction = Fraction(0), factors: Mapping[Sum, int] = _NONE) -> Exponential:
        """Return a rational number times a power of e, and factors."""
        return Exponential(to_flint(coefficient), to_flint(power), factors)

    def __reduce__(self) -> tuple[Any, ...]:
        return Exponential.of, (fraction(self.coefficient), fraction(self.power), dict(self.factors))

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
        common, rests = self.factors, [_NONE, _NONE]
        if common != other.factors:
            every = {**self.factors, **other.factors}
            common = {one: min(self.factors.get(one, 0), other.factors.get(one, 0)) for one in every}
            rests = [_without(part.factors, common) for part in (self, other)]
        total: list[tuple[Any, Any]] = []
        for part, rest in zip((self, other), rests, strict=True):
            expanded = _expanded(rest, _TERMS) if rest else _UNIT
            if expanded is None:
                return None
            total += [(power + part.power, coefficient * part.coefficient) for power, coefficient in expanded]
        kept = _merged(total)
        if not kept:
            return Exponential(_ZERO)
        if len(kept) > _TERMS:
            return None
        least, first = kept[0]
        factors = {one: times for one, times in common.items() if times}
        if len(kept) > 1:
            made = Sum(tuple([(power - least, coefficient / first) for power, coefficient in kept]))
            factors[made] = factors.get(made, 0) + 1
            if not factors[made]:
                del factors[made]
        return Exponential(first, least, factors)._short()

    def __sub__(self, other: Exponential) -> Exponential | None:
        return self + -other

    def same(self, other: Exponential) -> bool | None:
        """Return True if the two numbers are equal; None if their sums are too long to be multiplied out."""
        if not self.coefficient or not other.coefficient:
            return bool(self.coefficient == other.coefficient)
        ratio = self._times(other, -1)
        above = _expanded({one: times for one, times in ratio.factors.items() if times > 0}, _EXPANDED)
        below = _expanded({one: -times for one, times in ratio.factors.items() if times < 0}, _EXPANDED)
        if above is None or below is None:
            return None
        shifted = [(power + ratio.power, value * ratio.coefficient) for power, value in above]
        return shifted == list(below)

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
        short = self.coefficient.height_bits() <= _DIGITS and self.power.height_bits() <= _DIGITS
        return self if short else None

    def _ball(self) -> Any:
        value = flint.arb(self.coefficient) * flint.arb(self.power).exp()
        for one, times in self.factors.items():
            parts = [flint.arb(part) * flint.arb(power).exp() for power, part in one.terms]
            value *= sum(parts, flint.arb(0)) ** times
        return value


def _without(factors: Mapping[Sum, int], common: Mapping[Sum, int]) -> dict[Sum, int]:
    """Return what is left of a product when a common part is divided out."""
    left = {one: factors.get(one, 0) - times for one, times in common.items()}
    return {one: times for one, times in left.items() if times}


def _expanded(factors: Mapping[Sum, int], most: int) -> Terms | None:
    """Return a product of sums as one sum; None if it has more terms."""
    made = _UNIT
    if sum(factors.values()) > most:
        return None
    for one, times in factors.items():
        for _ in range(times):
            made = _merged([(power + more, value * factor) for power, value in made for more, factor in one.terms])
            if len(made) > most:
                return None
    return made


def _merged(terms: list[tuple[Any, Any]]) -> Terms:
    """Return terms in order, those of one power added up."""
    terms.sort(key=operator.itemgetter(0))
    kept: list[tuple[Any, Any]] = []
    for power, coefficient in terms:
        if kept and kept[-1][0] == power:
            kept[-1] = (power, kept[-1][1] + coefficient)
        else:
            kept.append((power, coefficient))
    return [term for term in kept if term[1]]


def fraction(value: Any) -> Fraction:
    """Return a rational number of Flint as a Fraction."""
    return Fraction(int(value.p), int(value.q))


def _sum_of(terms: tuple[tuple[Fraction, Fraction], ...]) -> Sum:
    return Sum(tuple([(to_flint(power), to_flint(coefficient)) for power, coefficient in terms]))
