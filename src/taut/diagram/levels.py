"""Level arrays: a finished diagram as flat arrays, level by level; all that inference and search ever see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from taut.diagram.mdd import Diagrams

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

    Node v has a child for each class of its partition: ``child[first[v] + c]``; ``classes[partition[v]][value]`` is
    the class c of a value. The last two numbers are the leaves FALSE and TRUE; the root is ``root`` (0, unless
    the diagram is a leaf). An edge may pass over levels, whose variables then do not matter.
    """

    levels: tuple[Level, ...]
    root: int
    partition: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    child: npt.NDArray[np.int64]
    classes: tuple[npt.NDArray[np.int64], ...] = field(repr=False)

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


def export_levels(
    diagrams: Diagrams, root: int, kinds: Sequence[tuple[Kind, int, int]]
) -> LevelArrays:
    """The part of a diagram below the root as arrays; ``kinds`` gives for each level its kind, number and arity."""
    inner = [node for node in reversed(diagrams.reachable([root])) if not diagrams.is_leaf(node)]
    number = {node: place for place, node in enumerate(inner)}
    number[diagrams.false], number[diagrams.true] = len(inner), len(inner) + 1
    used = {partition: None for partition in map(diagrams.partition.__getitem__, inner)}
    renumbered = {partition: place for place, partition in enumerate(used)}
    counts = [0] * len(kinds)
    for node in inner:
        counts[diagrams.level[node]] += 1
    levels, start = [], 0
    for (kind, index, arity), count in zip(kinds, counts, strict=True):
        levels.append(Level(kind, index, arity, start, start + count))
        start += count
    children = [diagrams.children[node] for node in inner]
    first = np.zeros(len(inner) + 1, dtype=np.int64)
    np.cumsum([len(kids) for kids in children], out=first[1:])
    return LevelArrays(
        levels=tuple(levels),
        root=number[root],
        partition=np.array([renumbered[diagrams.partition[node]] for node in inner], dtype=np.int64),
        first=first,
        child=np.array([number[kid] for kids in children for kid in kids], dtype=np.int64),
        classes=tuple(np.array(list(diagrams.partitions.classes[p]), dtype=np.int64) for p in used),
    )
