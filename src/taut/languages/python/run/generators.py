"""NumPy's generators that a function holds already, replaced by generators that the tree of runs decides."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from taut.languages.python.run.arrays import scripted_generator
from taut.languages.python.run.state import roots_of

__all__ = ["replaced_generators"]

_MOST = 20_000


@contextmanager
def replaced_generators(function: Any) -> Iterator[None]:
    """Replace every generator that can be reached from a function: in objects, lists, closures, globals, defaults."""
    undone: list[Callable[[], None]] = []
    _Replacing(undone).run(function)
    try:
        yield
    finally:
        for undo in reversed(undone):
            undo()


class _Replacing:
    def __init__(self, undone: list[Callable[[], None]]) -> None:
        self.undone = undone
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.seen: set[int] = set()
        self.waiting: list[Any] = []

    def run(self, function: Any) -> None:
        self.waiting.append(function)
        self.waiting += roots_of(function).values()
        while self.waiting and len(self.seen) < _MOST:
            value = self.waiting.pop()
            if id(value) not in self.seen:
                self.seen.add(id(value))
                self._inside(value)

    def _inside(self, value: Any) -> None:
        if isinstance(value, types.MethodType):
            self.waiting += [value.__func__, value.__self__]
        elif isinstance(value, types.FunctionType):
            for cell in value.__closure__ or ():
                self._cell(cell)
            names = value.__code__.co_names
            self._entries(value.__globals__, [name for name in names if name in value.__globals__])
            if value.__defaults__:
                self._defaults(value)
            if value.__kwdefaults__:
                self._entries(value.__kwdefaults__, list(value.__kwdefaults__))
        elif type(value) is dict:
            self._entries(value, list(value))
        elif type(value) is list:
            self._entries(value, range(len(value)))
        elif type(value) in (tuple, set, frozenset):
            self.waiting += value
        elif not isinstance(value, (type, types.ModuleType)) and isinstance(getattr(value, "__dict__", None), dict):
            self._entries(value.__dict__, list(value.__dict__))

    def _entries(self, holder: Any, keys: Any) -> None:
        for key in keys:
            value = holder[key]
            stand_in = self._stand_in(value)
            if stand_in is not None:
                holder[key] = stand_in
                self.undone.append(functools.partial(holder.__setitem__, key, value))
            elif not isinstance(value, (type, types.ModuleType)):
                self.waiting.append(value)

    def _cell(self, cell: Any) -> None:
        try:
            value = cell.cell_contents
        except ValueError:
            return
        stand_in = self._stand_in(value)
        if stand_in is None:
            self.waiting.append(value)
            return
        cell.cell_contents = stand_in
        self.undone.append(lambda: setattr(cell, "cell_contents", value))

    def _defaults(self, function: types.FunctionType) -> None:
        before = function.__defaults__
        assert before is not None
        stand_ins = tuple([self._stand_in(value) for value in before])
        self.waiting += before
        if any(value is not None for value in stand_ins):
            made = [value if new is None else new for value, new in zip(before, stand_ins, strict=True)]
            function.__defaults__ = tuple(made)
            self.undone.append(lambda: setattr(function, "__defaults__", before))

    def _stand_in(self, value: Any) -> Any:
        """One generator for one generator, wherever it is held."""
        if id(value) not in self.made:
            made = scripted_generator(value)
            if made is None:
                return None
            self.made[id(value)] = made
            self.kept.append(value)  # so that its identity stays its own
        return self.made[id(value)]
