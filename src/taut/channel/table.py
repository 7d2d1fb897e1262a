"""The whole channel, exactly: which probability each pair of input and output has, for all of them at once.

The array of answers holds numbers of probabilities, not probabilities. Level by level, a prefix of inputs and outputs
leads to a belief; equal beliefs are one, so exact arithmetic is done once for each different belief, and numpy only
looks numbers up. Nothing is rounded, and ties are ties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.channel.beliefs import Beliefs
from taut.channel.frontier import Frontier
from taut.compile import Relation
from taut.errors import TooLarge

__all__ = ["ExactTable", "exact_table"]


@dataclass(frozen=True)
class ExactTable:
    """``values[numbers[x_0, ..., x_{n-1}, y_0, ..., y_{m-1}]]`` is the mass of output y on input x, in positions.

    Outputs that were fixed or summed have no axis.
    """

    numbers: npt.NDArray[np.int32]
    values: list[Any]
    inputs: int


def exact_table(
    relation: Relation, max_beliefs: int, fixed: Mapping[int, int] | None = None, *, sum_outputs: bool = False
) -> ExactTable:
    """The table of all inputs and outputs; outputs in ``fixed`` have that value, or ``sum_outputs`` sums them all."""
    frontier = Frontier(Beliefs(relation))
    numbers = np.zeros((), dtype=np.int32)
    axes: list[tuple[str, int]] = []
    chosen = fixed or {}
    for number, level in enumerate(relation.arrays.levels):
        if level.kind == "coin":
            frontier.toss(number)
            continue
        numbers = _moved(numbers, frontier.renumbered())
        if level.kind == "output" and (sum_outputs or level.index in chosen):
            lookup = frontier.select(number, [None if sum_outputs else chosen[level.index]])
            numbers = _moved(numbers, lookup[:, 0])
        else:
            numbers = frontier.select(number, range(level.arity))[numbers]
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
    return ExactTable(_ordered(relation, numbers, axes, chosen, sum_outputs), values, len(relation.inputs))


def _moved(numbers: npt.NDArray[np.int32], lookup: npt.NDArray[np.int32] | None) -> npt.NDArray[np.int32]:
    """The numbers after beliefs have got others; the array is left alone where none has."""
    if lookup is None or np.array_equal(lookup, np.arange(len(lookup))):
        return numbers
    return lookup[numbers]


def _ordered(
    relation: Relation,
    numbers: npt.NDArray[np.int32],
    axes: list[tuple[str, int]],
    chosen: Mapping[int, int],
    sum_outputs: bool,
) -> npt.NDArray[np.int32]:
    """The array with its axes in the order of the inputs, then of the outputs; inputs that do not matter repeat it."""
    wanted = [("input", index) for index in range(len(relation.inputs))]
    if not sum_outputs:
        wanted += [("output", index) for index in range(len(relation.outputs)) if index not in chosen]
    missing = [axis for axis in wanted if axis not in axes]
    numbers = numbers.reshape(numbers.shape + (1,) * len(missing))
    numbers = np.transpose(numbers, [[*axes, *missing].index(axis) for axis in wanted])
    shape = [
        len(relation.inputs[index].values) if kind == "input" else len(relation.outputs[index].values)
        for kind, index in wanted
    ]
    return np.broadcast_to(numbers, shape)
