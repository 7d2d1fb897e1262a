"""Hashable polynomials with integer coefficients, based on Flint, and operators that numbers have in common."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import flint

__all__ = ["Arithmetic", "Polynomial", "aligned", "common_divisor", "factor_of", "integer_polynomial", "to_flint"]


class Arithmetic:
    """A number whose ``_with`` applies an operation to itself and another; ``swapped`` puts the other one first."""

    __slots__ = ()

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, operator.add, swapped=True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, operator.sub, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, operator.mul, swapped=True)


class Polynomial(Arithmetic):
    """A polynomial with integer coefficients in the unknowns ``names``.

    ``raw`` is the Flint object: an fmpz_poly for one unknown, an fmpz_mpoly for several. A constant polynomial equals
    its integer, so sums and products may mix the two.
    """

    __slots__ = ("_hash", "names", "raw")
    names: tuple[str, ...]
    raw: Any
    _hash: int | None

    def __init__(self, raw: Any, names: tuple[str, ...]) -> None:
        self.raw, self.names, self._hash = raw, names, None

    @staticmethod
    def unknown(name: str) -> Polynomial:
        """Return the polynomial that is one unknown."""
        return Polynomial(flint.fmpz_poly([0, 1]), (name,))

    def constant(self) -> int | None:
        """Return the integer if the polynomial is constant, else None."""
        raw = self.raw
        if len(self.names) == 1:
            return int(raw[0]) if raw.degree() < 1 else None
        if not raw.is_constant():
            return None
        return int(raw.leading_coefficient()) if raw else 0

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        names, mine = self.names, self.raw
        if isinstance(other, Polynomial):
            that = other.raw
            if other.names != names:
                a, b = aligned(self, other)
                names, mine, that = a.names, a.raw, b.raw
        elif isinstance(other, int):
            that = other
        else:
            return NotImplemented
        return Polynomial(operation(that, mine) if swapped else operation(mine, that), names)

    def __floordiv__(self, other: Any) -> Any:
        """Return the exact quotient by a divisor."""
        return self._with(other, operator.floordiv)

    def __rfloordiv__(self, other: Any) -> Any:
        return integer_polynomial(other, self.names) // self if isinstance(other, int) else NotImplemented

    def __pow__(self, power: int) -> Polynomial:
        return Polynomial(self.raw**power, self.names)

    def __neg__(self) -> Polynomial:
        return Polynomial(-self.raw, self.names)

    def __bool__(self) -> bool:
        return bool(self.raw != 0)

    def __eq__(self, other: object) -> bool:
        """Return True if both are the same polynomial."""
        if isinstance(other, Polynomial):
            if other.names == self.names:
                return bool(self.raw == other.raw)
            a, b = aligned(self, other)
            return bool(a.raw == b.raw)
        return self.constant() == other if isinstance(other, int) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            constant = self.constant()
            self._hash = hash(self.terms() if constant is None else constant)
        return self._hash

    def terms(self) -> frozenset[tuple[frozenset[tuple[str, int]], int]]:
        """Return the coefficients by their powers of unknowns, independent of unknowns that do not occur."""
        return frozenset(
            (frozenset((name, power) for name, power in zip(self.names, powers, strict=True) if power), coefficient)
            for powers, coefficient in self.coefficients().items()
        )

    def coefficients(self) -> dict[tuple[int, ...], int]:
        """Return the coefficients that are not 0, by the powers of the unknowns in their order."""
        if len(self.names) == 1:
            return {(power,): int(c) for power, c in enumerate(self.raw.coeffs()) if c}
        return {tuple(map(int, powers)): int(c) for powers, c in self.raw.to_dict().items()}

    def __call__(self, values: Mapping[str, Fraction]) -> Fraction:
        """The value at a point."""
        if len(self.names) == 1:
            point = values[self.names[0]]
            found = self.raw(to_flint(point))
            return Fraction(int(found.p), int(found.q)) if isinstance(found, flint.fmpq) else Fraction(int(found))
        total = Fraction(0)
        for powers, coefficient in self.coefficients().items():
            term = Fraction(coefficient)
            for name, power in zip(self.names, powers, strict=True):
                term *= values[name] ** power
            total += term
        return total

    def __reduce__(self) -> tuple[Any, ...]:
        return from_coefficients, (self.coefficients(), self.names)

    def __repr__(self) -> str:
        return f"Polynomial({self.coefficients()}, {self.names})"


def to_flint(value: Fraction) -> Any:
    """Return a fraction as Flint's rational number."""
    return flint.fmpq(value.numerator, value.denominator)


def from_coefficients(coefficients: Mapping[tuple[int, ...], int], names: tuple[str, ...]) -> Polynomial:
    """Return the polynomial with these coefficients: the inverse of ``Polynomial.coefficients``."""
    if len(names) == 1:
        length = 1 + max((powers[0] for powers in coefficients), default=-1)
        return Polynomial(flint.fmpz_poly([coefficients.get((power,), 0) for power in range(length)]), names)
    return Polynomial(_context(names).from_dict(dict(coefficients)), names)


def integer_polynomial(value: int, names: tuple[str, ...]) -> Polynomial:
    """Return an integer as a polynomial."""
    if len(names) == 1:
        return Polynomial(flint.fmpz_poly([value]), names)
    return Polynomial(_context(names).constant(value), names)


def aligned(*polynomials: Polynomial) -> tuple[Polynomial, ...]:
    """Return the same polynomials, in all unknowns that any of them has."""
    names = tuple(sorted({name for polynomial in polynomials for name in polynomial.names}))
    return tuple(_renamed(polynomial, names) for polynomial in polynomials)


def _renamed(polynomial: Polynomial, names: tuple[str, ...]) -> Polynomial:
    if polynomial.names == names:
        return polynomial
    places = [names.index(name) for name in polynomial.names]
    moved: dict[tuple[int, ...], int] = {}
    for powers, coefficient in polynomial.coefficients().items():
        all_powers = [0] * len(names)
        for place, power in zip(places, powers, strict=True):
            all_powers[place] = power
        moved[tuple(all_powers)] = coefficient
    return from_coefficients(moved, names)


def common_divisor(*values: Any) -> Any:
    """Return the greatest common divisor of integers and polynomials; 0 of none."""
    found: Any = 0
    for value in values:
        if isinstance(value, int) and isinstance(found, int):
            found = int(flint.fmpz(found).gcd(value))
        else:
            a = found if isinstance(found, Polynomial) else integer_polynomial(found, value.names)
            b = value if isinstance(value, Polynomial) else integer_polynomial(value, a.names)
            if a.names != b.names:
                a, b = aligned(a, b)
            divisor = Polynomial(a.raw.gcd(b.raw), a.names)
            constant = divisor.constant()
            found = divisor if constant is None else constant
        if found == 1:
            return 1
    return found


def factor_of(*values: Any) -> Any:
    """Return the common divisor of numbers and polynomials (not all 0), signed so that the first quotient is positive.

    A polynomial counts as positive if its leading coefficient is. So proportional vectors have equal quotients.
    """
    common = common_divisor(*values)
    first = next(value for value in values if value)
    leading = first.raw.leading_coefficient() if isinstance(first, Polynomial) else first
    return common if leading > 0 else -common


def _context(names: tuple[str, ...]) -> Any:
    return flint.fmpz_mpoly_ctx.get(names, flint.Ordering.lex)
