"""Rational functions of parameters with rational coefficients: exact, in lowest terms, with their text and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from taut.support.algebra.polynomial import Polynomial, aligned, common_divisor, integer_polynomial
from taut.support.errors import InvalidNumber

__all__ = ["RationalFunction", "name_latex", "quotient_latex", "quotient_text", "rational_function"]


_MOST_TERMS = 200
"""Number of terms above which a polynomial is not factored for printing."""


def quotient_text(numerator: Polynomial, denominator: Polynomial) -> str:
    """Format a quotient as a Python expression."""
    numerator, denominator = _facing_up(numerator, denominator)
    top, bottom = _shortest(numerator, _PLAIN), _shortest(denominator, _PLAIN)
    if bottom == "1":
        return top
    top = f"({top})" if _is_sum(top) else top
    single = not _is_sum(bottom) and "*" not in bottom.replace("**", "")
    return f"{top}/{bottom if single else f'({bottom})'}"


def quotient_latex(numerator: Polynomial, denominator: Polynomial) -> str:
    """Format a quotient for LaTeX."""
    numerator, denominator = _facing_up(numerator, denominator)
    top, bottom = _shortest(numerator, _LATEX), _shortest(denominator, _LATEX)
    return top if bottom == "1" else rf"\frac{{{top}}}{{{bottom}}}"


def _facing_up(numerator: Polynomial, denominator: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Choose the signs so that the first coefficient of the denominator is positive: p/(1 - p), not -p/(p - 1)."""
    return (-numerator, -denominator) if _first(denominator)[1] < 0 else (numerator, denominator)


def _first(polynomial: Polynomial) -> tuple[tuple[int, ...], int]:
    """Return the term that is printed first: its powers and its coefficient."""
    coefficients = polynomial.coefficients()
    powers = min(coefficients, key=lambda powers: (sum(powers), [-power for power in powers]))
    return powers, coefficients[powers]


def name_latex(name: str) -> str:
    """Format the name of a parameter for LaTeX, with Greek letters for their names."""
    return _LATEX.name(name)


class _Plain:
    times = "*"

    def name(self, name: str) -> str:
        return name

    def power(self, base: str, power: int) -> str:
        return base if power == 1 else f"{base}**{power}"

    def group(self, text: str) -> str:
        return f"({text})"


class _Latex:
    times = " "

    def name(self, name: str) -> str:
        if name in _GREEK:
            return rf"\{_GREEK[name]}"
        return name if len(name) == 1 else rf"\mathit{{{name}}}".replace("_", r"\_")

    def power(self, base: str, power: int) -> str:
        return base if power == 1 else f"{base}^{{{power}}}"

    def group(self, text: str) -> str:
        return rf"\left({text}\right)"


_PLAIN, _LATEX = _Plain(), _Latex()
_GREEK = {letter: letter for letter in ("alpha", "beta", "gamma", "delta", "epsilon", "theta", "mu", "rho", "sigma")}
_GREEK |= {"lam": "lambda", "eps": "epsilon"}


def _is_sum(text: str) -> bool:
    """Return True if a text has a sum outside all parentheses."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place and letter in "+-":
            return True
    return False


def _shortest(polynomial: Polynomial, style: Any) -> str:
    expanded = _expanded(polynomial, style)
    if polynomial.constant() is not None or len(polynomial.coefficients()) > _MOST_TERMS:
        return expanded
    factored = _factored(polynomial, style)
    return factored if len(factored) < len(expanded) else expanded


def _expanded(polynomial: Polynomial, style: Any) -> str:
    coefficients = polynomial.coefficients()
    if not coefficients:
        return "0"
    text = ""
    for powers in sorted(coefficients, key=lambda powers: (sum(powers), [-power for power in powers])):
        coefficient = coefficients[powers]
        factors = [
            style.power(style.name(name), power) for name, power in zip(polynomial.names, powers, strict=True) if power
        ]
        size = [str(abs(coefficient))] if abs(coefficient) != 1 or not factors else []
        term = style.times.join(size + factors)
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {term}" if text else f"-{term}" if coefficient < 0 else term
    return text


def _factored(polynomial: Polynomial, style: Any) -> str:
    content, factors = polynomial.raw.factor()
    number, parts = int(content), []
    for raw, power in factors:
        factor = Polynomial(raw, polynomial.names)
        if _first(factor)[1] < 0:
            factor, number = -factor, number * (-1) ** int(power)
        text = _expanded(factor, style)
        parts.append((_is_sum(text), style.power(style.group(text) if _is_sum(text) else text, int(power))))
    shown = [text for _, text in sorted(parts)]
    sign = "-" if number < 0 else ""
    size = [str(abs(number))] if abs(number) != 1 or not shown else []
    return sign + str(style.times.join(size + shown))


class RationalFunction:
    """A quotient of two polynomials in lowest terms; two that are equal as functions are equal as values.

    >>> lam = RationalFunction.unknown("lam")
    >>> odds = (1 - lam) / lam
    >>> print(odds, odds("1/5"), odds.latex())
    (1 - lam)/lam 4 \\frac{1 - \\lambda}{\\lambda}
    """

    __slots__ = ("denominator", "numerator")
    numerator: Polynomial
    denominator: Polynomial

    def __init__(self, numerator: Polynomial, denominator: Polynomial) -> None:
        self.numerator, self.denominator = numerator, denominator

    @staticmethod
    def unknown(name: str) -> RationalFunction:
        """Return the parameter itself as a function."""
        return RationalFunction(Polynomial.unknown(name), integer_polynomial(1, (name,)))

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return self.numerator.names

    def constant(self) -> Fraction | None:
        """Return the number if the function is constant, else None."""
        top, bottom = self.numerator.constant(), self.denominator.constant()
        return None if top is None or bottom is None else Fraction(top, bottom)

    def __call__(self, value: Any = None, /, **values: Any) -> Any:
        """The value at a point: a Fraction, or infinity where the denominator vanishes.

        Parameters:
            value: the value of the only parameter; several are given by name.
        """
        point = {name: as_fraction(given, name) for name, given in values.items()}
        if value is not None:
            if len(self.names) != 1:
                raise InvalidNumber(f"give each of {', '.join(self.names)} by name.", value=value)
            point[self.names[0]] = as_fraction(value, self.names[0])
        missing = [name for name in self.names if name not in point]
        if missing:
            raise InvalidNumber(f"the value of {missing[0]} is missing.", value=missing[0])
        return self.at(point)

    def at(self, point: Mapping[str, Fraction]) -> Any:
        """Return the value at a point given by names; infinity, without a sign, where only the denominator vanishes."""
        top, bottom = self.numerator(point), self.denominator(point)
        if bottom:
            return top / bottom
        if not top:
            raise InvalidNumber(f"{self} is 0/0 there, which has no value.", value=dict(point))
        return math.inf

    def __add__(self, other: Any) -> Any:
        b = _function(other, self.names)
        return NotImplemented if b is None else _sum(self, b, 1)

    def __sub__(self, other: Any) -> Any:
        b = _function(other, self.names)
        return NotImplemented if b is None else _sum(self, b, -1)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        b = _function(other, self.names)
        if b is None:
            return NotImplemented
        return rational_function(self.numerator * b.numerator, self.denominator * b.denominator)

    def __truediv__(self, other: Any) -> Any:
        b = _function(other, self.names)
        if b is None:
            return NotImplemented
        if not b.numerator:
            raise ZeroDivisionError("division by zero")
        return rational_function(self.numerator * b.denominator, self.denominator * b.numerator)

    def __rtruediv__(self, other: Any) -> Any:
        b = _function(other, self.names)
        return NotImplemented if b is None else b / self

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, power: Any) -> Any:
        if isinstance(power, bool) or not isinstance(power, int):
            return NotImplemented
        if power >= 0:
            return RationalFunction(self.numerator**power, self.denominator**power)
        return 1 / self**-power

    def __neg__(self) -> RationalFunction:
        return RationalFunction(-self.numerator, self.denominator)

    def __bool__(self) -> bool:
        """Return True unless the function is 0 everywhere."""
        return bool(self.numerator)

    def __eq__(self, other: object) -> bool:
        """Return True if both are the same function."""
        if isinstance(other, RationalFunction):
            return self.numerator == other.numerator and self.denominator == other.denominator
        return self.constant() == other if isinstance(other, (int, Fraction)) else NotImplemented

    def __hash__(self) -> int:
        constant = self.constant()
        return hash((self.numerator, self.denominator) if constant is None else constant)

    def __reduce__(self) -> tuple[Any, ...]:
        return RationalFunction, (self.numerator, self.denominator)

    def __str__(self) -> str:
        return quotient_text(self.numerator, self.denominator)

    def __repr__(self) -> str:
        return f"RationalFunction({self})"

    def latex(self) -> str:
        """Return the function as LaTeX writes it."""
        return quotient_latex(self.numerator, self.denominator)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


def rational_function(numerator: Any, denominator: Any) -> RationalFunction:
    """Return the quotient of two polynomials (or integers, not both), in lowest terms."""
    names = numerator.names if isinstance(numerator, Polynomial) else denominator.names
    top = numerator if isinstance(numerator, Polynomial) else integer_polynomial(numerator, names)
    bottom = denominator if isinstance(denominator, Polynomial) else integer_polynomial(denominator, names)
    if top.names != bottom.names:
        top, bottom = aligned(top, bottom)
    if not top:
        return RationalFunction(top, integer_polynomial(1, top.names))
    common = common_divisor(top, bottom)
    if common != 1:
        top, bottom = top // common, bottom // common
    if bottom.raw.leading_coefficient() < 0:
        top, bottom = -top, -bottom
    return RationalFunction(top, bottom)


def as_fraction(value: Any, name: str) -> Fraction:
    """Read the value given for a parameter exactly; a float is read as the decimal that was typed."""
    try:
        return Fraction(repr(value) if isinstance(value, float) else value)
    except (TypeError, ValueError, ZeroDivisionError):
        raise InvalidNumber(
            f"{name}: {value!r} is not a number; write it like '1/5', '0.2' or 3.", value=value
        ) from None


def _function(value: Any, names: tuple[str, ...]) -> RationalFunction | None:
    if isinstance(value, RationalFunction):
        return value
    if isinstance(value, int):
        return RationalFunction(integer_polynomial(int(value), names), integer_polynomial(1, names))
    if isinstance(value, Fraction):
        return RationalFunction(
            integer_polynomial(value.numerator, names), integer_polynomial(value.denominator, names)
        )
    return None


def _sum(a: RationalFunction, b: RationalFunction, sign: int) -> RationalFunction:
    if a.denominator == b.denominator:
        return rational_function(a.numerator + b.numerator * sign, a.denominator)
    top = a.numerator * b.denominator + b.numerator * a.denominator * sign
    return rational_function(top, a.denominator * b.denominator)
