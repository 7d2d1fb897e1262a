"""Levels of which a path looks at one at most: the rows of a table, which may share one denominator.

Exact masses are integers over the product of the denominators of all levels. Of the rows of a table of conditional
probabilities a path looks at one, so that product is much longer than any path needs. Where the levels of a run of
coins are alternatives, all of them are written over one denominator, which is counted once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.diagrams.levels import LevelArrays
from taut.diagrams.semirings import Row

__all__ = ["Alternatives", "alternatives", "over_one_denominator"]

_SHORT = 2000
"""Denominators with fewer bits together are left as they are."""


@dataclass(frozen=True)
class Alternatives:
    """The levels from ``start`` to ``stop`` (excluded), and the denominator that they share."""

    start: int
    stop: int
    scale: int


def alternatives(arrays: LevelArrays, choices: Sequence[Row[Any] | int]) -> list[Alternatives]:
    """Maximal runs of consecutive coin levels of which any path visits at most one.

    Their weights must sum to one. There is none where the denominators are short.
    """
    looked = [level.start < level.stop for level in arrays.levels]
    plain = [isinstance(choice, Row) and choice.total == choice.scale != 1 for choice in choices]
    bits = sum(choice.scale.bit_length() for choice, p in zip(choices, plain, strict=True) if p)  # type: ignore[union-attr]
    if bits <= _SHORT:
        return []
    following = arrays.next_levels

    def may_join(place: int) -> bool:
        choice = choices[place]
        return plain[place] or (not looked[place] and isinstance(choice, Row) and choice.total == choice.scale)

    found: list[Alternatives] = []
    start = 0
    while start < len(plain):
        stop, nearest = start, len(plain)
        while stop < len(plain) and nearest > stop and may_join(stop):
            nearest = min(nearest, following[stop])
            stop += 1
        scales = [choices[place].scale for place in range(start, stop) if looked[place]]  # type: ignore[union-attr]
        if len(scales) > 1:
            found.append(Alternatives(start, stop, math.lcm(*scales)))
        start = max(stop, start + 1)
    return found


def over_one_denominator(choices: Sequence[Row[Any] | int], groups: Sequence[Alternatives]) -> list[Row[Any] | int]:
    """The choices, with the rows of each group written over its denominator."""
    result = list(choices)
    made: dict[tuple[int, int], Row[Any]] = {}
    for group in groups:
        for place in range(group.start, group.stop):
            row = result[place]
            if isinstance(row, Row) and group.scale % row.scale == 0:
                factor = group.scale // row.scale
                key = (id(choices[place]), group.scale)
                if key not in made:
                    weights = tuple(weight * factor for weight in row.weights)
                    made[key] = Row(weights, group.scale, group.scale)
                result[place] = made[key]
    return result
