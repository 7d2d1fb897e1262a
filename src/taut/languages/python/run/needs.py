"""Detection of functions that must be run: they draw with the standard library or NumPy, directly or in a call."""

from __future__ import annotations

import dis
import functools
import importlib
import os
import random
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = [
    "LIBRARIES",
    "draws_itself",
    "draws_really",
    "imported",
    "is_source",
    "makes_generator",
    "may_draw",
    "named_in_modules",
    "names_in",
    "reached",
]

_SOURCES = frozenset({"random", "secrets", "numpy.random", "numpy.random.mtrand", "numpy.random._generator", "_random"})
_NOISE = "taut.languages.python.continuous_noise"
"""taut's own draws that have no list of values either."""
_MAKERS = frozenset({"Random", "SystemRandom", "default_rng", "RandomState"})
_OWN = "taut"
LIBRARIES = frozenset(sys.stdlib_module_names) | {"numpy", "scipy", "sklearn", "pandas", _OWN}
_MOST = 5000


def may_draw(function: Any, args: Iterable[Any] = ()) -> bool:
    """Return True if something that a function can reach is a real source of randomness.

    Classes that it names and objects that it holds or is given are looked into, so more is found than by draws_really.
    """
    return any(map(is_source, reached(function, args)))


def reached(function: Any, args: Iterable[Any] = ()) -> Iterator[Any]:
    """Yield what a function can reach, itself included: by name, in classes, objects, modules and what it is given."""
    seen: set[int] = set()
    waiting = [function, *args]
    while waiting and len(seen) < _MOST:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        if isinstance(value, types.MethodType):
            waiting += [value.__func__, value.__self__]
        elif isinstance(value, types.FunctionType):
            if _module(value).split(".")[0] not in LIBRARIES:
                waiting += [*_named(value), *_of_modules(value), *named_in_modules(value)]
        elif isinstance(value, (staticmethod, classmethod)):
            waiting.append(value.__func__)
        elif isinstance(value, property):
            waiting.append(value.fget)
        elif isinstance(value, type):
            for base in value.__mro__:
                if base.__module__.split(".")[0] not in LIBRARIES:
                    waiting += vars(base).values()
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
        elif not isinstance(value, types.ModuleType):
            waiting += _attributes(value)
            if type(value).__module__.split(".")[0] not in LIBRARIES or hasattr(type(value), "func"):
                waiting += [type(value), _wrapped(value, "func"), _wrapped(value, "py_func")]


def _wrapped(value: Any, name: str) -> Any:
    """Return an attribute that an object or its class really has; others may be made when they are asked for."""
    return getattr(value, name, None) if hasattr(type(value), name) or name in _attribute_names(value) else None


def _attribute_names(value: Any) -> Iterable[str]:
    held = getattr(value, "__dict__", None)
    return held if isinstance(held, dict) else ()


def _of_modules(function: types.FunctionType) -> list[Any]:
    """Return the values in modules that a function names, as in ``module.value``."""
    names = names_in(function.__code__)
    held: list[Any] = [function.__globals__.get(name) for name in names]
    for cell in function.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:
            continue
    found = []
    for module in held:
        if isinstance(module, types.ModuleType) and module.__name__.split(".")[0] not in LIBRARIES:
            found += [vars(module)[name] for name in names if name in vars(module)]
    return found


def imported(function: types.FunctionType) -> list[types.ModuleType]:
    """Return the modules that a function imports when it is called; they are loaded by this."""
    found = []
    for name, level in _imports(function.__code__):
        try:
            package = function.__globals__.get("__package__") if level else None
            found.append(importlib.import_module("." * level + name, package))
        except ImportError:
            continue  # which the function is told when it gets there
    return found


@functools.lru_cache(maxsize=4096)
def _imports(code: types.CodeType) -> tuple[tuple[str, int], ...]:
    """Return the names of the modules in import statements of a function, each with its number of leading dots."""
    found: list[tuple[str, int]] = []
    levels: list[int] = []
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            level = levels[-2] if len(levels) > 1 else 0
            found.append((str(step.argval), level))
        levels.append(step.argval if type(step.argval) is int else 0)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += _imports(constant)
    return tuple(found)


def named_in_modules(function: types.FunctionType) -> list[Any]:
    """Return the objects that a function can name in modules, also nested ones, as in ``scipy.stats.norm``."""
    names = names_in(function.__code__)
    waiting = [value for value in map(function.__globals__.get, names) if isinstance(value, types.ModuleType)]
    waiting += imported(function)
    found: list[Any] = []
    seen: set[int] = set()
    while waiting:
        module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in names & vars(module).keys():
            value = vars(module)[name]
            if isinstance(value, types.ModuleType):
                waiting.append(value)
                found.append(value)
            elif not isinstance(value, (type, types.FunctionType)):
                found.append(value)
    return [*found, *imported(function)]


def draws_really(function: Any) -> bool:
    """Return True if a function, or a function or method that it names, uses a real source of randomness."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        value = waiting.pop()
        if id(value) in seen or len(seen) > 2000:
            continue
        seen.add(id(value))
        if is_source(value):
            return True
        if isinstance(value, types.MethodType):
            waiting += [value.__func__, *_attributes(value.__self__)]
            waiting += _named_methods(value.__func__, type(value.__self__))
        elif isinstance(value, types.FunctionType):
            if _module(value).split(".")[0] == _OWN:
                continue
            waiting += _named(value)
        elif not isinstance(value, (type, types.ModuleType)) and callable(value):
            inner = type(value).__call__
            if isinstance(inner, types.FunctionType):
                waiting += [inner, *_attributes(value), *_named_methods(inner, type(value))]
    return False


def draws_itself(function: Any) -> bool:
    """Return True if a function names a source of randomness itself."""
    if isinstance(function, types.MethodType):
        return draws_really(function)
    return isinstance(function, types.FunctionType) and any(map(is_source, _named(function)))


def is_source(value: Any) -> bool:
    """Return True for a source of randomness: a module, a generator, or a function of one of these."""
    if value is os.urandom:
        return True
    if isinstance(value, types.ModuleType):
        return value.__name__ in _SOURCES
    if isinstance(value, random.Random) or (type(value).__module__ in _SOURCES and not isinstance(value, type)):
        return True
    owner = getattr(value, "__self__", None)
    if isinstance(owner, random.Random):
        return True
    if owner is not None and not isinstance(owner, (type, types.ModuleType)) and type(owner).__module__ in _SOURCES:
        return True
    return callable(value) and (_module(value) in _SOURCES or _module(value) == _NOISE)


def makes_generator(value: Any) -> bool:
    """Return True for a class or function that makes a generator of random numbers, such as random.Random."""
    return getattr(value, "__name__", "") in _MAKERS and is_source(value) and not hasattr(value, "__self__")


def _module(value: Any) -> str:
    return str(getattr(value, "__module__", "") or "")


def _attributes(value: Any) -> list[Any]:
    held = getattr(value, "__dict__", None)
    return list(held.values()) if isinstance(held, dict) else []


def _named_methods(function: Any, kind: type, depth: int = 3) -> list[Any]:
    """Return the methods of a class that a method names, and those that these name."""
    names = set(names_in(function.__code__)) if hasattr(function, "__code__") else set()
    found = [getattr(kind, name) for name in names if isinstance(getattr(kind, name, None), types.FunctionType)]
    for _ in range(depth):
        names = {name for member in found for name in names_in(member.__code__)}
        more = [getattr(kind, name) for name in names if isinstance(getattr(kind, name, None), types.FunctionType)]
        found = list({id(member): member for member in [*found, *more]}.values())
    return found


def names_in(code: types.CodeType) -> set[str]:
    """Return the names that a function and the functions inside it use."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return names


def _named(function: types.FunctionType) -> list[Any]:
    names = names_in(function.__code__)
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    if "random" in names and any(isinstance(v, types.ModuleType) and v.__name__ == "numpy" for v in found):
        found.append(random)
    for module in [value for value in found if isinstance(value, types.ModuleType) and not is_source(value)]:
        members = vars(module)
        found += [members[name] for name in names if isinstance(members.get(name), types.FunctionType)]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue
    found += function.__defaults__ or ()
    return [*found, *filter(is_source, named_in_modules(function))]
