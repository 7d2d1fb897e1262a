"""Partitions of a variable's values into classes, so that a node stores each distinct child once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Partition", "Partitions"]

L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Partition:
    """A map from values (by position) to classes, as runs of consecutive values of one class.

    Run i ends before position ``ends[i]`` and has class ``classes[i]``. Classes are numbered by first occurrence, and
    neighbouring runs have different ones, so equal maps are equal partitions. A comparison sends thousands of values to
    two classes in two or three runs, and that is all that is stored.

    Examples
    --------
    >>> below_three = Partition((3, 8), (0, 1))
    >>> [below_three.place(value) for value in (0, 2, 3, 7)], below_three.members()
    ([0, 0, 1, 1], [[0, 1, 2], [3, 4, 5, 6, 7]])
    """

    ends: tuple[int, ...]
    classes: tuple[int, ...]

    @property
    def arity(self) -> int:
        """The number of values."""
        return self.ends[-1]

    @property
    def size(self) -> int:
        """The number of classes."""
        return max(self.classes) + 1

    def place(self, value: int) -> int:
        """Return the class of a value."""
        return self.classes[bisect_right(self.ends, value)]

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Yield (start, stop, class) for each run of consecutive values."""
        return zip((0, *self.ends), self.ends, self.classes, strict=False)

    def members(self) -> list[list[int]]:
        """Return the values of each class."""
        found: list[list[int]] = [[] for _ in range(self.size)]
        for start, stop, number in self.runs():
            found[number] += range(start, stop)
        return found

    def first(self, number: int) -> int:
        """Return the first value of a class."""
        run = self.classes.index(number)
        return self.ends[run - 1] if run else 0


class Partitions:
    """Interned partitions: a node keeps the number of its partition, and one child a class."""

    def __init__(self) -> None:
        self._known: list[Partition] = []
        self._numbers: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._joins: dict[tuple[int, int], tuple[int, tuple[tuple[int, int], ...]]] = {}
        self._merges: dict[tuple[int, tuple[int, ...]], int] = {}
        self._full: dict[int, int] = {}

    def __getitem__(self, number: int) -> Partition:
        return self._known[number]

    def full(self, arity: int) -> int:
        """Return the partition in which every value is a class of its own."""
        found = self._full.get(arity)
        if found is None:
            found = self._full[arity] = self._intern(tuple(range(1, arity + 1)), tuple(range(arity)))
        return found

    def single(self, arity: int, position: int) -> int:
        """Return the partition into one value and all others."""
        return self.of_runs([(position, False), (position + 1, True), (arity, False)])[0]

    def of_runs(self, runs: Iterable[tuple[int, L]]) -> tuple[int, tuple[L, ...]]:
        """Return the partition of values with equal labels, given the end and the label of each run; and the classes'
        labels.

        Runs may be empty, and neighbours may have the same label.
        """
        numbers: dict[L, int] = {}
        ends: list[int] = []
        classes: list[int] = []
        last, before = -1, 0
        for end, label in runs:
            if end == before:
                continue
            number = numbers.setdefault(label, len(numbers))
            if number == last:
                ends[-1] = end
            else:
                ends.append(end)
                classes.append(number)
            last, before = number, end
        return self._intern(tuple(ends), tuple(classes)), tuple(numbers)

    def join(self, a: int, b: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Return the coarsest partition finer than both, and for each of its classes the class in a and in b."""
        key = (a, b)
        found = self._joins.get(key)
        if found is None:
            found = self._joins[key] = self.of_runs(_crossed(self._known[a], self._known[b]))
        return found

    def merge(self, number: int, children: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Merge classes with equal children; return the partition and the children."""
        distinct = {child: place for place, child in enumerate(dict.fromkeys(children))}
        pattern = tuple([distinct[child] for child in children])
        key = (number, pattern)
        merged = self._merges.get(key)
        if merged is None:
            old = self._known[number]
            labels = map(pattern.__getitem__, old.classes)
            merged = self._merges[key] = self.of_runs(zip(old.ends, labels, strict=True))[0]
        return merged, tuple(distinct)

    def _intern(self, ends: tuple[int, ...], classes: tuple[int, ...]) -> int:
        key = (ends, classes)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._known)
            self._known.append(Partition(ends, classes))
        return found


def _crossed(a: Partition, b: Partition) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the runs on which both partitions are constant, with both classes."""
    others = zip(b.ends, b.classes, strict=True)
    stop, other = next(others)
    for end, number in zip(a.ends, a.classes, strict=True):
        while stop < end:
            yield stop, (number, other)
            stop, other = next(others)
        yield end, (number, other)
