"""Text and LaTeX of polynomials and their quotients: factored where that is shorter, constants first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taut.support.algebra.polynomial import Polynomial

__all__ = ["name_latex", "quotient_latex", "quotient_text"]

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
    from taut.support.algebra.polynomial import Polynomial

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
