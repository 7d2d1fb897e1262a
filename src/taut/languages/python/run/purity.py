"""Purity of runs: the world outside is closed, and all that a function can reach stays as it was.

Most runs change nothing; it is enough then that every container holds the same objects as before. Only if one holds
other objects are the states compared, since they may be equal.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from taut.languages.python.foreign import forbidden_module
from taut.languages.python.run.held import holds_objects
from taut.languages.python.run.needs import LIBRARIES
from taut.languages.python.run.sources import active_tree
from taut.languages.python.run.state import NAMED, ORIGINAL, Unknown, reachable_functions, roots_of, slots_of, state_of
from taut.support.errors import RealRandomness, UnsupportedValue

__all__ = ["Snapshot", "watched"]


_INNER = frozenset({"sys", "threading", "_thread", "io", "_io"})
_HARMLESS = frozenset(
    {"__new__", "__init__", "fspath", "fsencode", "fsdecode", "perf_counter", "seed", "__reduce__", "getpid"}
)


def watched(call: Callable[[], Any]) -> Any:
    """Return the result of a call made in isolation."""
    outer = sys.getprofile()
    if outer is not None and not callable(outer):
        return call()  # a profiler of the interpreter's own cannot be put back
    sys.setprofile(_watch)
    try:
        return call()
    finally:
        sys.setprofile(outer)


_KNOWN: dict[Any, str | None] = {}


def _watch(frame: types.FrameType, event: str, function: Any) -> None:
    if event != "c_call":
        return
    owner = getattr(function, "__self__", None)
    key = (getattr(function, "__module__", None), owner if isinstance(owner, (type, types.ModuleType)) else type(owner))
    if key not in _KNOWN:
        _KNOWN[key] = forbidden_module(function)
    module = _KNOWN[key]
    if module is None or module in _INNER:
        return
    name = getattr(function, "__name__", "")
    tree = active_tree()
    if tree is None or name in _HARMLESS or frame.f_code.co_filename.startswith("<frozen"):
        return
    if "/taut/" in frame.f_code.co_filename.replace("\\", "/"):
        return  # the stand-ins themselves
    tree.refuse(
        RealRandomness(
            f"'{tree.name}' uses '{module}.{name}': the clock, files, the network and real randomness have no exact "
            "distribution.",
            value=name,
        )
    )


_MOST = 50_000
_ABSENT = object()


class Snapshot:
    """The state of all objects that a function can reach, recorded when the snapshot is made."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self._watched: list[tuple[Callable[[], Any], Any]] = []
        self._classes: dict[int, type] = {}
        """The classes of the user that were met: what they hold may change as well."""
        self._kept: list[Any] = []
        """The objects whose identities were noted, so that no other object gets one of these."""
        self._functions: dict[int, types.FunctionType] = {}
        """The functions that it can call by name, and those that objects hold which it can reach."""
        self._note()
        self._states = self._all_states()
        self._places: dict[int, int] | None = {id(value): place for place, value in enumerate(self._kept)}
        try:
            state_of(self._values(), strict=True)
        except Unknown:
            self._places = None

    def untouched(self) -> bool:
        """Return True if every container surely holds the objects that it held."""
        return all(look() == noted for look, noted in self._watched)

    def state_with(self, variables: Any) -> Any:
        """Return the state of variables together with what the function can reach.

        Raises:
            Unknown: some of it cannot be seen.
        """
        if self._places is None:
            raise Unknown
        if self.untouched():
            return state_of(variables, strict=True, places=self._places)
        return state_of((variables, self._values()), strict=True)

    def changes(self) -> list[str]:
        """Return the names of everything that has changed."""
        if self.untouched():
            return []
        now = self._all_states()
        changed = [name for name in now if now[name] != self._states.get(name)]
        return changed or ([] if now == self._states else ["what it can reach"])

    def _all_states(self) -> dict[str, Any]:
        return {name: state_of(value) for name, value in self._values().items()}

    def _values(self) -> dict[str, Any]:
        """Return all values that the function can reach and keep something in, by name."""
        values = dict(roots_of(self.function))
        held: list[tuple[str, Any]] = []
        for kind in self._classes.values():
            held += [(f"{kind.__name__}.{name}", value) for name, value in _data_of(kind).items()]
        for function in self._functions.values():
            held += roots_of(function).items()
            held += [(f"{function.__name__}.{name}", value) for name, value in vars(function).items()]
        for name, value in held:
            while name in values and values[name] is not value:  # of another class or function with this name
                name += "'"
            values[name] = value
        return values

    def _watch(self, look: Callable[[], Any]) -> None:
        self._watched.append((look, look()))

    def _note(self) -> None:
        waiting: list[Any] = list(roots_of(self.function).values())
        for function in reachable_functions(self.function):
            waiting += self._of_function(function)
        seen: set[int] = set()
        while waiting:
            value = waiting.pop()
            if id(value) in seen or (isinstance(value, NAMED) and not _is_own_class(value)):
                continue
            if len(seen) > _MOST:
                self._watch(object)  # too much to note: the states decide
                return
            seen.add(id(value))
            self._kept.append(value)
            if isinstance(value, types.FunctionType) and _is_own(value.__module__):
                for function in reachable_functions(value):
                    waiting += self._of_function(function)
            waiting += self._inside(value)

    def _of_function(self, function: types.FunctionType) -> list[Any]:
        """Watch the globals that a function names, and return them with the function; nothing the second time."""
        if id(function) in self._functions:
            return []
        self._functions[id(function)] = function
        code = ORIGINAL.get(id(function.__code__), function.__code__)
        self._watch(functools.partial(_identities, function.__globals__, code.co_names))
        return [function, *[function.__globals__.get(name) for name in code.co_names]]

    def _inside(self, value: Any) -> list[Any]:
        """Watch the contents of a value, and return the value."""
        kind = type(value)
        if kind in (int, float, str, bool, bytes, type(None)):
            return []
        held: list[Any] = [kind] if _is_own_class(kind) else []
        if isinstance(value, type):
            self._classes[id(value)] = value
            self._watch(lambda: {name: id(item) for name, item in _data_of(value).items()})
            return [*_data_of(value).values(), *_methods_of(value), *filter(_is_own_class, value.__mro__[1:])]
        if isinstance(value, Iterator) and kind.__module__ in ("builtins", "itertools"):
            raise UnsupportedValue(
                f"'{getattr(self.function, '__name__', 'the function')}' can reach {value!r}, an iterator that a run "
                "may move on for the next one; make it inside of the function.",
                value=value,
            )
        if isinstance(value, dict):
            self._watch(lambda: [*map(id, value), *map(id, value.values())])
            held += [*value, *value.values()]
        elif isinstance(value, (list, tuple)):
            if not isinstance(value, tuple):
                self._watch(lambda: [*map(id, value)])
            held += value
        elif isinstance(value, (set, frozenset)):
            self._watch(lambda: set(map(id, value)))
            held += value
        elif isinstance(value, bytearray):
            self._watch(lambda: bytes(value))
        elif isinstance(value, types.MethodType):
            held += [value.__self__, value.__func__]
        elif kind is functools.partial:
            self._watch(lambda: [id(value.func), *map(id, value.args), *map(id, value.keywords.values())])
            held += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, types.CellType):
            self._watch(lambda: id(_content(value)))
            held.append(_content(value))
        elif isinstance(value, types.FunctionType):
            self._watch(lambda: (id(value.__defaults__), id(value.__kwdefaults__)))
            self._watch(lambda: {name: id(item) for name, item in vars(value).items()})
            held += [*vars(value).values(), value.__defaults__, value.__kwdefaults__, *(value.__closure__ or ())]
        elif kind.__module__ == "numpy" and kind.__name__ == "ndarray":
            if holds_objects(value):
                self._watch(lambda: (value.shape, [*map(id, value.flat)]))
                held += list(value.flat)
            else:
                self._watch(lambda: (value.shape, value.dtype, value.tobytes()))
        names = getattr(value, "__dict__", None)
        if isinstance(names, dict) and not isinstance(value, types.FunctionType):
            self._watch(lambda: [*names, *map(id, names.values())])
            held += names.values()
        slots = slots_of(kind)
        if slots:
            self._watch(lambda: [id(getattr(value, name, None)) for name in slots])
            held += [getattr(value, name, None) for name in slots]
        return held


def _is_own_class(value: Any) -> bool:
    """Return True for a class of the user's own code."""
    return isinstance(value, type) and _is_own(value.__module__)


def _is_own(module: Any) -> bool:
    return str(module).split(".")[0] not in LIBRARIES


def _methods_of(kind: type) -> list[types.FunctionType]:
    """Return the functions behind the methods and properties of a class."""
    found: list[Any] = []
    for member in vars(kind).values():
        if isinstance(member, property):
            found += [member.fget, member.fset]
        else:
            found.append(getattr(member, "__func__", member))
    return [function for function in found if isinstance(function, types.FunctionType)]


def _data_of(kind: type) -> dict[str, Any]:
    """Return the attributes of a class that are neither methods nor made by Python."""
    return {
        name: value
        for name, value in vars(kind).items()
        if not name.startswith(("__", "_abc_")) and not hasattr(value, "__get__")
    }


def _identities(known: dict[str, Any], names: tuple[str, ...]) -> list[int]:
    """Return the identities of global values; a name without one may get one in a run, which is a change too."""
    return [id(known.get(name, _ABSENT)) for name in names]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
