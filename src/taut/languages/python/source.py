"""The source of a function: its syntax tree, its positions in the file that the user sees, and its names."""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import operator
import os
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from taut.support.errors import Place, SourceUnavailable, UnsupportedSyntax

__all__ = ["MARK", "FunctionNode", "FunctionSource", "Outside", "is_generator", "names_of", "source_of", "yield_in"]

MARK = "__taut_function__"
"""The attribute of a mechanism or helper with its plain function."""
FunctionNode = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class FunctionSource:
    """A function's syntax tree and its file."""

    node: FunctionNode
    file: str

    def place(self, node: ast.AST) -> Place:
        return Place(self.file, getattr(node, "lineno", 0), getattr(node, "col_offset", 0) + 1)


def source_of(function: Any) -> FunctionSource:
    """Return the source of a plain Python function or lambda, or refuse it with the reason."""
    name = getattr(function, "__name__", repr(function))
    if isinstance(function, types.MethodType):
        raise SourceUnavailable(
            f"'{name}' is a method that is bound to an object; give the function {function.__func__.__qualname__} "
            "instead, and the object as its first argument.",
            value=function,
        )
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
            f"the source of '{name}' cannot be had (it was made by exec, or typed at a prompt that keeps none, as in "
            "Python 3.11). Put it into a file, say mine.py, and run 'python mine.py', or use a notebook or IPython.",
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
    if not _is_source_of("".join(lines), code):
        raise SourceUnavailable(
            f"the source of '{name}' in {code.co_filename} is not that of the function that was loaded: the file has "
            "changed since. Import it again.",
            value=function,
        )
    if isinstance(found, ast.AsyncFunctionDef):
        place = Place(file, found.lineno, found.col_offset + 1)
        raise UnsupportedSyntax("'async def' is not supported; write a plain 'def'.", value=name, place=place)
    return FunctionSource(found, file)


@functools.lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module:
    return ast.parse(text)


@functools.lru_cache(maxsize=64)
def _compiled(text: str, flags: int) -> types.CodeType | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the user has seen them when the function was loaded
            code: types.CodeType = compile(text, "<source>", "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return code


@functools.lru_cache(maxsize=1024)
def _is_source_of(text: str, code: types.CodeType) -> bool:
    """Return True if the compiled text is the loaded code, or if that cannot be decided.

    Code that was rewritten at import, as pytest does with assertions, cannot be compared.
    """
    if any(name.startswith("@py") for name in _names(code)):
        return True
    whole = _compiled(text, code.co_flags & _FUTURES)
    if whole is None:
        return True
    stack, candidates = [whole], []
    while stack:
        part = stack.pop()
        stack.extend(constant for constant in part.co_consts if isinstance(constant, types.CodeType))
        if part.co_name == code.co_name and part.co_firstlineno == code.co_firstlineno:
            candidates.append(part)
    return any(_same_code(part, code) for part in candidates)


def _names(code: types.CodeType) -> list[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return [*code.co_names, *code.co_varnames, *[name for part in inner for name in _names(part)]]


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    if a.co_code != b.co_code or a.co_names != b.co_names or a.co_varnames != b.co_varnames:
        return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    for p, q in zip(a.co_consts, b.co_consts, strict=True):
        if isinstance(p, types.CodeType) and isinstance(q, types.CodeType):
            if not _same_code(p, q):
                return False
        elif type(p) is not type(q) or repr(p) != repr(q):
            return False
    return True


_FUTURES = functools.reduce(
    operator.or_, [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
)
"""The flags of 'from __future__ import ...' that affect compilation."""


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
    """Return the lambda that contains the code's instructions; several may start on one line.

    Instructions that Python keeps no column of have that of the line's start. If there are no others, as in a lambda
    with a constant body in Python 3.12, the lambdas of that line are compiled: those of the same code do the same.
    """
    spots = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None]
    spots = [spot for spot in spots if spot != (code.co_firstlineno, 0)]
    if not spots:
        here = [node for node in candidates if node.lineno == code.co_firstlineno]
        return next((node for node in here if _compiles_to(node, code)), None)
    best = None
    for node in candidates:
        body = node.body
        start, stop = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
        if all(start <= spot < stop for spot in spots) and (
            best is None or (best.lineno, best.col_offset) < (node.lineno, node.col_offset)
        ):
            best = node
    return best


def _compiles_to(node: ast.Lambda, code: types.CodeType) -> bool:
    """Return True if a lambda compiles to code with the same arguments and behaviour as ``code``."""
    whole = compile(ast.Expression(node), "<source>", "eval", dont_inherit=True)
    made = next(part for part in whole.co_consts if isinstance(part, types.CodeType) and part.co_name == "<lambda>")
    return _signature(made) == _signature(code) and _same_code(made, code)


def _signature(code: types.CodeType) -> tuple[int, ...]:
    stars = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, stars)


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
