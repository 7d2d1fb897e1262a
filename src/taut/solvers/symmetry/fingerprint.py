"""Fingerprints: the weighted count of a relation at random weights modulo a random prime, before and after a move.

The count Z(a, b) = sum over x, y of P(A(x) = y) times a weight for each literal of x and y is linear in the weights of
every variable, and its coefficients are the probabilities. So two channels are equal exactly if their counts are equal
as polynomials, and whether they are is decided by evaluating both at one random point.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

from taut.compile import Relation
from taut.limits import checkpoint
from taut.numbers import Ball
from taut.solvers.symmetry.permutation import IDENTITY, Coordinate, Permutation, arities_of
from taut.solvers.symmetry.weights import CoinRows, Totals, random_prime

__all__ = ["Fingerprint"]

Mass = dict[int, int]
Weights = Mapping[Coordinate, Sequence[int]]
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
            Fraction(w).denominator for coin in relation.coins for w in coin.weights if not isinstance(w, Ball)
        }
        self.prime = random_prime(source)
        while not all(denominator % self.prime for denominator in denominators):
            self.prime = random_prime(source)
        self.partition, self.children, self.depth = relation.arrays.lists
        self.classes = [classes.tolist() for classes in relation.arrays.classes]
        self.level_of: dict[Coordinate, int] = {
            (level.kind, level.index): number for number, level in enumerate(self.arrays.levels) if level.kind != "coin"
        }
        self.arity = arities_of(relation)
        coins = CoinRows(relation, self.prime, source)
        self.coins = [coins.row(level.index) if level.kind == "coin" else [] for level in self.arrays.levels]
        draws = {variable: [source.randrange(self.prime) for _ in range(size)] for variable, size in self.arity.items()}
        self.weights: dict[Coordinate, Sequence[int]] = dict(draws)
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
            checkpoint()
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

    def _permuted(self, permutation: Permutation, variable: Coordinate, base: Weights) -> list[int]:
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
            checkpoint()
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
