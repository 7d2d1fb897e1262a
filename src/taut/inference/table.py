"""The whole channel, exactly: the probability of each pair of input and output, for all of them at once.

The array of answers holds numbers of probabilities, not probabilities. Level by level, a prefix of inputs and outputs
leads to a belief; equal beliefs are one, so exact arithmetic is done once for each different belief, and numpy only
looks numbers up. Nothing is rounded, and ties are ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import Belief
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import BALL, EXACT
from taut.inference.beliefs import Beliefs
from taut.support.algebra.polynomial import common_divisor
from taut.support.errors import TooLarge
from taut.support.limits import checkpoints

__all__ = ["BeliefFrontier", "ExactTable", "conditioned_table", "exact_table"]


_Scaled = tuple[Belief[Any], Any]
"""A belief and its denominator: integers without a common factor (Balls over one), so equal beliefs look equal."""


class BeliefFrontier:
    """The different beliefs at a cut, numbered from 0; the caller records which prefix has reached which.

    A coin is tossed only for beliefs that have mass at its level. Beliefs that become equal then are merged, which
    ``renumbered`` tells.
    """

    def __init__(self, automaton: Beliefs) -> None:
        self._automaton = automaton
        self._exact = automaton.semiring is not BALL
        self._divisor: Callable[..., Any] = math.gcd if automaton.semiring is EXACT else common_divisor
        self._beliefs: list[_Scaled] = []
        self._number_of: dict[Any, int] = {}
        self._merged: dict[int, int] = {}
        self._waiting: dict[int, list[int]] = {}
        self._add(self._lowest(automaton.start, automaton.semiring.one))

    def __len__(self) -> int:
        return len(self._number_of)

    def toss(self, level: int) -> None:
        """Move all beliefs below the level of a coin."""
        row = self._automaton.row(level)
        numbers = self._waiting.pop(level, [])
        if row.total != row.scale:
            numbers, self._waiting = list(range(len(self._beliefs))), {}
        numbers = [number for number in numbers if number not in self._merged]
        for number in numbers:
            del self._number_of[_key(self._beliefs[number])]
        for number in checkpoints(numbers, 64):
            belief, scale = self._beliefs[number]
            moved = self._lowest(self._automaton.after(level, belief), scale * row.scale)
            other = self._number_of.setdefault(_key(moved), number)
            if other == number:
                self._beliefs[number] = moved
                self._wait(number)
            else:
                self._merged[number] = other

    def renumbered(self) -> npt.NDArray[np.int32] | None:
        """Return the new number of each belief after coins have merged some; None if none were merged."""
        if not self._merged:
            return None
        left = [number for number in range(len(self._beliefs)) if number not in self._merged]
        place = {number: position for position, number in enumerate(left)}
        numbers = [place[self._root(number)] for number in range(len(self._beliefs))]
        kept = [self._beliefs[number] for number in left]
        self._clear()
        for belief in kept:
            self._add(belief)
        return np.array(numbers, dtype=np.int32)

    def choose(self, level: int, value: int | None) -> npt.NDArray[np.int32]:
        """Give the variable of a level a value (None: sum over all); return the new number for each belief."""
        before, after, depth = self._beliefs, self._automaton.after, self._automaton.depth
        assert not self._merged
        self._clear()
        numbers = []
        for belief, scale in checkpoints(before, 64):
            if value is None or any(depth[node] == level for node in belief):
                numbers.append(self._add(self._lowest(after(level, belief, value), scale)))
            else:
                numbers.append(self._add((belief, scale)))
        return np.array(numbers, dtype=np.int32)

    def spread(self, level: int) -> npt.NDArray[np.int32]:
        """Give the variable of a level each of its values; return the new number for each belief and value."""
        before, automaton, depth = self._beliefs, self._automaton, self._automaton.depth
        arity = automaton.arrays.levels[level].arity
        assert not self._merged
        self._clear()
        numbers = np.empty((len(before), arity), dtype=np.int32)
        for place, (belief, scale) in enumerate(checkpoints(before, 64)):
            if all(depth[node] != level for node in belief):
                numbers[place] = self._add((belief, scale))
                continue
            passing, branches = automaton.split(level, belief)
            if len(branches) < arity:
                numbers[place] = self._add(self._lowest(passing, scale))
            for value in checkpoints(sorted(branches)):
                numbers[place, value] = self._add(self._lowest(branches[value], scale))
        return numbers

    def finals(self) -> list[Any]:
        """Return the mass of every belief on TRUE, after the last level."""
        automaton = self._automaton
        return [automaton.semiring.value(automaton.final(belief), scale) for belief, scale in self._beliefs]

    def _clear(self) -> None:
        self._beliefs, self._number_of, self._merged, self._waiting = [], {}, {}, {}

    def _add(self, scaled: _Scaled) -> int:
        number = self._number_of.setdefault(_key(scaled), len(self._beliefs))
        if number == len(self._beliefs):
            self._beliefs.append(scaled)
            self._wait(number)
        return number

    def _wait(self, number: int) -> None:
        """Record the next level at which the belief has mass."""
        belief = self._beliefs[number][0]
        if belief:
            depth = self._automaton.depth
            self._waiting.setdefault(min(depth[node] for node in belief), []).append(number)

    def _root(self, number: int) -> int:
        while number in self._merged:
            number = self._merged[number]
        return number

    def _lowest(self, belief: Belief[Any], scale: Any) -> _Scaled:
        """Return the belief in lowest terms."""
        if not self._exact:
            return belief, scale
        common = self._divisor(scale, *belief.values())
        if common == 1:
            return belief, scale
        return {node: mass // common for node, mass in belief.items()}, scale // common


def _key(scaled: _Scaled) -> Any:
    belief, scale = scaled
    return scale, frozenset(belief.items())


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
    """Return the table of all inputs and outputs.

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
    """Divide every mass by the evidence of its input."""
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
    """Order the axes of an array: inputs, then outputs; the array is repeated along unread inputs."""
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
