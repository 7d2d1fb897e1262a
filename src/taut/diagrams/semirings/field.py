"""Residues modulo a prime: fingerprints of rational identities."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.diagrams.semirings.protocol import Row
from taut.support.errors import InvalidNumber

__all__ = ["FieldSemiring"]


class FieldSemiring:
    """The integers modulo a prime, as Flint computes them; a rational p/q is p times the inverse of q."""

    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def __init__(self, prime: int) -> None:
        self.prime = prime
        self.name = f"integers modulo {prime}"
        self._element = flint.fmpz_mod_ctx(prime)
        self.zero, self.one = self._element(0), self._element(1)

    def row(self, weights: Sequence[Any]) -> Row[Any]:
        residues = tuple(self.residue(weight) for weight in weights)
        return Row(residues, sum(residues, self.zero), self.one)

    def residue(self, weight: Any) -> Any:
        """The residue of a rational number; of a residue, itself."""
        if isinstance(weight, flint.fmpz_mod):
            return weight
        if isinstance(weight, int):
            return self._element(weight)
        ratio = weight if isinstance(weight, Fraction) else Fraction(weight)
        if ratio.denominator % self.prime == 0:
            raise InvalidNumber(f"{ratio} has no residue modulo {self.prime}: its denominator is 0 there.", value=ratio)
        return self._element(ratio.numerator) / self._element(ratio.denominator)

    def value(self, mass: Any, scale: Any) -> Any:
        return mass / scale
