"""The kernel in float64 with numpy: a level at a time instead of a node, and many questions at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from taut.diagrams.kernel import Belief, ChosenValue, Summed, WeightedDiagram
from taut.diagrams.levels import LevelArrays
from taut.diagrams.semirings import FLOAT64, Row
from taut.diagrams.skipped import SkippedLevels
from taut.support.limits import checkpoint

__all__ = ["backward_many", "forward_floats"]

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]


def backward_many(arrays: LevelArrays, choices: Sequence[Row[float] | Positions], questions: int) -> Floats:
    """The value of a diagram for each of many questions, which may choose differently.

    Per level there is a ``Row`` for all questions, or an array with the position that each question chooses. All terms
    are positive, so each result is off by at most a few units in the last place per level.
    """
    depth = arrays.lists[2]
    rows = [choice if isinstance(choice, Row) else 0 for choice in choices]
    skipped = SkippedLevels(arrays, rows, range(arrays.nodes), FLOAT64)
    values = np.zeros((arrays.size, questions))
    values[arrays.true] = 1.0
    for number, choice in reversed(list(enumerate(choices))):
        checkpoint()
        level = arrays.levels[number]
        if level.start == level.stop:
            continue
        starts, kids = _edges(arrays, number)
        below = values[kids]
        if skipped.cost:
            below *= np.array([[skipped.over(1.0, number + 1, depth[kid])] for kid in kids.tolist()])
        if isinstance(choice, Row):
            shares = _weights(arrays, number, Summed(arrays, choice, FLOAT64))[:, None] * below
            values[level.start : level.stop] = np.add.reduceat(shares, starts, axis=0)
        else:
            taken = starts[:, None] + _places(arrays, number, choice)
            values[level.start : level.stop] = below[taken, np.arange(questions)]
    result: Floats = values[arrays.root] * skipped.over(1.0, 0, depth[arrays.root])
    return result


def forward_floats(diagram: WeightedDiagram[float], stop: int) -> Belief[float]:
    """The mass at the nodes at or below level ``stop``, if all mass starts at the root: as ``diagram.forward`` has it.

    Only for diagrams in which passing over a level costs nothing.
    """
    arrays = diagram.arrays
    mass = np.zeros(arrays.size)
    mass[arrays.root] = 1.0
    for number, level in enumerate(arrays.levels[:stop]):
        checkpoint()
        if level.start == level.stop:
            continue
        decision, shares = diagram.decisions[number], mass[level.start : level.stop]
        starts, kids = _edges(arrays, number)
        if isinstance(decision, Summed):
            shares = np.repeat(shares, np.diff(starts, append=len(kids))) * _weights(arrays, number, decision)
        elif isinstance(decision, ChosenValue):
            kids = kids[starts + _places(arrays, number, np.array([decision.value]))[:, 0]]
        np.add.at(mass, kids, shares)
    mass[arrays.false] = 0.0
    first = arrays.levels[stop].start if stop < len(arrays.levels) else arrays.nodes
    alive = np.flatnonzero(mass[first:]) + first
    return dict(zip(alive.tolist(), mass[alive].tolist(), strict=True))


def _edges(arrays: LevelArrays, number: int) -> tuple[Positions, Positions]:
    """For each node of a level where its edges begin, and the children of all edges."""
    level = arrays.levels[number]
    first = arrays.first[level.start : level.stop + 1]
    return first[:-1] - first[0], arrays.child[first[0] : first[-1]]


def _weights(arrays: LevelArrays, number: int, decision: Summed[float]) -> Floats:
    """The weights of all edges of a level."""
    level = arrays.levels[number]
    partitions = arrays.partition[level.start : level.stop].tolist()
    sums = {partition: np.array(decision.class_weights(partition)) for partition in set(partitions)}
    return np.concatenate([sums[partition] for partition in partitions])


def _places(arrays: LevelArrays, number: int, values: Positions) -> Positions:
    """The classes of some values at every node of a level: a row for each node, a column for each value."""
    level = arrays.levels[number]
    used, which = np.unique(arrays.partition[level.start : level.stop], return_inverse=True)
    rows = np.empty((len(used), len(values)), dtype=np.int64)
    for row, partition in enumerate(map(arrays.partitions.__getitem__, used.tolist())):
        rows[row] = np.array(partition.classes)[np.searchsorted(partition.ends, values, side="right")]
    return rows[which]
