"""Balls: rigorous intervals, for weights in which exp occurs."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.diagrams.semirings.protocol import Row
from taut.support.exact import Ball

__all__ = ["BALL", "BARE_BALL", "BallSemiring", "BareBallSemiring"]

_KEY_BITS = 120


class BallSemiring:
    """Balls; a row whose sum may be one counts as a distribution."""

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


class BareBallSemiring:
    """Flint's own balls, at the precision in force (``numbers.in_precision``): several times as fast as Balls.

    Vectors are divided by their largest entry. Those whose entries all agree to 120 bits, and are 0 in the same places,
    are joined into one that encloses both: what is computed from it encloses what either would have given, so no bound
    becomes wrong, only wider by as much.
    """

    name = "bare ball"
    zero: Any = 0
    one: Any = 1
    unit = flint.arb(1)
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[Any]:
        row = BALL.row(weights)
        bare = tuple(0 if weight == 0 else weight.arb for weight in row.weights)
        return Row(bare, 1 if row.total == 1 else row.total.arb, 1)

    def value(self, mass: Any, scale: Any) -> Ball:
        return Ball(flint.arb(mass) / scale)

    def plain(self, vector: list[Any]) -> list[Any]:
        return [0 if entry == 0 else entry for entry in vector]

    def primitive(self, vector: list[Any]) -> tuple[list[Any], Any]:
        factor = max(flint.arb(entry).mid() for entry in vector)  # an exact number, so that no ball becomes wider
        return [flint.arb(entry) / factor if entry else 0 for entry in vector], factor

    def key(self, vector: list[Any]) -> Hashable:
        return tuple(_rounded(entry) for entry in vector)

    def joined(self, vector: list[Any], other: list[Any]) -> list[Any]:
        return [flint.arb(a).union(flint.arb(b)) if a else 0 for a, b in zip(vector, other, strict=True)]

    def spread(self, vector: list[Any]) -> Any:
        factor = flint.arb(1)
        for entry in vector:
            if entry:
                factor = factor.union(flint.arb(entry) / flint.arb(entry))
        return factor

    def larger(self, a: Any, b: Any) -> Any:
        return a.max(b)

    def smaller(self, a: Any, b: Any) -> Any:
        return a.min(b)


BALL, BARE_BALL = BallSemiring(), BareBallSemiring()


def _rounded(entry: Any) -> tuple[int, ...]:
    """The middle of an entry to 120 bits, as an odd number and a power of two; 0 has a key of its own.

    A ball that is wider than that is only like itself: joined with others it would become wider still.
    """
    ball = flint.arb(entry)
    mantissa, power = (int(part) for part in ball.mid().man_exp())
    if mantissa == 0:
        return 0, 0
    if ball.rel_accuracy_bits() < _KEY_BITS:
        return mantissa, power, *(int(part) for part in ball.rad().man_exp())
    cut = max(0, mantissa.bit_length() - _KEY_BITS)
    rounded = (mantissa + (1 << cut >> 1)) >> cut
    twos = (rounded & -rounded).bit_length() - 1
    return rounded >> twos, power + cut + twos
