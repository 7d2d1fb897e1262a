"""Residues modulo a prime: fingerprints of rational identities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.errors import InvalidNumber
from taut.semiring.protocol import Row

__all__ = ["FieldSemiring"]


class FieldSemiring:
    """The integers modulo a prime; a rational p/q is p times the inverse of q."""

    zero = 0
    one = 1

    def __init__(self, prime: int) -> None:
        self.prime = prime
        self.name = f"integers modulo {prime}"

    def add(self, a: int, b: int, /) -> int:
        return (a + b) % self.prime

    def mul(self, a: int, b: int, /) -> int:
        return a * b % self.prime

    def row(self, weights: Sequence[Any]) -> Row[int]:
        residues = tuple(self.residue(weight) for weight in weights)
        return Row(residues, sum(residues) % self.prime, 1)

    def residue(self, weight: Any) -> int:
        """The residue of a rational number."""
        ratio = Fraction(weight)
        if ratio.denominator % self.prime == 0:
            raise InvalidNumber(f"{ratio} has no residue modulo {self.prime}: its denominator is 0 there.", value=ratio)
        return ratio.numerator * pow(ratio.denominator, -1, self.prime) % self.prime

    def value(self, mass: int, scale: int) -> int:
        return mass * pow(scale, -1, self.prime) % self.prime
