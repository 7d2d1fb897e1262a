"""Sets of small numbers as the bits of an integer: which values are possible, folded like weights."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from taut.diagrams.semirings.protocol import Row

__all__ = ["BOOLEAN", "BitsetSemiring"]


class BitsetSemiring:
    """Subsets of 0, ..., width - 1 with union and intersection; a weight that is not 0 is the whole set.

    With width 1 these are the truth values, and a fold says whether a path of positive weight exists.
    """

    zero = 0
    add = staticmethod(operator.or_)
    mul = staticmethod(operator.and_)

    def __init__(self, width: int) -> None:
        self.name = f"sets of {width} bits"
        self.one = (1 << width) - 1

    def row(self, weights: Sequence[Any]) -> Row[int]:
        sets = tuple(self.zero if weight == 0 else self.one for weight in weights)
        return Row(sets, self.one if any(sets) else self.zero, self.one)

    def value(self, mass: int, scale: int) -> int:
        return mass & scale


BOOLEAN = BitsetSemiring(1)
