"""Python's floats, each with the exact number that its author meant.

A mechanism may write ``0.1`` or ``count / 3``. Python rounds both; probabilities must not be rounded. So a float that
occurs in a mechanism carries two numbers: ``rounded``, the float that Python has, which decides what is returned and
printed, and ``exact``, the rational number that the same computation gives without rounding, which decides
probabilities. Where the two would decide a comparison differently, the comparison fails, and the mechanism is refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from taut.algebra.expression import Expression, Frozen
from taut.ir import Operation, operation
from taut.ir.values import Anything, Interval
from taut.numbers import Ball, exact

__all__ = [
    "Float",
    "RoundingDecides",
    "compared",
    "divided",
    "exact_fraction",
    "exactly",
    "has_fractions",
    "has_frozen",
    "kind_of_number",
    "powered",
    "rounded",
]


class RoundingDecides(ArithmeticError):
    """Python's rounding errors would decide what the exact numbers decide otherwise."""


class Float:
    """A float of a mechanism: what Python has, and what is meant."""

    __slots__ = ("exact", "rounded")

    def __init__(self, rounded: float, meant: Fraction | float | None = None) -> None:
        if math.isnan(rounded):
            raise ArithmeticError("the result is not a number (nan)")
        self.rounded = rounded
        self.exact = rounded if math.isinf(rounded) else exact(rounded) if meant is None else meant

    def __repr__(self) -> str:
        return repr(self.rounded)

    def __str__(self) -> str:
        return str(self.rounded)

    def __format__(self, style: str) -> str:
        return format(self.rounded, style)

    def __hash__(self) -> int:
        return hash(self.exact)

    def __eq__(self, other: object) -> bool:
        """Whether both numbers are equal: the relation by which constants are told apart, never an answer."""
        if isinstance(other, Float):
            same = self.exact == other.exact and self.rounded == other.rounded
            return same and (self.rounded != 0 or math.copysign(1, self.rounded) == math.copysign(1, other.rounded))
        if isinstance(other, (int, Fraction)):
            return self.exact == other and self.rounded == other
        return NotImplemented

    def __bool__(self) -> bool:
        return bool(_agreed(bool(self.rounded), bool(self.exact), "is it zero?"))

    def __int__(self) -> int:
        return int(_agreed(int(self.rounded), int(self.exact), "int(...)"))

    def __trunc__(self) -> int:
        return int(self)

    def __floor__(self) -> int:
        return int(_agreed(math.floor(self.rounded), math.floor(self.exact), "floor(...)"))

    def __ceil__(self) -> int:
        return int(_agreed(math.ceil(self.rounded), math.ceil(self.exact), "ceil(...)"))

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return _agreed(round(self.rounded), round(self.exact), "round(...)")
        return Float(round(self.rounded, digits))

    def __float__(self) -> float:
        return self.rounded

    def __neg__(self) -> Float:
        return Float(-self.rounded, -self.exact)

    def __pos__(self) -> Float:
        return self

    def __abs__(self) -> Float:
        return Float(abs(self.rounded), abs(self.exact))

    def is_integer(self) -> bool:
        """As the method of floats."""
        return bool(_agreed(self.rounded.is_integer(), exactly(self) == int(self.rounded), "is_integer()"))

    def _with(self, other: Any, function: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        if isinstance(other, (Ball, Expression, Frozen)):
            return function(other, self.exact) if swapped else function(self.exact, other)
        if not isinstance(other, (Float, int, Fraction)):
            return NotImplemented
        a, b = (other, self) if swapped else (self, other)
        meant = function(exactly(a), exactly(b))
        return Float(float(function(_rough(a), _rough(b))), meant if isinstance(meant, float) else Fraction(meant))

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

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, operator.truediv, swapped=True)

    def __floordiv__(self, other: Any) -> Any:
        return self._whole(other, swapped=False)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._whole(other, swapped=True)

    def _whole(self, other: Any, swapped: bool) -> Any:
        made = self._with(other, operator.floordiv, swapped)
        if made is not NotImplemented:
            _agreed(Fraction(made.rounded), made.exact, "//")
        return made

    def __mod__(self, other: Any) -> Any:
        self._whole(other, swapped=False)
        return self._with(other, operator.mod)

    def __rmod__(self, other: Any) -> Any:
        self._whole(other, swapped=True)
        return self._with(other, operator.mod, swapped=True)

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, int):
            return Float(self.rounded**exponent, self.exact**exponent)
        raise ArithmeticError(f"{self} ** {exponent} is not a rational number")

    def __rpow__(self, base: Any) -> Any:
        raise ArithmeticError(f"{base} ** {self} is not a rational number")

    def __lt__(self, other: Any) -> Any:
        return _ordered(self, other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return _ordered(self, other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return _ordered(self, other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return _ordered(self, other, operator.ge)


def _rough(value: Any) -> Any:
    return value.rounded if isinstance(value, Float) else float(value) if isinstance(value, Fraction) else value


def exactly(value: Any) -> Any:
    """The exact number that is meant by a float, in tuples too; anything else as it is."""
    if isinstance(value, Float):
        return value.exact
    if isinstance(value, Frozen):
        return value.expression
    if type(value) is tuple:
        return tuple([exactly(item) for item in value])
    return value


def exact_fraction(*args: Any) -> Fraction:
    """Fraction(...); of a float the number that it is in binary, which must be the one that is meant."""
    for arg in args:
        if isinstance(arg, Float) and Fraction(arg.rounded) != arg.exact:
            raise RoundingDecides(
                f"Fraction({arg}) is the number in binary that is nearest to it, with Python's rounded floats; "
                f"write Fraction('{arg}') or Fraction(numerator, denominator)"
            )
    numbers: list[Any] = [arg.exact if isinstance(arg, Float) else arg for arg in args]
    return Fraction(*numbers)


def rounded(value: Any) -> Any:
    """The float that Python has, in tuples too; anything else as it is."""
    if isinstance(value, Float):
        return value.rounded
    if isinstance(value, tuple):
        return tuple([rounded(item) for item in value])
    return value


def _ordered(a: Any, b: Any, function: Callable[[Any, Any], bool]) -> Any:
    if not isinstance(b, (Float, int, Fraction, Ball, Expression, Frozen)):
        return NotImplemented
    if isinstance(b, (Ball, Expression, Frozen)):
        return bool(function(exactly(a), b))
    return bool(_agreed(function(_rough(a), _rough(b)), function(exactly(a), exactly(b)), "a comparison"))


def _agreed(by_float: Any, by_number: Any, what: str) -> Any:
    if by_float != by_number:
        raise RoundingDecides(
            f"{what} comes out one way with Python's rounded floats and another with the exact numbers; "
            "compute with integers or fractions.Fraction"
        )
    return by_float


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, (Expression, Frozen)) or isinstance(b, (Expression, Frozen)):
        return bool(exactly(a) == exactly(b))
    if isinstance(a, Float) or isinstance(b, Float):
        if isinstance(a, (Float, int, Fraction)) and isinstance(b, (Float, int, Fraction)):
            return bool(_agreed(_rough(a) == _rough(b), exactly(a) == exactly(b), "=="))
        return bool(exactly(a) == exactly(b)) if isinstance(a, Ball) or isinstance(b, Ball) else False
    return bool(a == b)


_EQUALITY = {"eq": Operation("eq", _equal), "ne": Operation("ne", lambda a, b: not _equal(a, b))}


def compared(name: str, careful: bool) -> Operation:
    """A comparison; ``careful`` where floats may meet in it."""
    return _EQUALITY[name] if careful and name in _EQUALITY else operation(name)


def _divide(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return Float(a / b, Fraction(a, b))
    return a / b


divided = Operation("truediv", _divide)
"""Division as Python has it: of two integers a float."""


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and exponent < 0:
        return Float(base**exponent, operation("pow").function(Fraction(base), exponent))
    return operation("pow").function(base, exponent)


powered = Operation("pow", _power)
"""Powers as Python has them: of integers with a negative exponent a float."""


def kind_of_number(value: Any) -> str | None:
    """Which of the kinds of numbers that may be equal to each other a value is; None if it is not a number."""
    if isinstance(value, int):
        return "int"
    return "float" if isinstance(value, (Float, float)) else "Fraction" if isinstance(value, Fraction) else None


def has_fractions(values: Any) -> bool:
    """Whether a value of a term may be a number other than an integer."""
    if isinstance(values, Interval):
        return False
    return isinstance(values, Anything) or any(isinstance(value, (Float, float, Fraction)) for value in values)


def has_frozen(values: Any) -> bool:
    """Whether a value of a term is an expression in parameters."""
    return isinstance(values, frozenset) and any(isinstance(value, Frozen) for value in values)
