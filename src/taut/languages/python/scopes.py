"""Scopes: a name belongs to the function that assigns it, unless declared otherwise."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Iterator, Mapping
from typing import Any

from taut.languages.python.source import FunctionNode

__all__ = ["Outside", "is_generator", "names_of", "yield_in"]


@functools.lru_cache(maxsize=4096)
def names_of(node: FunctionNode) -> tuple[frozenset[str], frozenset[str]]:
    """Return the local names of a function, and those declared nonlocal."""
    arguments = node.args
    local = {
        argument.arg
        for argument in [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ]
        if argument is not None
    }
    outer: set[str] = set()
    for inner in _own_nodes(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            local.add(inner.id)
        elif isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            local.add(inner.name)
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            local.update((alias.asname or alias.name).split(".")[0] for alias in inner.names)
        elif isinstance(inner, ast.Nonlocal):
            outer.update(inner.names)
    return frozenset(local - outer), frozenset(outer)


@functools.lru_cache(maxsize=4096)
def is_generator(node: FunctionNode) -> bool:
    """Return True if a function has its own 'yield'."""
    return yield_in(node) is not node


def yield_in(node: FunctionNode) -> ast.AST:
    """Return a 'yield' of the function itself, or the function if it has none."""
    return next((inner for inner in _own_nodes(node) if isinstance(inner, (ast.Yield, ast.YieldFrom))), node)


def _own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """Yield the nodes of a function's own scope, without inner functions and comprehensions."""
    stack: list[ast.AST] = list(function.body) if isinstance(function.body, list) else [function.body]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            stack.extend(
                walrus for walrus in ast.walk(node) if isinstance(walrus, ast.NamedExpr) for walrus in [walrus.target]
            )
            continue
        stack.extend(ast.iter_child_nodes(node))


class Outside(Mapping[str, Any]):
    """The names that a plain Python function sees outside itself: closure cells, globals, built-ins."""

    def __init__(self, function: types.FunctionType) -> None:
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        self._globals = function.__globals__
        known = self._globals.get("__builtins__", {})
        self._builtins = known if isinstance(known, dict) else vars(known)

    def __getitem__(self, name: str) -> Any:
        if name in self._cells:
            try:
                return self._cells[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
        if name in self._globals:
            return self._globals[name]
        return self._builtins[name]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._cells, *self._globals, *self._builtins])

    def __len__(self) -> int:
        return len(self._cells) + len(self._globals) + len(self._builtins)
