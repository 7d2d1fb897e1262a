"""Beliefs: the mass at the nodes of a cut, and how coins, inputs and outputs move it; all in exact arithmetic."""

from __future__ import annotations

import math
from typing import Any

from taut.compile import Relation
from taut.numbers import Ball
from taut.semiring import BALL, EXACT, Row, Semiring

__all__ = ["Belief", "Beliefs"]

Belief = dict[int, Any]
"""The mass that has arrived at each node, on its way to deeper levels."""


class Beliefs:
    """The weighted automaton behind a relation, stepped level by level.

    Masses are integers: every coin that is tossed multiplies all of them by its common denominator, the coins' scale
    (with exp they are Balls, and scales are one). So equal beliefs have equal contents.
    """

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.arrays = relation.arrays
        self.partition, self.children, self.depth = relation.arrays.lists
        self.false = relation.arrays.false
        self.classes = [classes.tolist() for classes in relation.arrays.classes]
        balls = any(isinstance(weight, Ball) for coin in relation.coins for weight in coin.weights)
        self.semiring: Semiring[Any] = BALL if balls else EXACT
        self._rows: dict[int, Row[Any]] = {}
        self._weights: dict[tuple[int, int], list[Any]] = {}

    @property
    def start(self) -> Belief:
        return {} if self.arrays.root == self.arrays.false else {self.arrays.root: self.semiring.one}

    def row(self, level: int) -> Row[Any]:
        """The weights of a coin, scaled."""
        if level not in self._rows:
            self._rows[level] = self.semiring.row(self.relation.coins[self.arrays.levels[level].index].weights)
        return self._rows[level]

    def toss(self, level: int, belief: Belief) -> Belief:
        """The belief after a coin, scaled: mass at the level is mixed, other mass is worth the coin's total weight."""
        found: Belief = {}
        total, depth, false = self.row(level).total, self.depth, self.false
        for node, mass in belief.items():
            if depth[node] != level:
                share = mass * total
                found[node] = found[node] + share if node in found else share
                continue
            for weight, kid in zip(self.class_weights(level, node), self.children[node], strict=True):
                if kid != false:
                    found[kid] = found[kid] + mass * weight if kid in found else mass * weight
        return found

    def select(self, level: int, belief: Belief, value: int) -> Belief:
        """The belief after an input or output has got a value."""
        found: Belief = {}
        depth, false = self.depth, self.false
        for node, mass in belief.items():
            kid = node
            if depth[node] == level:
                kid = self.children[node][self.classes[self.partition[node]][value]]
            if kid != false:
                found[kid] = found[kid] + mass if kid in found else mass
        return found

    def forget(self, level: int, belief: Belief) -> Belief:
        """The belief after an output whose value does not matter: the sum over its values."""
        found: Belief = {}
        for value in range(self.arrays.levels[level].arity):
            for node, mass in self.select(level, belief, value).items():
                found[node] = found[node] + mass if node in found else mass
        return found

    def looks(self, level: int, belief: Belief) -> bool:
        """Whether any mass is at this level."""
        return any(self.depth[node] == level for node in belief)

    def final(self, belief: Belief) -> Any:
        """The mass on TRUE, after the last level, still scaled."""
        return belief.get(self.arrays.true, self.semiring.zero)

    def reduced(self, belief: Belief) -> tuple[Belief, Any]:
        """A belief without its common factor, and that factor."""
        if not belief:
            return belief, self.semiring.one
        if self.semiring is EXACT:
            factor = math.gcd(*belief.values())
            return {node: mass // factor for node, mass in belief.items()}, factor
        factor = belief[min(belief)]
        return {node: mass / factor for node, mass in belief.items()}, factor

    def class_weights(self, level: int, node: int) -> list[Any]:
        """The scaled weights of a coin's node, one for each of its children."""
        key = (level, self.partition[node])
        found = self._weights.get(key)
        if found is None:
            classes = self.classes[self.partition[node]]
            found = [self.semiring.zero] * (max(classes) + 1)
            for place, weight in zip(classes, self.row(level).weights, strict=True):
                found[place] = found[place] + weight
            self._weights[key] = found
        return found
