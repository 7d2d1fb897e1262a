"""A second run in exact arithmetic: the function's own code, with numbers in place of floats that do not round.

taut reads '1 / 3' as the number one third, and 0.1 as one tenth; Python rounds both. Where Python and the reading
differ, the code is run once more with the floats that it makes replaced by exact ones. If that run agrees, only
rounding made the difference: a mechanism is refused for it; targets, distances and predicates are meant exactly anyway.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from taut.frontend.python.source import source_of
from taut.frontend.python.validation.copies import Copies, rewritten
from taut.numbers import exact

__all__ = ["ExactFloat", "exact_copy"]


class ExactFloat(float):
    """A number that shows as a float does, and that arithmetic and comparisons take exactly."""

    fraction: Fraction

    def __new__(cls, value: Fraction) -> ExactFloat:
        made = super().__new__(cls, float(value))
        made.fraction = value
        return made

    def __hash__(self) -> int:
        return hash(self.fraction)

    def __bool__(self) -> bool:
        return bool(self.fraction)

    def __abs__(self) -> ExactFloat:
        return ExactFloat(abs(self.fraction))

    def __neg__(self) -> ExactFloat:
        return ExactFloat(-self.fraction)

    def __pos__(self) -> ExactFloat:
        return self

    def __int__(self) -> int:
        return int(self.fraction)

    def __trunc__(self) -> int:
        return math.trunc(self.fraction)

    def __floor__(self) -> int:
        return math.floor(self.fraction)

    def __ceil__(self) -> int:
        return math.ceil(self.fraction)

    def __round__(self, digits: Any = None) -> Any:
        return round(self.fraction) if digits is None else ExactFloat(round(self.fraction, digits))

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        if isinstance(exponent, int) and modulus is None:
            return ExactFloat(self.fraction**exponent)
        return float(self) ** exponent

    def __reduce__(self) -> Any:
        return ExactFloat, (self.fraction,)


def _fraction(value: Any) -> Fraction | None:
    """An operand as a fraction, if it is a number that has one."""
    if isinstance(value, ExactFloat):
        return value.fraction
    if isinstance(value, (int, Fraction)) or (isinstance(value, float) and math.isfinite(value)):
        return Fraction(exact(value))
    return None


def _forward(operation: Callable[[Any, Any], Any]) -> Callable[[ExactFloat, Any], Any]:
    def method(self: ExactFloat, other: Any) -> Any:
        number = _fraction(other)
        return NotImplemented if number is None else ExactFloat(Fraction(operation(self.fraction, number)))

    return method


def _reflected(operation: Callable[[Any, Any], Any]) -> Callable[[ExactFloat, Any], Any]:
    def method(self: ExactFloat, other: Any) -> Any:
        number = _fraction(other)
        return NotImplemented if number is None else ExactFloat(Fraction(operation(number, self.fraction)))

    return method


def _comparing(operation: Callable[[Any, Any], bool]) -> Callable[[ExactFloat, Any], Any]:
    def method(self: ExactFloat, other: Any) -> Any:
        number = _fraction(other)
        return NotImplemented if number is None else operation(self.fraction, number)

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
    setattr(ExactFloat, f"__{_name}__", _forward(getattr(operator, _name)))
    setattr(ExactFloat, f"__r{_name}__", _reflected(getattr(operator, _name)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(ExactFloat, f"__{_name}__", _comparing(getattr(operator, _name)))


def exactly(value: Any) -> Any:
    """An int or float as an exact float; anything else as it is."""
    if isinstance(value, (int, float)) and not isinstance(value, ExactFloat):
        number = _fraction(value)
        return value if number is None else ExactFloat(number)
    return value


def _power(base: Any, exponent: Any) -> Any:
    return exactly(base) ** exponent if isinstance(exponent, int) and exponent < 0 else base**exponent


_EXACTLY, _POWER = "__taut_exactly__", "__taut_power__"


class _Rewriting(ast.NodeTransformer):
    """Float literals, divisors and powers made exact."""

    def visit_Constant(self, node: ast.Constant) -> Any:
        return _call(_EXACTLY, node) if isinstance(node.value, float) else node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            node.right = _call(_EXACTLY, node.right)
        return _call(_POWER, node.left, node.right) if isinstance(node.op, ast.Pow) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            node.value = _call(_EXACTLY, node.value)
        return node


def _call(name: str, *args: ast.expr) -> ast.expr:
    made = ast.Call(ast.Name(name, ast.Load()), list(args), [])
    return ast.copy_location(made, args[0])


def exact_copy(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, and the functions of the user that it calls by name, with exact numbers in place of floats.

    Where the source of a function cannot be had, or is not a function's, it stays as it is.
    """
    names = {_EXACTLY: exactly, _POWER: _power}
    copied: Callable[..., Any] = Copies(lambda one: rewritten(one, source_of(one), _Rewriting()), names).copy(function)
    return copied
