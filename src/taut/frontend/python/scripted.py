"""Running a user's plain function by Python itself, with every random outcome taken from a script.

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

from taut.domains import Domain, as_tuples
from taut.interruption import interruptible

__all__ = [
    "PlainFunction",
    "Position",
    "Rejection",
    "Result",
    "Script",
    "ScriptEnds",
    "active_script",
    "position_of_caller",
    "quietly",
    "scripted",
]

Position = tuple[str, int, int]
"""A file, a line and a column, each as Python's own code objects tell them (columns from 0)."""


class Script(Protocol):
    """Who decides the outcomes of a run."""

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        """The outcome of a draw from the distribution of that name, with these arguments, made at that place."""


class Rejection(BaseException):
    """An observation failed in a scripted run; not an Exception, so that no ``except`` of the function catches it."""


class ScriptEnds(BaseException):
    """The script has no outcome for a draw, so the run cannot go on."""


_ACTIVE: ContextVar[Script | None] = ContextVar("taut_script", default=None)


def active_script() -> Script | None:
    """The script that decides the outcomes of draws, if one does."""
    return _ACTIVE.get()


@contextmanager
def scripted(script: Script) -> Iterator[None]:
    """Let a script decide the outcomes of draws meanwhile."""
    token = _ACTIVE.set(script)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


class NoDraws:
    """A script for functions that must not be random."""

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        raise ScriptEnds


@dataclass(frozen=True)
class Result:
    """How a run ended: it returned a value, an observation failed, the script ended, or it raised an exception."""

    value: Any = None
    rejected: bool = False
    ended: bool = False
    problem: Exception | None = None


class PlainFunction:
    """A function with the arguments that a mechanism was called with, to be run on databases.

    Parameters
    ----------
    function : callable
        The plain function, without the decorator that made a mechanism of it.
    arguments : mapping
        Its arguments by name, as its body is to see them; a Domain stands for each database.
    """

    def __init__(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        self.function = function
        self._signature = inspect.signature(function)
        self._by_name = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in self._signature.parameters.values())
        self.arguments = dict(arguments)
        self._databases = [name for name, value in arguments.items() if isinstance(value, Domain)]
        self._changeable = [name for name, value in arguments.items() if _is_container(value)]

    def run(self, x: Any, script: Script) -> Result:
        """Run the function on a database (on a tuple of databases, if it takes several)."""
        try:
            with scripted(script):
                return Result(as_tuples(self._call(x)))
        except Rejection:
            return Result(rejected=True)
        except ScriptEnds:
            return Result(ended=True)
        except MemoryError:
            raise
        except Exception as problem:
            return Result(problem=problem)

    def _call(self, x: Any) -> Any:
        """Call the function; it gets its own copy of whatever it might change."""
        values = dict(self.arguments)
        values.update(zip(self._databases, [x] if len(self._databases) == 1 else x, strict=True))
        copies: dict[int, Any] = {}
        for name in self._changeable:
            values[name] = _copy(values[name], copies)
        if self._by_name:
            return self.function(**values)
        bound = inspect.BoundArguments(self._signature, values)
        return self.function(*bound.args, **bound.kwargs)


@contextmanager
def quietly() -> Iterator[None]:
    """Run a function many times without its warnings and what it prints, and no longer than the time limit."""
    with warnings.catch_warnings(), redirect_stdout(_Nowhere()), interruptible():
        warnings.simplefilter("ignore")
        yield


class _Nowhere(io.TextIOBase):
    """A text file that forgets what is written."""

    def write(self, text: str) -> int:
        return len(text)


def position_of_caller(depth: int) -> Position | None:
    """Where the frame so many calls above is at work, if its code tells."""
    frame = sys._getframe(depth)
    known = _POSITIONS.get((id(frame.f_code), frame.f_lasti))
    if known is None:
        if len(_POSITIONS) > _MOST_POSITIONS:
            _POSITIONS.clear()
        known = (_position(frame.f_code, frame.f_lasti), frame.f_code)
        _POSITIONS[id(frame.f_code), frame.f_lasti] = known
    return known[0]


_POSITIONS: dict[tuple[int, int], tuple[Position | None, types.CodeType]] = {}
"""By the identity of a code object and the instruction; the code object is kept, so that its identity stays its own."""
_MOST_POSITIONS = 10_000


def _position(code: types.CodeType, instruction: int) -> Position | None:
    line, _, column, _ = next(itertools.islice(code.co_positions(), instruction // 2, None))
    return None if line is None or column is None else (os.path.basename(code.co_filename), line, column)


def _is_container(value: Any) -> bool:
    return type(value) in _CONTAINERS


_CONTAINERS = frozenset({list, dict, set, tuple})
_MANY = 16
"""From so many items on it is worth looking whether there are containers among them at all."""


def _copy(value: Any, copies: dict[int, Any]) -> Any:
    """A container with its own containers inside; what is one object stays one object."""
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
