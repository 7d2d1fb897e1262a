"""Balls: rigorous intervals, for weights in which exp occurs."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.numbers import Ball
from taut.semiring.protocol import Row

__all__ = ["BALL", "BallSemiring"]


class BallSemiring:
    """Balls; a row whose sum may be one is taken to sum to one, as distributions do."""

    name = "ball"
    zero = Ball(0)
    one = Ball(1)
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[Ball]:
        balls = tuple(weight if isinstance(weight, Ball) else Ball(Fraction(weight)) for weight in weights)
        total = sum(balls, Ball(0))
        return Row(balls, self.one if total.contains(1) else total, self.one)

    def value(self, mass: Ball, scale: Ball) -> Any:
        return mass / scale


BALL = BallSemiring()
