"""The fold: along every path the product of its weights, over all paths their sum, for any semiring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from taut.compile import Relation
from taut.diagram import LevelArrays
from taut.semiring import Row, Semiring

__all__ = ["Skips", "class_weights", "fold", "node_values", "reached", "rows_of"]

T = TypeVar("T")
Choice = Row[T] | int
"""What happens at a level: its values are summed with weights, or one value (its position) is chosen."""


def rows_of(
    relation: Relation,
    semiring: Semiring[T],
    inputs: Sequence[int] | None = None,
    outputs: Sequence[int] | None = None,
) -> list[Choice[T]]:
    """A choice for every level: coins are summed; inputs and outputs are chosen, or summed with weight one if None."""
    made: dict[tuple[Any, ...], Row[T]] = {}
    choices: list[Choice[T]] = []
    for level in relation.arrays.levels:
        if level.kind == "input" and inputs is not None:
            choices.append(inputs[level.index])
        elif level.kind == "output" and outputs is not None:
            choices.append(outputs[level.index])
        else:
            weights = relation.coins[level.index].weights if level.kind == "coin" else (1,) * level.arity
            if weights not in made:
                made[weights] = semiring.row(weights)
            choices.append(made[weights])
    return choices


def fold(arrays: LevelArrays, choices: Sequence[Choice[T]], semiring: Semiring[T]) -> Any:
    """The sum over all paths to TRUE that agree with the choices, of the product of the weights along them."""
    values, scale = node_values(arrays, choices, semiring)
    return semiring.value(values[arrays.root], scale)


def node_values(arrays: LevelArrays, choices: Sequence[Choice[T]], semiring: Semiring[T]) -> tuple[dict[int, T], T]:
    """The fold of every node that the choices reach (scaled by the levels below it), and the scale of the root.

    The value of the root counts the levels above it too, so that it is the value of the whole diagram.
    """
    nodes = reached(arrays, choices)
    skips = Skips(arrays, choices, nodes, semiring)
    partition, children, depth = arrays.lists
    values: dict[int, T] = {arrays.false: semiring.zero, arrays.true: semiring.one}
    weights_of = class_weights(arrays, semiring)
    add, mul, zero = semiring.add, semiring.mul, semiring.zero
    for node in reversed(nodes):
        level, kids = depth[node], children[node]
        choice = choices[level]
        if isinstance(choice, int):
            kid = kids[arrays.classes[partition[node]][choice]]
            values[node] = skips.over(values[kid], level + 1, depth[kid])
            continue
        total = zero
        for weight, kid in zip(weights_of(choice, partition[node]), kids, strict=True):
            below = values[kid]
            if below != zero:
                total = add(total, mul(weight, skips.over(below, level + 1, depth[kid])))
        values[node] = total
    values[arrays.root] = skips.over(values[arrays.root], 0, depth[arrays.root])
    return values, skips.scale


def reached(arrays: LevelArrays, choices: Sequence[Choice[T]]) -> list[int]:
    """The inner nodes on paths that agree with the choices, from the top."""
    if not any(isinstance(choice, int) for choice in choices):
        return list(range(arrays.nodes))
    partition, children, depth = arrays.lists
    marked = {arrays.root}
    todo = [arrays.root]
    leaves = arrays.nodes
    while todo:
        node = todo.pop()
        if node >= leaves:
            continue
        choice = choices[depth[node]]
        kids = children[node]
        if isinstance(choice, int):
            kids = [kids[arrays.classes[partition[node]][choice]]]
        for kid in kids:
            if kid not in marked:
                marked.add(kid)
                todo.append(kid)
    return sorted(node for node in marked if node < leaves)


class Skips(Generic[T]):
    """What an edge that passes over summed levels is worth: the product of their totals.

    Levels that no path looks at, and whose weights sum to one, are left out altogether, so that exact numbers stay
    small.
    """

    def __init__(
        self, arrays: LevelArrays, choices: Sequence[Choice[T]], nodes: Sequence[int], semiring: Semiring[T]
    ) -> None:
        if len(nodes) == arrays.nodes:
            looked = {number for number, level in enumerate(arrays.levels) if level.start < level.stop}
        else:
            looked = {arrays.lists[2][node] for node in nodes}
        self._mul = semiring.mul
        self._totals: list[T | None] = []
        self._counted = [0]
        self.scale = semiring.one
        for number, choice in enumerate(choices):
            total = None
            if isinstance(choice, Row) and (number in looked or choice.total != choice.scale):
                self.scale = semiring.mul(self.scale, choice.scale)
                total = None if choice.total == semiring.one else choice.total
            self._totals.append(total)
            self._counted.append(self._counted[-1] + (total is not None))
        self._products: dict[tuple[int, int], T] = {}
        self._one = semiring.one

    @property
    def cost(self) -> bool:
        """Whether passing over any level costs anything."""
        return self._counted[-1] > 0

    def over(self, value: T, start: int, stop: int) -> T:
        """The value, times the totals of the levels from start to stop (excluded)."""
        if self._counted[start] == self._counted[stop]:
            return value
        return self._mul(value, self._product(start, stop))

    def _product(self, start: int, stop: int) -> T:
        """The product of totals, made from the next shorter one that is known."""
        key = (start, stop)
        found = self._products.get(key)
        if found is not None:
            return found
        place = start
        chain = []
        while place < stop and (place, stop) not in self._products:
            chain.append(place)
            place += 1
        product = self._products.get((place, stop), self._one)
        for place in reversed(chain):
            total = self._totals[place]
            if total is not None:
                product = self._mul(total, product)
            self._products[place, stop] = product
        return product


def class_weights(arrays: LevelArrays, semiring: Semiring[T]) -> Any:
    """A function that gives the summed weights of each class of a partition under a row, remembering them."""
    known: dict[tuple[int, int], list[T]] = {}

    def weights_of(row: Row[T], partition: int) -> list[T]:
        key = (id(row), partition)
        found = known.get(key)
        if found is None:
            classes = arrays.classes[partition]
            found = [semiring.zero] * (int(classes.max()) + 1)
            for weight, place in zip(row.weights, classes.tolist(), strict=True):
                found[place] = semiring.add(found[place], weight)
            known[key] = found
        return found

    return weights_of
