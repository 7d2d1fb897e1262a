"""Beliefs as vectors over the nodes of a cut: how a level moves them is planned once for all with the same nodes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from taut.inference.beliefs import Beliefs

__all__ = ["EMPTY", "Gather", "LevelFlow", "Vector", "gather"]

Gather = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Takes the entries at some places out of a sequence."""


class Vector(NamedTuple):
    """The nodes of a cut that have mass, in increasing order, and their masses."""

    nodes: tuple[int, ...]
    masses: tuple[Any, ...]


EMPTY = Vector((), ())


class LevelFlow:
    """The operation of one level on vectors.

    What happens to a node depends on the node alone, so the sums are the same for all vectors over the same nodes:
    which entries are added up for which child, with which weights. This is planned once, and a vector is then moved by
    a few passes over all of its entries, without a loop of Python's.
    """

    def __init__(self, automaton: Beliefs, level: int) -> None:
        self._automaton, self._level = automaton, level
        self._plans: dict[tuple[int | None, tuple[int, ...]], _Plan] = {}

    def after(self, vector: Vector, value: int | None) -> Vector:
        """The vector after the level, at which its variable has got a value; if None, after the sum over its values.

        Sums are scaled by the scale of the level's row.
        """
        key = (value, vector.nodes)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._planned(value, vector.nodes)
        return Vector(plan.nodes, plan.moved(vector.masses))

    def _planned(self, value: int | None, nodes: tuple[int, ...]) -> _Plan:
        automaton, level = self._automaton, self._level
        decision = automaton.summed(level) if value is None else automaton.chosen(value)
        parents: dict[int, list[tuple[int, Any]]] = {}
        for place, node in enumerate(nodes):
            edges = decision.edges(node) if automaton.depth[node] == level else ((node, decision.total),)
            for kid, weight in edges:
                if kid != automaton.arrays.false and weight != 0:
                    parents.setdefault(kid, []).append((place, weight))
        return _Plan(parents)


class _Plan:
    """The sums of one level for one set of nodes: round after round, the next parent of every child that has one."""

    def __init__(self, parents: dict[int, list[tuple[int, Any]]]) -> None:
        order = sorted(parents, key=lambda kid: (-len(parents[kid]), kid))
        self.nodes = tuple(sorted(parents))
        most = len(parents[order[0]]) if order else 0
        self._rounds: list[tuple[Gather, tuple[Any, ...] | None]] = []
        for number in range(most):
            edges = [parents[kid][number] for kid in order if len(parents[kid]) > number]
            weights = tuple(weight for _, weight in edges)
            plain = all(weight == 1 for weight in weights)
            self._rounds.append((gather([place for place, _ in edges]), None if plain else weights))
        places = {kid: place for place, kid in enumerate(order)}
        sorted_already = order == list(self.nodes)
        self._sort = None if sorted_already else gather([places[kid] for kid in self.nodes])

    def moved(self, masses: Sequence[Any]) -> tuple[Any, ...]:
        total: list[Any] = []
        for taken, weights in self._rounds:
            shares = taken(masses)
            if weights is not None:
                shares = tuple(map(operator.mul, shares, weights))
            if total:
                total[: len(shares)] = list(map(operator.add, total, shares))
            else:
                total = list(shares)
        return tuple(total) if self._sort is None else self._sort(total)


def gather(places: Sequence[int]) -> Gather:
    """The function that takes the entries at these places out of a sequence."""
    if len(places) == 1:
        (place,) = places
        return lambda entries: (entries[place],)
    return operator.itemgetter(*places)
