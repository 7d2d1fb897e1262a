"""Semirings: the numbers that folds add and multiply, exact, in floats, balls, residues, sets or polynomials."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

import flint

from taut.support.algebra.polynomial import Polynomial, common_divisor
from taut.support.algebra.rational import RationalFunction, rational_function
from taut.support.errors import InvalidNumber
from taut.support.exact import Ball

__all__ = [
    "BALL",
    "BARE_BALL",
    "BOOLEAN",
    "EXACT",
    "FLOAT64",
    "POLYNOMIAL",
    "BallSemiring",
    "BareBallSemiring",
    "BitsetSemiring",
    "ExactSemiring",
    "FieldSemiring",
    "Float64Semiring",
    "PolynomialSemiring",
    "ProjectiveSemiring",
    "Row",
    "Semiring",
]


T = TypeVar("T")


@dataclass(frozen=True)
class Row(Generic[T]):
    """The weights of one variable, all multiplied by ``scale``; ``total`` is their sum, the weight of not looking."""

    weights: tuple[T, ...]
    total: T
    scale: T


class Semiring(Protocol[T]):
    """Numbers with an addition and a multiplication.

    A fold multiplies one weight of each row along a path and adds over paths, so its result is too large by the
    product of the rows' scales; ``value`` divides that out. Exact arithmetic uses it to stay in integers.
    """

    name: str
    zero: T
    one: T

    def add(self, a: T, b: T, /) -> T: ...

    def mul(self, a: T, b: T, /) -> T: ...

    def row(self, weights: Sequence[Any]) -> Row[T]:
        """Return the weights of one variable, Fractions or Balls, as numbers of this semiring."""
        ...

    def value(self, mass: T, scale: T) -> Any:
        """Return the number ``mass / scale`` as users see it."""
        ...


class ProjectiveSemiring(Semiring[T], Protocol[T]):
    """A semiring with keys of vectors up to a factor, by which the search merges beliefs.

    In vectors, 0 is the integer, whatever the other entries are.
    """

    unit: Any
    """One, as a number that can be divided: ratios of scales start with it."""

    def plain(self, vector: list[Any]) -> list[Any]:
        """Return a vector in which every 0 is the integer."""
        ...

    def primitive(self, vector: list[Any]) -> tuple[list[Any], Any]:
        """Return a vector that is not 0 without its scale, and that scale."""
        ...

    def key(self, vector: list[Any]) -> Hashable:
        """Return a hashable key; vectors that count as equal have the same one."""
        ...

    def joined(self, vector: list[Any], other: list[Any]) -> list[Any]:
        """Return one vector for two with the same key."""
        ...

    def spread(self, vector: list[Any]) -> Any:
        """Return a factor that encloses the ratios of masses of vectors with the same key."""
        ...

    def larger(self, a: Any, b: Any) -> Any:
        """Return the maximum of two ratios of scales."""
        ...

    def smaller(self, a: Any, b: Any) -> Any:
        """Return the minimum of two ratios of scales."""
        ...


class ExactSemiring:
    """Integers standing for rationals over the product of the rows' denominators.

    A vector without its scale has no common divisor, so two vectors have one key exactly if they are proportional.
    """

    name = "exact"
    zero = 0
    one = 1
    unit = flint.fmpq(1)
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[int]:
        for weight in weights:
            if not isinstance(weight, (Fraction, int)):
                raise InvalidNumber(f"{weight} is not rational; use the ball semiring.", value=weight)
        ratios = [weight.as_integer_ratio() for weight in weights]
        scale = math.lcm(*{below for _, below in ratios})
        scaled = tuple([above * (scale // below) for above, below in ratios])
        return Row(scaled, sum(scaled), scale)

    def value(self, mass: int, scale: int) -> Fraction:
        return Fraction(mass, scale)

    def plain(self, vector: list[int]) -> list[int]:
        return vector

    def primitive(self, vector: list[int]) -> tuple[list[int], int]:
        factor = math.gcd(*vector)
        return (vector, 1) if factor == 1 else ([entry // factor for entry in vector], factor)

    def key(self, vector: list[int]) -> Hashable:
        return tuple(vector)

    def joined(self, vector: list[int], other: list[int]) -> list[int]:
        return vector

    def spread(self, vector: list[int]) -> int:
        return 1

    def larger(self, a: Any, b: Any) -> Any:
        return a if a >= b else b

    def smaller(self, a: Any, b: Any) -> Any:
        return a if a <= b else b


EXACT = ExactSemiring()


class Float64Semiring:
    """Doubles; rows that sum to one exactly keep a total of exactly one."""

    name = "float64"
    zero = 0.0
    one = 1.0
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[float]:
        exact_total = sum(weights)
        is_one = exact_total.contains(1) if isinstance(exact_total, Ball) else exact_total == 1
        floats = tuple(float(weight) for weight in weights)
        return Row(floats, 1.0 if is_one else math.fsum(floats), 1.0)

    def value(self, mass: float, scale: float) -> float:
        return mass / scale


FLOAT64 = Float64Semiring()


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
        """Return the residue of a rational number; of a residue, itself."""
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


class BitsetSemiring:
    """Subsets of 0, ..., width - 1 with union and intersection; every non-zero weight is the whole set.

    With width 1 these are the truth values, and a fold says whether a path of positive weight exists.
    """

    zero = 0
    add = staticmethod(operator.or_)
    mul = staticmethod(operator.and_)

    def __init__(self, width: int) -> None:
        self.name = f"sets of {width} bits"
        self.one = (1 << width) - 1

    def row(self, weights: Sequence[Any]) -> Row[int]:
        sets = tuple(self.zero if weight == 0 else self.one for weight in weights)
        return Row(sets, self.one if any(sets) else self.zero, self.one)

    def value(self, mass: int, scale: int) -> int:
        return mass & scale


BOOLEAN = BitsetSemiring(1)


_KEY_BITS = 120


class BallSemiring:
    """Balls; a row whose sum may be one counts as a distribution."""

    name = "ball"
    zero = Ball(0)
    one = Ball(1)
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[Ball]:
        balls = tuple(weight if isinstance(weight, Ball) else Ball(Fraction(weight)) for weight in weights)
        total = sum(balls, Ball(0))
        return Row(balls, self.one if total.contains(1) else total, self.one)

    def value(self, mass: Ball, scale: Ball) -> Any:
        return mass / scale


class BareBallSemiring:
    """Flint's own balls, at the precision in force (``numbers.in_precision``): several times as fast as Balls.

    Vectors are divided by their largest entry. Those whose entries all agree to 120 bits, and are 0 in the same places,
    are joined into one that encloses both: what is computed from it encloses what either would have given, so no bound
    becomes wrong, only wider by as much.
    """

    name = "bare ball"
    zero: Any = 0
    one: Any = 1
    unit = flint.arb(1)
    add = staticmethod(operator.add)
    mul = staticmethod(operator.mul)

    def row(self, weights: Sequence[Any]) -> Row[Any]:
        row = BALL.row(weights)
        bare = tuple(0 if weight == 0 else weight.arb for weight in row.weights)
        return Row(bare, 1 if row.total == 1 else row.total.arb, 1)

    def value(self, mass: Any, scale: Any) -> Ball:
        return Ball(flint.arb(mass) / scale)

    def plain(self, vector: list[Any]) -> list[Any]:
        return [0 if entry == 0 else entry for entry in vector]

    def primitive(self, vector: list[Any]) -> tuple[list[Any], Any]:
        factor = max(flint.arb(entry).mid() for entry in vector)  # an exact number, so that no ball becomes wider
        return [flint.arb(entry) / factor if entry else 0 for entry in vector], factor

    def key(self, vector: list[Any]) -> Hashable:
        return tuple(_rounded(entry) for entry in vector)

    def joined(self, vector: list[Any], other: list[Any]) -> list[Any]:
        return [flint.arb(a).union(flint.arb(b)) if a else 0 for a, b in zip(vector, other, strict=True)]

    def spread(self, vector: list[Any]) -> Any:
        factor = flint.arb(1)
        for entry in vector:
            if entry:
                factor = factor.union(flint.arb(entry) / flint.arb(entry))
        return factor

    def larger(self, a: Any, b: Any) -> Any:
        return a.max(b)

    def smaller(self, a: Any, b: Any) -> Any:
        return a.min(b)


BALL, BARE_BALL = BallSemiring(), BareBallSemiring()


def _rounded(entry: Any) -> tuple[int, ...]:
    """Return the middle of an entry to 120 bits, as an odd number and a power of two; 0 has a key of its own.

    A ball that is wider than that is only like itself: joined with others it would become wider still.
    """
    ball = flint.arb(entry)
    mantissa, power = (int(part) for part in ball.mid().man_exp())
    if mantissa == 0:
        return 0, 0
    if ball.rel_accuracy_bits() < _KEY_BITS:
        return mantissa, power, *(int(part) for part in ball.rad().man_exp())
    cut = max(0, mantissa.bit_length() - _KEY_BITS)
    rounded = (mantissa + (1 << cut >> 1)) >> cut
    twos = (rounded & -rounded).bit_length() - 1
    return rounded >> twos, power + cut + twos


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
        """Return a rational function; a Fraction where no parameter has been met."""
        if isinstance(mass, Polynomial) or isinstance(scale, Polynomial):
            return rational_function(mass, scale)
        return Fraction(mass, scale)


POLYNOMIAL = PolynomialSemiring()


def _multiple(a: Any, b: Any) -> Any:
    """Return the least common multiple of two denominators."""
    return a * (b // common_divisor(a, b))
