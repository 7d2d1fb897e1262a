"""The numbers and cases of results as text, for people and for machines."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint

from taut.numbers import INFINITY, Ball, fraction_of_text

__all__ = ["plain", "shown", "text_of"]


def shown(value: Any) -> str:
    """A number for people: exact if that is short, else a decimal with the exact value left to ``str``."""
    if value == INFINITY:
        return "infinity"
    if isinstance(value, Ball):
        return f"{float(value):.10g} ± {float(value.radius):.1g}"
    text = str(value)
    if isinstance(value, Fraction) and len(text) > 24:
        return f"{_telling(value)} (a fraction of {len(text)} digits)"
    if isinstance(value, Fraction) and value.denominator > 1:
        decimal = _decimal(value)
        return f"{text} = {decimal}" if fraction_of_text(decimal) == value else f"{text} = {decimal}..."
    return text


def text_of(value: Any) -> Any:
    """A number for machines: fractions as 'p/q', infinity as 'inf', balls with their ends."""
    if value == INFINITY:
        return "inf"
    if isinstance(value, Ball):
        return {"mid": float(value), "radius": float(value.radius)}
    return str(value)


def plain(value: Any) -> Any:
    """A database or an output for machines: tuples as lists, numbers that are no integers as text."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def _telling(value: Fraction) -> str:
    """A fraction with ten digits, or as many more as show that it is not the whole number beside it."""
    near = round(value)
    if near == 0 or abs(value - near) * 10**9 > abs(near):
        return _decimal(value)
    sign = "+" if value > near else "-"
    return f"{near} {sign} {float(abs(value - near)):.2g}"


def _decimal(value: Fraction) -> str:
    """A fraction with ten digits, however large or small."""
    try:
        near = float(value)
    except OverflowError:
        near = math.inf
    if value == 0 or 1e-300 < abs(near) < 1e300:
        return f"{near:.10g}"
    with flint.ctx.workprec(256):
        text: str = flint.arb(flint.fmpq(value.numerator, value.denominator)).str(10, radius=False)
    return text
