"""Masses by quotients: what many prefixes of outputs weigh, for each quotient of the two inputs' probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import flint

from taut.algebra.polynomial import Polynomial, factor_of
from taut.diagram import Belief
from taut.numbers import Ball, in_precision
from taut.semiring import POLYNOMIAL

__all__ = ["BallMasses", "ExactMasses", "Factor", "MassAlgebra", "Masses", "PolynomialMasses"]

Masses = dict[Any, Any]
"""For each quotient (in a form of its own) how much it weighs."""
Factor = tuple[Any, Any]
"""By what the masses under x and under x' are multiplied; one of them may be zero."""
_SPREAD = -180
"""Beliefs that are equal as balls differ by far less than 2^_SPREAD relatively; so much is added at the end."""


class MassAlgebra(Protocol):
    """How masses by quotients are multiplied and added, in one kind of numbers."""

    zero: Any
    one: ClassVar[Masses]
    unit: Factor

    def add(self, total: Masses, masses: Masses, factor: Factor) -> None:
        """Add masses times a factor to a total."""

    def reduced(self, belief: Belief[Any]) -> tuple[Belief[Any], Any]:
        """A belief without its factor, and the factor; zero of an empty one."""

    def finished(self, masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        """Pairs (mass under x, mass under x') over the scale, one per quotient, and the two sums."""


class ExactMasses:
    """Quotients as pairs (a, b) of coprime integers; a weight m stands for the masses m a and m b."""

    zero = 0
    one: ClassVar[Masses] = {(1, 1): 1}
    unit: Factor = (1, 1)

    def add(self, total: Masses, masses: Masses, factor: Factor) -> None:
        c, d = factor
        common = math.gcd(c, d)
        if not common:
            return
        c, d = c // common, d // common
        for (a, b), weight in masses.items():
            a, b = a * c, b * d
            shared = math.gcd(a, b)
            if shared != 1:
                if not shared:
                    continue
                a, b = a // shared, b // shared
            total[a, b] = total.get((a, b), 0) + weight * common * shared

    @staticmethod
    def reduced(belief: Belief[Any]) -> tuple[Belief[Any], Any]:
        if not belief:
            return belief, 0
        factor = math.gcd(*belief.values())
        return ({node: mass // factor for node, mass in belief.items()} if factor != 1 else belief), factor

    @staticmethod
    def finished(masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        pairs = sorted(masses.items(), key=lambda item: Fraction(*item[0]) if item[0][1] else math.inf)
        found = tuple((Fraction(m * a, scale), Fraction(m * b, scale)) for (a, b), m in pairs)
        sums = [Fraction(sum(m * key[run] for key, m in masses.items()), scale) for run in (0, 1)]
        return found, sums[0], sums[1]


class PolynomialMasses:
    """As for integers, with polynomials in parameters: quotients are equal if they are the same function."""

    zero = 0
    one: ClassVar[Masses] = {(1, 1): 1}
    unit: Factor = (1, 1)

    def add(self, total: Masses, masses: Masses, factor: Factor) -> None:
        c, d = factor
        if not c and not d:
            return
        for (a, b), weight in masses.items():
            a, b = a * c, b * d
            if not a and not b:
                continue
            shared = factor_of(a, b)
            key = (a // shared, b // shared)
            total[key] = total.get(key, 0) + weight * shared

    @staticmethod
    def reduced(belief: Belief[Any]) -> tuple[Belief[Any], Any]:
        if not belief:
            return belief, 0
        factor = factor_of(*[belief[node] for node in sorted(belief)])
        return {node: mass // factor for node, mass in belief.items()}, factor

    @staticmethod
    def finished(masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        pairs = sorted(masses.items(), key=lambda item: [_order(value) for value in item[0]])
        found = tuple((POLYNOMIAL.value(m * a, scale), POLYNOMIAL.value(m * b, scale)) for (a, b), m in pairs)
        sums = [sum((pair[run] for pair in found), Fraction(0)) for run in (0, 1)]
        return found, sums[0], sums[1]


class BallMasses:
    """Quotients as products of powers of the factors that were met, so that no order of multiplication matters.

    A quotient with a zero is 0 or infinite whatever else it has met. Weights are the two masses.
    """

    zero = Ball(0)
    one: ClassVar[Masses] = {(): (Ball(1), Ball(1))}
    unit: Factor = (Ball(1), Ball(1))

    def __init__(self) -> None:
        self._numbers: dict[Ball, int] = {Ball(1): 0}

    def add(self, total: Masses, masses: Masses, factor: Factor) -> None:
        c, d = factor
        numbers = [0 if value == 0 else self._numbers.setdefault(value, len(self._numbers)) for value in factor]
        for key, (mass, mass_prime) in masses.items():
            product = (mass * c, mass_prime * d)
            if product[0] == 0 and product[1] == 0:
                continue
            known = 0 if product[0] == 0 else math.inf if product[1] == 0 else _power(key, numbers)
            before = total.get(known)
            total[known] = product if before is None else (before[0] + product[0], before[1] + product[1])

    @staticmethod
    def reduced(belief: Belief[Any]) -> tuple[Belief[Any], Any]:
        if not belief:
            return belief, Ball(0)
        first = min(belief)
        factor = belief[first]
        return {node: Ball(1) if node == first else mass / factor for node, mass in belief.items()}, factor

    @staticmethod
    def finished(masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        pairs = [(_spread(mass / scale), _spread(mass_prime / scale)) for mass, mass_prime in masses.values()]
        pairs.sort(key=lambda pair: pair[0].mid / pair[1].mid if pair[1] != 0 else math.inf)
        sums = [sum((pair[run] for pair in pairs), Ball(0)) for run in (0, 1)]
        return tuple(pairs), sums[0], sums[1]


def _power(key: Any, numbers: list[int]) -> Any:
    """A product of powers times one factor and over another; factor number 0 is one."""
    own, other = numbers
    if own == other:
        return key
    powers: Mapping[int, int] = dict(key)
    changed = {**powers, own: powers.get(own, 0) + 1}
    changed[other] = changed.get(other, 0) - 1
    return tuple(sorted((number, power) for number, power in changed.items() if number and power))


def _order(value: Any) -> list[Any]:
    """A key by which integers and polynomials have one order, whatever it is."""
    return sorted(value.coefficients().items()) if isinstance(value, Polynomial) else [((), value)]


def _spread(mass: Ball) -> Ball:
    """A ball a little wider than it need be, if it is not exact."""
    if mass.radius == 0:
        return mass
    with in_precision():
        return Ball(mass.arb * flint.arb(1, flint.arb(2) ** _SPREAD))
