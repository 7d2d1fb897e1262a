"""Floats with the exact numbers that they stand for.

A mechanism may write ``0.1`` or ``count / 3``. Python rounds both; probabilities must not be rounded. So a float that
occurs in a mechanism carries two numbers: ``rounded``, the float that Python has, which decides what is returned and
printed, and ``exact``, the rational number that the same computation gives without rounding, which decides
probabilities. Where the two would decide a comparison differently, the comparison fails, and the mechanism is refused.
Targets and distances compute with exact numbers: their floats are of the class ``ExactFloat``, which shows the float
that Python has and lets the exact number decide.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from taut.program import Operation, operation
from taut.program.placeholders import Internal
from taut.support.algebra.expression import Expression, Frozen
from taut.support.algebra.polynomial import Arithmetic
from taut.support.errors import InvalidNumber
from taut.support.exact import Ball, exact

__all__ = [
    "ExactFloat",
    "Float",
    "GivenNumber",
    "RoundingDecides",
    "compared",
    "constant_power",
    "divided",
    "equal",
    "exact_fraction",
    "exactly",
    "exactly_divided",
    "exactly_powered",
    "float_power",
    "made_of",
    "plain_argument",
    "plain_number",
    "powered",
    "precisely",
    "rough",
    "rounded",
]


class RoundingDecides(ArithmeticError):
    """Rounding errors of Python's floats would change a decision."""


class Float(Arithmetic, Internal):
    """A float of a mechanism: Python's rounded value and the exact number."""

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
        """Return True if both numbers are equal, to compare constants of terms; a user's ``==`` does not come here."""
        if isinstance(other, Float):
            same = self.exact == other.exact and self.rounded == other.rounded
            return same and (self.rounded != 0 or math.copysign(1, self.rounded) == math.copysign(1, other.rounded))
        if isinstance(other, (int, Fraction)):
            return self.exact == other and self.rounded == other
        return NotImplemented

    def __bool__(self) -> bool:
        return bool(self._decided(bool(self.rounded), bool(self.exact), "is it zero?"))

    def __int__(self) -> int:
        return int(self._decided(int(self.rounded), int(self.exact), "int(...)"))

    def __trunc__(self) -> int:
        return int(self)

    def __floor__(self) -> int:
        return int(self._decided(math.floor(self.rounded), math.floor(self.exact), "floor(...)"))

    def __ceil__(self) -> int:
        return int(self._decided(math.ceil(self.rounded), math.ceil(self.exact), "ceil(...)"))

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return self._decided(round(self.rounded), round(self.exact), "round(...)")
        return Float(round(self.rounded, digits))

    def _decided(self, by_float: Any, by_number: Any, what: str) -> Any:
        """Return the common result of the float and the exact number; raise RoundingDecides if they differ."""
        return _agreed(by_float, by_number, what)

    def __float__(self) -> float:
        return self.rounded

    def __neg__(self) -> Float:
        return type(self)(-self.rounded, -self.exact)

    def __pos__(self) -> Float:
        return self

    def __abs__(self) -> Float:
        return type(self)(abs(self.rounded), abs(self.exact))

    def is_integer(self) -> bool:
        """Implement float.is_integer."""
        return bool(self._decided(self.rounded.is_integer(), self.exact % 1 == 0, "is_integer()"))

    def as_integer_ratio(self) -> tuple[int, int]:
        """Implement float.as_integer_ratio."""
        return self.rounded.as_integer_ratio()

    def _with(self, other: Any, function: Callable[[Any, Any], Any], swapped: bool = False) -> Any:
        if isinstance(other, (Ball, Expression, Frozen)):
            return function(other, self.exact) if swapped else function(self.exact, other)
        if not isinstance(other, (Float, int, Fraction)):
            return NotImplemented
        a, b = (other, self) if swapped else (self, other)
        meant = function(exactly(a), exactly(b))
        return made_of(function, a, b, meant if isinstance(meant, float) else Fraction(meant))

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
            made._decided(made.rounded, made.exact, "//")
        return made

    def __mod__(self, other: Any) -> Any:
        self._whole(other, swapped=False)
        return self._with(other, operator.mod)

    def __rmod__(self, other: Any) -> Any:
        self._whole(other, swapped=True)
        return self._with(other, operator.mod, swapped=True)

    def __pow__(self, exponent: Any) -> Any:
        return float_power(self, exponent)

    def __rpow__(self, base: Any) -> Any:
        return float_power(base, self)

    def __lt__(self, other: Any) -> Any:
        return _ordered(self, other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return _ordered(self, other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return _ordered(self, other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return _ordered(self, other, operator.ge)


class ExactFloat(Float):
    """A float of a target or distance: printed as in Python, compared by its exact number."""

    __slots__ = ()

    def __init__(self, rounded: float, meant: Fraction | float | None = None) -> None:
        super().__init__(rounded, meant)
        if meant is not None:
            self.exact = meant

    def _decided(self, by_float: Any, by_number: Any, what: str) -> Any:
        return by_number

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return round(self.exact)
        return precisely(round(self.exact, digits))


def precisely(number: Any) -> ExactFloat:
    """Return the float of a target or distance for this exact number."""
    if isinstance(number, Float):
        return number if isinstance(number, ExactFloat) else ExactFloat(number.rounded, number.exact)
    if isinstance(number, float):
        return ExactFloat(number)
    return ExactFloat(_nearest(number), Fraction(number))


def _nearest(number: Any) -> float:
    """Return the float nearest to a number of any size."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _kind(*values: Any) -> type[Float]:
    """Return the class of the result of an operation on some numbers."""
    return ExactFloat if any(isinstance(value, ExactFloat) for value in values) else Float


def made_of(function: Callable[[Any, Any], Any], a: Any, b: Any, meant: Any) -> Float:
    """Return the float that Python computes from two numbers, with its exact number ``meant``."""
    if _kind(a, b) is Float:
        return Float(float(function(rough(a), rough(b))), meant)
    try:
        shown = float(function(rough(a), rough(b)))
    except ArithmeticError:
        shown = math.nan
    return ExactFloat(shown if math.isfinite(shown) else _nearest(meant), meant)


def float_power(base: Any, exponent: Any) -> Any:
    """Return a power with a float; only integer exponents give rational numbers."""
    if not isinstance(base, (Float, int, Fraction)) or not isinstance(exponent, (Float, int, Fraction)):
        return NotImplemented
    number = exactly(exponent)
    if isinstance(number, float) or number % 1 != 0:
        raise ArithmeticError(f"{base} ** {exponent} is not a rational number")
    meant = operation("pow").function(Fraction(exactly(base)), int(number))
    return made_of(operator.pow, base, exponent, meant)


def rough(value: Any) -> Any:
    """Return a number as the operand of Python's float arithmetic."""
    return value.rounded if isinstance(value, Float) else float(value) if isinstance(value, Fraction) else value


def _shown(value: Any) -> Any:
    """Return a number as the operand of Python's comparisons: floats in binary, Fractions and integers exactly."""
    return value.rounded if isinstance(value, Float) else value


def exactly(value: Any) -> Any:
    """Return the exact number of a float, also inside tuples; anything else unchanged."""
    if isinstance(value, Float):
        return value.exact
    if isinstance(value, Frozen):
        return value.expression
    if type(value) is tuple:
        return tuple([exactly(item) for item in value])
    return plain_number(value)


def exact_fraction(*args: Any) -> Fraction:
    """Implement Fraction(...); the binary value of a float must be its exact number."""
    for arg in args:
        if isinstance(arg, Float) and Fraction(arg.rounded) != arg.exact:
            raise RoundingDecides(
                f"Fraction({arg}) is the number in binary that is nearest to it, with Python's rounded floats; "
                f"write Fraction('{arg}') or Fraction(numerator, denominator)"
            )
    if len(args) == 2 and any(isinstance(arg, Float) for arg in args):
        raise TypeError("both arguments should be Rational instances")
    numbers: list[Any] = [arg.exact if isinstance(arg, Float) else arg for arg in args]
    return Fraction(*numbers)


def rounded(value: Any) -> Any:
    """Return Python's rounded float, also inside tuples; anything else unchanged."""
    if isinstance(value, Float):
        return value.rounded
    if isinstance(value, tuple):
        return tuple([rounded(item) for item in value])
    return plain_number(value)


def _ordered(a: Any, b: Any, function: Callable[[Any, Any], bool]) -> Any:
    if not isinstance(b, (Float, int, Fraction, Ball, Expression, Frozen)):
        return NotImplemented
    if isinstance(b, (Ball, Expression, Frozen)):
        return bool(function(exactly(a), b))
    return _compared(a, b, function, "a comparison")


def _compared(a: Any, b: Any, function: Callable[[Any, Any], bool], what: str) -> bool:
    by_number = function(exactly(a), exactly(b))
    if _kind(a, b) is ExactFloat:
        return bool(by_number)
    return bool(_agreed(function(_shown(a), _shown(b)), by_number, what))


def _agreed(by_float: Any, by_number: Any, what: str) -> Any:
    if by_float != by_number:
        raise RoundingDecides(
            f"{what} comes out one way with Python's rounded floats and another with the exact numbers; "
            "compute with integers or fractions.Fraction"
        )
    return by_float


def equal(a: Any, b: Any) -> bool:
    """Return True if two scalars are equal both as Python's floats and as exact numbers.

    Raises:
        RoundingDecides: they are equal for one of the two only.
        InvalidNumber: one of them is a ball that overlaps with the other.
    """
    if isinstance(a, (Expression, Frozen)) or isinstance(b, (Expression, Frozen)):
        return bool(exactly(a) == exactly(b))
    if isinstance(a, Ball) or isinstance(b, Ball):
        return _same_number(exactly(a), exactly(b))
    if isinstance(a, Float) or isinstance(b, Float):
        if isinstance(a, (Float, int, Fraction)) and isinstance(b, (Float, int, Fraction)):
            return _compared(a, b, operator.eq, "==")
        return False
    return bool(a == b)


def _same_number(a: Any, b: Any) -> bool:
    """Return True if two values, one of them a ball, are one number; raise an error for overlapping balls."""
    if a is b:
        return True
    if not all(isinstance(value, (Ball, int, Fraction)) for value in (a, b)):
        return False
    same = bool(a <= b) and bool(a >= b)
    if same and a != b:  # one number in two balls, which Python's own == does not tell
        raise InvalidNumber(f"{a} == {b}: the two balls overlap, so the comparison is undecided.", value=a)
    return same


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
"""Python's division: the ratio of two integers is a float."""
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


class GivenNumber(Fraction):
    """A Fraction that the user gave, or that was computed from one.

    The functions of NumPy have no meaning for Fractions; they get the float that the number is.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"

    def __index__(self) -> int:
        """Return an integer for indices and counts: '3' and 3.0 mean 3 there."""
        if self.denominator != 1:
            raise TypeError(f"{self!r} is not a whole number")
        return self.numerator

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy

        return numpy.array(float(self), dtype)


def plain_number(value: Any) -> Any:
    """Return a number given by the user as an ordinary Fraction; anything else unchanged."""
    return Fraction(value) if type(value) is GivenNumber else value


def _kept(name: str) -> Callable[..., Any]:
    operation = getattr(Fraction, name)

    def method(self: GivenNumber, *others: Any) -> Any:
        result = operation(self, *others)
        return GivenNumber(result) if type(result) is Fraction else result

    method.__name__ = name
    return method


for _name in ("add", "sub", "mul", "truediv", "mod", "pow"):
    setattr(GivenNumber, f"__{_name}__", _kept(f"__{_name}__"))
    setattr(GivenNumber, f"__r{_name}__", _kept(f"__r{_name}__"))
for _name in ("neg", "pos", "abs", "round"):
    setattr(GivenNumber, f"__{_name}__", _kept(f"__{_name}__"))


def plain_argument(value: Any) -> Any:
    """Return a parameter as the user passed it: a number that can be written as a decimal is a float again."""
    if type(value) is GivenNumber:
        if value.denominator == 1 or exact(float(value)) == value:
            return float(value)
        return Fraction(value)
    return value
