"""Detection of endless loops: the condition cannot change, and nothing leaves the loop."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from taut.languages.python.values import Alternatives, Symbolic, is_scalar

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["unchanging"]

_PURE = (len, abs, sum, min, max, any, all, int, bool)
_READING = (
    ast.Name,
    ast.Constant,
    ast.Compare,
    ast.BoolOp,
    ast.UnaryOp,
    ast.BinOp,
    ast.IfExp,
    ast.Subscript,
    ast.Tuple,
    ast.Call,
    ast.expr_context,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
)
_LEAVING = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


def unchanging(reader: Reader, node: ast.While) -> list[str] | None:
    """Return the variables in a 'while' condition if no round can change it, else None.

    Guarantee:
        If the answer is not None, runs for which the condition holds never leave the loop, other than by an error.
    """
    names = _names_read(node)
    if names is None or not reader.frames:
        return None
    frame = reader.frames[-1]
    variables = []
    for name in names:
        if name in frame.names:
            if not _is_fixed(frame.content.get(name)):
                return None
            variables.append(name)
        else:
            value = reader.code.outside.get(name)
            if any(name in outer.names for outer in reader.frames) or not any(value is pure for pure in _PURE):
                return None
    inner = ast.walk(reader.code.source.node)
    return None if any(isinstance(one, ast.Nonlocal) for one in inner) else variables


@functools.lru_cache(maxsize=256)
def _names_read(node: ast.While) -> tuple[str, ...] | None:
    """Return the names in the condition; None if it does more than read, or the body assigns one or may leave the
    loop.
    """
    test = list(ast.walk(node.test))
    if not all(isinstance(part, _READING) for part in test):
        return None
    called = [part.func for part in test if isinstance(part, ast.Call)]
    if not all(isinstance(function, ast.Name) for function in called):
        return None
    names = dict.fromkeys(part.id for part in test if isinstance(part, ast.Name))
    for statement in node.body:
        for part in ast.walk(statement):
            if isinstance(part, _LEAVING):
                return None
            if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id in names:
                return None
            if isinstance(part, (ast.FunctionDef, ast.ClassDef)) and part.name in names:
                return None
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                return None
    return tuple(names)


def _is_fixed(value: Any) -> bool:
    """Return True if a value cannot be changed in place: it is not and does not contain a list or the like."""
    if isinstance(value, Alternatives):
        return all(_is_fixed(option) for _, option in value.options)
    if isinstance(value, tuple):
        return all(map(_is_fixed, value))
    return isinstance(value, (Symbolic, range)) or is_scalar(value)
