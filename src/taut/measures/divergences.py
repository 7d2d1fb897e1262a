"""The divergences of the field: hockey-stick, total variation, Rényi, Kullback-Leibler, chi-squared, Hellinger."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint

from taut.errors import InvalidNumber, TooLarge
from taut.measures.divergence import Divergence
from taut.numbers import INFINITY, Ball, in_precision, large, number
from taut.results import Bound, DeltaBound, RenyiBound

__all__ = [
    "ChiSquared",
    "HockeyStick",
    "KullbackLeibler",
    "RenyiMoment",
    "SquaredHellinger",
    "TotalVariation",
]


_MOST_BITS = 1 << 20
"""Bits of a power that is added up exactly."""


@dataclass(frozen=True)
class HockeyStick(Divergence):
    """The sum of max(0, p - ratio * q): delta at e^epsilon = ratio.

    A Fraction if ratio is rational, a Ball if it is e^epsilon with epsilon given (``taut.exp``).

    Parameters
    ----------
    ratio
        e^epsilon: a number of at least 0, as text or as a number.
    """

    ratio: Any
    epsilon: Any = field(default=None)
    """The epsilon that was asked for, if that was given and not the ratio; only shown."""

    def __post_init__(self) -> None:
        ratio = number(self.ratio, "HockeyStick: ratio")
        if (ratio.lower if isinstance(ratio, Ball) else ratio) < 0:
            raise InvalidNumber(
                f"HockeyStick: ratio = e^epsilon must be at least 0; got {self.ratio}.", value=self.ratio
            )
        object.__setattr__(self, "ratio", ratio)

    @property
    def name(self) -> str:
        return "delta"

    def phi(self, p: Any, q: Any) -> Any:
        return _positive(p - self.ratio * q)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return DeltaBound(attained, limit, measure=self.name, ratio=self.ratio, at_epsilon=self.epsilon, **parts)


class TotalVariation(Divergence):
    """The sum of max(0, p - q): the largest difference of the probabilities of any set of outputs."""

    @property
    def name(self) -> str:
        return "total variation"

    def phi(self, p: Any, q: Any) -> Any:
        return _positive(p - q)


@dataclass(frozen=True)
class RenyiMoment(Divergence):
    """The sum of p^order * q^(1 - order); infinite where only x has an output.

    Its logarithm over order - 1 is the Rényi divergence. A Fraction for whole orders, a Ball for others.

    Parameters
    ----------
    order
        A rational number above 1.
    """

    order: Any

    def __post_init__(self) -> None:
        order = number(self.order, "RenyiMoment: order")
        if isinstance(order, Ball) or order <= 1:
            raise InvalidNumber(f"renyi: order must be a rational number above 1; got {self.order}.", value=self.order)
        object.__setattr__(self, "order", order)

    @property
    def name(self) -> str:
        return f"Rényi moment of order {self.order}"

    def phi(self, p: Any, q: Any) -> Any:
        if p == 0:
            return p * 0
        if q == 0:
            return INFINITY
        if self.order.denominator == 1:
            self._require_digits(p / q)
            return p * (p / q) ** (int(self.order) - 1)
        with in_precision():
            return p * Ball(
                _arb(p / q)
                ** flint.arb(flint.fmpq(self.order.numerator - self.order.denominator, self.order.denominator))
            )

    def _require_digits(self, quotient: Any) -> None:
        """Refuse a power of a rational quotient that has too many digits to be added up exactly."""
        if not isinstance(quotient, Fraction) or quotient == 1:
            return
        bits = self.order * max(quotient.numerator.bit_length(), quotient.denominator.bit_length())
        if bits > _MOST_BITS:
            raise TooLarge(
                f"renyi: a moment of order {large(int(self.order))} would have about {large(int(bits * 3 // 10))} "
                f"digits here; at most {_MOST_BITS * 3 // 10} are followed. Take a smaller order, or one that is not a "
                "whole number, whose moment is enclosed and not written out.",
                value=self.order,
            )

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return RenyiBound(attained, limit, measure=self.name, order=self.order, **parts)


class KullbackLeibler(Divergence):
    """The sum of p log(p / q), a Ball; infinite where only x has an output."""

    @property
    def name(self) -> str:
        return "Kullback-Leibler divergence"

    def phi(self, p: Any, q: Any) -> Any:
        if p == 0:
            return p * 0
        if q == 0:
            return INFINITY
        if p == q and isinstance(p, Fraction):
            return Fraction(0)
        with in_precision():
            return p * Ball(_arb(p / q).log())


class ChiSquared(Divergence):
    """The sum of (p - q)^2 / q; infinite where only x has an output."""

    @property
    def name(self) -> str:
        return "chi-squared divergence"

    def phi(self, p: Any, q: Any) -> Any:
        if q == 0:
            return INFINITY
        return (p - q) ** 2 / q


class SquaredHellinger(Divergence):
    """The sum of (sqrt(p) - sqrt(q))^2, between 0 and 2; a Ball unless all roots are rational."""

    @property
    def name(self) -> str:
        return "squared Hellinger distance"

    def phi(self, p: Any, q: Any) -> Any:
        if p == 0 or q == 0 or (p == q and isinstance(p, Fraction)):
            return p + q if p == 0 or q == 0 else Fraction(0)
        with in_precision():
            return p + q - 2 * Ball(_arb(p * q).sqrt())


def _positive(value: Any) -> Any:
    """The positive part of a number."""
    if not isinstance(value, Ball):
        return max(Fraction(0), value)
    if value.upper <= 0:
        return Ball(0)
    if value.lower >= 0:
        return value
    with in_precision():
        return Ball(value.arb.max(flint.arb(0)))


def _arb(value: Any) -> Any:
    return value.arb if isinstance(value, Ball) else Ball(value).arb
