"""A guess of the inputs of a function that nothing in its program says: by how it uses its argument."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

__all__ = ["guessed_domain"]

_OF_LISTS = (
    *("all", "any", "array", "asarray", "enumerate", "filter", "len", "list", "map", "max", "mean", "min", "reversed"),
    *("set", "sorted", "sum", "tuple", "zip"),
)
"""Functions whose argument is a list, or more than one value."""
_DATABASE, _NUMBER = "bits(4)", "integer(0, 1)"
_MOST_WORDS = 12


def guessed_domain(function: Any, name: str) -> str:
    """Return a small domain for the parameter ``name``: several entries, one number, or the words it is compared with.

    Examples
    --------
    >>> guessed_domain(lambda x: sum(x), "x"), guessed_domain(lambda one: one + 1, "one")
    ('bits(4)', 'integer(0, 1)')
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return _DATABASE
    if any(_is_list(node, name) for node in ast.walk(tree)):
        return _DATABASE
    words = list(dict.fromkeys(word for node in ast.walk(tree) for word in _compared(node, name)))
    if 1 < len(words) <= _MOST_WORDS:
        return f"category([{', '.join(words)}])"
    counts = any(isinstance(node, (ast.BinOp, ast.Compare)) and _has(node, name) for node in ast.walk(tree))
    return _NUMBER if counts or not (len(name) == 1 or name.startswith("data") or name.endswith("s")) else _DATABASE


def _is_list(node: ast.AST, name: str) -> bool:
    """Return True if a piece of a program uses a name as a list."""
    match node:
        case ast.For(iter=used) | ast.comprehension(iter=used) | ast.Subscript(value=used) | ast.Starred(value=used):
            return _is(used, name)
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=given):
            return called in _OF_LISTS and any(_is(one, name) for one in given) and not _is_pair(called, given)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[used]):
            return _is(used, name)
    return False


def _is_pair(called: str, given: list[ast.expr]) -> bool:
    """Return True if max or min is taken of several values, each of them one number."""
    return called in ("max", "min") and len(given) > 1


def _compared(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the words that a piece of a program compares a name with."""
    if isinstance(node, ast.Compare) and _is(node.left, name):
        for one in ast.walk(node):
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.isidentifier():
                yield one.value


def _has(node: ast.AST, name: str) -> bool:
    return any(_is(one, name) for one in ast.iter_child_nodes(node))


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
