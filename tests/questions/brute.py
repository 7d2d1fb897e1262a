"""Divergences by brute force: sums over all outputs of plain tables, and the largest over all pairs.

Pairs are looked at one by one, but sums over equal lists of probabilities are made once.
"""

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

__all__ = ["Outputs", "Row", "Worst", "delta", "least_error", "loss_atoms", "moment", "outputs"]

Row = Mapping[Any, Fraction]
"""The outputs of one input with their probabilities."""
Outputs = frozenset[tuple[tuple[Fraction, Fraction], int]]
"""The probabilities (p, q) of the outputs of two inputs, and how many outputs have them."""


def outputs(own: Row, other: Row) -> Outputs:
    pairs = Counter((own.get(y, Fraction(0)), other.get(y, Fraction(0))) for y in {*own, *other})
    return frozenset(pairs.items())


@functools.cache
def delta(pairs: Outputs, gamma: Fraction) -> Fraction:
    return sum((count * max(Fraction(0), p - gamma * q) for (p, q), count in pairs), Fraction(0))


@functools.cache
def moment(pairs: Outputs, order: int) -> Any:
    if any(p and not q for (p, q), _ in pairs):
        return math.inf
    return sum((count * p**order / q ** (order - 1) for (p, q), count in pairs if p), Fraction(0))


@functools.cache
def least_error(pairs: Outputs, alpha: Fraction) -> Fraction:
    """The least error of the second kind, by duality: max over t >= 0 of 1 - t alpha - the sum of max(0, q - t p)."""
    return max(height - slope * alpha for slope, height in _lines(pairs))


@functools.cache
def _lines(pairs: Outputs) -> list[tuple[Fraction, Fraction]]:
    slopes = {Fraction(0), *[q / p for (p, q), _ in pairs if p]}
    return [(t, 1 - delta(frozenset(((q, p), count) for (p, q), count in pairs), t)) for t in slopes]


def loss_atoms(pairs: Outputs) -> list[tuple[Any, Fraction, Fraction]]:
    """All different ratios with their two masses, the smallest first."""
    sums: dict[Any, tuple[Fraction, Fraction]] = {}
    for (p, q), count in pairs:
        ratio = p / q if q else math.inf
        before = sums.get(ratio, (Fraction(0), Fraction(0)))
        sums[ratio] = (before[0] + count * p, before[1] + count * q)
    return [(ratio, *sums[ratio]) for ratio in sorted(sums)]


class Worst:
    """The largest (of errors of the second kind the smallest) over pairs of inputs, and how many pairs attain it."""

    def __init__(self, rows: Mapping[Any, Row], pairs: Iterable[tuple[Any, Any]]) -> None:
        self.kinds = Counter(outputs(rows[x], rows[x_prime]) for x, x_prime in pairs)

    def delta(self, gamma: Fraction) -> Fraction:
        return max(delta(kind, gamma) for kind in self.kinds)

    def attaining(self, gamma: Fraction, value: Fraction) -> int:
        return sum(count for kind, count in self.kinds.items() if delta(kind, gamma) == value)

    def moment(self, order: int) -> Any:
        return max(moment(kind, order) for kind in self.kinds)

    def least_error(self, alpha: Fraction) -> Fraction:
        return min(least_error(kind, alpha) for kind in self.kinds)
