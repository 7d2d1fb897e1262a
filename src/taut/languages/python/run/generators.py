"""NumPy's generators that a function holds already, replaced by generators that the tree of runs decides."""

from __future__ import annotations

import functools
import random
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from taut.languages.python.run.arrays import scripted_generator
from taut.languages.python.run.state import roots_of, slots_of

__all__ = ["Replacing", "replaced_generators"]

_MOST = 20_000


@contextmanager
def replaced_generators(function: Any) -> Iterator[Replacing]:
    """Replace every generator that can be reached from a function: in objects, lists, closures, globals, defaults."""
    undone: list[Callable[[], None]] = []
    replacing = Replacing(undone)
    replacing.run([function, *roots_of(function).values()])
    try:
        yield replacing
    finally:
        for undo in reversed(undone):
            undo()


class Replacing:
    """Puts generators that the tree of runs decides in the place of real ones, and methods of these likewise."""

    def __init__(self, undone: list[Callable[[], None]]) -> None:
        self.undone = undone
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.seen: set[int] = set()
        self.waiting: list[Any] = []

    def argument(self, value: Any) -> Any:
        """An argument without real generators: its stand-in, or the object itself, with stand-ins inside."""
        stand_in = self._stand_in(value)
        if stand_in is not None:
            return stand_in
        self.run([value])
        return value

    def run(self, values: list[Any]) -> None:
        """Replace all generators that these values hold."""
        self.waiting += values
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
        elif type(value) is functools.partial:
            self._partial(value)
        elif not isinstance(value, (type, types.ModuleType)):
            if isinstance(getattr(value, "__dict__", None), dict):
                self._entries(value.__dict__, list(value.__dict__))
            self._slots(value)

    def _entries(self, holder: Any, keys: Any) -> None:
        for key in keys:
            value = holder[key]
            stand_in = self._stand_in(value)
            if stand_in is not None:
                holder[key] = stand_in
                self.undone.append(functools.partial(holder.__setitem__, key, value))
            elif not isinstance(value, (type, types.ModuleType)):
                self.waiting.append(value)

    def _partial(self, partial: functools.partial[Any]) -> None:
        before: Any = partial.__reduce__()[2]
        function, args, keywords, names = before
        made = [self._stand_in(value) for value in (function, *args)]
        self.waiting += [function, *args, keywords]
        if any(value is not None for value in made):
            new = [old if value is None else value for old, value in zip((function, *args), made, strict=True)]
            partial.__setstate__((new[0], tuple(new[1:]), keywords, names))  # type: ignore[attr-defined]
            self.undone.append(lambda: partial.__setstate__(before))  # type: ignore[attr-defined]

    def _slots(self, value: Any) -> None:
        for name in slots_of(type(value)):
            held = getattr(value, name, None)
            stand_in = self._stand_in(held)
            if stand_in is None:
                self.waiting.append(held)
            else:
                object.__setattr__(value, name, stand_in)
                self.undone.append(functools.partial(object.__setattr__, value, name, held))

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
        """One generator for one generator, wherever it is held; a method of the stand-in for a method of it."""
        if id(value) not in self.made:
            made = scripted_generator(value)
            owner = getattr(value, "__self__", None) if callable(value) else None
            if made is None and isinstance(owner, random.Random):
                if isinstance(value, types.MethodType):
                    return None  # which looks up what is drawn when it is called
                made = getattr(owner, value.__name__)
            elif made is None and owner is not None and not isinstance(owner, types.ModuleType):
                inner = self._stand_in(owner) if scripted_generator(owner) is not None else None
                made = None if inner is None else getattr(inner, value.__name__)
            if made is None:
                return None
            self.made[id(value)] = made
            self.kept.append(value)  # so that its identity stays its own
        return self.made[id(value)]
