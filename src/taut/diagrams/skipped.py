"""Skipped levels: what an edge is worth that passes over levels without looking at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar, cast

from taut.diagrams.alternatives import Alternatives
from taut.diagrams.levels import LevelArrays
from taut.diagrams.semirings import Row, Semiring

__all__ = ["SkippedLevels"]

T = TypeVar("T")


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
        """The value, times the totals of the levels from start to stop (excluded).

        A group of alternatives counts as a whole, if all of it is passed over.
        """
        start = self._after[start]
        if start >= stop or self._counted[start] == self._counted[stop]:
            return value
        return self._mul(value, self._product(start, stop))

    def _product(self, start: int, stop: int) -> T:
        """The product of totals, made from the next shorter one that is known."""
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
