"""The whole output distribution of one input in a single pass from the root down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from taut.diagrams import Belief, Choice, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import FLOAT64, Row, Semiring
from taut.diagrams.vectorized import forward_floats
from taut.inference.fold import rows_of
from taut.inference.outputs import count_outputs
from taut.support.errors import TooLarge
from taut.support.exact import large
from taut.support.limits import checkpoints

__all__ = ["distribution"]

T = TypeVar("T")
_Prefix = tuple[Any, ...]
"""The outputs that were decided, the last one first: (... ((), first), ... last)."""


def distribution(
    relation: Relation, inputs: Sequence[int], semiring: Semiring[T], max_outcomes: int
) -> dict[tuple[int, ...], Any]:
    """The mass of every output that has any, not divided by the evidence; outputs as positions, in their order.

    Mass flows down level by level. Coins spread it; an output level splits what has arrived by the value it demands,
    so that runs with different outputs are kept apart from there on.
    """
    arrays = relation.arrays
    if math.prod(len(output.values) for output in relation.outputs) > max_outcomes:
        outputs = count_outputs(relation, inputs)
        if outputs is not None and outputs > max_outcomes:
            raise _too_many(relation, large(outputs), max_outcomes)
    diagram = WeightedDiagram(arrays, _told_apart(relation, rows_of(relation, semiring, inputs), semiring), semiring)
    order = [level.index for level in arrays.levels if level.kind == "output"]
    first = next((number for number, level in enumerate(arrays.levels) if level.kind == "output"), len(arrays.levels))
    if semiring.name == FLOAT64.name and not diagram.skipped.cost:
        start: Belief[T] = forward_floats(diagram, first)  # type: ignore[arg-type, assignment]
    else:
        diagram.forward(start := diagram.start, 0, first)
    fronts: list[tuple[_Prefix, Belief[T]]] = [((), start)]
    for number in range(first, len(arrays.levels)):
        if arrays.levels[number].kind == "output":
            branches: list[tuple[_Prefix, Belief[T]]] = []
            for front in checkpoints(fronts, 1):
                branches += _split(diagram, number, *front)
                if len(branches) > max_outcomes:
                    raise _too_many(relation, f"more than {max_outcomes}", max_outcomes)
            fronts = branches
        else:
            for _, belief in checkpoints(fronts):
                diagram.forward(belief, number, number + 1)
    masses = {}
    for prefix, belief in checkpoints(fronts):
        mass = belief.get(arrays.true, semiring.zero)
        if mass != semiring.zero:
            masses[_positions(prefix, order)] = semiring.value(mass, diagram.skipped.scale)
    return dict(sorted(masses.items()))


def _too_many(relation: Relation, count: str, limit: int) -> TooLarge:
    return TooLarge(
        f"'{relation.name}' has {count} outputs, too many to list (max_outcomes={limit}). Ask for single ones with "
        "probability(x, y), or raise max_outcomes with taut.options.",
        value=count,
    )


def _told_apart(relation: Relation, choices: Sequence[Choice[T]], semiring: Semiring[T]) -> list[Choice[T]]:
    """Rows that keep outputs apart instead of summing over them."""
    one = semiring.one
    return [
        Row((one,) * level.arity, one, one) if level.kind == "output" else choice
        for level, choice in zip(relation.arrays.levels, choices, strict=True)
    ]


def _split(
    diagram: WeightedDiagram[T], number: int, prefix: _Prefix, belief: Belief[T]
) -> list[tuple[_Prefix, Belief[T]]]:
    """One front for each value of the output that mass at this level leads to, or that mass passes over."""
    arrays, depth, add = diagram.arrays, diagram.depth, diagram.semiring.add
    partition, children, _ = arrays.lists
    here = {node: belief.pop(node) for node in [node for node in belief if depth[node] == number]}
    branches: dict[int, Belief[T]] = {}
    if belief:
        branches = {value: dict(belief) for value in range(arrays.levels[number].arity)}
    for node, mass in checkpoints(here.items()):
        kids = children[node]
        shares = [diagram.skipped.over(mass, number + 1, depth[kid]) for kid in kids]
        for start, stop, place in checkpoints(arrays.partitions[partition[node]].runs(), 4096):
            kid, share = kids[place], shares[place]
            if kid == arrays.false:
                continue
            for value in range(start, stop):
                branch = branches.setdefault(value, {})
                branch[kid] = add(branch[kid], share) if kid in branch else share
    return [((prefix, value), branch) for value, branch in branches.items()]


def _positions(prefix: _Prefix, order: Sequence[int]) -> tuple[int, ...]:
    positions = [0] * len(order)
    for index in reversed(order):
        prefix, positions[index] = prefix
    return tuple(positions)
