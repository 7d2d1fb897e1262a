"""Copies of user functions, compiled from their source with some expressions rewritten."""

from __future__ import annotations

import ast
import builtins
import copy
import math
import operator
import types
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from taut.languages.python.calls import is_library
from taut.languages.python.source import MARK, FunctionSource, source_of
from taut.support.errors import TautError
from taut.support.exact import exact

__all__ = ["Copies", "FractionFloat", "exact_copy", "rewritten"]


class Copies:
    """The copies made so far, so that functions may call each other recursively.

    ``rewrite`` makes the code of a copy; ``names`` are what that code calls, by names that no function has.
    """

    def __init__(self, rewrite: Callable[[types.FunctionType], types.CodeType], names: Mapping[str, Any]) -> None:
        self._rewrite = rewrite
        self._names = names
        self._made: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        """Return a rewritten function, along with the user functions it calls by name; anything else unchanged.

        Where the source of a function cannot be had, or is not a function's, it stays as it is.
        """
        function = getattr(value, MARK, value)
        if not isinstance(function, types.FunctionType) or is_library(function):
            return value
        if id(function) not in self._made:
            self._made[id(function)] = function
            self._made[id(function)] = self._copied(function)
        return self._made[id(function)]

    def _copied(self, function: types.FunctionType) -> Any:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        functions = {name: cell for name, cell in cells.items() if self._holds_function(cell)}
        own = {**cells, **{name: types.CellType() for name in functions}}
        try:
            code = self._rewrite(function)
            closure = tuple([own[name] for name in code.co_freevars])
        except (TautError, SyntaxError, ValueError, KeyError, StopIteration):
            return function
        names = dict(function.__globals__)
        names.setdefault("__builtins__", builtins)
        names.update(self._names)
        made = types.FunctionType(code, names, function.__name__, function.__defaults__, closure)
        made.__kwdefaults__ = function.__kwdefaults__
        self._made[id(function)] = made
        for name, cell in functions.items():
            own[name].cell_contents = self.copy(cell.cell_contents)
        for name in function.__code__.co_names:
            if name in function.__globals__:
                names[name] = self.copy(function.__globals__[name])
        return made

    def _holds_function(self, cell: types.CellType) -> bool:
        """Return True if a closure variable holds a function; other variables are shared with the original."""
        try:
            value = cell.cell_contents
        except ValueError:  # it has no value yet
            return False
        return isinstance(getattr(value, MARK, value), types.FunctionType)


def rewritten(function: types.FunctionType, source: FunctionSource, rewriting: ast.NodeTransformer) -> types.CodeType:
    """Return the code of a function compiled from its rewritten source, with the same free names."""
    node = rewriting.visit(copy.deepcopy(source.node))
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


class FractionFloat(float):
    """A number that prints like a float, with exact arithmetic and comparisons."""

    fraction: Fraction

    def __new__(cls, value: Fraction) -> FractionFloat:
        made = super().__new__(cls, float(value))
        made.fraction = value
        return made

    def __pos__(self) -> FractionFloat:
        return self

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


def _unary(operation: Callable[[Fraction], Any], number: bool = False) -> Callable[[FractionFloat], Any]:
    return lambda self: FractionFloat(operation(self.fraction)) if number else operation(self.fraction)


def _binary(
    operation: Callable[[Any, Any], Any], number: bool = True, swapped: bool = False
) -> Callable[[FractionFloat, Any], Any]:
    def method(self: FractionFloat, other: Any) -> Any:
        known = _fraction(other)
        if known is None:
            return NotImplemented
        result = operation(known, self.fraction) if swapped else operation(self.fraction, known)
        return FractionFloat(Fraction(result)) if number else result

    return method


for _function in (hash, bool, int, math.trunc, math.floor, math.ceil):
    setattr(FractionFloat, f"__{_function.__name__}__", _unary(_function))
for _name in ("abs", "neg"):
    setattr(FractionFloat, f"__{_name}__", _unary(getattr(operator, _name), number=True))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
    setattr(FractionFloat, f"__{_name}__", _binary(getattr(operator, _name)))
    setattr(FractionFloat, f"__r{_name}__", _binary(getattr(operator, _name), swapped=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(FractionFloat, f"__{_name}__", _binary(getattr(operator, _name), number=False))


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
