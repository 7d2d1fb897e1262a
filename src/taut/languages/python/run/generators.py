"""NumPy's generators that a function holds already, replaced by generators that the tree of runs decides."""

from __future__ import annotations

import functools
import importlib
import random
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from taut.languages.python.run.arrays import array_replacements, scripted_generator
from taut.languages.python.run.needs import LIBRARIES, named_in_modules, names_in, reached
from taut.languages.python.run.sources import active_tree, replacements
from taut.languages.python.run.state import roots_of, slots_of, without_compiler

__all__ = ["Replacing", "generator", "replaced_generators"]

_MOST = 20_000


def generator() -> Any:
    """Return a generator of random numbers to hand to code that takes one, with the methods of both kinds.

    It has the methods of ``random.Random``, and those of a generator of NumPy's that ``random.Random`` has not:
    ``integers``, ``binomial``, ``geometric``, ``permutation`` and so on; ``random``, ``choice``, ``shuffle`` and
    ``uniform`` take the arguments of either. In a model its draws are decided like those of the modules; a mechanism
    that is called with ordinary data draws from the randomness of the operating system.

    Examples
    --------
    >>> import taut
    >>> def report(bit, rng):
    ...     return bit if rng.random() < 0.75 else 1 - int(rng.integers(0, 1, endpoint=True))
    >>> taut.mechanism(report)(taut.integer(0, 1), rng=taut.generator()).privacy().max_ratio
    Fraction(7, 1)
    """
    return GivenGenerator()


class GivenGenerator(random.SystemRandom):
    """A generator with the methods of the standard library and those of NumPy."""

    def __getattr__(self, name: str) -> Any:
        numpy = importlib.import_module("numpy")
        if name.startswith("_") or not hasattr(numpy.random.Generator, name):
            raise AttributeError(f"a generator has no method {name!r}")

        def method(self: GivenGenerator, *args: Any, **keywords: Any) -> Any:
            return self._of_numpy(name)(*args, **keywords)

        method.__name__ = name
        return types.MethodType(method, self)

    def random(self, *size: Any, **keywords: Any) -> Any:
        """Return a number from 0 to 1, or an array of these."""
        return self._of_numpy("random")(*size, **keywords) if size or keywords else super().random()

    def choice(self, seq: Any, *more: Any, **keywords: Any) -> Any:
        """Return an item of a sequence, or items of an array."""
        plain = not more and not keywords and hasattr(seq, "__getitem__")
        return super().choice(seq) if plain else self._of_numpy("choice")(seq, *more, **keywords)

    def shuffle(self, x: Any, **keywords: Any) -> None:
        """Bring a list or an array into a random order."""
        if isinstance(x, list) and not keywords:
            super().shuffle(x)
        else:
            self._of_numpy("shuffle")(x, **keywords)

    def uniform(self, *ends: Any, **keywords: Any) -> Any:
        """Return a number between two ends, or an array of these."""
        plain = len(ends) == 2 and not keywords
        return super().uniform(*ends) if plain else self._of_numpy("uniform")(*ends, **keywords)

    def _of_numpy(self, name: str) -> Any:
        made = importlib.import_module("numpy").random.default_rng()
        stand_in = None if active_tree() is None else scripted_generator(made)
        return getattr(made if stand_in is None else stand_in, name)


del GivenGenerator._randbelow  # type: ignore[attr-defined]  # which Python adds to subclasses that have a random() of their own


@contextmanager
def replaced_generators(function: Any) -> Iterator[Replacing]:
    """Replace every generator that can be reached from a function: in objects, lists, closures, globals, defaults."""
    undone: list[Callable[[], None]] = []
    replacing = Replacing(undone)
    replacing.run([function, *roots_of(function).values()])
    replacing.classes(reached(function))
    try:
        yield replacing
    finally:
        for undo in reversed(undone):
            undo()


class Replacing:
    """Puts generators that the tree of runs decides in the place of real ones, and methods of these likewise."""

    def __init__(self, undone: list[Callable[[], None]]) -> None:
        self.undone = undone
        self.known = {**replacements(), **array_replacements()}
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.seen: set[int] = set()
        self.waiting: list[Any] = []

    def argument(self, value: Any) -> Any:
        """Return an argument without real generators: its stand-in, or the object itself, with stand-ins inside."""
        stand_in = self._stand_in(value)
        if stand_in is not None:
            return stand_in
        self.run([value])
        return value

    def classes(self, values: Iterable[Any]) -> None:
        """Replace what attributes of users' classes among these values hold."""
        for kind in [value for value in values if isinstance(value, type)]:
            if kind.__module__.split(".")[0] in LIBRARIES:
                continue
            for name, held in list(vars(kind).items()):
                plain = held.__func__ if isinstance(held, staticmethod) else held
                stand_in = self._stand_in(plain)
                if stand_in is None:
                    self.run([held] if type(held) in (list, dict, tuple) else [])
                    continue
                # a function of Python's would become a method, which what it stands for is not
                setattr(kind, name, staticmethod(stand_in) if isinstance(stand_in, types.FunctionType) else stand_in)
                self.undone.append(functools.partial(setattr, kind, name, held))

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
            known = value.__globals__
            self._entries(known, [name for name in names_in(value.__code__) if name in known])
            self.waiting += [held for held in named_in_modules(value) if hasattr(held, "__dict__")]
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
        """Return the stand-in of a generator, of its method or of a compiled function, the same wherever it is held."""
        if id(value) not in self.made:
            made = scripted_generator(value)
            known = self.known.get(id(value))
            if known is not None and known[0] is value:
                made = known[1]
            if made is None and without_compiler(value) is not value:
                made = without_compiler(value)
                self.waiting.append(made)
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
