"""Scripted runs: Python runs the user's function with every random outcome taken from a script.

Nothing of the reader takes part: Python executes the function, the functions it calls, its mechanisms and helpers, and
only ``flip``, ``discrete``, ... and ``observe`` ask the script that is active.
"""

from __future__ import annotations

import inspect
import io
import itertools
import os
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from taut.program.domains import Domain, as_tuples
from taut.support.interruption import interruptible

__all__ = [
    "PlainFunction",
    "Position",
    "Rejection",
    "Script",
    "ScriptEnds",
    "ScriptedResult",
    "active_script",
    "position_of_caller",
    "quietly",
    "scripted",
]

Position = tuple[str, int, int]
"""A file, a line and a column (from 0), as in Python's code objects."""


class Script(Protocol):
    """The source of the random outcomes of a run."""

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        """Return the outcome of a draw from distribution ``name`` with these arguments at that position."""


class Rejection(BaseException):
    """Raised when an observation fails in a scripted run; no ``except Exception`` of the function catches it."""


class ScriptEnds(BaseException):
    """Raised when the script has no outcome for a draw."""


_ACTIVE: ContextVar[Script | None] = ContextVar("taut_script", default=None)


def active_script() -> Script | None:
    """Return the script in force, or None."""
    return _ACTIVE.get()


@contextmanager
def scripted(script: Script) -> Iterator[None]:
    """Take the outcomes of draws from a script inside the ``with`` block."""
    token = _ACTIVE.set(script)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


class NoDraws:
    """A script for functions that must not draw."""

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        raise ScriptEnds


@dataclass(frozen=True)
class ScriptedResult:
    """The end of a run: a returned value, a failed observation, the end of the script, or an exception."""

    value: Any = None
    rejected: bool = False
    ended: bool = False
    problem: Exception | None = None


class PlainFunction:
    """A function without the decorator that made a mechanism of it, to be run on databases.

    ``arguments`` are those that its body is to see, by name; a Domain stands for each database.
    """

    def __init__(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        self.function = function
        self._signature = inspect.signature(function)
        self._by_name = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in self._signature.parameters.values())
        self.arguments = dict(arguments)
        self._databases = {name: value for name, value in arguments.items() if isinstance(value, Domain)}
        self._changeable = [name for name, value in arguments.items() if _is_container(value)]

    def run(self, x: Any, script: Script) -> ScriptedResult:
        """Run the function on a database (or on a tuple of databases)."""
        try:
            with scripted(script):
                return ScriptedResult(as_tuples(self._call(x)))
        except Rejection:
            return ScriptedResult(rejected=True)
        except ScriptEnds:
            return ScriptedResult(ended=True)
        except MemoryError:
            raise
        except Exception as problem:
            return ScriptedResult(problem=problem)

    def _call(self, x: Any) -> Any:
        """Call the function with its own copies of mutable arguments."""
        values = dict(self.arguments)
        parts = [x] if len(self._databases) == 1 else x
        for (name, domain), part in zip(self._databases.items(), parts, strict=True):
            values[name] = domain.given(part)
        copies: dict[int, Any] = {}
        for name in self._changeable:
            values[name] = _copy(values[name], copies)
        if self._by_name:
            return self.function(**values)
        bound = inspect.BoundArguments(self._signature, values)
        return self.function(*bound.args, **bound.kwargs)


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress warnings and printed output inside the ``with`` block, and enforce the time limit."""
    with warnings.catch_warnings(), redirect_stdout(_Nowhere()), interruptible():
        warnings.simplefilter("ignore")
        yield


class _Nowhere(io.TextIOBase):
    """A text file that discards everything written."""

    def write(self, text: str) -> int:
        return len(text)


def position_of_caller(depth: int) -> Position | None:
    """Return the source position of the frame ``depth`` calls above, if known."""
    frame = sys._getframe(depth)
    known = _POSITIONS.get((id(frame.f_code), frame.f_lasti))
    if known is None:
        if len(_POSITIONS) > _MOST_POSITIONS:
            _POSITIONS.clear()
        known = (_position(frame.f_code, frame.f_lasti), frame.f_code)
        _POSITIONS[id(frame.f_code), frame.f_lasti] = known
    return known[0]


_POSITIONS: dict[tuple[int, int], tuple[Position | None, types.CodeType]] = {}
"""Positions by identity of a code object and instruction; the code object is kept, so that its id stays unique."""
_MOST_POSITIONS = 10_000


def _position(code: types.CodeType, instruction: int) -> Position | None:
    line, _, column, _ = next(itertools.islice(code.co_positions(), instruction // 2, None))
    return None if line is None or column is None else (os.path.basename(code.co_filename), line, column)


def _is_container(value: Any) -> bool:
    return type(value) in _CONTAINERS


_CONTAINERS = frozenset({list, dict, set, tuple})
_MANY = 16
"""Number of items from which a check for nested containers is worthwhile."""


def _copy(value: Any, copies: dict[int, Any]) -> Any:
    """Return a deep copy of a container that preserves shared objects."""
    if not _is_container(value):
        return value
    if id(value) not in copies:
        inside = value.values() if isinstance(value, dict) else value
        if len(value) > _MANY and _CONTAINERS.isdisjoint(map(type, inside)):
            copies[id(value)] = type(value)(value)
        elif isinstance(value, list):
            made = copies[id(value)] = list[Any]()
            made += [_copy(item, copies) for item in value]
        elif isinstance(value, dict):
            copies[id(value)] = {}
            copies[id(value)].update({key: _copy(item, copies) for key, item in value.items()})
        elif isinstance(value, set):
            copies[id(value)] = set(value)
        else:
            copies[id(value)] = tuple([_copy(item, copies) for item in value])
    return copies[id(value)]
