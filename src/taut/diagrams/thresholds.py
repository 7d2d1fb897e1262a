"""Comparisons of a sum with a number, decided from the highest part down without a diagram of the sum.

The parts of the sum stand one below the other. At each node only what is left to be reached matters: the number minus
all that has been added above. Let S be the sum of everything from a node down, between its least and its largest value.
Where the rest t lies beyond them, S < t (or S = t) is decided, whatever the parts below show; and where two rests lead
to the same diagrams below, they lead to the same diagram. So every diagram is kept together with an interval of
rests that have it: those beyond the ends of S at first; and at a node, the rests for which every child keeps its
diagram, an intersection of intervals. A rest in a known interval costs a look-up.

Numbers put together of bits are compared as one would by hand: of 2^15 (a15 - b15) + ... + (a0 - b0) = 0 the first bits
that differ decide, since all others together cannot make up for them, so the diagram has three nodes a bit where the
numbers have 2^16 leaves. Sums of n coins compared with a number take as many steps as the diagram has edges.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from taut.diagrams.mdd import Diagrams

__all__ = ["sum_compared"]

_OFTEN = 0xFFF
"""Mask of the steps at which the limits of time and memory are checked."""
_Known = tuple[int, int, int]
"""A diagram, and the least and the largest rest for which it is the one."""


@dataclass(slots=True)
class _Frame:
    """A node with the rest still to be reached, its progress through the children, and the rests they share."""

    part: int
    node: int
    rest: int
    low: int
    high: int
    place: int = 0
    pieces: list[tuple[int, int]] = field(default_factory=list)


def sum_compared(diagrams: Diagrams, parts: Sequence[int], number: int, *, equal: bool, negated: bool) -> int:
    """Return the diagram of ``sum of parts < number`` (``== number`` if ``equal``), or of its negation.

    Parameters:
        diagrams: the table in which the result is made.
        parts: diagrams with integers as leaves, all levels of each above all levels of the next; none is a leaf.
        number: what their sum is compared with.
        equal, negated: whether it is asked to be equal or below, and whether the answer is negated.

    Returns:
        The diagram of the comparison over the leaves True and False.
    """
    return _Comparison(diagrams, parts, number, equal, negated).made()


class _Comparison:
    def __init__(self, diagrams: Diagrams, parts: Sequence[int], number: int, equal: bool, negated: bool) -> None:
        self.diagrams, self.parts, self.number, self.equal = diagrams, parts, number, equal
        self.no, self.yes = (diagrams.true, diagrams.false) if negated else (diagrams.false, diagrams.true)
        self.known: dict[int, _Intervals] = {}
        """By node: each belongs to one part, as parts have different levels."""
        self.ends: dict[int, tuple[int, int]] = {}
        below, farthest = (0, 0), abs(number)
        for root in reversed(parts):
            before, below = below, self._add_ends(root, *below)
            farthest += max(abs(below[0] - before[0]), abs(below[1] - before[1]))
        self.far = 2 * farthest + 1
        """An end beyond all rests that can occur, also after it has been moved by what the parts add."""

    def _add_ends(self, root: int, least: int, largest: int) -> tuple[int, int]:
        """Return the least and the largest sum below each node of a part, from those of the parts below."""
        diagrams, ends = self.diagrams, self.ends
        own: dict[int, tuple[int, int]] = {}
        for node in diagrams.reachable([root]):
            if diagrams.is_leaf(node):
                value = diagrams.value(node)
                own[node] = (value + least, value + largest)
            else:
                kids = [own[child] for child in diagrams.children[node]]
                own[node] = ends[node] = (min([low for low, _ in kids]), max([high for _, high in kids]))
        return own[root]

    def made(self) -> int:
        root = self.parts[0]
        found = self._look_up(0, root, self.number)
        if found is not None:
            return found[0]
        stack, steps = [self._frame(0, root, self.number)], 0
        while stack:
            steps += 1
            if not steps & _OFTEN:
                self.diagrams.look(steps)
            frame = stack[-1]
            wanted = self._advance(frame)
            if wanted is not None:
                stack.append(wanted)
                continue
            stack.pop()
            self._keep(frame)
        found = self._look_up(0, root, self.number)
        assert found is not None
        return found[0]

    def _frame(self, part: int, node: int, rest: int) -> _Frame:
        return _Frame(part, node, rest, -self.far, self.far)

    def _look_up(self, part: int, node: int, rest: int) -> _Known | None:
        """Return the result for a rest without new nodes, if it is trivial or was found before; else None."""
        if part == len(self.parts):
            if self.equal:
                return (self.yes, 0, 0) if rest == 0 else self._beyond(rest, 0, 0)
            return (self.yes, 1, self.far) if rest > 0 else (self.no, -self.far, 0)
        least, largest = self.ends[node]
        if self.equal:
            if not least <= rest <= largest:
                return self._beyond(rest, least, largest)
        elif rest > largest:
            return self.yes, largest + 1, self.far
        elif rest <= least:
            return self.no, -self.far, least
        intervals = self.known.get(node)
        return None if intervals is None else intervals.find(rest)

    def _beyond(self, rest: int, least: int, largest: int) -> _Known:
        return (self.no, -self.far, least - 1) if rest < least else (self.no, largest + 1, self.far)

    def _advance(self, frame: _Frame) -> _Frame | None:
        """Continue with a node's children until one is unknown, which has to be made first."""
        diagrams, rest = self.diagrams, frame.rest
        rising = diagrams.rising(frame.node)
        if rising is None:
            children = diagrams.children[frame.node]
            while frame.place < len(children):
                child = children[frame.place]
                added = diagrams.value(child) if diagrams.is_leaf(child) else 0
                part, node = self._following(frame.part) if diagrams.is_leaf(child) else (frame.part, child)
                found = self._look_up(part, node, rest - added)
                if found is None:
                    return self._frame(part, node, rest - added)
                frame.place += 1
                frame.pieces.append((frame.place, found[0]))
                frame.low, frame.high = max(frame.low, found[1] + added), min(frame.high, found[2] + added)
            return None
        part, node = self._following(frame.part)
        while frame.place < len(rising):
            first = rising[frame.place]
            found = self._look_up(part, node, rest - first)
            if found is None:
                return self._frame(part, node, rest - first)
            # all values up to rest - low lead to the same diagram
            frame.place = stop = bisect_right(rising, rest - found[1])
            frame.pieces.append((stop, found[0]))
            frame.low, frame.high = max(frame.low, found[1] + rising[stop - 1]), min(frame.high, found[2] + first)
        return None

    def _following(self, part: int) -> tuple[int, int]:
        return part + 1, self.parts[part + 1] if part + 1 < len(self.parts) else -1

    def _keep(self, frame: _Frame) -> None:
        diagrams, node = self.diagrams, frame.node
        level, partition = diagrams.level[node], diagrams.partition[node]
        if diagrams.rising(node) is None:
            made = diagrams.node(level, partition, tuple([child for _, child in frame.pieces]))
        else:
            ends, pieces = diagrams.partitions[partition].ends, frame.pieces
            if diagrams.falls(node):  # the values rise from the last run to the first
                count = len(ends)
                starts = [0, *[stop for stop, _ in pieces[:-1]]]
                pieces = [(count - start, child) for start, (_, child) in zip(starts, pieces, strict=True)][::-1]
            made = diagrams.node(level, *diagrams.partitions.of_runs((ends[stop - 1], child) for stop, child in pieces))
        self.known.setdefault(node, _Intervals()).add(made, frame.low, frame.high)


class _Intervals:
    """Diagrams by disjoint intervals of rests; intervals that touch and have the same diagram are one."""

    def __init__(self) -> None:
        self.lows: list[int] = []
        self.entries: list[tuple[int, int]] = []

    def find(self, rest: int) -> _Known | None:
        place = bisect_right(self.lows, rest) - 1
        if place < 0 or self.entries[place][1] < rest:
            return None
        diagram, high = self.entries[place]
        return diagram, self.lows[place], high

    def add(self, diagram: int, low: int, high: int) -> None:
        """Add an interval; where it overlaps with another, both have the same diagram."""
        first = bisect_left(self.lows, low)
        if first and self.entries[first - 1][0] == diagram and self.entries[first - 1][1] >= low - 1:
            first -= 1
            low, high = self.lows[first], max(high, self.entries[first][1])
        last = first
        while last < len(self.lows) and self.entries[last][0] == diagram and self.lows[last] <= high + 1:
            high = max(high, self.entries[last][1])
            last += 1
        self.lows[first:last] = [low]
        self.entries[first:last] = [(diagram, high)]
