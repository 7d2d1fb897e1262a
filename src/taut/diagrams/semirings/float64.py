"""IEEE doubles: quick, and off by a few ulp per level, since all terms are positive."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from taut.diagrams.semirings.protocol import Row
from taut.support.exact import Ball

__all__ = ["FLOAT64", "Float64Semiring"]


class Float64Semiring:
    """Doubles; rows that sum to one exactly keep a total of exactly one."""

    name = "float64"
    zero = 0.0
    one = 1.0
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[float]:
        exact_total = sum(weights)
        is_one = exact_total.contains(1) if isinstance(exact_total, Ball) else exact_total == 1
        floats = tuple(float(weight) for weight in weights)
        return Row(floats, 1.0 if is_one else math.fsum(floats), 1.0)

    def value(self, mass: float, scale: float) -> float:
        return mass / scale


FLOAT64 = Float64Semiring()
