"""Links: the parts of a relation between cuts of one node, where nothing is remembered; equal ones are planned once.

A *joint* is a node that every path to TRUE passes through. What lies between two joints that read inputs is a link: a
small relation of its own. Links are equal if their levels, their partitions and their edges are, counted from their
first node, and if inputs are read below both or below neither.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import LevelArrays
from taut.diagrams.compile import Relation

__all__ = ["Link", "repeated_links"]

Indices = npt.NDArray[np.int64]
_OFTEN = 4
"""Links that occur so often are worth being treated as one."""


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
    """The links that occur again and again, by the levels at which they begin."""
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
    """The joints that read inputs, each after its level, and TRUE."""
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
    """A number for each level, the same for those at which the same happens."""
    known: dict[Any, int] = {}
    codes = []
    for level in relation.arrays.levels:
        weights = relation.coins[level.index].weights if level.kind == "coin" else None
        chosen = fixed.get(level.index) if level.kind == "output" else None
        key = (level.kind, level.arity, level.stop - level.start, weights, chosen)
        codes.append(known.setdefault(key, len(known)))
    return np.array(codes, dtype=np.int64)


def _edges_from_owners(arrays: LevelArrays) -> Indices:
    """The edges as offsets from node to child; edges to FALSE are 0."""
    owner = np.repeat(np.arange(arrays.nodes), np.diff(arrays.first))
    ends = np.where(arrays.child == arrays.true, arrays.nodes, arrays.child)
    steps: Indices = np.where(arrays.child == arrays.false, 0, ends - owner)
    return steps
