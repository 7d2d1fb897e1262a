"""The whole channel, exactly: which probability each pair of input and output has, for all of them at once.

The array of answers holds numbers of probabilities, not probabilities. Level by level, a prefix of inputs and outputs
leads to a belief; equal beliefs are one, so exact arithmetic is done once for each different belief, and numpy only
looks numbers up. Nothing is rounded, and ties are ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.channel.beliefs import Beliefs
from taut.compile import Relation
from taut.diagram import Belief
from taut.errors import TooLarge
from taut.limits import checkpoints

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
    automaton = Beliefs(relation)
    known: list[Belief[Any]] = [automaton.start]
    scale = automaton.semiring.one
    numbers = np.zeros((), dtype=np.int32)
    axes: list[tuple[str, int]] = []
    chosen = fixed or {}
    for number, level in enumerate(relation.arrays.levels):
        options: Sequence[int | None] = range(level.arity)
        if level.kind == "coin":
            if not automaton.matters(number, known):
                continue
            scale = scale * automaton.row(number).scale
            options = [None]
        elif level.kind == "output" and (sum_outputs or level.index in chosen):
            options = [None if sum_outputs else chosen[level.index]]
        else:
            axes.append((level.kind, level.index))
        moved = [[automaton.after(number, belief, option) for option in options] for belief in checkpoints(known, 64)]
        lookup, known = _interned(moved)
        if len(known) > max_beliefs:
            raise TooLarge(
                f"'{relation.name}' has more than {max_beliefs} different beliefs (max_beliefs), too many to list all "
                "inputs.",
                value=len(known),
            )
        if axes and axes[-1] == (level.kind, level.index):
            numbers = lookup[numbers]
        elif not np.array_equal(lookup[:, 0], np.arange(len(lookup))):
            numbers = lookup[:, 0][numbers]
    finals = [automaton.semiring.value(automaton.final(belief), scale) for belief in known]
    values = list(dict.fromkeys(finals))
    number_of = {value: number for number, value in enumerate(values)}
    numbers = np.array([number_of[value] for value in finals], dtype=np.int32)[numbers]
    return ExactTable(_ordered(relation, numbers, axes, chosen, sum_outputs), values, len(relation.inputs))


def _interned(moved: list[list[Belief[Any]]]) -> tuple[npt.NDArray[np.int32], list[Belief[Any]]]:
    """Different beliefs once, and which of them each move leads to."""
    number_of: dict[Any, int] = {}
    kept: list[Belief[Any]] = []
    rows = []
    for row in checkpoints(moved):
        numbers = []
        for belief in row:
            key = frozenset(belief.items())
            number = number_of.get(key)
            if number is None:
                number = number_of[key] = len(kept)
                kept.append(belief)
            numbers.append(number)
        rows.append(numbers)
    return np.array(rows, dtype=np.int32), kept


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
