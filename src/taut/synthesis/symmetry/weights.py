"""Random weights for fingerprints: the prime, coins as residues, and how likely an error is."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.diagrams.compile import Relation
from taut.diagrams.semirings import FieldSemiring, Row
from taut.support.algebra.polynomial import Polynomial
from taut.support.algebra.rational import RationalFunction
from taut.support.exact import Ball

__all__ = ["CoinRows", "error_of", "random_prime"]

_BITS = 127


def random_prime(source: random.Random) -> int:
    """A prime between 2^127 and 2^128, each equally likely; there are more than 2^120 of them."""
    while True:
        candidate = (1 << _BITS) + 2 * source.getrandbits(_BITS - 1) + 1
        if flint.fmpz(candidate).is_prime():
            return candidate


def error_of(relation: Relation) -> Fraction:
    """The probability, at most, that one test takes a permutation for a symmetry that is none.

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
        """The weights of a coin."""
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
        """A polynomial at the random values of the parameters."""
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
