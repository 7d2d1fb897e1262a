"""Mass pushed down in float64 with numpy, as far as no output has been decided yet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from taut.diagram import LevelArrays
from taut.semiring import Row

__all__ = ["push_floats"]


def push_floats(arrays: LevelArrays, choices: Sequence[Row[float] | int], stop: int) -> dict[int, float]:
    """The mass at every node at or below level ``stop``, after all levels above it have passed theirs on.

    Only for coins whose weights sum to one, so that passing over a level costs nothing.
    """
    mass = np.zeros(arrays.size)
    mass[arrays.root] = 1.0
    for level, choice in zip(arrays.levels[:stop], choices, strict=False):
        if level.start == level.stop:
            continue
        start, end = int(arrays.first[level.start]), int(arrays.first[level.stop])
        degrees = np.diff(arrays.first[level.start : level.stop + 1])
        kids = arrays.child[start:end]
        numbers = arrays.partition[level.start : level.stop]
        if isinstance(choice, int):
            places = np.array([arrays.classes[number][choice] for number in numbers.tolist()])
            kids = kids[arrays.first[level.start : level.stop] - start + places]
            shares = mass[level.start : level.stop]
        else:
            table = {number: _class_weights(arrays, number, choice) for number in np.unique(numbers).tolist()}
            weights = np.concatenate([table[number] for number in numbers.tolist()])
            shares = np.repeat(mass[level.start : level.stop], degrees) * weights
        np.add.at(mass, kids, shares)
    first = arrays.levels[stop].start if stop < len(arrays.levels) else arrays.nodes
    alive = np.flatnonzero(mass[first:]) + first
    return {int(node): float(mass[node]) for node in alive if node != arrays.false}


def _class_weights(arrays: LevelArrays, number: int, row: Row[float]) -> npt.NDArray[np.float64]:
    classes = arrays.classes[number]
    summed = np.zeros(int(classes.max()) + 1)
    np.add.at(summed, classes, np.array(row.weights))
    return summed
