"""Divergences by brute force: sums over all outputs of plain tables, and the largest over all pairs."""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

__all__ = ["Row", "delta", "least_error", "loss_atoms", "moment", "worst"]

Row = Mapping[Any, Fraction]
"""The outputs of one input with their probabilities."""


def outputs(own: Row, other: Row) -> list[tuple[Fraction, Fraction]]:
    return [(own.get(y, Fraction(0)), other.get(y, Fraction(0))) for y in {*own, *other}]


def delta(own: Row, other: Row, gamma: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - gamma * q) for p, q in outputs(own, other)), Fraction(0))


def moment(own: Row, other: Row, order: int) -> Any:
    total = Fraction(0)
    for p, q in outputs(own, other):
        if p and not q:
            return math.inf
        total += p**order / q ** (order - 1) if p else 0
    return total


def least_error(own: Row, other: Row, alpha: Fraction) -> Fraction:
    """The least error of the second kind, by duality: max over t >= 0 of 1 - t alpha - the sum of max(0, q - t p)."""
    pairs = outputs(own, other)
    slopes = {Fraction(0), *[q / p for p, q in pairs if p]}
    return max(1 - t * alpha - sum((max(Fraction(0), q - t * p) for p, q in pairs), Fraction(0)) for t in slopes)


def loss_atoms(own: Row, other: Row) -> list[tuple[Any, Fraction, Fraction]]:
    """All different quotients with their two masses, the smallest first."""
    sums: dict[Any, tuple[Fraction, Fraction]] = {}
    for p, q in outputs(own, other):
        ratio = p / q if q else math.inf
        before = sums.get(ratio, (Fraction(0), Fraction(0)))
        sums[ratio] = (before[0] + p, before[1] + q)
    return [(ratio, *sums[ratio]) for ratio in sorted(sums)]


def worst(rows: Mapping[Any, Row], pairs: Iterable[tuple[Any, Any]], value: Any, *arguments: Any) -> Any:
    """The largest value over pairs of inputs."""
    return max(value(rows[x], rows[x_prime], *arguments) for x, x_prime in pairs)
