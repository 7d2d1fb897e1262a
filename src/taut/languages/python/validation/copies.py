"""Copies of user functions, compiled from their source with some expressions rewritten."""

from __future__ import annotations

import ast
import builtins
import copy
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from taut.languages.python.calls import is_library
from taut.languages.python.source import MARK, FunctionSource
from taut.support.errors import TautError

__all__ = ["Copies", "rewritten"]


class Copies:
    """The copies made so far, so that functions may call each other recursively.

    Parameters
    ----------
    rewrite : callable
        Makes the code of a function's copy, or raises what ``rewritten`` does.
    names : mapping
        What the rewritten code calls, by names that no function has.
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
