"""How many outputs an input has, counted without listing them."""

from __future__ import annotations

from collections.abc import Sequence

from taut.compile import Relation

__all__ = ["count_outputs"]

_STATES = 4096


def count_outputs(relation: Relation, inputs: Sequence[int]) -> int | None:
    """The number of outputs of positive probability at an input; None if counting would take too long.

    Outputs are read level by level by a deterministic automaton, whose states are the sets of nodes that the coins
    can have led to; outputs with the same set have the same future and are counted together.
    """
    arrays = relation.arrays
    depth = arrays.lists[2]
    states: dict[frozenset[int], int] = {frozenset([arrays.root]): 1}
    for number, level in enumerate(arrays.levels):
        following: dict[frozenset[int], int] = {}
        for nodes, count in states.items():
            here = [node for node in nodes if depth[node] == number]
            passing = nodes.difference(here)
            for reached in _steps(relation, level.kind, inputs[level.index] if level.kind == "input" else None, here):
                state = passing | reached
                if state:
                    following[state] = following.get(state, 0) + count
        states = following
        if len(states) > _STATES or sum(map(len, states)) > 64 * _STATES:
            return None
    return sum(states.values())


def _steps(relation: Relation, kind: str, chosen: int | None, here: Sequence[int]) -> list[frozenset[int]]:
    """The sets of nodes reached from some nodes of a level: one set for each value of an output, else one."""
    arrays = relation.arrays
    partition, children, _ = arrays.lists
    if kind == "coin":
        return [frozenset(kid for node in here for kid in children[node] if kid != arrays.false)]
    if not here:
        return [frozenset()]
    if kind == "input":
        kids = (children[node][arrays.classes[partition[node]][chosen]] for node in here)
        return [frozenset(kid for kid in kids if kid != arrays.false)]
    arity = len(arrays.classes[partition[here[0]]])
    rows = [[children[node][place] for place in arrays.classes[partition[node]].tolist()] for node in here]
    return [frozenset(row[value] for row in rows if row[value] != arrays.false) for value in range(arity)]
