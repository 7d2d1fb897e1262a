"""The whole channel, exactly: which probability each pair of input and output has, for all of them at once.

The array of answers holds numbers of probabilities, not probabilities. Level by level, a prefix of inputs and outputs
leads to a belief; equal beliefs are one, so exact arithmetic is done once for each different belief, and numpy only
looks numbers up. Nothing is rounded, and ties are ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams.compile import Relation
from taut.inference.beliefs import Beliefs
from taut.inference.frontier import BeliefFrontier
from taut.support.errors import TooLarge

__all__ = ["ExactTable", "conditioned_table", "exact_table"]


@dataclass(frozen=True)
class ExactTable:
    """``values[numbers[x_0, ..., x_{n-1}, y_0, ..., y_{m-1}]]`` is the mass of output y on input x, in positions.

    Inputs and outputs that were fixed, and outputs that were summed, have no axis.
    """

    numbers: npt.NDArray[np.int32]
    values: list[Any]
    inputs: int
    """The number of inputs that have an axis; these come first."""


def exact_table(
    relation: Relation,
    max_beliefs: int,
    fixed: Mapping[int, int] | None = None,
    *,
    inputs: Mapping[int, int] | None = None,
    sum_outputs: bool = False,
) -> ExactTable:
    """The table of all inputs and outputs.

    Outputs in ``fixed`` and entries in ``inputs`` have that value, or ``sum_outputs`` sums all outputs.
    """
    frontier = BeliefFrontier(Beliefs(relation))
    numbers = np.zeros((), dtype=np.int32)
    axes: list[tuple[str, int]] = []
    chosen = {("output", place): value for place, value in (fixed or {}).items()}
    chosen |= {("input", entry): value for entry, value in (inputs or {}).items()}
    for number, level in enumerate(relation.arrays.levels):
        if level.kind == "coin":
            frontier.toss(number)
            continue
        numbers = _moved(numbers, frontier.renumbered())
        summed = sum_outputs and level.kind == "output"
        if summed or (level.kind, level.index) in chosen:
            value = None if summed else chosen[level.kind, level.index]
            numbers = _moved(numbers, frontier.choose(number, value))
        else:
            numbers = frontier.spread(number)[numbers]
            axes.append((level.kind, level.index))
        if len(frontier) > max_beliefs:
            raise TooLarge(
                f"'{relation.name}' has more than {max_beliefs} different beliefs (max_beliefs), too many to list all "
                "inputs.",
                value=len(frontier),
            )
    numbers = _moved(numbers, frontier.renumbered())
    finals = frontier.finals()
    values = list(dict.fromkeys(finals))
    number_of = {value: number for number, value in enumerate(values)}
    numbers = np.array([number_of[value] for value in finals], dtype=np.int32)[numbers]
    free = len(relation.inputs) - len(inputs or {})
    return ExactTable(_ordered(relation, numbers, axes, set(chosen), sum_outputs), values, free)


def conditioned_table(table: ExactTable, evidence: ExactTable) -> ExactTable:
    """Every mass divided by the evidence of its input."""
    shape = evidence.numbers.shape + (1,) * (table.numbers.ndim - evidence.numbers.ndim)
    count = len(evidence.values)
    joint = table.numbers.astype(np.int64) * count + evidence.numbers.reshape(shape)
    used, inverse = np.unique(joint, return_inverse=True)
    quotients = [table.values[key // count] / evidence.values[key % count] for key in used.tolist()]
    values = list(dict.fromkeys(quotients))
    place = {value: position for position, value in enumerate(values)}
    renumbered: npt.NDArray[np.int32] = np.array([place[value] for value in quotients], dtype=np.int32)
    return ExactTable(renumbered[inverse].reshape(joint.shape), values, table.inputs)


def _moved(numbers: npt.NDArray[np.int32], lookup: npt.NDArray[np.int32] | None) -> npt.NDArray[np.int32]:
    """Renumber beliefs in an array, which is returned unchanged if no number changed."""
    if lookup is None or np.array_equal(lookup, np.arange(len(lookup))):
        return numbers
    return lookup[numbers]


def _ordered(
    relation: Relation,
    numbers: npt.NDArray[np.int32],
    axes: list[tuple[str, int]],
    chosen: Set[tuple[str, int]],
    sum_outputs: bool,
) -> npt.NDArray[np.int32]:
    """The array with its axes in the order of the inputs, then of the outputs; inputs that do not matter repeat it."""
    wanted = [("input", index) for index in range(len(relation.inputs))]
    if not sum_outputs:
        wanted += [("output", index) for index in range(len(relation.outputs))]
    wanted = [axis for axis in wanted if axis not in chosen]
    missing = [axis for axis in wanted if axis not in axes]
    numbers = numbers.reshape(numbers.shape + (1,) * len(missing))
    numbers = np.transpose(numbers, [[*axes, *missing].index(axis) for axis in wanted])
    shape = [
        len(relation.inputs[index].values) if kind == "input" else len(relation.outputs[index].values)
        for kind, index in wanted
    ]
    return np.broadcast_to(numbers, shape)
