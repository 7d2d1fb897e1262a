"""The source of a function: its syntax tree, with positions in the file that the user sees."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import types
from dataclasses import dataclass
from typing import Any

from taut.errors import Place, SourceUnavailable, UnsupportedSyntax

__all__ = ["FunctionNode", "Source", "source_of"]

FunctionNode = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class Source:
    """A function's syntax tree and the file it stands in."""

    node: FunctionNode
    file: str

    def place(self, node: ast.AST) -> Place:
        return Place(self.file, getattr(node, "lineno", 0), getattr(node, "col_offset", 0) + 1)


def source_of(function: Any) -> Source:
    """The source of a plain Python function or lambda, or a refusal that says why it cannot be had."""
    name = getattr(function, "__name__", repr(function))
    if not isinstance(function, types.FunctionType):
        raise SourceUnavailable(
            f"'{name}' is not a plain Python function, so its source cannot be read; write it with 'def'.",
            value=function,
        )
    code = function.__code__
    try:
        lines, _ = inspect.findsource(function)
        tree = _parse("".join(lines))
    except (OSError, TypeError, IndexError, SyntaxError):
        raise SourceUnavailable(
            f"the source of '{name}' cannot be had (it was made by exec, or typed at a prompt that keeps none, as in Python "
            "3.11). Put it into a file, say mine.py, and run 'python mine.py', or use a notebook or IPython.",
            value=function,
        ) from None
    found = _find(tree, code)
    file = os.path.basename(code.co_filename)
    if found is None:
        raise SourceUnavailable(
            f"the source of '{name}' is not where Python says it is ({code.co_filename}:{code.co_firstlineno}); "
            "has the file changed since it was imported?",
            value=function,
        )
    if isinstance(found, ast.AsyncFunctionDef):
        place = Place(file, found.lineno, found.col_offset + 1)
        raise UnsupportedSyntax("'async def' is not supported; write a plain 'def'.", value=name, place=place)
    return Source(found, file)


@functools.lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module:
    return ast.parse(text)


def _find(tree: ast.Module, code: types.CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    candidates = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
            if first == code.co_firstlineno:
                return node
        elif isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and node.lineno <= code.co_firstlineno:
            candidates.append(node)
    return _lambda_at(candidates, code)


def _lambda_at(candidates: list[ast.Lambda], code: types.CodeType) -> ast.Lambda | None:
    """The lambda in whose body the code's first instruction stands; several may start on one line."""
    spots = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None]
    spots = [spot for spot in spots if spot != (code.co_firstlineno, 0)] or spots
    best = None
    for node in candidates:
        body = node.body
        start, stop = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
        if (
            spots
            and all(start <= spot < stop for spot in spots)
            and (best is None or (best.lineno, best.col_offset) < (node.lineno, node.col_offset))
        ):
            best = node
    return best
