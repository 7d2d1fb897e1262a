"""Operations in which integers may become floats, or floats may be compared."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.languages.python.floats import Float, equal, exactly, float_power, precisely, rough
from taut.program import Operation, operation

__all__ = ["compared", "constant_power", "divided", "exactly_divided", "exactly_powered", "powered"]

_EQUALITY = {"eq": Operation("eq", equal), "ne": Operation("ne", lambda a, b: not equal(a, b))}


def compared(name: str, careful: bool) -> Operation:
    """Return a comparison; ``careful`` checks floats for rounding."""
    return _EQUALITY[name] if careful and name in _EQUALITY else operation(name)


def _divide(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return Float(a / b, Fraction(a, b))
    return a / b


def _divide_exactly(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return precisely(Fraction(a, b))
    return a / b


divided = Operation("truediv", _divide)
"""Python's division: the quotient of two integers is a float."""
exactly_divided = Operation("truediv", _divide_exactly)
"""Division in targets and distances."""


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and exponent < 0:
        return Float(base**exponent, operation("pow").function(Fraction(base), exponent))
    return _other_power(base, exponent)


def _power_exactly(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and exponent < 0:
        return precisely(operation("pow").function(Fraction(base), exponent))
    return _other_power(base, exponent)


def _other_power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, Float) and isinstance(base, (int, Fraction)):
        return float_power(base, exponent)  # a Fraction would make itself a float, which is rounded
    return operation("pow").function(base, exponent)


powered = Operation("pow", _power)
"""Python's power: a negative exponent of an integer gives a float."""
exactly_powered = Operation("pow", _power_exactly)
"""Powers in targets and distances."""


def constant_power(base: Any, exponent: Any) -> Any:
    """Return an irrational power of constants as Python's float, else None.

    It is a float like any other that ordinary Python has computed, as math.sqrt(2) is.
    """
    if not isinstance(base, (Float, int, Fraction)) or not isinstance(exponent, (Float, int, Fraction)):
        return None
    if exactly(exponent) % 1 == 0:
        return None
    found = rough(base) ** rough(exponent)
    return found if isinstance(found, float) else None
