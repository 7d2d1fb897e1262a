"""How many outputs an input has, counted without listing them."""

from __future__ import annotations

from collections.abc import Sequence

from taut.channel.fold import rows_of
from taut.compile import Relation
from taut.diagram import Chosen, Decision, WeightedDiagram
from taut.limits import checkpoints
from taut.semiring import BOOLEAN

__all__ = ["count_outputs"]

_STATES = 4096


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
        options: list[Decision[int]] = [decisions[number]]
        if level.kind == "output":
            options = [Chosen(arrays, value, BOOLEAN) for value in range(level.arity)]
        following: dict[frozenset[int], int] = {}
        for nodes, count in checkpoints(states.items(), 64):
            belief = dict.fromkeys(nodes, BOOLEAN.one)
            for option in options:
                state = frozenset(n for n, mass in option.step(number, belief).items() if mass)
                if state:
                    following[state] = following.get(state, 0) + count
        states = following
        if len(states) > _STATES or sum(map(len, states)) > 64 * _STATES:
            return None
    return sum(states.values())
