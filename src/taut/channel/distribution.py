"""The whole output distribution of one input in a single pass from the root down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from taut.channel.fold import Choice, Skips, class_weights, reached, rows_of
from taut.channel.forward import push_floats
from taut.channel.outputs import count_outputs
from taut.compile import Relation
from taut.errors import TooLarge
from taut.numbers import large
from taut.semiring import FLOAT64, Semiring

__all__ = ["distribution"]

T = TypeVar("T")
_Buckets = dict[int, dict[int, Any]]
"""Mass waiting at nodes, by level."""


def distribution(
    relation: Relation, inputs: Sequence[int], semiring: Semiring[T], max_outcomes: int
) -> dict[tuple[int, ...], Any]:
    """The mass of every output that has any, not divided by the evidence; outputs as positions, in their order.

    Mass is pushed down level by level. Coins spread it; an output level splits what has arrived by the value it
    demands, so that runs with different outputs are kept apart from there on.
    """
    arrays = relation.arrays
    if math.prod(len(output.values) for output in relation.outputs) > max_outcomes:
        outputs = count_outputs(relation, inputs)
        if outputs is not None and outputs > max_outcomes:
            raise _too_many(relation, large(outputs), max_outcomes)
    choices = rows_of(relation, semiring, inputs)
    nodes = reached(arrays, choices)
    skips = Skips(arrays, _without_outputs(relation, choices), nodes, semiring)
    weights_of = class_weights(arrays, semiring)
    depth = arrays.lists[2]
    last = len(arrays.levels)
    start: _Buckets = {depth[arrays.root]: {arrays.root: skips.over(semiring.one, 0, depth[arrays.root])}}
    first = next((number for number, level in enumerate(arrays.levels) if level.kind == "output"), 0)
    if semiring.name == FLOAT64.name and not skips.cost:
        start = {}
        for node, mass in push_floats(arrays, choices, first).items():  # type: ignore[arg-type]
            start.setdefault(depth[node], {})[node] = mass
    else:
        first = 0
    fronts: list[tuple[tuple[Any, ...], _Buckets]] = [((), start)]
    for number, level in enumerate(arrays.levels[first:], start=first):
        if level.kind == "output":
            fronts = [branch for front in fronts for branch in _split(relation, number, front, skips, semiring)]
            if len(fronts) > max_outcomes:
                raise _too_many(relation, f"more than {max_outcomes}", max_outcomes)
        else:
            for _, buckets in fronts:
                if number in buckets:
                    _push(relation, number, buckets, choices[number], weights_of, skips, semiring)
    output_order = [level.index for level in arrays.levels if level.kind == "output"]
    result = {}
    for prefix, buckets in fronts:
        mass = buckets.get(last, {}).get(arrays.true, semiring.zero)
        if mass != semiring.zero:
            result[_positions(prefix, output_order)] = semiring.value(mass, skips.scale)
    return dict(sorted(result.items()))


def _too_many(relation: Relation, count: str, limit: int) -> TooLarge:
    return TooLarge(
        f"'{relation.name}' has {count} outputs, too many to list (max_outcomes={limit}). Ask for single ones with "
        "probability(x, y), or raise max_outcomes with taut.options.",
        value=count,
    )


def _without_outputs(relation: Relation, choices: Sequence[Choice[T]]) -> list[Choice[T]]:
    """Outputs are told apart, not summed: passing over one costs nothing."""
    return [
        0 if level.kind == "output" else choice for level, choice in zip(relation.arrays.levels, choices, strict=True)
    ]


def _push(
    relation: Relation,
    number: int,
    buckets: _Buckets,
    choice: Choice[T],
    weights_of: Any,
    skips: Skips[T],
    semiring: Semiring[T],
) -> None:
    arrays = relation.arrays
    partition, children, depth = arrays.lists
    add, mul, false = semiring.add, semiring.mul, arrays.false
    for node, mass in buckets.pop(number).items():
        if isinstance(choice, int):
            weights, kids = [None], [children[node][arrays.classes[partition[node]][choice]]]
        else:
            weights, kids = weights_of(choice, partition[node]), children[node]
        for weight, kid in zip(weights, kids, strict=True):
            if kid == false:
                continue
            below = depth[kid]
            share = skips.over(mass if weight is None else mul(mass, weight), number + 1, below)
            bucket = buckets.get(below)
            if bucket is None:
                buckets[below] = {kid: share}
            elif kid in bucket:
                bucket[kid] = add(bucket[kid], share)
            else:
                bucket[kid] = share


def _split(
    relation: Relation,
    number: int,
    front: tuple[tuple[Any, ...], _Buckets],
    skips: Skips[T],
    semiring: Semiring[T],
) -> list[tuple[tuple[Any, ...], _Buckets]]:
    """One front for each value of the output that mass at this level leads to."""
    arrays = relation.arrays
    partition, children, depth = arrays.lists
    prefix, buckets = front
    here = buckets.pop(number, {})
    passing = bool(buckets)
    branches: dict[int, _Buckets] = {}
    if passing:
        for value in range(arrays.levels[number].arity):
            branches[value] = {below: dict(bucket) for below, bucket in buckets.items()}
    for node, mass in here.items():
        classes = arrays.classes[partition[node]]
        for place, kid in enumerate(children[node]):
            if kid == arrays.false:
                continue
            share = skips.over(mass, number + 1, depth[kid])
            for value in (classes == place).nonzero()[0].tolist():
                bucket = branches.setdefault(value, {}).setdefault(depth[kid], {})
                bucket[kid] = semiring.add(bucket[kid], share) if kid in bucket else share
    return [((prefix, value), branch) for value, branch in branches.items()]


def _positions(prefix: tuple[Any, ...], output_order: Sequence[int]) -> tuple[int, ...]:
    positions = [0] * len(output_order)
    for index in reversed(output_order):
        prefix, positions[index] = prefix
    return tuple(positions)
