"""Exact reruns: the function's own code with exact numbers in place of floats.

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

from taut.languages.python.source import source_of
from taut.languages.python.validation.copies import Copies, rewritten
from taut.support.exact import exact

__all__ = ["FractionFloat", "exact_copy"]


class FractionFloat(float):
    """A number that prints like a float, with exact arithmetic and comparisons."""

    fraction: Fraction

    def __new__(cls, value: Fraction) -> FractionFloat:
        made = super().__new__(cls, float(value))
        made.fraction = value
        return made

    def __hash__(self) -> int:
        return hash(self.fraction)

    def __bool__(self) -> bool:
        return bool(self.fraction)

    def __abs__(self) -> FractionFloat:
        return FractionFloat(abs(self.fraction))

    def __neg__(self) -> FractionFloat:
        return FractionFloat(-self.fraction)

    def __pos__(self) -> FractionFloat:
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
        return round(self.fraction) if digits is None else FractionFloat(round(self.fraction, digits))

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        if isinstance(exponent, int) and modulus is None:
            return FractionFloat(self.fraction**exponent)
        return float(self) ** exponent

    def __reduce__(self) -> Any:
        return FractionFloat, (self.fraction,)


def _fraction(value: Any) -> Fraction | None:
    """Return an operand as a fraction if possible, else None."""
    if isinstance(value, FractionFloat):
        return value.fraction
    if isinstance(value, (int, Fraction)) or (isinstance(value, float) and math.isfinite(value)):
        return Fraction(exact(value))
    return None


def _forward(operation: Callable[[Any, Any], Any]) -> Callable[[FractionFloat, Any], Any]:
    def method(self: FractionFloat, other: Any) -> Any:
        number = _fraction(other)
        return NotImplemented if number is None else FractionFloat(Fraction(operation(self.fraction, number)))

    return method


def _reflected(operation: Callable[[Any, Any], Any]) -> Callable[[FractionFloat, Any], Any]:
    def method(self: FractionFloat, other: Any) -> Any:
        number = _fraction(other)
        return NotImplemented if number is None else FractionFloat(Fraction(operation(number, self.fraction)))

    return method


def _comparing(operation: Callable[[Any, Any], bool]) -> Callable[[FractionFloat, Any], Any]:
    def method(self: FractionFloat, other: Any) -> Any:
        number = _fraction(other)
        return NotImplemented if number is None else operation(self.fraction, number)

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
    setattr(FractionFloat, f"__{_name}__", _forward(getattr(operator, _name)))
    setattr(FractionFloat, f"__r{_name}__", _reflected(getattr(operator, _name)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(FractionFloat, f"__{_name}__", _comparing(getattr(operator, _name)))


def exactly(value: Any) -> Any:
    """Return an int or float as an exact float; anything else unchanged."""
    if isinstance(value, (int, float)) and not isinstance(value, FractionFloat):
        number = _fraction(value)
        return value if number is None else FractionFloat(number)
    return value


def _power(base: Any, exponent: Any) -> Any:
    return exactly(base) ** exponent if isinstance(exponent, int) and exponent < 0 else base**exponent


_EXACTLY, _POWER = "__taut_exactly__", "__taut_power__"


class _Rewriting(ast.NodeTransformer):
    """Replaces float literals, divisions and powers by exact ones."""

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
    """Return the function, and the user functions it calls by name, with exact numbers in place of floats.

    Where the source of a function cannot be had, or is not a function's, it stays as it is.
    """
    names = {_EXACTLY: exactly, _POWER: _power}
    copied: Callable[..., Any] = Copies(lambda one: rewritten(one, source_of(one), _Rewriting()), names).copy(function)
    return copied
