"""Beliefs: the mass at the nodes of a cut, and how coins, inputs and outputs move it; all in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from taut.diagrams import Belief, ChosenValue, Decision, Summed
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import BALL, EXACT, POLYNOMIAL, Row, Semiring
from taut.support.algebra.polynomial import factor_of
from taut.support.limits import checkpoints

__all__ = ["Beliefs", "semiring_of"]


def semiring_of(relation: Relation) -> Semiring[Any]:
    """Return the exact numbers for the weights of a relation: integers, polynomials in its parameters, or balls."""
    if relation.parameters:
        return POLYNOMIAL
    return EXACT if relation.exact else BALL


class Beliefs:
    """The weighted automaton behind a relation, stepped level by level.

    Masses are integers: every coin that is tossed multiplies all of them by its common denominator, the coins' scale
    (with exp they are Balls, and scales are one). So equal beliefs have equal contents.
    """

    def __init__(self, relation: Relation, semiring: Semiring[Any] | None = None) -> None:
        self.relation, self.arrays = relation, relation.arrays
        self.depth = relation.arrays.lists[2]
        self.semiring: Semiring[Any] = semiring or semiring_of(relation)
        self._rows: dict[int, Row[Any]] = {}
        self._summed: dict[int, Decision[Any]] = {}
        self._chosen: dict[int, Decision[Any]] = {}

    @property
    def start(self) -> Belief[Any]:
        return {} if self.arrays.root == self.arrays.false else {self.arrays.root: self.semiring.one}

    def row(self, level: int) -> Row[Any]:
        """Return the weights of a coin, scaled; those of inputs and outputs are one."""
        if level not in self._rows:
            variable = self.arrays.levels[level]
            coin = self.relation.coins[variable.index] if variable.kind == "coin" else None
            self._rows[level] = self.semiring.row((1,) * variable.arity if coin is None else coin.weights)
        return self._rows[level]

    def summed(self, level: int) -> Decision[Any]:
        """Return the decision that sums over all values of a level: a coin is tossed, an output marginalised."""
        if level not in self._summed:
            self._summed[level] = Summed(self.arrays, self.row(level), self.semiring)
        return self._summed[level]

    def chosen(self, value: int) -> Decision[Any]:
        """Return the decision that fixes a level to one value."""
        if value not in self._chosen:
            self._chosen[value] = ChosenValue(self.arrays, value, self.semiring)
        return self._chosen[value]

    def after(self, level: int, belief: Belief[Any], value: int | None = None) -> Belief[Any]:
        """Return the belief after a level whose variable has ``value``; None sums over its values.

        Sums are scaled by the scale of the level's row.
        """
        return (self.summed(level) if value is None else self.chosen(value)).step(level, belief)

    def split(self, level: int, belief: Belief[Any]) -> tuple[Belief[Any], dict[int, Belief[Any]]]:
        """Return the belief after all values without a child of their own, and the beliefs after each other value.

        Each is what ``after`` gives; in the first, all mass at nodes of the level is lost.
        """
        partition, children, depth = self.arrays.lists
        add, false = self.semiring.add, self.arrays.false
        passing = {node: mass for node, mass in belief.items() if depth[node] != level}
        branches: dict[int, Belief[Any]] = {}
        for node, mass in checkpoints(belief.items()):
            if depth[node] != level:
                continue
            for start, stop, place in checkpoints(self.arrays.partitions[partition[node]].runs(), 4096):
                kid = children[node][place]
                if kid == false:
                    continue
                for value in range(start, stop):
                    branch = branches.get(value)
                    if branch is None:
                        branch = branches[value] = dict(passing)
                    branch[kid] = add(branch[kid], mass) if kid in branch else mass
        return passing, branches

    def matters(self, level: int, beliefs: Iterable[Iterable[int]]) -> bool:
        """Return True if a coin matters: some belief, given by its nodes, is at its level, or its weights do not sum to
        one."""
        row, depth = self.row(level), self.depth
        return row.total != row.scale or any(depth[node] == level for belief in beliefs for node in belief)

    def final(self, belief: Belief[Any]) -> Any:
        """Return the mass on TRUE, after the last level, still scaled."""
        return belief.get(self.arrays.true, self.semiring.zero)

    def reduced(self, belief: Belief[Any]) -> tuple[Belief[Any], Any]:
        """Return a belief without its common factor, and that factor."""
        if not belief:
            return belief, self.semiring.one
        if self.semiring is not BALL:
            divisor = math.gcd if self.semiring is EXACT else factor_of
            factor = divisor(*belief.values())
            return {node: mass // factor for node, mass in belief.items()}, factor
        factor = belief[min(belief)]
        return {node: mass / factor for node, mass in belief.items()}, factor
