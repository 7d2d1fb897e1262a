"""Fingerprints: probabilities folded modulo a random prime, equal for equal polynomials.

The count Z(a, b) = sum over x, y of P(A(x) = y) times a weight for each literal of x and y is linear in the weights of
every variable, and its coefficients are the probabilities. So two channels are equal exactly if their counts are equal
as polynomials, and whether they are is decided by evaluating both at one random point.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.diagrams import Belief, Summed, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import FieldSemiring, Row
from taut.support.algebra.polynomial import Polynomial
from taut.support.algebra.rational import RationalFunction
from taut.support.exact import Ball
from taut.support.limits import checkpoint
from taut.synthesis.symmetry.permutation import IDENTITY, Coordinate, Permutation

__all__ = ["CoinRows", "Fingerprint", "error_of", "random_prime"]


_BITS = 127


def random_prime(source: random.Random) -> int:
    """Return a prime between 2^127 and 2^128, each equally likely; there are more than 2^120 of them."""
    while True:
        candidate = (1 << _BITS) + 2 * source.getrandbits(_BITS - 1) + 1
        if flint.fmpz(candidate).is_prime():
            return candidate


def error_of(relation: Relation) -> Fraction:
    """Return the probability, at most, that one test takes a permutation for a symmetry that is none.

    Two terms. The difference of the two counts has a coefficient that is not zero: its numerator has at most ``size``
    bits, hence fewer than size/127 prime factors above 2^127, and the prime is one of more than 2^120. If it is none
    of these, the difference is a polynomial of at most ``degree`` modulo the prime, which is zero at a random point
    with probability degree/2^127 (Schwartz and Zippel). Weights that are functions of parameters do not count: with
    them only exact comparison is trusted.
    """
    size, formal = 1.0, 0
    for coin in relation.coins:
        if any(isinstance(weight, Ball) for weight in coin.weights):
            size += math.log2(4 * len(coin.weights)) + _scale_bits(coin.weights)
            formal += 1
        else:
            size += _scale_bits(coin.weights)
    degree = len(relation.inputs) + len(relation.outputs) + formal
    return Fraction(math.ceil(size / _BITS), 1 << 120) + Fraction(degree, 1 << _BITS)


def _scale_bits(weights: Sequence[Any]) -> float:
    rational = [Fraction(weight) for weight in weights if not isinstance(weight, (Ball, RationalFunction))]
    scale = math.lcm(*[weight.denominator for weight in rational]) if rational else 1
    largest = max([abs(weight * scale) for weight in rational], default=Fraction(1))
    return math.log2(max(scale, int(largest) * len(weights), 2))


class CoinRows:
    """Weights of coins as residues.

    A weight with exp in it is not rational. It becomes an unknown, the same one wherever the same object stands: an
    identity between polynomials in these unknowns holds for the numbers too. In a row that sums to one, one weight
    is one minus the others; it is the one that stands in the fewest coins. A parameter left free is an unknown as well.
    """

    def __init__(self, relation: Relation, field: FieldSemiring, source: random.Random) -> None:
        self.relation, self.field, self.source = relation, field, source
        self.uses: dict[int, int] = {}
        self.unknowns: dict[int, Any] = {}
        self.parameters = {name: field.residue(source.randrange(field.prime)) for name in relation.parameters}
        for coin in relation.coins:
            for weight in {id(weight): weight for weight in coin.weights}.values():
                self.uses[id(weight)] = self.uses.get(id(weight), 0) + 1

    def row(self, index: int) -> Row[Any]:
        """Return the weights of a coin."""
        weights, field = self.relation.coins[index].weights, self.field
        residues = [self._residue(weight) for weight in weights]
        formal = [position for position, weight in enumerate(weights) if isinstance(weight, Ball)]
        if formal and sum(weights, Ball(0)).contains(1):
            last = min(formal, key=lambda position: (self.uses[id(weights[position])], -position))
            residues[last] += 1 - sum(residues, field.zero)
        return field.row(residues)

    def _residue(self, weight: Any) -> Any:
        if isinstance(weight, Ball):
            return self._unknown(weight)
        if isinstance(weight, RationalFunction):
            return self._value(weight.numerator) / self._value(weight.denominator)
        return self.field.residue(weight)

    def _value(self, polynomial: Polynomial) -> Any:
        """Return a polynomial at the random values of the parameters."""
        total = self.field.zero
        for powers, coefficient in polynomial.coefficients().items():
            term = self.field.residue(coefficient)
            for name, power in zip(polynomial.names, powers, strict=True):
                term *= self.parameters[name] ** power
            total += term
        return total

    def _unknown(self, weight: Ball) -> Any:
        if id(weight) not in self.unknowns:
            self.unknowns[id(weight)] = self.field.residue(self.source.randrange(self.field.prime))
        return self.unknowns[id(weight)]


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
        """Return the relation with given weights for the literals of inputs and outputs."""
        rows: list[Row[Any] | int] = [
            self.coins[level.index] if level.kind == "coin" else self.field.row(weights[level.kind, level.index])
            for level in self.arrays.levels
        ]
        return WeightedDiagram(self.arrays, rows, self.field)

    def moved(self, permutation: Permutation, weights: Weights | None = None) -> Any:
        """Return the count after every literal has got the weight of the literal that the permutation takes it to.

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
        """Return the weights of the variables that a permutation moves: those of the literals they are taken to."""
        return {
            variable: [base[target][value] for value in values]
            for variable, (target, values) in permutation.moves.items()
        }

    def _forward(self, stop: int) -> Belief[Any]:
        """Return the masses at the cut above a level."""
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
        """Return masses at the cut above ``first`` pushed down to that above ``stop``, some levels reweighted."""
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
