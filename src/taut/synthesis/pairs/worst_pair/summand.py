"""The part of one output in a divergence, for integer masses, enclosed by rational numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import fmpq

from taut.inference.masses import Masses
from taut.questions.pair_measure import Divergence
from taut.support.exact import Ball

__all__ = ["Summand", "phi_of", "rational", "summand_of"]


_MOST_BITS = 1 << 20
"""Bits of a power above which it is made only if the measure allows that many digits."""


class Summand:
    """phi(a, b) for integers that are not both zero, not below (``above``) and not above it (``below``).

    None stands for infinity. Where ``exact``, the two are the same number.
    """

    exact = False
    multiplicative = False
    """True if phi(a c, b d) = phi(a, b) phi(c, d)."""

    def __init__(self, measure: Divergence) -> None:
        self.measure = measure
        self.kink = Fraction(1)
        """The ratio a / b at which phi is not smooth, if there is one."""

    def above(self, a: int, b: int) -> Any:
        value = phi_of(self.measure, a, b)
        return None if value == math.inf else rational(value.upper if isinstance(value, Ball) else value)

    def below(self, a: int, b: int) -> Any:
        value = phi_of(self.measure, a, b)
        return None if value == math.inf else rational(value.lower if isinstance(value, Ball) else value)

    def total(self, masses: Masses) -> Any:
        """Return the sum over masses by ratios, from above."""
        total = fmpq(0)
        for (a, b), weight in masses.items():
            part = self.above(a, b)
            if part is None:
                return None
            total += part * weight
        return total

    def revealed(self, u: Mapping[int, int], v: Mapping[int, int], a: int, b: int) -> Any:
        """Return the sum over all nodes w of phi(a u(w), b v(w)), from above."""
        total = fmpq(0)
        for node in u.keys() | v.keys():
            part = self.above(a * u.get(node, 0), b * v.get(node, 0))
            if part is None:
                return None
            total += part
        return total


class _HockeyStick(Summand):
    """max(0, a - gamma b); an irrational gamma is rounded down, or up from below."""

    def __init__(self, measure: Divergence, gamma: Any) -> None:
        super().__init__(measure)
        ends = (gamma.lower, gamma.upper) if isinstance(gamma, Ball) else (gamma, gamma)
        self.exact = ends[0] == ends[1]
        self.kink = ends[0]
        self._above, self._below = ((end.numerator, end.denominator) for end in ends)

    def above(self, a: int, b: int) -> Any:
        numerator, denominator = self._above
        return fmpq(max(0, denominator * a - numerator * b), denominator)

    def below(self, a: int, b: int) -> Any:
        numerator, denominator = self._below
        return fmpq(max(0, denominator * a - numerator * b), denominator)

    def total(self, masses: Masses) -> Any:
        numerator, denominator = self._above
        parts = (max(0, denominator * a - numerator * b) * weight for (a, b), weight in masses.items())
        return fmpq(sum(parts), denominator)

    def revealed(self, u: Mapping[int, int], v: Mapping[int, int], a: int, b: int) -> Any:
        numerator, denominator = self._above
        own, other, total = denominator * a, numerator * b, 0
        for node, mass in u.items():
            part = own * mass - other * v.get(node, 0)
            if part > 0:
                total += part
        return fmpq(total, denominator)


class _WholeMoment(Summand):
    """a^order / b^(order - 1) for a whole order."""

    exact = multiplicative = True

    def __init__(self, measure: Divergence) -> None:
        super().__init__(measure)
        self._order = int(measure.moment)

    def above(self, a: int, b: int) -> Any:
        if not a:
            return fmpq(0)
        if self._order * max(a.bit_length(), b.bit_length()) > _MOST_BITS:
            return super().above(a, b)  # which refuses a power of too many digits
        return fmpq(a**self._order, b ** (self._order - 1)) if b else None

    below = above


class _Moment(Summand):
    """The general moment."""

    multiplicative = True


def summand_of(measure: Divergence) -> Summand:
    """Return the summand of a divergence, in the quickest arithmetic there is for it."""
    if measure.kink is not None:
        return _HockeyStick(measure, measure.kink)
    if measure.multiplicative:
        whole = measure.moment is not None and measure.moment.denominator == 1
        return _WholeMoment(measure) if whole else _Moment(measure)
    return Summand(measure)


def phi_of(measure: Divergence, a: int, b: int) -> Any:
    """Return phi of two integers; infinite where a user's own divergence divides by zero."""
    try:
        return measure.phi(Fraction(a), Fraction(b))
    except ZeroDivisionError:
        return math.inf


def rational(value: Any) -> Any:
    """Return a Fraction or an integer as a number of flint."""
    return fmpq(value.numerator, value.denominator)
