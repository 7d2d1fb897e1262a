"""Exact rationals, as integers over one common denominator per row: no fraction is reduced before the end."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.diagrams.semirings.protocol import Row
from taut.support.errors import InvalidNumber

__all__ = ["EXACT", "ExactSemiring"]


class ExactSemiring:
    """Integers standing for rationals over the product of the rows' denominators.

    A vector without its scale has no common divisor, so two vectors have one key exactly if they are proportional.
    """

    name = "exact"
    zero = 0
    one = 1
    unit = flint.fmpq(1)
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[int]:
        for weight in weights:
            if not isinstance(weight, (Fraction, int)):
                raise InvalidNumber(f"{weight} is not rational; use the ball semiring.", value=weight)
        ratios = [weight.as_integer_ratio() for weight in weights]
        scale = math.lcm(*{below for _, below in ratios})
        scaled = tuple([above * (scale // below) for above, below in ratios])
        return Row(scaled, sum(scaled), scale)

    def value(self, mass: int, scale: int) -> Fraction:
        return Fraction(mass, scale)

    def plain(self, vector: list[int]) -> list[int]:
        return vector

    def primitive(self, vector: list[int]) -> tuple[list[int], int]:
        factor = math.gcd(*vector)
        return (vector, 1) if factor == 1 else ([entry // factor for entry in vector], factor)

    def key(self, vector: list[int]) -> Hashable:
        return tuple(vector)

    def joined(self, vector: list[int], other: list[int]) -> list[int]:
        return vector

    def spread(self, vector: list[int]) -> int:
        return 1

    def larger(self, a: Any, b: Any) -> Any:
        return a if a >= b else b

    def smaller(self, a: Any, b: Any) -> Any:
        return a if a <= b else b


EXACT = ExactSemiring()
