"""Exact rationals, as integers over one common denominator a row: no fraction is reduced before the end."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.errors import InvalidNumber
from taut.semiring.protocol import Row

__all__ = ["EXACT", "ExactSemiring"]


class ExactSemiring:
    """Integers standing for rationals over the product of the rows' denominators."""

    name = "exact"
    zero = 0
    one = 1
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[int]:
        for weight in weights:
            if not isinstance(weight, (int, Fraction)):
                raise InvalidNumber(f"{weight} is not rational; use the ball semiring.", value=weight)
        fractions = [Fraction(weight) for weight in weights]
        scale = math.lcm(*[weight.denominator for weight in fractions])
        scaled = tuple(weight.numerator * (scale // weight.denominator) for weight in fractions)
        return Row(scaled, sum(scaled), scale)

    def value(self, mass: int, scale: int) -> Fraction:
        return Fraction(mass, scale)


EXACT = ExactSemiring()
