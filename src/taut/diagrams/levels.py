"""Level arrays: a finished diagram as flat arrays, level by level, the only form that inference and search use."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from taut.diagrams.mdd import LEAF, Diagrams
from taut.diagrams.partitions import Partition
from taut.support.process import cached_property

__all__ = ["Kind", "Level", "LevelArrays", "export_levels"]

Kind = Literal["input", "coin", "output"]


@dataclass(frozen=True)
class Level:
    """One variable: its kind, its number among those of its kind, how many values it has, and its nodes' numbers."""

    kind: Kind
    index: int
    arity: int
    start: int
    stop: int


@dataclass(frozen=True)
class LevelArrays:
    """A diagram over TRUE and FALSE whose nodes are numbered from the top, level by level.

    Node v has a child for each class of its partition: ``child[first[v] + c]``, where the class c of a value is
    ``partitions[partition[v]].place(value)``. The last two numbers are the leaves FALSE and TRUE; the root is ``root``
    (0, unless the diagram is a leaf). An edge may pass over levels, whose variables then do not matter.
    """

    levels: tuple[Level, ...]
    root: int
    partition: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    child: npt.NDArray[np.int64]
    partitions: tuple[Partition, ...] = field(repr=False)

    @property
    def nodes(self) -> int:
        """The number of inner nodes."""
        return len(self.partition)

    @property
    def false(self) -> int:
        return self.nodes

    @property
    def true(self) -> int:
        return self.nodes + 1

    @property
    def size(self) -> int:
        """All nodes, the leaves included."""
        return self.nodes + 2

    @cached_property
    def lists(self) -> tuple[list[int], list[list[int]], list[int]]:
        """Partition, children and level of every node as Python lists, for exact arithmetic."""
        first, child = self.first.tolist(), self.child.tolist()
        children = [child[first[v] : first[v + 1]] for v in range(self.nodes)]
        depth = [number for number, level in enumerate(self.levels) for _ in range(level.start, level.stop)]
        return self.partition.tolist(), children, [*depth, len(self.levels), len(self.levels)]

    @cached_property
    def next_levels(self) -> list[int]:
        """For each level the highest level that one of its nodes has a child at; that of the leaves if it has none."""
        below = np.array(self.lists[2], dtype=np.int64)[self.child]
        edges = [below[self.first[level.start] : self.first[level.stop]] for level in self.levels]
        return [int(found.min()) if len(found) else len(self.levels) for found in edges]

    def kid(self, node: int, value: int) -> int:
        """Return the child of an inner node for a value of its variable."""
        partition, children, _ = self.lists
        return children[node][self.partitions[partition[node]].place(value)]


def export_levels(
    diagrams: Diagrams, root: int, kinds: Sequence[tuple[Kind, int, int]], grafts: Mapping[int, int] | None = None
) -> LevelArrays:
    """Return the part of a diagram below the root as arrays; ``kinds`` gives for each level its kind, number and arity.

    ``grafts`` may replace leaves by diagrams that lie below all others; different leaves by different ones, so that
    no node above them changes.
    """
    grafted = {} if grafts is None else grafts
    below = [node for node in diagrams.reachable(grafted.values()) if not diagrams.is_leaf(node)]
    nodes = np.array(diagrams.below(root) + below, dtype=np.int64)
    level_of = np.array(diagrams.level, dtype=np.int64)[nodes]
    order = np.argsort(level_of, kind="stable")[: int(np.count_nonzero(level_of != LEAF))]
    numbers, depth = nodes[order], level_of[order]
    inner = numbers.tolist()
    number = np.full(len(diagrams), -1, dtype=np.int64)
    number[numbers] = np.arange(len(inner))
    number[[diagrams.false, diagrams.true]] = len(inner), len(inner) + 1
    number[list(grafted)] = number[list(grafted.values())]
    starts = np.concatenate([[0], np.cumsum(np.bincount(depth, minlength=len(kinds)))]).tolist()
    levels = [Level(*kind, starts[position], starts[position + 1]) for position, kind in enumerate(kinds)]
    children = list(map(diagrams.children.__getitem__, inner))
    first = np.zeros(len(inner) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, children), dtype=np.int64, count=len(inner)), out=first[1:])
    flat = np.fromiter(itertools.chain.from_iterable(children), dtype=np.int64, count=int(first[-1]))
    used, partition = np.unique(np.array(diagrams.partition, dtype=np.int64)[numbers], return_inverse=True)
    return LevelArrays(
        levels=tuple(levels),
        root=int(number[root]),
        partition=partition.astype(np.int64),
        first=first,
        child=number[flat],
        partitions=tuple(map(diagrams.partitions.__getitem__, used.tolist())),
    )
