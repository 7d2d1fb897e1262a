"""Fingerprints: the weighted count of a relation at random weights modulo a random prime, before and after a move.

The count Z(a, b) = sum over x, y of P(A(x) = y) times a weight for each literal of x and y is linear in the weights of
every variable, and its coefficients are the probabilities. So two channels are equal exactly if their counts are equal
as polynomials, and whether they are is decided by evaluating both at one random point.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.diagrams import Belief, Summed, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import FieldSemiring, Row
from taut.support.algebra.rational import RationalFunction
from taut.support.exact import Ball
from taut.support.limits import checkpoint
from taut.synthesis.symmetry.permutation import IDENTITY, Coordinate, Permutation
from taut.synthesis.symmetry.weights import CoinRows, random_prime

__all__ = ["Fingerprint"]

Weights = Mapping[Coordinate, Sequence[Any]]
"""Residues, one for each value of a variable."""
_CHECKPOINTS = 64


class Fingerprint:
    """The relation's count at one random point, and how it changes when literals are permuted.

    A move changes the weights of a few levels only. What lies above them is kept as the masses at cuts, what lies
    below as the values of nodes, so a test costs no more than the levels in between.
    """

    def __init__(self, relation: Relation, source: random.Random) -> None:
        self.relation = relation
        self.arrays = relation.arrays
        denominators = {
            Fraction(w).denominator
            for coin in relation.coins
            for w in coin.weights
            if not isinstance(w, (Ball, RationalFunction))
        }
        prime = random_prime(source)
        while not all(denominator % prime for denominator in denominators):
            prime = random_prime(source)
        self.field = FieldSemiring(prime)
        self.level_of: dict[Coordinate, int] = {
            (level.kind, level.index): number for number, level in enumerate(self.arrays.levels) if level.kind != "coin"
        }
        self.arity: dict[Coordinate, int] = {("input", i): len(x.values) for i, x in enumerate(relation.inputs)}
        self.arity |= {("output", j): len(y.values) for j, y in enumerate(relation.outputs)}
        self.unread = [variable for variable in self.arity if variable not in self.level_of]
        """Inputs that the relation never looks at: each is a factor of the count."""
        coins = CoinRows(relation, self.field, source)
        self.coins = {level.index: coins.row(level.index) for level in self.arrays.levels if level.kind == "coin"}
        self.weights: dict[Coordinate, Sequence[Any]] = {
            variable: [self.field.residue(source.randrange(prime)) for _ in range(size)]
            for variable, size in self.arity.items()
        }
        self.diagram = self.weighted(self.weights)
        self.values = self.diagram.backward()
        self._marks: dict[int, Belief[Any]] = {}
        self._current: tuple[int, Belief[Any]] = (0, self.start)

    @property
    def start(self) -> Belief[Any]:
        return {} if self.arrays.root == self.arrays.false else {self.arrays.root: self.field.one}

    def weighted(self, weights: Weights) -> WeightedDiagram[Any]:
        """The relation with given weights for the literals of inputs and outputs."""
        rows: list[Row[Any] | int] = [
            self.coins[level.index] if level.kind == "coin" else self.field.row(weights[level.kind, level.index])
            for level in self.arrays.levels
        ]
        return WeightedDiagram(self.arrays, rows, self.field)

    def moved(self, permutation: Permutation, weights: Weights | None = None) -> Any:
        """The count after every literal has got the weight of the literal that the permutation takes it to.

        ``weights`` may replace the random ones, for all variables; nothing is then known in advance.
        """
        base = self.weights if weights is None else weights
        changed = self.permuted(permutation, base)
        unread = self.field.one
        for variable in self.unread:
            unread *= sum(changed.get(variable, base[variable]), self.field.zero)
        if weights is not None:
            return self.weighted({**base, **changed}).value * unread
        levels = {self.level_of[variable]: row for variable, row in changed.items() if variable in self.level_of}
        first, stop = (min(levels), max(levels) + 1) if levels else (0, 0)
        return self._closed(self._pushed(self._forward(first), first, stop, levels), stop) * unread

    @property
    def count(self) -> Any:
        """The count itself."""
        return self.moved(IDENTITY)

    def permuted(self, permutation: Permutation, base: Weights) -> dict[Coordinate, Sequence[Any]]:
        """The weights of the variables that a permutation moves: those of the literals they are taken to."""
        return {
            variable: [base[target][value] for value in values]
            for variable, (target, values) in permutation.moves.items()
        }

    def _forward(self, stop: int) -> Belief[Any]:
        """The masses at the cut above a level."""
        known, mass = self._current
        if known > stop:
            known = max((mark for mark in self._marks if mark <= stop), default=0)
            mass = self._marks.get(known, self.start)
        apart = max(1, len(self.arrays.levels) // _CHECKPOINTS)
        while known < stop:
            following = min(stop, (known // apart + 1) * apart)
            mass = self._pushed(mass, known, following, {})
            known = following
            if known % apart == 0:
                self._marks[known] = mass
        self._current = (known, mass)
        return mass

    def _pushed(self, mass: Belief[Any], first: int, stop: int, changed: Mapping[int, Sequence[Any]]) -> Belief[Any]:
        """Masses at the cut above ``first`` pushed down to the cut above ``stop``; some levels have other weights."""
        for level in range(first, stop):
            checkpoint()
            decision = self.diagram.decisions[level]
            if level in changed:
                decision = Summed(self.arrays, self.field.row(changed[level]), self.field)
            mass = decision.step(level, mass)
        return mass

    def _closed(self, mass: Belief[Any], level: int) -> Any:
        """Return the weighted count of all paths that continue the masses at the cut above a level."""
        over, depth, values = self.diagram.skipped.over, self.diagram.depth, self.values
        worth = self.field.zero
        for node, amount in mass.items():
            worth += over(amount * values[node], level, depth[node])
        return worth
