"""Structure of a relation that plans use: repeated links between cuts of one node, and outputs that are settled.

A *joint* is a node that every path to TRUE passes through. The levels between two joints that read inputs are a link: a
small relation of its own. Links are equal if their levels, their partitions and their edges are, counted from their
first node, and if inputs are read below both or below neither.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import Choice, LevelArrays, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import BitsetSemiring, Row
from taut.inference.fold import rows_of
from taut.support.limits import checkpoints

__all__ = ["Link", "SettledOutputs", "repeated_links"]


Indices = npt.NDArray[np.int64]
_OFTEN = 4
"""Number of occurrences from which equal links are treated as one."""


@dataclass(frozen=True)
class Link:
    """The levels from ``first`` to ``stop`` (excluded) between the joints ``top`` and ``bottom``; equal links have
    equal kinds."""

    first: int
    stop: int
    top: int
    bottom: int
    kind: int


def repeated_links(relation: Relation, fixed: Mapping[int, int], reading: frozenset[int]) -> dict[int, Link]:
    """Return the links that occur again and again, by the levels at which they begin."""
    arrays = relation.arrays
    joints = _joints(arrays)
    if len(joints) <= _OFTEN:
        return {}
    codes, partition, steps = _level_codes(relation, fixed), arrays.partition, _edges_from_owners(arrays)
    kinds: dict[Any, int] = {}
    links: list[Link] = []
    last = len(arrays.levels)
    for (first, top), (stop, bottom) in itertools.pairwise(joints):
        end = arrays.nodes if bottom == arrays.true else bottom
        key = (
            codes[first:stop].tobytes(),
            partition[top:end].tobytes(),
            steps[arrays.first[top] : arrays.first[end]].tobytes(),
            bottom in reading,
            stop == last,
        )
        links.append(Link(first, stop, top, bottom, kinds.setdefault(key, len(kinds))))
    often = Counter(link.kind for link in links)
    return {link.first: link for link in links if often[link.kind] >= _OFTEN}


def _joints(arrays: LevelArrays) -> list[tuple[int, int]]:
    """Return the joints that read inputs, each after its level, and TRUE."""
    nodes, depths = arrays.nodes, len(arrays.levels)
    if not nodes:
        return []
    sizes = np.array([level.stop - level.start for level in arrays.levels], dtype=np.int64)
    depth = np.append(np.repeat(np.arange(depths), sizes), depths)
    owner = np.repeat(np.arange(nodes), np.diff(arrays.first))
    inside = arrays.child != arrays.false
    kids, where = np.unique(np.minimum(arrays.child[inside], nodes + 1), return_index=True)
    kids[kids == arrays.true] = nodes
    parents = owner[inside][where]  # of each node the first, since owners come in their order
    crossing = np.zeros(depths + 2, dtype=np.int64)
    np.add.at(crossing, depth[parents] + 1, 1)
    np.add.at(crossing, depth[kids] + 1, -1)
    crossing = np.cumsum(crossing)
    joints = [
        (number, level.start)
        for number, level in enumerate(arrays.levels)
        if level.kind == "input"
        and level.stop == level.start + 1
        and (crossing[number] == 1 or level.start == arrays.root)
    ]
    return [*joints, (depths, arrays.true)]


def _level_codes(relation: Relation, fixed: Mapping[int, int]) -> Indices:
    """Return a number for each level, equal for levels with the same structure."""
    known: dict[Any, int] = {}
    codes = []
    for level in relation.arrays.levels:
        weights = relation.coins[level.index].weights if level.kind == "coin" else None
        chosen = fixed.get(level.index) if level.kind == "output" else None
        key = (level.kind, level.arity, level.stop - level.start, weights, chosen)
        codes.append(known.setdefault(key, len(known)))
    return np.array(codes, dtype=np.int64)


def _edges_from_owners(arrays: LevelArrays) -> Indices:
    """Return the edges as offsets from node to child; edges to FALSE are 0."""
    owner = np.repeat(np.arange(arrays.nodes), np.diff(arrays.first))
    ends = np.where(arrays.child == arrays.true, arrays.nodes, arrays.child)
    steps: Indices = np.where(arrays.child == arrays.false, 0, ends - owner)
    return steps


class SettledOutputs:
    """For each node the outputs with which it leads to TRUE with positive weight, some outputs being ``fixed``.

    The values of all outputs in ``open_outputs`` are the bits of one set. A path meets each output once and leaves it
    the one value it takes, so the union over all paths below a node holds every output's possible values.
    """

    def __init__(self, relation: Relation, fixed: Mapping[int, int], open_outputs: Sequence[int]) -> None:
        self.bits: dict[int, tuple[int, int]] = {}
        """For each open output where its bits begin, and all of them."""
        width = 0
        for level in relation.arrays.levels:
            if level.kind == "output" and level.index in open_outputs:
                self.bits[level.index] = (width, (1 << level.arity) - 1)
                width += level.arity
        sets = BitsetSemiring(max(1, width))
        choices: list[Choice[int]] = rows_of(relation, sets)
        for number, level in enumerate(relation.arrays.levels):
            if level.kind == "output" and level.index in fixed:
                choices[number] = fixed[level.index]
            elif level.kind == "output" and level.index in self.bits:
                start, values = self.bits[level.index]
                others = sets.one & ~(values << start)
                choices[number] = Row(tuple(others | 1 << start + v for v in range(level.arity)), sets.one, sets.one)
        self._sets: dict[int, int] = WeightedDiagram(relation.arrays, choices, sets).backward()
        self.live = frozenset(node for node, possible in self._sets.items() if possible)
        """The nodes that are reached, and from which TRUE is reached with positive weight."""

    def parts(self, output: int, block: Sequence[int]) -> list[tuple[int, list[int]]]:
        """Return the finest partition of nodes such that no value is possible in two parts, in the order of values.

        Each part with its values, as bits.
        """
        start, values = self.bits[output]
        parts: list[tuple[int, list[int]]] = []
        for node in checkpoints(block):
            mask, members = self._sets[node] >> start & values, [node]
            others = []
            for part in parts:
                if part[0] & mask:
                    mask |= part[0]
                    members = part[1] + members
                else:
                    others.append(part)
            parts = [*others, (mask, members)]
        return sorted(((mask, sorted(members)) for mask, members in parts), key=lambda part: part[0] & -part[0])
