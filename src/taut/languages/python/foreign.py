"""Calls of ordinary Python code, which is not interpreted but run once, under supervision.

What is run cannot be followed, so it may depend on nothing random: not on a random value, and not on a random branch
unless it is known to have no effects. While it runs, the sources of real randomness, the clock and the world outside
are closed to it. Objects that it makes stay opaque: their methods are run in the same way.
"""

from __future__ import annotations

import builtins
import collections
import copy
import math
import operator
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from taut.languages.python.failures import failure_like, refused_value, require_parts
from taut.languages.python.floats import Float, exactly
from taut.languages.python.randomness import draw_one
from taut.languages.python.sequences import LONGEST
from taut.languages.python.values import (
    Alternatives,
    Box,
    Cases,
    Code,
    DictBox,
    DictView,
    IteratorBox,
    ListBox,
    Method,
    Partial,
    RecordValue,
    SetBox,
    has_symbolic,
    is_foreign,
    is_scalar,
    kind_of,
)
from taut.support.errors import RealRandomness, TautError, UnsupportedValue
from taut.support.interruption import interruptible

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["FORBIDDEN", "Foreign"]

FORBIDDEN = (
    "random",
    "secrets",
    "time",
    "datetime",
    "_datetime",
    "uuid",
    "os",
    "posix",
    "nt",
    "socket",
    "_socket",
    "subprocess",
    "numpy.random",
    "_random",
    "threading",
    "_thread",
    "sys",
    "io",
    "_io",
)
"""Modules of real randomness, the clock and input or output."""
_PURE_MODULES = frozenset({"statistics", "fractions", "operator", "collections", "taut.support.exact"})
_STATELESS = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)
_INNER = frozenset({"sys", "threading", "_thread"})
"""Those of the modules that the standard library needs internally."""
_HARMLESS = frozenset({"intern", "getsizeof", "getrecursionlimit", "_getframe", "fspath", "fsencode", "fsdecode"})
PURE = frozenset(
    {
        *[getattr(builtins, name) for name in ("abs", "bin", "hex", "oct", "ord", "chr", "len", "bool", "ascii")],
        *[getattr(builtins, name) for name in ("complex", "bytes", "slice", "format", "divmod", "round", "int")],
        *[function for function in vars(math).values() if callable(function)],
        *[function for function in vars(operator).values() if isinstance(function, types.BuiltinFunctionType)],
        Fraction,
        copy.copy,
        copy.deepcopy,
    }
)
"""Pure functions without side effects."""


class Foreign:
    """Runs code that cannot be interpreted."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds

    def call(self, function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Call a function on copies of its arguments, which it must not change."""
        name = getattr(function, "__name__", repr(function))
        self.refuse_forbidden(function)
        if has_symbolic([*args, *keywords.values()]):
            return self.reader.runs.call(function, args, keywords)
        pure = self._is_pure(function) and not any(is_foreign(arg) for arg in [*args, *keywords.values()])
        if not pure and not self.worlds.ordinary:
            if isinstance(function, (types.FunctionType, types.MethodType)):
                return self.reader.runs.call(function, args, keywords)  # which sees what it changes
            raise refused_value(
                f"'{name}' is ordinary Python that is run once while the mechanism is read, and may change things; "
                "it cannot depend on a random branch. Call it before the branch, or write it as a function marked "
                "@taut.helper."
            )
        ours = str(getattr(function, "__module__", "")).split(".")[0] == "taut"
        plain = [exactly(arg) if ours and is_scalar(arg) else self.exported(arg) for arg in args]
        named = {key: exactly(arg) if ours and is_scalar(arg) else self.exported(arg) for key, arg in keywords.items()}
        before = None if pure else [repr(plain), repr(named), *self._outside_state(function, args)]
        with nullcontext() if pure else interruptible():
            result = self._run(function, plain, named)
        if before is not None:
            after = [repr(plain), repr(named), *self._outside_state(function, args)]
            if after[:2] != before[:2]:
                raise UnsupportedValue(
                    f"'{name}' changes what it is given, which cannot be followed; use methods of lists."
                )
            if after != before:
                raise refused_value(
                    f"'{name}' changes an object that is defined outside the mechanism; every run would see the "
                    "changes of the runs before it."
                )
        owner = getattr(function, "__self__", None)
        kept = owner is not None and is_foreign(owner) and not _is_array(owner)
        return self.reader.import_outside(result, remember=False) if kept else self.reader.import_value(result)

    def _run(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        outer = sys.getprofile()
        if outer is not None and not callable(outer):
            return self._guarded(function, args, keywords)  # a profiler of the interpreter's own cannot be put back
        watch = _Barrier()
        sys.setprofile(watch)
        try:
            result = self._guarded(function, args, keywords)
        finally:
            sys.setprofile(outer)
        if watch.problem is not None:
            raise watch.problem  # the code has caught it, and gone on
        return result

    def _guarded(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        try:
            return function(*args, **keywords)
        except TautError:
            raise
        except Exception as problem:
            error = failure_like(problem)
        return self.worlds.fail(error)

    def _is_pure(self, function: Any) -> bool:
        try:
            if function in PURE:
                return True
        except TypeError:
            return False
        if _is_array_function(function):
            return True
        owner = getattr(function, "__self__", None)
        if isinstance(owner, types.ModuleType):
            return getattr(owner, "__name__", "") == "math"
        if isinstance(function, types.BuiltinFunctionType) and owner is not None:
            return is_scalar(owner) or isinstance(owner, (tuple, frozenset, range))
        if isinstance(function, types.FunctionType) and function.__module__ in _PURE_MODULES:
            return True
        return isinstance(function, type) and issubclass(function, (BaseException, Fraction, tuple))

    def _outside_state(self, function: Any, args: Sequence[Any]) -> list[str]:
        """Return the visible state of all objects from outside the mechanism that a call could change."""
        owners = [getattr(function, "__self__", None), *args]
        seen = [owner for owner in owners if self.reader.is_outside(owner)]
        if not isinstance(function, _STATELESS):
            seen.append(function)  # an object that can be called may remember something
        return [_state(owner) for owner in seen]

    def refuse_forbidden(self, function: Any) -> None:
        module = forbidden_module(function)
        if module is not None:
            name = getattr(function, "__name__", repr(function))
            raise RealRandomness(
                f"'{module}.{name}' inside a mechanism: real randomness, the clock and the outside world have no "
                "exact distribution. Draw with taut.flip, discrete, uniform, binomial, geometric, discrete_laplace, "
                "discrete_gaussian, exponential, choice, permutation or shuffle.",
                value=name,
            )

    def refuse_change(self, value: Any) -> NoReturn:
        raise UnsupportedValue(
            f"{kind_of(value)} is changed in place, which cannot be followed; use lists, dictionaries and numbers."
        )

    def item(self, container: Any, index: Any) -> Any:
        """Return ``container[index]`` of an unknown object."""
        if isinstance(container, (IteratorBox, SetBox, DictView, Code, Method, RecordValue)) or is_scalar(container):
            message = f"{kind_of(container)} has no items at places."
            return self.worlds.fail(failure_like(TypeError(), message))
        if isinstance(container, type):
            return self._run(operator.getitem, [container, index], {})
        if not self.worlds.ordinary and _is_array(container) and not has_symbolic(index):
            return self.reader.import_value(self._run(operator.getitem, [container, self.exported(index)], {}))
        return self.call(operator.getitem, [container, index], {})

    def items(self, value: Any, what: str) -> Any:
        """Return the items of an unknown object."""
        if is_scalar(value) or callable(value) or isinstance(value, (RecordValue, Method, Code)):
            message = f"{what}: {kind_of(value)} has no items to run through."
            return self.worlds.fail(failure_like(TypeError(), message))
        if isinstance(value, Iterator):
            raise refused_value(
                f"{what} is an iterator from outside the mechanism; one run would use it up for the next. "
                "Make a list of it."
            )
        if _is_array(value):
            return tuple([self.reader.import_value(item) for item in value])
        return self.call(_listed, [value], {})

    def exported(self, value: Any) -> Any:
        """Return plain Python values with copies of containers; refuse random lengths or keys."""
        require_parts(value)
        return self._exported(value)

    def _exported(self, value: Any) -> Any:
        if isinstance(value, Float):
            return value.rounded
        if is_scalar(value):
            return value
        if isinstance(value, ListBox):
            if isinstance(value.content, Cases):
                raise UnsupportedValue("a list of random length reached ordinary Python code that cannot follow it.")
            items = [self._exported(item) for item in value.content]
            return collections.deque(items) if type(value).__name__ == "Deque" else items
        if isinstance(value, tuple):
            items = [self._exported(item) for item in value]
            return tuple(items) if type(value) is tuple else type(value)(*items)
        if isinstance(value, DictBox):
            order = self.reader.dicts.order(value)
            if order is None or any(value.content[k].present is not self.worlds.terms.true for k in order):
                raise UnsupportedValue("a dictionary with random keys reached ordinary Python code.")
            pairs = {self._key(value.content[k].key): self._exported(value.content[k].value) for k in order}
            if value.python is collections.defaultdict:
                return collections.defaultdict(self._exported(value.factory), pairs)
            return value.python(pairs)
        if isinstance(value, SetBox):
            members = self.reader.sets.certain(value)
            if members is None:
                raise UnsupportedValue("a set with random elements reached ordinary Python code.")
            plain = value.content.plain
            return (frozenset if value.frozen else set)(map(self._key, members) if plain is None else plain)
        if isinstance(value, DictView):
            return [self._exported(item) for item in self.reader.sequences.items(value)]
        if isinstance(value, Code) and value.python is not None:
            return value.python
        if isinstance(value, (Code, Method, Partial)):
            raise UnsupportedValue(
                "a function of the mechanism reached ordinary Python code that would call it; such calls cannot be "
                "followed. Write a loop."
            )
        if isinstance(value, (IteratorBox, Alternatives, RecordValue, Box)):
            raise UnsupportedValue(f"{kind_of(value)} reached ordinary Python code that cannot follow it.")
        return value

    def _key(self, key: Any) -> Any:
        """Return a key or element for ordinary Python; refuse one whose type (True or 1) is random."""
        if has_symbolic(key):
            raise UnsupportedValue("ordinary Python code would get a key whose type is random, such as True or 1.")
        return self.exported(key)


def forbidden_module(function: Any) -> str | None:
    """Return the forbidden module (randomness, clock, input or output) of a function, or None."""
    owner = getattr(function, "__self__", None)
    modules = [str(getattr(function, "__module__", None))]
    if isinstance(owner, types.ModuleType):
        modules.append(owner.__name__)
    elif owner is not None:
        modules.append(owner.__module__ if isinstance(owner, type) else type(owner).__module__)
    for module in modules:
        if any(module == name or module.startswith(name + ".") for name in FORBIDDEN):
            return module
    return None


class _Barrier:
    """Blocks randomness, input and output for the code that is run."""

    def __init__(self) -> None:
        self.problem: RealRandomness | None = None

    def __call__(self, frame: Any, event: str, function: Any) -> None:
        if event != "c_call" or function is sys.setprofile:
            return
        module = forbidden_module(function)
        name = getattr(function, "__name__", "")
        if module is None or module in _INNER or name in _HARMLESS:
            return
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return  # a module that is loaded when it is first used
        drawn = _drawn(frame)
        if drawn is not None:
            self.problem = RealRandomness(
                f"ordinary code that the mechanism calls, and that is run but not read, draws with '{drawn}'; mark the "
                "function that draws, and those between it and the mechanism, with @taut.helper.",
                value=drawn,
            )
            raise self.problem
        self.problem = RealRandomness(
            f"ordinary code that the mechanism calls uses '{module}.{name}': real randomness, the clock and the "
            "outside world have no exact distribution. Draw with taut.flip and the like.",
            value=name,
        )
        raise self.problem


def _drawn(frame: Any) -> str | None:
    """Return the name of the taut distribution that is being drawn inside a call, or None."""
    while frame is not None:
        if frame.f_code is draw_one.__code__:
            return str(frame.f_locals["name"])
        frame = frame.f_back
    return None


def _listed(value: Any) -> list[Any]:
    made = []
    for item in value:
        made.append(item)
        if len(made) > LONGEST:
            raise OverflowError(f"more than {LONGEST} items")
    return made


def _is_array(value: Any) -> bool:
    """Return True if an object is a NumPy array of numbers."""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def _is_array_function(function: Any) -> bool:
    """Return True for a pure function of NumPy, such as numpy.exp."""
    if type(function).__name__ != "ufunc" or type(function).__module__ != "numpy":
        return False
    return getattr(sys.modules.get("numpy"), function.__name__, None) is function


def _state(value: Any) -> str:
    """Return the visible state of an object as text."""
    state = getattr(value, "__dict__", None)
    return f"{value!r} {state!r}" if state is not None else repr(value)


_SPELLED = {"mean": "sum(x) / len(x)", "amax": "max(x)", "amin": "min(x)", "absolute": "abs(x)", "prod": "math.prod(x)"}
_SPELLED |= {"exp": "taut.exp(x)"}


def _instead(name: str) -> str:
    """Return advice for another library's function: Python's own function of that name if there is one."""
    own = _SPELLED.get(name) or (f"{name}(x)" if callable(getattr(builtins, name, None)) else None)
    if own is not None:
        return f"Write {own}."
    return "Write it as a function marked @taut.helper, or with the operators that a mechanism knows."
