"""Number of outputs of an input, counted without listing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from taut.diagrams import Decision, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.levels import LevelArrays
from taut.diagrams.semirings import BOOLEAN
from taut.inference.fold import rows_of
from taut.support.limits import checkpoints

__all__ = ["count_outputs"]

_STATES = 4096
_CELLS = 1 << 22
"""Pairs of a node and a value of an output that are looked at on one level."""


def count_outputs(relation: Relation, inputs: Sequence[int]) -> int | None:
    """The number of outputs of positive probability at an input; None if counting would take too long.

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
    """The nodes that coins, or the chosen value of an input, lead to from some nodes."""
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
    """The sets of nodes after each value of an output, with the number of such values; and the pairs visited.

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
