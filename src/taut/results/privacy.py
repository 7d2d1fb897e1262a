"""Privacy bounds: the largest quotient, its witness, and the classes of triples that share a quotient."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint

from taut.numbers import INFINITY, Ball
from taut.results.bound import Bound
from taut.results.text import shown, text_of

__all__ = ["PrivacyBound", "RatioClass", "Witness", "epsilon_of"]


@dataclass(frozen=True)
class Witness:
    """Neighbours x and x', and the output y that tells them apart best."""

    x: Any
    x_prime: Any
    y: Any


@dataclass(frozen=True)
class RatioClass:
    """All ordered triples (x, x', y) with one quotient: the quotient, how many there are, and one of them."""

    value: Any
    count: int
    locate: Callable[[], Witness] = field(repr=False, compare=False)

    @property
    def witness(self) -> Witness:
        return self.locate()


@dataclass(frozen=True)
class PrivacyBound(Bound):
    """The smallest e^epsilon for which a mechanism is epsilon-differentially private.

    Guarantee:
        For every related pair (x, x') and every set S of outputs, P(A(x) in S) <= max_ratio * P(A(x') in S); if
        ``exact``, the witness attains it.
    """

    witness: Witness = field(default=Witness(None, None, None))

    @property
    def max_ratio(self) -> Any:
        """e^epsilon: a Fraction, a Ball or INFINITY; the upper end where the bound is not exact."""
        return self.upper

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio, rounded up: the smallest float that is not below it."""
        return epsilon_of(self.max_ratio)

    @property
    def attained(self) -> Any:
        return self.lower

    def __str__(self) -> str:
        if not self.exact:
            head = f"{shown(self.lower)} <= e^eps <= {shown(self.upper)}"
        else:
            head = f"e^eps = {shown(self.max_ratio)} exactly (eps = {self.epsilon:.6g})"
        if not self.witnessed:
            return f"{head}; no case was looked at"
        places = f"x={self.witness.x}, x'={self.witness.x_prime}, y={self.witness.y}"
        return f"{head}, at {places}; found by {self.method}"

    def _head(self) -> dict[str, Any]:
        return {
            "max_ratio": text_of(self.max_ratio),
            "epsilon": str(self.epsilon) if abs(self.epsilon) == INFINITY else self.epsilon,
        }


def epsilon_of(ratio: Any) -> float:
    """The smallest float that is not below the logarithm of an exact ratio."""
    if ratio == INFINITY:
        return INFINITY
    if ratio == 1:
        return 0.0
    if ratio == 0:
        return -INFINITY
    with flint.ctx.workprec(_precision(ratio)):
        exact = ratio.arb if isinstance(ratio, Ball) else flint.arb(flint.fmpq(ratio.numerator, ratio.denominator))
        upper = Ball(exact.log()).upper
    guess = float(upper)
    while Fraction(guess) < upper:
        guess = math.nextafter(guess, math.inf)
    while Fraction(math.nextafter(guess, -math.inf)) >= upper:
        guess = math.nextafter(guess, -math.inf)
    return guess


def _precision(ratio: Any) -> int:
    """Enough bits for the logarithm of a ratio however close to one it is."""
    if isinstance(ratio, Ball):
        return 256
    return 256 + 2 * max(int(ratio.numerator).bit_length(), int(ratio.denominator).bit_length())
