"""The distribution of one input in a single pass from the root down, and the number of its outputs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from taut.diagrams import Belief, Choice, Decision, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.kernel import forward_floats
from taut.diagrams.levels import LevelArrays
from taut.diagrams.semirings import BOOLEAN, FLOAT64, Row, Semiring
from taut.inference.fold import rows_of
from taut.support.errors import TooLarge
from taut.support.exact import large
from taut.support.limits import checkpoints

__all__ = ["count_outputs", "distribution"]


_STATES = 4096
_CELLS = 1 << 22
"""Limit for the (node, output value) pairs of one level."""


def count_outputs(relation: Relation, inputs: Sequence[int]) -> int | None:
    """Return the number of outputs of positive probability at an input; None if counting would take too long.

    Outputs are read level by level by a deterministic automaton, whose states are the sets of nodes that the coins
    can have led to: beliefs over the truth values. Outputs with the same set have the same future and are counted
    together.
    """
    arrays = relation.arrays
    decisions = WeightedDiagram(arrays, rows_of(relation, BOOLEAN, inputs), BOOLEAN).decisions
    states: dict[frozenset[int], int] = {frozenset([arrays.root]): 1}
    for number, level in enumerate(arrays.levels):
        following: dict[frozenset[int], int] = {}
        room = _CELLS
        for nodes, count in states.items():
            if level.kind == "output":
                reached, cells = _by_value(arrays, number, nodes, room)
                room -= cells
                if room < 0:
                    return None
            else:
                reached = {_after(arrays, number, decisions[number], nodes): 1}
            for state, times in reached.items():
                if state:
                    following[state] = following.get(state, 0) + count * times
        states = following
        if len(states) > _STATES or sum(map(len, states)) > 64 * _STATES:
            return None
    return sum(states.values())


def _after(arrays: LevelArrays, number: int, decision: Decision[int], nodes: Iterable[int]) -> frozenset[int]:
    """Return the nodes that coins, or the chosen value of an input, lead to from some nodes."""
    depth, false = arrays.lists[2], arrays.false
    found: set[int] = set()
    for node in checkpoints(nodes, 1024):
        if depth[node] == number:
            found.update(kid for kid, weight in decision.edges(node) if weight and kid != false)
        elif decision.total:
            found.add(node)
    return frozenset(found)


def _by_value(
    arrays: LevelArrays, number: int, nodes: Iterable[int], room: int
) -> tuple[dict[frozenset[int], int], int]:
    """Return the sets of nodes after each value of an output, with the number of such values; and the pairs visited.

    Only values that some node leads on from are looked at, and all others, which leave the nodes below the level, are
    counted at once. If there is no room for as many pairs of a node and a value, the sets are not complete.
    """
    partition, children, depth = arrays.lists
    passing = [node for node in nodes if depth[node] != number]
    kids: dict[int, set[int]] = {}
    cells = 0
    for node in checkpoints(nodes, 64):
        if depth[node] != number:
            continue
        for start, stop, place in checkpoints(arrays.partitions[partition[node]].runs(), 4096):
            kid = children[node][place]
            if kid == arrays.false:
                continue
            cells += stop - start
            if cells > room:
                return {}, cells
            for value in range(start, stop):
                kids.setdefault(value, set()).add(kid)
    cells += len(passing) * len(kids)
    if cells > room:
        return {}, cells
    found = Counter({frozenset(passing): arrays.levels[number].arity - len(kids)})
    for reached in checkpoints(kids.values()):
        found[frozenset([*reached, *passing])] += 1
    return {state: times for state, times in found.items() if times}, cells


T = TypeVar("T")
_Prefix = tuple[Any, ...]
"""Values of the decided outputs as nested pairs, the last one outermost: (... ((), first), ... last)."""


def distribution(
    relation: Relation, inputs: Sequence[int], semiring: Semiring[T], max_outcomes: int
) -> dict[tuple[int, ...], Any]:
    """Return the mass of every output that has any, not divided by the evidence; outputs as positions, in their order.

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
    """Return choices that keep outputs apart instead of summing over them."""
    one = semiring.one
    return [
        Row((one,) * level.arity, one, one) if level.kind == "output" else choice
        for level, choice in zip(relation.arrays.levels, choices, strict=True)
    ]


def _split(
    diagram: WeightedDiagram[T], number: int, prefix: _Prefix, belief: Belief[T]
) -> list[tuple[_Prefix, Belief[T]]]:
    """Yield the belief for each value of the output at this level."""
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
