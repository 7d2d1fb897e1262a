"""The state of objects as comparable values, to check that a run changes nothing."""

from __future__ import annotations

import functools
import inspect
import logging
import types
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from taut.languages.python.run.continuous import Combination
from taut.languages.python.run.held import holds_objects
from taut.languages.python.run.lazy import LazyNumber
from taut.languages.python.run.needs import names_in

__all__ = [
    "NAMED",
    "ORIGINAL",
    "Unknown",
    "is_scripted",
    "reachable_functions",
    "roots_of",
    "slots_of",
    "state_of",
    "without_compiler",
]

_SCALARS = (int, float, complex, str, bytes, bool, type(None), Fraction, range, type(...))
_DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
_OF_PYTHON = (types.ModuleType, type, types.BuiltinFunctionType, types.CodeType, inspect.Signature, *_DESCRIPTORS)
NAMED = (*_OF_PYTHON, logging.Logger, logging.Handler)
"""Types of objects that are compared by identity alone; loggers, for example, cache what they were asked."""
_MOST = 50_000
ORIGINAL: dict[int, types.CodeType] = {}
"""The original code of functions whose calls are answered from tables, by the identity of its replacement."""
_HEAP_TYPE = 1 << 9
"""The flag of classes that are written in Python: their objects hide nothing."""
_VISIBLE = (object, list, tuple, dict, set, frozenset, int, float, str)


class Unknown(Exception):
    """Raised for objects whose state cannot be seen, such as a started generator."""


def state_of(value: Any, strict: bool = False, places: Mapping[int, int] | None = None) -> Any:
    """Return the state of a value and of all that it holds; with ``strict`` Unknown is raised where it cannot be seen.

    Two values have equal states if they have the same shape, the same scalars, and the same functions and modules.
    Objects that are known not to have changed may be given by their identities, each with a number of its own.
    """
    return _Walk(strict, places or {}).state(value)


class _Walk:
    def __init__(self, strict: bool, places: Mapping[int, int]) -> None:
        self.strict = strict
        self.places = places
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []

    def state(self, value: Any) -> Any:
        kind = type(value)
        if kind is float:
            return "float", repr(value)  # which tells 0.0 from -0.0
        if kind in _SCALARS:
            return kind.__name__, value
        if kind is LazyNumber:
            if self.strict and (type(value._variable) is Combination or getattr(value._variable, "logarithm", None)):
                raise Unknown
            if getattr(value._variable, "spent", False):
                return "spent"
            number = self.seen.setdefault(id(value._variable), len(self.seen))
            return "lazy", number, value._variable.state(), value._steps, value._kind, value._of_numpy
        if isinstance(value, NAMED):
            return "named", id(value)
        if kind.__name__ == "TypeCheckMemo" and kind.__module__.split(".")[0] == "typeguard":
            return "named", kind.__name__  # the names by which it finds types, the same in all runs
        if kind.__module__ == "numpy" and getattr(value, "shape", None) == () and kind.__name__ != "ndarray":
            return kind.__name__, repr(value)
        known = self.seen.get(id(value))
        if known is not None:
            return "again", known
        place = self.places.get(id(value))
        if place is not None:
            return "unchanged", place
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        if len(self.seen) > _MOST:
            if self.strict:
                raise Unknown
            return "much"
        return kind.__qualname__, self._parts(value, kind)

    def _parts(self, value: Any, kind: type) -> Any:
        if isinstance(value, (list, tuple)) and kind.__module__ == "builtins":
            return tuple([self.state(item) for item in value])
        if kind in (set, frozenset):
            return frozenset([self.state(item) for item in value])
        if isinstance(value, dict) and kind.__module__ in ("builtins", "collections"):
            return tuple([(self.state(key), self.state(item)) for key, item in value.items()])
        if isinstance(value, types.FunctionType):
            return id(value.__code__), self.state(value.__closure__), self.state(value.__defaults__)
        if isinstance(value, types.CellType):
            try:
                return self.state(value.cell_contents)
            except ValueError:
                return "empty"
        if isinstance(value, types.MethodType):
            return id(value.__func__), self.state(value.__self__)
        if kind is functools.partial:
            return self.state((value.func, value.args, value.keywords, vars(value)))
        if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
            if holds_objects(value):
                return value.shape, tuple([self.state(item) for item in value.flat])
            return value.shape, str(value.dtype), value.tobytes()
        if kind.__module__ == "numpy" and hasattr(value, "tobytes"):
            return str(value.dtype), value.tobytes()
        if isinstance(value, Iterator) and self.strict:
            raise Unknown
        if kind.__module__ in ("random", "numpy.random._generator", "numpy.random.mtrand") or is_scripted(kind):
            return "source"  # all draw from the one tree of runs, so one is as good as another
        if any(not base.__flags__ & _HEAP_TYPE and base not in _VISIBLE for base in kind.__mro__):
            if self.strict:
                raise Unknown
            return id(value)
        held = getattr(value, "__dict__", None)
        slots = slots_of(kind)
        parts: list[Any] = []
        if isinstance(value, (list, tuple)):
            parts += [self.state(item) for item in value]
        elif isinstance(value, dict):
            parts += [(self.state(key), self.state(item)) for key, item in value.items()]
        elif isinstance(value, (set, frozenset)):
            parts.append(frozenset([self.state(item) for item in value]))
        elif isinstance(value, _SCALARS[:4]):
            parts.append(_SCALARS[0].__repr__(value) if isinstance(value, int) else str(value))
        if held is not None:
            parts += [(name, self.state(item)) for name, item in held.items()]
        parts += [(name, self.state(getattr(value, name, None))) for name in slots]
        return tuple(parts)


def slots_of(kind: type) -> list[str]:
    """Return the names of the slots of a class and its bases."""
    return [name for base in kind.__mro__ for name in _slots(base)]


def without_compiler(value: Any) -> Any:
    """Return the Python function behind one that Numba compiled, whose draws are invisible; else the value itself."""
    kind = type(value)
    if not kind.__name__.endswith("Dispatcher") or not str(kind.__module__).startswith("numba."):
        return value
    return getattr(value, "py_func", value)


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def is_scripted(kind: type) -> bool:
    """Return True for a class of generators that the active tree decides."""
    return kind.__module__ in ("taut.languages.python.run.arrays", "taut.languages.python.run.generators")


def roots_of(function: Any) -> dict[str, Any]:
    """Return the objects that a function can reach and change: its owner, closure, defaults, and the globals that it
    names.

    Functions of the same program that it names are followed.
    """
    made: dict[str, Any] = {}
    _walked(function, made)
    return made


def reachable_functions(function: Any) -> list[types.FunctionType]:
    """Return the functions and methods that a function can call by name, itself included."""
    return _walked(function, {})


def _walked(function: Any, made: dict[str, Any]) -> list[types.FunctionType]:
    functions = []
    seen: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", function)]
    while waiting:
        path, value = waiting.pop()
        value = without_compiler(value)
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, types.MethodType):
            made[f"{path}self"] = value.__self__
            waiting.append((path, value.__func__))
            waiting += [(f"{type(value.__self__).__name__}.", member) for member in _methods(type(value.__self__))]
        elif isinstance(value, types.FunctionType):
            functions.append(value)
            code = ORIGINAL.get(id(value.__code__), value.__code__)
            for name, cell in zip(code.co_freevars, value.__closure__ or (), strict=True):
                try:
                    _note(name, cell.cell_contents, made, waiting)
                except ValueError:
                    continue
            if value.__defaults__ or value.__kwdefaults__:
                made[f"the defaults of {value.__name__}"] = (value.__defaults__, value.__kwdefaults__)
            names = names_in(code)
            for name in names:
                if name in value.__globals__:
                    _note(name, value.__globals__[name], made, waiting)
                    waiting += _of_module(value, value.__globals__[name], names)
        elif isinstance(value, functools.partial):
            made[f"{path}the arguments of partial"] = value.args, value.keywords
            waiting.append((path, value.func))
        elif not isinstance(value, type) and callable(value) and not isinstance(value, types.BuiltinFunctionType):
            made[f"{path}{type(value).__name__}"] = value
            waiting += [(f"{type(value).__name__}.", member) for member in _methods(type(value))]
    return functions


def _of_module(function: types.FunctionType, module: Any, names: set[str]) -> list[tuple[str, Any]]:
    """Return the functions of a module of the same package that a function names."""
    package = (function.__module__ or "").split(".")[0]
    if not isinstance(module, types.ModuleType) or module.__name__.split(".")[0] != package:
        return []
    found = [vars(module).get(name) for name in names]
    return [(f"{module.__name__}.", value) for value in found if isinstance(value, types.FunctionType)]


def _methods(kind: type) -> list[Any]:
    return [
        member
        for base in kind.__mro__
        if base.__module__ not in ("builtins", "abc", "random")
        for member in vars(base).values()
        if isinstance(member, types.FunctionType)
    ]


def _note(name: str, value: Any, made: dict[str, Any], waiting: list[tuple[str, Any]]) -> None:
    value = without_compiler(value)
    if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
        if (getattr(value, "__module__", None) or "").split(".")[0] not in (
            "taut",
            "random",
            "secrets",
            "numpy",
            "math",
        ):
            waiting.append((f"{name}.", value))
    elif not isinstance(value, (types.ModuleType, type, types.BuiltinFunctionType)):
        made[name] = value
