"""Polynomials in parameters, over one common denominator per row: no ratio is reduced before the end."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.diagrams.semirings.protocol import Row
from taut.support.algebra.polynomial import Polynomial, common_divisor
from taut.support.algebra.rational import RationalFunction, rational_function
from taut.support.errors import InvalidNumber

__all__ = ["POLYNOMIAL", "PolynomialSemiring"]


class PolynomialSemiring:
    """Integers and polynomials standing for rational functions over the product of the rows' denominators."""

    name = "polynomial"
    zero: Any = 0
    one: Any = 1
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[Any]:
        scale: Any = 1
        for weight in weights:
            if not isinstance(weight, (int, Fraction, RationalFunction)):
                raise InvalidNumber(
                    f"{weight} is not rational, and cannot be mixed with a parameter that is left free.", value=weight
                )
            scale = _multiple(scale, weight.denominator)
        scaled = tuple([weight.numerator * (scale // weight.denominator) for weight in weights])
        return Row(scaled, sum(scaled), scale)

    def value(self, mass: Any, scale: Any) -> Any:
        """A rational function; a Fraction where no parameter has been met."""
        if isinstance(mass, Polynomial) or isinstance(scale, Polynomial):
            return rational_function(mass, scale)
        return Fraction(mass, scale)


POLYNOMIAL = PolynomialSemiring()


def _multiple(a: Any, b: Any) -> Any:
    """The least common multiple of two denominators."""
    return a * (b // common_divisor(a, b))
