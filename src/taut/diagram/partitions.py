"""Partitions of a variable's values into classes, so that a node stores each distinct child once."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Partitions"]


class Partitions:
    """Interned maps from values (by position) to classes, numbered by first occurrence.

    A node keeps the number of a partition and one child a class; most nodes send many values of a variable to few
    children (a comparison sends all to two), so this keeps diagrams over large domains small.
    """

    def __init__(self) -> None:
        self.classes: list[bytes | tuple[int, ...]] = []
        self._numbers: dict[bytes | tuple[int, ...], int] = {}
        self._joins: dict[tuple[int, int], tuple[int, tuple[tuple[int, int], ...]]] = {}
        self._merges: dict[tuple[int, tuple[int, ...]], int] = {}
        self._full: dict[int, int] = {}

    def full(self, arity: int) -> int:
        """The partition in which every value is a class of its own."""
        found = self._full.get(arity)
        if found is None:
            found = self._full[arity] = self._intern(range(arity))
        return found

    def single(self, arity: int, position: int) -> int:
        """The partition that tells one value from all others."""
        if position == 0:
            return self._intern([0] + [1] * (arity - 1))
        return self._intern([0] * position + [1] + [0] * (arity - position - 1))

    def of(self, labels: Sequence[object]) -> tuple[int, list[int]]:
        """The partition of positions with equal labels, and the first position of each class."""
        first: dict[object, int] = {}
        starts = []
        classes = []
        for position, label in enumerate(labels):
            if label not in first:
                first[label] = len(first)
                starts.append(position)
            classes.append(first[label])
        return self._intern(classes), starts

    def join(self, a: int, b: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        """The coarsest partition finer than both, and for each of its classes the class in a and in b."""
        key = (a, b)
        found = self._joins.get(key)
        if found is None:
            pairs = list(zip(self.classes[a], self.classes[b], strict=True))
            number, starts = self.of(pairs)
            found = self._joins[key] = (number, tuple(pairs[start] for start in starts))
        return found

    def merge(self, number: int, children: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The partition with classes of equal children made one, and those children."""
        distinct = {child: place for place, child in enumerate(dict.fromkeys(children))}
        pattern = tuple([distinct[child] for child in children])
        key = (number, pattern)
        merged = self._merges.get(key)
        if merged is None:
            merged = self._merges[key] = self._intern([pattern[old] for old in self.classes[number]])
        return merged, tuple(distinct)

    def _intern(self, classes: Sequence[int]) -> int:
        key: bytes | tuple[int, ...] = bytes(classes) if max(classes, default=0) < 256 else tuple(classes)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.classes)
            self.classes.append(key)
        return found
