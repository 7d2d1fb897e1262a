"""Moves: sparse matrices between the nodes of two cuts, applied to many vectors at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.support.limits import checkpoints
from taut.support.process import cached_property

__all__ = ["Move", "identity", "move_of", "objects", "product"]

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Move:
    """A sparse matrix from the nodes of one block to those of another; no entry occurs twice."""

    rows: Indices
    cols: Indices
    weights: npt.NDArray[np.object_]
    before: int
    after: int
    same: bool
    """True if this is the identity."""

    def forward(self, beliefs: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
        """Return rows of beliefs on the block before, moved to the block after."""
        return _gathered(beliefs, self.rows, self.cols, self.weights, self._forward_groups, self.after)

    def backward(self, functionals: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
        """Return rows of functionals on the block after, pulled back to the block before."""
        return _gathered(functionals, self.cols, self.rows, self.weights, self._backward_groups, self.before)

    @cached_property
    def edges(self) -> dict[int, list[tuple[int, Any]]]:
        """For each node before it where its mass goes, with the weights."""
        edges: dict[int, list[tuple[int, Any]]] = {}
        for row, col, weight in zip(self.rows.tolist(), self.cols.tolist(), self.weights.tolist(), strict=True):
            edges.setdefault(row, []).append((col, weight))
        return edges

    @cached_property
    def _forward_groups(self) -> list[Indices]:
        return _groups(self.cols)

    @cached_property
    def _backward_groups(self) -> list[Indices]:
        return _groups(self.rows)


def move_of(edges: Sequence[Sequence[tuple[int, Any]]], position: Mapping[int, int]) -> Move:
    """Return the move along edges to nodes whose positions in the next block are given; parallel edges are added up."""
    summed: dict[tuple[int, int], Any] = {}
    for row, kids in enumerate(checkpoints(edges, 16)):
        for kid, weight in kids:
            key = (row, position[kid])
            summed[key] = summed[key] + weight if key in summed else weight
    rows = np.array([row for row, _ in summed], dtype=np.int64)
    cols = np.array([col for _, col in summed], dtype=np.int64)
    same = (
        len(position) == len(edges) == len(summed)
        and bool(np.array_equal(rows, cols))
        and all(weight == 1 for weight in summed.values())
    )
    return Move(rows, cols, objects(summed.values()), len(edges), len(position), same)


def product(first: Move, second: Move) -> Move | None:
    """Return both moves as one; None if it would have many more entries than the two."""
    if first.same or second.same:
        return second if first.same else first
    onward = second.edges
    edges = [
        [(target, weight * more) for node, weight in first.edges.get(row, ()) for target, more in onward.get(node, ())]
        for row in checkpoints(range(first.before), 16)
    ]
    whole = move_of(edges, {node: node for node in range(second.after)})
    return whole if len(whole.rows) <= 16 + 1.5 * (len(first.rows) + len(second.rows)) else None


def identity(size: int) -> Move:
    """Return the move that changes nothing."""
    nodes = np.arange(size, dtype=np.int64)
    return Move(nodes, nodes, objects([1] * size), size, size, True)


def objects(values: Collection[Any]) -> npt.NDArray[np.object_]:
    """Return an array of exact numbers, as they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def _groups(targets: Indices) -> list[Indices]:
    """Return entries in groups within which no target occurs twice, so that each group is one array operation."""
    rank: dict[int, int] = {}
    groups: dict[int, list[int]] = {}
    for entry, target in enumerate(targets.tolist()):
        number = rank[target] = rank.get(target, -1) + 1
        groups.setdefault(number, []).append(entry)
    return [np.array(group, dtype=np.int64) for group in groups.values()]


def _gathered(
    vectors: npt.NDArray[np.object_],
    sources: Indices,
    targets: Indices,
    weights: npt.NDArray[np.object_],
    groups: Sequence[Indices],
    width: int,
) -> npt.NDArray[np.object_]:
    """Per target the sum over its sources of their entries times the weights, for every vector."""
    sums = np.zeros((len(vectors), width), dtype=object)
    for group in groups:
        sums[:, targets[group]] += vectors[:, sources[group]] * weights[group]
    return sums
