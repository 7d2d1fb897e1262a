"""Masses by ratios of the two inputs' probabilities, and beliefs as vectors of masses."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Protocol

import flint

from taut.diagrams.semirings import POLYNOMIAL
from taut.inference.beliefs import Beliefs
from taut.support.algebra.polynomial import Polynomial, factor_of
from taut.support.errors import InvalidNumber
from taut.support.exact import Ball, in_precision

__all__ = [
    "EMPTY",
    "BallMasses",
    "ExactMasses",
    "Factor",
    "Gather",
    "LevelFlow",
    "MassAlgebra",
    "Masses",
    "PolynomialMasses",
    "Vector",
    "gather",
]


Masses = dict[Any, Any]
"""The mass of each ratio; each algebra writes ratios in a form of its own."""
Factor = tuple[Any, Any]
"""Factors of the masses under x and under x'; one of them may be zero."""


class MassAlgebra(Protocol):
    """Multiplication and addition of masses grouped by ratio, in one kind of numbers."""

    zero: Any
    one: ClassVar[Masses]
    unit: Factor
    steps: int
    """Number of levels that the beliefs of any output have passed."""

    def add(self, total: Masses, masses: Masses, factor: Factor) -> None:
        """Add masses times a factor to a total."""

    def reduced(self, masses: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        """Return the masses without their common factor, and the factor."""

    def finished(self, masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        """Return pairs (mass under x, mass under x') over the scale, one per ratio, and the two sums."""


class ExactMasses:
    """Ratios as pairs (a, b) of coprime integers; a weight m stands for the masses m a and m b."""

    zero = 0
    one: ClassVar[Masses] = {(1, 1): 1}
    unit: Factor = (1, 1)

    def __init__(self) -> None:
        self.steps = 0

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
                a, b, weight = a // shared, b // shared, weight * shared
            if common != 1:
                weight = weight * common
            total[a, b] = total[a, b] + weight if (a, b) in total else weight

    @staticmethod
    def reduced(masses: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        factor = math.gcd(*masses)
        return (tuple([mass // factor for mass in masses]) if factor != 1 else masses), factor

    @staticmethod
    def finished(masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        # different ratios a / b and c / d differ by 1 / (b d) at least, so scaled and rounded down they still do
        shift = 1 + 2 * max((b.bit_length() for _, b in masses), default=0)
        pairs = sorted(masses.items(), key=lambda item: (item[0][0] << shift) // item[0][1] if item[0][1] else math.inf)
        found = tuple((Fraction(m * a, scale), Fraction(m * b, scale)) for (a, b), m in pairs)
        sums = [Fraction(sum(m * key[run] for key, m in masses.items()), scale) for run in (0, 1)]
        return found, sums[0], sums[1]


class PolynomialMasses:
    """Masses that are polynomials in parameters; ratios are equal if they are the same function."""

    zero = 0
    one: ClassVar[Masses] = {(1, 1): 1}
    unit: Factor = (1, 1)

    def __init__(self) -> None:
        self.steps = 0

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
    def reduced(masses: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        factor = factor_of(*masses)
        return tuple([mass // factor for mass in masses]), factor

    @staticmethod
    def finished(masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        pairs = sorted(masses.items(), key=lambda item: [_order(value) for value in item[0]])
        found = tuple((POLYNOMIAL.value(m * a, scale), POLYNOMIAL.value(m * b, scale)) for (a, b), m in pairs)
        sums = [sum((pair[run] for pair in found), Fraction(0)) for run in (0, 1)]
        return found, sums[0], sums[1]


class BallMasses:
    """Ratios as products of powers of the factors that were met, so that no order of multiplication matters.

    A ratio with a zero is 0 or infinite whatever else it has met. Weights are the two masses.

    Outputs are added up where their ratios cannot be told apart, though the true ratios may differ a little.
    The *nominal* ratio of an output is that of the centres of the balls it has met; factors that cancel have one
    centre, so outputs with one key have one nominal ratio N. Let no ball that was met have a relative radius above
    r < 1/4. At each level an output meets a factor of x and one of x', and a settled branch leaves out by what its two
    beliefs differ, which are equal as balls: four numbers, each within a factor 1 / (1 - r) < e^(2r) of its centre. So
    after n levels the true ratios of all outputs with one key are within e^w of N, w = 8 n r.

    Let phi be homogeneous and f(t) = phi(t, 1) continuous. With P and Q the true masses of a key, its outputs add up to
    the sum of q f(p / q), which is Q f(t) for some t within e^w of N, as P / Q is: it is phi(P', Q) with P' within
    e^(2w) of P. Hence balls whose masses under x are wider by that much enclose every such sum; and so they do the
    trade-off function, since no part of the outputs of a key has more mass under x' than its share of (P', Q).
    """

    zero = Ball(0)
    one: ClassVar[Masses] = {(): (Ball(1), Ball(1))}
    unit: Factor = (Ball(1), Ball(1))

    def __init__(self) -> None:
        self.steps = 0
        self._numbers: dict[Ball, int] = {Ball(1): 0}
        self._radius = flint.arb(0)
        """The largest relative radius of a ball that was met."""

    def add(self, total: Masses, masses: Masses, factor: Factor) -> None:
        c, d = factor
        numbers = [0 if value == 0 else self._numbered(value) for value in factor]
        for key, (mass, mass_prime) in masses.items():
            product = (mass * c, mass_prime * d)
            if product[0] == 0 and product[1] == 0:
                continue
            known = 0 if product[0] == 0 else math.inf if product[1] == 0 else _power(key, numbers)
            before = total.get(known)
            total[known] = product if before is None else (before[0] + product[0], before[1] + product[1])

    def reduced(self, masses: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        factor = masses[0]
        reduced = (Ball(1), *[mass / factor for mass in masses[1:]])
        for mass in reduced[1:]:
            self._meet(mass)
        return reduced, factor

    def finished(self, masses: Masses, scale: Any) -> tuple[Any, Any, Any]:
        pairs = [(self._spread(mass / scale), mass_prime / scale) for mass, mass_prime in masses.values()]
        pairs.sort(key=lambda pair: pair[0].mid / pair[1].mid if pair[1] != 0 else math.inf)
        sums = [sum((pair[run] for pair in pairs), Ball(0)) for run in (0, 1)]
        return tuple(pairs), sums[0], sums[1]

    def _numbered(self, factor: Ball) -> int:
        number = self._numbers.get(factor)
        if number is None:
            number = self._numbers[factor] = len(self._numbers)
            self._meet(factor)
        return number

    def _meet(self, ball: Ball) -> None:
        with in_precision():
            self._radius = self._radius.max(ball.arb.rad() / abs(ball.arb.mid()))

    def _spread(self, mass: Ball) -> Ball:
        """Return a mass under x as a ball, widened by the spread of its ratios."""
        if mass == 0 or self._radius == 0:
            return mass
        with in_precision():
            if not self._radius < 0.25:
                raise InvalidNumber(
                    "these probabilities are known too roughly to compare two inputs: exp() occurs where almost "
                    "nothing is left of a difference.",
                    value=mass,
                )
            share = (16 * (self.steps + 1) * self._radius).exp() - 1
            return Ball(mass.arb * flint.arb(1, share.upper()))


def _power(key: Any, numbers: list[int]) -> Any:
    """Return a product of powers times one factor and over another; factor number 0 is one."""
    own, other = numbers
    if own == other:
        return key
    powers: Mapping[int, int] = dict(key)
    changed = {**powers, own: powers.get(own, 0) + 1}
    changed[other] = changed.get(other, 0) - 1
    return tuple(sorted((number, power) for number, power in changed.items() if number and power))


def _order(value: Any) -> list[Any]:
    """Return a sort key for integers and polynomials together."""
    return sorted(value.coefficients().items()) if isinstance(value, Polynomial) else [((), value)]


Gather = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Takes the entries at some places out of a sequence."""


class Vector(NamedTuple):
    """The nodes of a cut that have mass, in increasing order, and their masses."""

    nodes: tuple[int, ...]
    masses: tuple[Any, ...]


EMPTY = Vector((), ())


class LevelFlow:
    """The operation of one level on vectors.

    What happens to a node depends on the node alone, so the sums are the same for all vectors over the same nodes:
    which entries are added up for which child, with which weights. This is planned once, and a vector is then moved by
    a few passes over all of its entries, without a loop of Python's.
    """

    def __init__(self, automaton: Beliefs, level: int) -> None:
        self._automaton, self._level = automaton, level
        self._plans: dict[tuple[int | None, tuple[int, ...]], _Plan] = {}

    def after(self, vector: Vector, value: int | None) -> Vector:
        """Return the vector after the level whose variable has ``value``; None sums over its values.

        Sums are scaled by the scale of the level's row.
        """
        key = (value, vector.nodes)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._planned(value, vector.nodes)
        return Vector(plan.nodes, plan.moved(vector.masses))

    def _planned(self, value: int | None, nodes: tuple[int, ...]) -> _Plan:
        automaton, level = self._automaton, self._level
        decision = automaton.summed(level) if value is None else automaton.chosen(value)
        parents: dict[int, list[tuple[int, Any]]] = {}
        for place, node in enumerate(nodes):
            edges = decision.edges(node) if automaton.depth[node] == level else ((node, decision.total),)
            for kid, weight in edges:
                if kid != automaton.arrays.false and weight != 0:
                    parents.setdefault(kid, []).append((place, weight))
        return _Plan(parents)


class _Plan:
    """The sums of one level for one set of nodes, in rounds: each adds the next parent to every child that has one."""

    def __init__(self, parents: dict[int, list[tuple[int, Any]]]) -> None:
        order = sorted(parents, key=lambda kid: (-len(parents[kid]), kid))
        self.nodes = tuple(sorted(parents))
        most = len(parents[order[0]]) if order else 0
        self._rounds: list[tuple[Gather, tuple[Any, ...] | None]] = []
        for number in range(most):
            edges = [parents[kid][number] for kid in order if len(parents[kid]) > number]
            weights = tuple(weight for _, weight in edges)
            plain = all(weight == 1 for weight in weights)
            self._rounds.append((gather([place for place, _ in edges]), None if plain else weights))
        places = {kid: place for place, kid in enumerate(order)}
        sorted_already = order == list(self.nodes)
        self._sort = None if sorted_already else gather([places[kid] for kid in self.nodes])

    def moved(self, masses: Sequence[Any]) -> tuple[Any, ...]:
        total: list[Any] = []
        for taken, weights in self._rounds:
            shares = taken(masses)
            if weights is not None:
                shares = tuple(map(operator.mul, shares, weights))
            if total:
                total[: len(shares)] = list(map(operator.add, total, shares))
            else:
                total = list(shares)
        return tuple(total) if self._sort is None else self._sort(total)


def gather(places: Sequence[int]) -> Gather:
    """Return the function that takes the entries at these places out of a sequence."""
    if len(places) == 1:
        (place,) = places
        return lambda entries: (entries[place],)
    return operator.itemgetter(*places)
