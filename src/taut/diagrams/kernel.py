"""The kernel: how weights flow through a diagram, in any semiring, and in float64 a level at a time with numpy.

At each level something is decided: either all values are taken, each with its weight (``Summed``), or one of them is
(``ChosenValue``). Masses then flow down, from the root to TRUE, and values flow up. There are two ways to treat edges
that pass over levels. ``Decision.step`` goes from cut to cut and multiplies what passes by at each level, so that
beliefs at one cut can be compared; a ``WeightedDiagram`` multiplies once per edge, by the totals of all levels it
passes over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from taut.diagrams.levels import LevelArrays
from taut.diagrams.semirings import EXACT, FLOAT64, Row, Semiring
from taut.diagrams.skipped import RangeSums, SkippedLevels, alternatives, over_one_denominator
from taut.support.limits import checkpoint

__all__ = [
    "Belief",
    "Choice",
    "ChosenValue",
    "Decision",
    "Summed",
    "WeightedDiagram",
    "backward_many",
    "forward_floats",
    "reached",
]


T = TypeVar("T")
_OFTEN = 0x3FF
"""Mask of the node numbers at which the limits of time and memory are checked."""
_LONG = 32
"""Length from which runs of values are summed by ranges."""
Choice = Row[T] | int
"""The treatment of a level: sum over its values with weights, or choose one value by its position."""
Belief = dict[int, T]
"""The mass that has arrived at each node, on its way to deeper levels; there is none at FALSE."""


class Decision(Generic[T]):
    """Base of the treatments of one level: sum over its values, or choose one."""

    def __init__(self, arrays: LevelArrays, total: T, semiring: Semiring[T]) -> None:
        self.total = total
        """The factor for mass that passes the level by."""
        self._partition, self._children, self._depth = arrays.lists
        self._partitions, self._false = arrays.partitions, arrays.false
        self._zero, self._one, self._add, self._mul = semiring.zero, semiring.one, semiring.add, semiring.mul

    def edges(self, node: int) -> Iterable[tuple[int, T]]:
        """Return the children to which a node's mass goes, FALSE among them, each with its weight."""
        raise NotImplementedError

    def step(self, level: int, belief: Belief[T]) -> Belief[T]:
        """Return the belief at the cut below a level, given the one at the cut above it.

        Mass at the level goes along the edges; other mass passes by and is multiplied by the total.
        """
        raise NotImplementedError


class Summed(Decision[T]):
    """A level that is summed over all values, with weights."""

    def __init__(self, arrays: LevelArrays, row: Row[T], semiring: Semiring[T]) -> None:
        super().__init__(arrays, row.total, semiring)
        self._row = row
        self._semiring = semiring
        self._ranges: RangeSums[T] | None = None
        self._sums: dict[int, list[T]] = {}

    def edges(self, node: int) -> Iterable[tuple[int, T]]:
        number = self._partition[node]
        return zip(self._children[node], self._sums.get(number) or self.class_weights(number), strict=True)

    def step(self, level: int, belief: Belief[T]) -> Belief[T]:
        depth, false, total, add, mul = self._depth, self._false, self.total, self._add, self._mul
        partition, children, sums = self._partition, self._children, self._sums
        after: Belief[T] = {}
        for node, mass in belief.items():
            if depth[node] != level:
                share = mass if total is self._one else mul(mass, total)
                after[node] = add(after[node], share) if node in after else share
                continue
            weights = sums.get(partition[node]) or self.class_weights(partition[node])
            for kid, weight in zip(children[node], weights, strict=True):
                if kid != false:
                    share = mul(mass, weight)
                    after[kid] = add(after[kid], share) if kid in after else share
        return after

    def class_weights(self, partition: int) -> list[T]:
        """Return the weights of the values, added up over each class of a partition."""
        sums = self._sums.get(partition)
        if sums is None:
            runs, weights, add = self._partitions[partition], self._row.weights, self._add
            sums = [self._zero] * runs.size
            for start, stop, number in runs.runs():
                if stop - start > _LONG:
                    self._ranges = self._ranges or RangeSums(weights, self._semiring)
                    sums[number] = add(sums[number], self._ranges.between(start, stop))
                else:
                    for weight in weights[start:stop]:
                        sums[number] = add(sums[number], weight)
            self._sums[partition] = sums
        return sums


class ChosenValue(Decision[T]):
    """A level fixed to one value, with weight one."""

    def __init__(self, arrays: LevelArrays, value: int, semiring: Semiring[T]) -> None:
        super().__init__(arrays, semiring.one, semiring)
        self.value = value
        self._places = _Places(arrays, value)

    def edges(self, node: int) -> Iterable[tuple[int, T]]:
        return ((self._children[node][self._places[self._partition[node]]], self.total),)

    def step(self, level: int, belief: Belief[T]) -> Belief[T]:
        depth, false, add = self._depth, self._false, self._add
        partition, children, places = self._partition, self._children, self._places
        after: Belief[T] = {}
        for node, mass in belief.items():
            if depth[node] == level:
                node = children[node][places[partition[node]]]
            if node != false:
                after[node] = add(after[node], mass) if node in after else mass
        return after


class _Places(dict[int, int]):
    """The class of one value in each partition, cached."""

    def __init__(self, arrays: LevelArrays, value: int) -> None:
        self._partitions, self._value = arrays.partitions, value

    def __missing__(self, partition: int) -> int:
        place = self[partition] = self._partitions[partition].place(self._value)
        return place


class WeightedDiagram(Generic[T]):
    """A diagram with a decision (sum or choose) for each level.

    Parameters
    ----------
    arrays
        The diagram.
    choices
        One ``Row`` or chosen position per level. Rows that are one object share their work.
    semiring
        The numbers of the rows.

    Examples
    --------
    One fair coin that decides between TRUE and FALSE:

    >>> import numpy as np
    >>> from fractions import Fraction
    >>> from taut.diagrams import Level, LevelArrays, Partition
    >>> from taut.diagrams.semirings import EXACT
    >>> coin = LevelArrays((Level("coin", 0, 2, 0, 1),), 0, np.array([0]), np.array([0, 2]), np.array([1, 2]),
    ...                    (Partition((1, 2), (0, 1)),))
    >>> WeightedDiagram(coin, [EXACT.row([Fraction(1, 2)] * 2)], EXACT).value
    Fraction(1, 2)
    """

    def __init__(self, arrays: LevelArrays, choices: Sequence[Choice[T]], semiring: Semiring[T]) -> None:
        self.arrays, self.semiring = arrays, semiring
        self.depth = arrays.lists[2]
        groups = alternatives(arrays, choices) if semiring.name == EXACT.name else []
        if groups:
            choices = over_one_denominator(choices, groups)
        known: dict[tuple[bool, int], Decision[T]] = {}
        self.decisions: list[Decision[T]] = []
        for choice in choices:
            key = (True, choice) if isinstance(choice, int) else (False, id(choice))
            if key not in known:
                made = ChosenValue if isinstance(choice, int) else Summed
                known[key] = made(arrays, choice, semiring)  # type: ignore[arg-type]
            self.decisions.append(known[key])
        self.nodes = reached(arrays, self.decisions)
        """The inner nodes on paths that agree with the choices, from the top."""
        self.skipped = SkippedLevels(arrays, choices, self.nodes, semiring, groups)

    @property
    def value(self) -> Any:
        """The sum over all paths to TRUE that agree with the choices, of the product of the weights along them."""
        value = self.skipped.over(self.backward()[self.arrays.root], 0, self.depth[self.arrays.root])
        return self.semiring.value(value, self.skipped.scale)

    @property
    def start(self) -> Belief[T]:
        """All mass at the root."""
        root = self.arrays.root
        return {} if root == self.arrays.false else {root: self.skipped.over(self.semiring.one, 0, self.depth[root])}

    def edges(self, node: int) -> list[tuple[int, T]]:
        """Return (child, weight) for each edge of a node; weights include the levels that the edge skips."""
        level, over, depth = self.depth[node], self.skipped.over, self.depth
        edges = self.decisions[level].edges(node)
        return [(kid, over(weight, level + 1, depth[kid])) for kid, weight in edges if kid != self.arrays.false]

    def backward(self) -> dict[int, T]:
        """Return the value of every node that the choices reach: the sum over its paths to TRUE from its level on."""
        semiring, one, false, depth, over = (
            self.semiring,
            self.semiring.one,
            self.arrays.false,
            self.depth,
            self.skipped.over,
        )
        add, mul, decisions = semiring.add, semiring.mul, self.decisions
        values: dict[int, T] = {false: semiring.zero, self.arrays.true: one}
        for number, node in enumerate(reversed(self.nodes)):
            if not number & _OFTEN:
                checkpoint()
            following = depth[node] + 1
            total = semiring.zero
            for kid, weight in decisions[following - 1].edges(node):
                if kid != false:
                    value = values[kid]
                    if depth[kid] != following:
                        value = over(value, following, depth[kid])
                    total = add(total, value if weight is one else mul(weight, value))
            values[node] = total
        return values

    def forward(self, belief: Belief[T], first: int, stop: int) -> None:
        """Move all mass that waits at levels from ``first`` to ``stop`` (excluded) down to ``stop`` or below, in place.

        Mass that has arrived at a node counts the levels it has passed over, so the sum of mass times value over all
        nodes is the same before and after.
        """
        depth, one, false, over = self.depth, self.semiring.one, self.arrays.false, self.skipped.over
        add, mul = self.semiring.add, self.semiring.mul
        for number in range(first, stop):
            checkpoint()
            level = self.arrays.levels[number]
            if level.stop - level.start < len(belief):
                here = [node for node in range(level.start, level.stop) if node in belief]
            else:
                here = [node for node in belief if depth[node] == number]
            edges = self.decisions[number].edges
            for node in here:
                mass = belief.pop(node)
                for kid, weight in edges(node):
                    if kid != false:
                        share = mass if weight is one else mul(mass, weight)
                        if depth[kid] != number + 1:
                            share = over(share, number + 1, depth[kid])
                        belief[kid] = add(belief[kid], share) if kid in belief else share


def reached(arrays: LevelArrays, decisions: Sequence[Decision[Any]]) -> list[int]:
    """Return the inner nodes on paths that agree with the decisions, from the top."""
    if not any(isinstance(decision, ChosenValue) for decision in decisions):
        return list(range(arrays.nodes))
    depth, leaves = arrays.lists[2], arrays.nodes
    marked, todo = {arrays.root}, [arrays.root]
    while todo:
        node = todo.pop()
        if node < leaves:
            for kid, _ in decisions[depth[node]].edges(node):
                if kid not in marked:
                    marked.add(kid)
                    todo.append(kid)
    return sorted(node for node in marked if node < leaves)


Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]


def backward_many(arrays: LevelArrays, choices: Sequence[Row[float] | Positions], questions: int) -> Floats:
    """Return the value of a diagram for each of many questions, which may choose differently.

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
    """Return the mass at the nodes at or below level ``stop``, if all mass starts at the root: as ``diagram.forward``
    has it.

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
    """Return the weights of all edges of a level."""
    level = arrays.levels[number]
    partitions = arrays.partition[level.start : level.stop].tolist()
    sums = {partition: np.array(decision.class_weights(partition)) for partition in set(partitions)}
    return np.concatenate([sums[partition] for partition in partitions])


def _places(arrays: LevelArrays, number: int, values: Positions) -> Positions:
    """Return the classes of some values at every node of a level: a row for each node, a column for each value."""
    level = arrays.levels[number]
    used, which = np.unique(arrays.partition[level.start : level.stop], return_inverse=True)
    rows = np.empty((len(used), len(values)), dtype=np.int64)
    for row, partition in enumerate(map(arrays.partitions.__getitem__, used.tolist())):
        rows[row] = np.array(partition.classes)[np.searchsorted(partition.ends, values, side="right")]
    return rows[which]
