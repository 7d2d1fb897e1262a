"""Weights of edges that pass over levels, of ranges of values, and of rows that share one denominator.

Exact masses are integers over the product of the denominators of all levels. Of the rows of a table of conditional
probabilities a path looks at one, so that product is much longer than any path needs. Where the levels of a run of
coins are alternatives, all of them are written over one denominator, which is counted once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from taut.diagrams.levels import LevelArrays
from taut.diagrams.semirings import Row, Semiring

__all__ = ["Alternatives", "RangeSums", "SkippedLevels", "alternatives", "over_one_denominator"]


T = TypeVar("T")
_SHORT = 2000
"""Denominators with fewer bits together are left as they are."""


@dataclass(frozen=True)
class Alternatives:
    """The levels from ``start`` to ``stop`` (excluded), and the denominator that they share."""

    start: int
    stop: int
    scale: int


def alternatives(arrays: LevelArrays, choices: Sequence[Row[Any] | int]) -> list[Alternatives]:
    """Return maximal runs of consecutive coin levels of which any path visits at most one.

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
    """Return the choices with the rows of each group over its common denominator."""
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


class RangeSums(Generic[T]):
    """Adds up n weights between any two positions with at most 2 log n additions, after n to begin with.

    Differences of sums from the left would do with one operation, but semirings have no differences, and those of
    floats and of balls lose what a sum keeps.
    """

    def __init__(self, weights: Sequence[T], semiring: Semiring[T]) -> None:
        self._zero, self._add = semiring.zero, semiring.add
        self._layers: list[Sequence[T]] = [weights]
        while len(self._layers[-1]) > 1:
            below = self._layers[-1]
            self._layers.append(list(map(self._add, below[0::2], below[1::2])))  # an odd one is never asked for above

    def between(self, start: int, stop: int) -> T:
        """Return the sum of the weights from ``start`` to ``stop`` (excluded)."""
        total, add = self._zero, self._add
        for layer in self._layers:
            if start >= stop:
                break
            if start & 1:
                total = add(total, layer[start])
                start += 1
            if stop & 1:
                stop -= 1
                total = add(total, layer[stop])
            start >>= 1
            stop >>= 1
        return total


class SkippedLevels(Generic[T]):
    """Products of the totals of consecutive levels.

    Of ``groups`` of levels a path looks at one at most; passing over a whole group costs its denominator.
    Levels that no path looks at, and whose weights sum to one, are left out altogether, so that exact numbers stay
    small; ``scale`` is the product of the scales of all others.
    """

    def __init__(
        self,
        arrays: LevelArrays,
        choices: Sequence[Row[T] | int],
        nodes: Sequence[int],
        semiring: Semiring[T],
        groups: Sequence[Alternatives] = (),
    ) -> None:
        if len(nodes) == arrays.nodes:
            looked = {number for number, level in enumerate(arrays.levels) if level.start < level.stop}
        else:
            looked = {arrays.lists[2][node] for node in nodes}
        self._mul, self._one = semiring.mul, semiring.one
        self._totals: list[T | None] = []
        self._counted = [0]
        self.scale = semiring.one
        self._after = list(range(len(choices) + 1))
        shared: dict[int, T | None] = {}
        for group in groups:
            shared.update(dict.fromkeys(range(group.start, group.stop)))
            shared[group.stop - 1] = cast(T, group.scale)
            self._after[group.start + 1 : group.stop] = [group.stop] * (group.stop - group.start - 1)
        for number, choice in enumerate(choices):
            total = None
            if number in shared:
                total = shared[number]
                if total is not None:
                    self.scale = semiring.mul(self.scale, total)
            elif isinstance(choice, Row) and (number in looked or choice.total != choice.scale):
                self.scale = semiring.mul(self.scale, choice.scale)
                total = None if choice.total == semiring.one else choice.total
            self._totals.append(total)
            self._counted.append(self._counted[-1] + (total is not None))
        self._products: dict[tuple[int, int], T] = {}

    @property
    def cost(self) -> bool:
        """True if an edge that skips some level has a factor other than one."""
        return self._counted[-1] > 0

    def over(self, value: T, start: int, stop: int) -> T:
        """Return the value, times the totals of the levels from start to stop (excluded).

        A group of alternatives counts as a whole, if all of it is passed over.
        """
        start = self._after[start]
        if start >= stop or self._counted[start] == self._counted[stop]:
            return value
        return self._mul(value, self._product(start, stop))

    def _product(self, start: int, stop: int) -> T:
        """Return the product of totals, made from the next shorter one that is known."""
        known = self._products
        first = start
        while first < stop and (first, stop) not in known:
            first += 1
        product = known.get((first, stop), self._one)
        for level in range(first - 1, start - 1, -1):
            total = self._totals[level]
            if total is not None:
                product = self._mul(total, product)
            known[level, stop] = product
        return product
