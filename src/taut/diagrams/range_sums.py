"""Sums of consecutive weights, for any number of ranges, in any semiring: by a tree of sums of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from taut.diagrams.semirings import Semiring

__all__ = ["RangeSums"]

T = TypeVar("T")


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
        """The sum of the weights from ``start`` to ``stop`` (excluded)."""
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
