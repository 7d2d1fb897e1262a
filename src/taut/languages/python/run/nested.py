"""Tables of inner functions: a function called in a run is run separately, and its result is one draw of that run.

Without them the runs of a function are the products of the runs of all functions that it calls.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, Protocol

from taut.languages.python.run.held import holds_objects
from taut.languages.python.run.lazy import LazyNumber
from taut.languages.python.run.loops import Rests
from taut.languages.python.run.needs import LIBRARIES, is_source, reached
from taut.languages.python.run.purity import Snapshot
from taut.languages.python.run.sources import active_tree
from taut.languages.python.run.state import ORIGINAL, Unknown, is_scripted, state_of
from taut.languages.python.run.tree import Answer, unwatched
from taut.languages.python.scripted import Rejection
from taut.support.errors import OutOfMemory, OutOfTime, TautError
from taut.support.exact import surely_zero

__all__ = ["Tables"]

_UNLIKE = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines."""
_LEVELS = range(10, 230, 10)
"""Bits of the remainders of rows of inner functions: improbable calls are followed less far."""
_MISSES = 3
"""Number of refusals after which a function is always called directly."""

_active: ContextVar[Tables | None] = ContextVar("taut_tables", default=None)


class InnerRow(Protocol):
    """The distribution of what a function returns."""

    @property
    def outcomes(self) -> tuple[Any, ...]: ...

    @property
    def weights(self) -> tuple[Any, ...]: ...

    @property
    def remainder(self) -> Any: ...

    @property
    def rejected(self) -> Any: ...


class Tables:
    """The tables of the functions that a function calls; ``row`` runs one apart, by name, arguments and keywords."""

    def __init__(self, row: Callable[[Any, str, tuple[Any, ...], dict[str, Any], int], InnerRow]) -> None:
        self._row = row
        self._rows: dict[Any, Any] = {}
        self._running: set[Any] = set()
        self._refused: dict[int, int] = {}
        self._snapshots: dict[Any, Snapshot] = {}
        self.rests = Rests()
        """The known states of loops, collected over all runs."""
        self.cut = False
        """True once some row has a remainder: then nothing is lost if improbable runs of others are left out too."""

    def snapshot(self, function: Any) -> Snapshot:
        """Return the state of all objects that a function can reach; the earlier snapshot if nothing has changed."""
        known = self._snapshots.get(id(function))
        if known is None or known.function is not function or not known.untouched():
            known = self._snapshots[id(function)] = Snapshot(function)
        return known

    @contextmanager
    def active(self) -> Iterator[None]:
        """Answer calls from these tables inside the ``with`` block."""
        token = _active.set(self)
        try:
            yield
        finally:
            _active.reset(token)

    @contextmanager
    def replacing(self, function: Any) -> Iterator[None]:
        """Redirect the calls of all functions that a function can reach to these tables, except calls of itself."""
        own = getattr(function, "__func__", function)
        swapped = []
        for value in list(reached(function)):  # before codes are replaced, which name what else is reached
            if isinstance(value, types.FunctionType) and value is not own and _can_be_tabled(value):
                before = value.__code__
                value.__code__ = _leading(value)
                ORIGINAL[id(value.__code__)] = before
                swapped.append((value, before))
        try:
            yield
        finally:
            for value, before in swapped:
                ORIGINAL.pop(id(value.__code__), None)
                value.__code__ = before

    def call(self, number: int, function: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Return the result of a call: a draw from the row of the function, or of the call itself where it has none."""
        found = self._found(number, function, name, args, keywords)
        return function(*args, **keywords) if found is None else found[0]

    @unwatched  # this is not the function's own work
    def _found(
        self, number: int, function: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[Any] | None:
        """Return the result by a table, if there can be one."""
        tree = active_tree()
        if tree is None:
            return None
        before = tree.answered()
        if before is not None and before.number == number and _repeats(before, args, keywords):
            row = before.row
        else:
            if before is not None:
                tree.differs()
            depth = tree.depth
            row = self._row_of(tree, number, function, name, args, keywords)
            tree.answer(Answer(depth, number, args, keywords, row))
        if row is None:
            return None
        weights = _weights(row)
        place = tree.choose(weights) if weights[-1] == 0 and weights[-2] == 0 else self._chosen(tree, weights)
        return (row.outcomes[place].raw,)

    def _row_of(
        self, tree: Any, number: int, function: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Return the row of a call; None if it has none."""
        if self._refused.get(number, 0) >= _MISSES or not _is_simple((*args, *keywords.values())):
            return None
        try:
            key = number, state_of((args, keywords), strict=True)
        except Unknown:
            return None
        if key in self._running:
            return None
        left = tree.bits_left
        bits = next((level for level in _LEVELS if level >= left), _LEVELS[-1])
        known = self._rows.get(key)
        if known is None or known[0] < bits:
            known = self._rows[key] = self._made(key, function, name, args, keywords, bits)
        row = known[1]
        if row is None:
            self._refused[number] = self._refused.get(number, 0) + 1
            return None
        tree.draws.update(row.draws)
        tree.lossy = tree.lossy or self.cut
        return row

    def _chosen(self, tree: Any, weights: tuple[Any, ...]) -> int:
        place = tree.choose_or_stop(weights)
        if place == len(weights) - 2:
            raise Rejection
        return int(place)

    def _made(
        self, key: Any, function: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any], bits: int
    ) -> tuple[float, Any]:
        """Return a row that omits runs of probability at most 2**-bits, and its precision in bits."""
        self._running.add(key)
        try:
            row = self._row(function, name, args, keywords, bits)
        except (OutOfTime, OutOfMemory):
            raise
        except TautError:
            return math.inf, None
        finally:
            self._running.discard(key)
        self.cut = self.cut or not surely_zero(row.remainder)
        if any(outcome.shape is not None for outcome in row.outcomes):
            return math.inf, None
        return math.inf if surely_zero(row.remainder) else bits, row


_WEIGHTS: dict[int, tuple[Any, tuple[Any, ...]]] = {}


def _weights(row: Any) -> tuple[Any, ...]:
    """Return the weights of a row, of its rejected and of its unfollowed runs; one object for one row."""
    known = _WEIGHTS.get(id(row))
    if known is None or known[0] is not row:
        ends = [Fraction(0) if surely_zero(mass) else mass for mass in (row.rejected, row.remainder)]
        known = _WEIGHTS[id(row)] = (row, (*row.weights, *ends))
        if len(_WEIGHTS) > 10_000:
            _WEIGHTS.clear()
    return known[1]


def _can_be_tabled(function: types.FunctionType) -> bool:
    code = function.__code__
    package = (function.__module__ or "").split(".")[0]
    plain = not code.co_flags & _UNLIKE and not code.co_freevars and function.__name__ != "__init__"
    return plain and package not in LIBRARIES and not function.__name__.startswith("__")


def _template(*args: Any, **keywords: Any) -> Any:
    lead: Any = "__taut_lead__"
    return lead(args, keywords)


def _leading(function: types.FunctionType) -> types.CodeType:
    """Return code that passes a call to the active tables, or without them to the original function."""
    original = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    original.__module__ = function.__module__
    number, name = id(function), function.__qualname__

    def lead(args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        tables = _active.get()
        if tables is None:
            return original(*args, **keywords)
        return tables.call(number, original, name, args, keywords)

    constants = tuple(lead if value == "__taut_lead__" else value for value in _template.__code__.co_consts)
    return _template.__code__.replace(co_consts=constants, co_name=function.__name__)


def _is_simple(value: Any) -> bool:
    """Return True if a value is a number, text, or a container of these: separate runs could change an object.

    Sources of randomness, functions and classes are simple: they are the same in all runs.
    """
    kind = type(value)
    if kind in _SIMPLE:
        return True
    if kind in (tuple, list, set, frozenset):
        return all(map(_is_simple, value))
    if kind is dict:
        return all(map(_is_simple, value.values()))
    if kind.__module__ == "numpy":
        return getattr(getattr(value, "dtype", None), "kind", "O") != "O" and not holds_objects(value)
    return kind is not LazyNumber and (is_scripted(kind) or is_source(value))


_SIMPLE = frozenset({int, float, bool, str, bytes, type(None), Fraction, range})


def _repeats(before: Answer, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return True if a call surely has the arguments that it had in the last run."""
    if len(args) != len(before.args) or keywords.keys() != before.keywords.keys():
        return False
    pairs = [
        *zip(before.args, args, strict=True),
        *[(value, keywords[name]) for name, value in before.keywords.items()],
    ]
    return all(_is_again(old, new) for old, new in pairs)


def _is_again(old: Any, new: Any) -> bool:
    kind = type(new)
    if type(old) is not kind:
        return False
    if kind is Fraction:
        return bool(old.numerator == new.numerator and old.denominator == new.denominator)
    return bool(old == new) if kind in _FIXED else is_scripted(kind) or is_source(new)


_FIXED = _SIMPLE - {float}
"""Simple types of which equal values are the same, as 0.0 and -0.0 are not."""
