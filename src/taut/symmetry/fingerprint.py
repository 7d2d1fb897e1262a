"""Fingerprints: the weighted count of a relation at random weights modulo a random prime, before and after a move.

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

from taut.compile import Relation
from taut.numbers import Ball
from taut.symmetry.permutation import IDENTITY, Permutation, Variable

__all__ = ["Fingerprint", "Totals", "error_of", "random_prime"]

Mass = dict[int, int]
Weights = Mapping[Variable, Sequence[int]]
_BITS = 127
_CHECKPOINTS = 64


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
    with probability degree/2^127 (Schwartz and Zippel).
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
    rational = [Fraction(weight) for weight in weights if not isinstance(weight, Ball)]
    scale = math.lcm(*[weight.denominator for weight in rational]) if rational else 1
    largest = max([abs(weight * scale) for weight in rational], default=Fraction(1))
    return math.log2(max(scale, int(largest) * len(weights), 2))


class Fingerprint:
    """The relation's count at one random point, and how it changes when literals are permuted.

    A move changes the weights of a few levels only. What lies above them is kept as the masses at cuts, what lies
    below as the values of nodes, so a test costs no more than the levels in between.
    """

    def __init__(self, relation: Relation, source: random.Random) -> None:
        self.relation = relation
        self.arrays = relation.arrays
        denominators = {
            Fraction(w).denominator for coin in relation.coins for w in coin.weights if not isinstance(w, Ball)
        }
        self.prime = random_prime(source)
        while not all(denominator % self.prime for denominator in denominators):
            self.prime = random_prime(source)
        self.partition, self.children, self.depth = relation.arrays.lists
        self.classes = [classes.tolist() for classes in relation.arrays.classes]
        self.level_of: dict[Variable, int] = {
            (level.kind, level.index): number for number, level in enumerate(self.arrays.levels) if level.kind != "coin"
        }
        self.arity = _arities(relation)
        coins = _CoinRows(relation, self.prime, source)
        self.coins = [coins.row(level.index) if level.kind == "coin" else [] for level in self.arrays.levels]
        draws = {variable: [source.randrange(self.prime) for _ in range(size)] for variable, size in self.arity.items()}
        self.weights: dict[Variable, Sequence[int]] = dict(draws)
        self.rows = self.level_rows(self.weights)
        self.over = Totals(self.rows, self.prime)
        self.values = self.backward(self.rows, self.over)
        self._marks: dict[int, Mass] = {}
        self._current: tuple[int, Mass] = (0, self.start)

    @property
    def start(self) -> Mass:
        return {} if self.arrays.root == self.arrays.false else {self.arrays.root: 1}

    def moved(self, permutation: Permutation, weights: Weights | None = None) -> int:
        """The count after every literal has got the weight of the literal that the permutation takes it to.

        ``weights`` may replace the random ones, for all variables; nothing is then known in advance.
        """
        base = self.weights if weights is None else weights
        changed = {variable: self._permuted(permutation, variable, base) for variable in permutation.moves}
        loose = self._unread(changed, base)
        if weights is not None:
            rows = self.level_rows({**base, **changed})
            return (
                self.pushed(self.start, 0, len(rows), dict(enumerate(rows))).get(self.arrays.true, 0)
                * loose
                % self.prime
            )
        levels = {self.level_of[variable]: row for variable, row in changed.items() if variable in self.level_of}
        first, stop = (min(levels), max(levels) + 1) if levels else (0, 0)
        mass = self.pushed(self.forward(first), first, stop, levels)
        return self.closed(mass, stop) * loose % self.prime

    @property
    def count(self) -> int:
        """The count itself."""
        return self.moved(IDENTITY)

    def forward(self, stop: int) -> Mass:
        """The masses at the cut above a level."""
        known, mass = self._current
        if known > stop:
            known = max((mark for mark in self._marks if mark <= stop), default=0)
            mass = self._marks.get(known, self.start)
        step = max(1, len(self.arrays.levels) // _CHECKPOINTS)
        while known < stop:
            following = min(stop, (known // step + 1) * step)
            mass = self.pushed(mass, known, following, {})
            known = following
            if known % step == 0:
                self._marks[known] = mass
        self._current = (known, mass)
        return mass

    def pushed(self, mass: Mass, first: int, stop: int, changed: Mapping[int, Sequence[int]]) -> Mass:
        """Masses at the cut above ``first`` pushed down to the cut above ``stop``; some levels have other weights."""
        depth, children, partition, prime, false = (
            self.depth,
            self.children,
            self.partition,
            self.prime,
            self.arrays.false,
        )
        for level in range(first, stop):
            row = changed.get(level, self.rows[level])
            total = sum(row) % prime
            shares: dict[int, list[int]] = {}
            following: Mass = {}
            for node, amount in mass.items():
                if depth[node] != level:
                    if not total:
                        continue
                    following[node] = (following.get(node, 0) + amount * total) % prime
                    continue
                number = partition[node]
                if number not in shares:
                    shares[number] = self.class_sums(number, row)
                for share, kid in zip(shares[number], children[node], strict=True):
                    if share and kid != false:
                        following[kid] = (following.get(kid, 0) + amount * share) % prime
            mass = following
        return mass

    def closed(self, mass: Mass, level: int) -> int:
        """What masses at the cut above a level are worth, all in all."""
        over, depth, values = self.over, self.depth, self.values
        return (
            sum(amount * values[node] % self.prime * over(level, depth[node]) for node, amount in mass.items())
            % self.prime
        )

    def class_sums(self, number: int, row: Sequence[int]) -> list[int]:
        """The weights of a level's values, added up over each class of a partition."""
        classes = self.classes[number]
        sums = [0] * (max(classes) + 1)
        for place, weight in zip(classes, row, strict=True):
            sums[place] += weight
        return sums

    def _permuted(self, permutation: Permutation, variable: Variable, base: Weights) -> list[int]:
        target, values = permutation.moves[variable]
        return [base[target][value] for value in values]

    def _unread(self, changed: Weights, base: Weights) -> int:
        """The factor of inputs that the relation never looks at."""
        product = 1
        for variable in self.arity:
            if variable not in self.level_of:
                product = product * sum(changed.get(variable, base[variable])) % self.prime
        return product

    def level_rows(self, weights: Weights) -> list[Sequence[int]]:
        return [
            self.coins[number] if level.kind == "coin" else weights[level.kind, level.index]
            for number, level in enumerate(self.arrays.levels)
        ]

    def backward(self, rows: Sequence[Sequence[int]], over: Totals) -> list[int]:
        """The count below every node, from its own level on."""
        prime, depth = self.prime, self.depth
        values = [0] * (self.arrays.nodes + 2)
        values[self.arrays.true] = 1
        for number in range(len(rows) - 1, -1, -1):
            level = self.arrays.levels[number]
            shares: dict[int, list[int]] = {}
            for node in range(level.start, level.stop):
                part = self.partition[node]
                if part not in shares:
                    shares[part] = self.class_sums(part, rows[number])
                total = 0
                for share, kid in zip(shares[part], self.children[node], strict=True):
                    if values[kid]:
                        total += share * (values[kid] * over(number + 1, depth[kid]) % prime)
                values[node] = total % prime
        return values


class Totals:
    """Products of the total weights of consecutive levels: what it is worth to pass over them."""

    def __init__(self, rows: Sequence[Sequence[int]], prime: int) -> None:
        self.prime = prime
        self.products, self.zeros = [1], [0]
        for row in rows:
            total = sum(row) % prime
            self.products.append(self.products[-1] * (total or 1) % prime)
            self.zeros.append(self.zeros[-1] + (total == 0))
        self.inverses: dict[int, int] = {}

    def __call__(self, start: int, stop: int) -> int:
        if start == stop or self.products[start] == self.products[stop]:
            return int(self.zeros[start] == self.zeros[stop])
        if self.zeros[start] != self.zeros[stop]:
            return 0
        if start not in self.inverses:
            self.inverses[start] = pow(self.products[start], -1, self.prime)
        return self.products[stop] * self.inverses[start] % self.prime


class _CoinRows:
    """Weights of coins as residues.

    A weight with exp in it is not rational. It becomes an unknown, the same one wherever the same object stands: an
    identity between polynomials in these unknowns holds for the numbers too. In a row that sums to one, one weight
    is one minus the others; it is the one that stands in the fewest coins.
    """

    def __init__(self, relation: Relation, prime: int, source: random.Random) -> None:
        self.relation, self.prime, self.source = relation, prime, source
        self.uses: dict[int, int] = {}
        self.unknowns: dict[int, int] = {}
        for coin in relation.coins:
            for weight in {id(weight): weight for weight in coin.weights}.values():
                self.uses[id(weight)] = self.uses.get(id(weight), 0) + 1

    def row(self, index: int) -> list[int]:
        weights = self.relation.coins[index].weights
        balls = [place for place, weight in enumerate(weights) if isinstance(weight, Ball)]
        if not balls:
            return [self._residue(Fraction(weight)) for weight in weights]
        row = [
            self.unknowns.setdefault(id(weight), self.source.randrange(self.prime))
            if isinstance(weight, Ball)
            else self._residue(Fraction(weight))
            for weight in weights
        ]
        if sum(weights, Ball(0)).contains(1):
            last = min(balls, key=lambda place: (self.uses[id(weights[place])], -place))
            row[last] = (1 - sum(row) + row[last]) % self.prime
        return row

    def _residue(self, weight: Fraction) -> int:
        return weight.numerator * pow(weight.denominator, -1, self.prime) % self.prime


def _arities(relation: Relation) -> dict[Variable, int]:
    sizes: dict[Variable, int] = {("input", i): len(variable.values) for i, variable in enumerate(relation.inputs)}
    sizes.update({("output", j): len(variable.values) for j, variable in enumerate(relation.outputs)})
    return sizes
