"""A second run in exact arithmetic: the function's own code, with numbers in place of floats that do not round.

taut reads '1 / 3' as the number one third, and 0.1 as one tenth; Python rounds both. Where Python and the reading
differ, the code is run once more with the floats that it makes replaced by exact ones. If that run agrees, only
rounding made the difference: a mechanism is refused for it; targets, distances and predicates are meant exactly anyway.
"""

from __future__ import annotations

import ast
import builtins
import copy
import math
import operator
import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from taut.errors import TautError
from taut.frontend.python.calls import is_library
from taut.frontend.python.source import MARK, source_of
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
    copied: Callable[..., Any] = _Copies().copy(function)
    return copied


class _Copies:
    """Copies that have been made, so that functions may call each other in a circle."""

    def __init__(self) -> None:
        self._made: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        function = getattr(value, MARK, value)
        if not isinstance(function, types.FunctionType) or is_library(function):
            return value
        if id(function) not in self._made:
            self._made[id(function)] = function
            self._made[id(function)] = self._copied(function)
        return self._made[id(function)]

    def _copied(self, function: types.FunctionType) -> Any:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        try:
            code = _exact_code(function)
            closure = tuple([cells[name] for name in code.co_freevars])
        except (TautError, SyntaxError, ValueError, KeyError):
            return function
        names = dict(function.__globals__)
        names.setdefault("__builtins__", builtins)
        names.update({_EXACTLY: exactly, _POWER: _power})
        made = types.FunctionType(code, names, function.__name__, function.__defaults__, closure)
        made.__kwdefaults__ = function.__kwdefaults__
        self._made[id(function)] = made
        for name in function.__code__.co_names:
            if name in function.__globals__:
                names[name] = self.copy(function.__globals__[name])
        return made


def _exact_code(function: types.FunctionType) -> types.CodeType:
    """The code of a function, compiled from its source with exact numbers, in a scope with the same free names."""
    node = _Rewriting().visit(copy.deepcopy(source_of(function).node))
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        node.returns = None
        node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
        node.args.kw_defaults = [None if default is None else ast.Constant(None) for default in node.args.kw_defaults]
        inner: ast.stmt = node
    else:
        inner = ast.Expr(node)
    free = function.__code__.co_freevars
    spec = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    body = [inner] if function.__name__ in free or isinstance(inner, ast.Expr) else [ast.Global([node.name]), inner]
    outer = ast.FunctionDef("__taut_scope__", spec, body, [], None, None, type_params=[])  # type: ignore[call-arg]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    scope = next(_codes(compile(module, function.__code__.co_filename, "exec")))
    return next(code for code in _codes(scope) if code.co_name == function.__code__.co_name)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
