"""Ordinary Python on ordinary values: code that is not read but run, once, under watch.

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

from taut.errors import RealRandomness, TautError, UnsupportedValue
from taut.frontend.python.floats import Float, exactly
from taut.frontend.python.randomness import draw_one
from taut.frontend.python.sequences import LONGEST
from taut.frontend.python.sizes import require_parts
from taut.frontend.python.values import (
    Alternatives,
    Box,
    Cases,
    Code,
    DictBox,
    IteratorBox,
    ListBox,
    Method,
    Partial,
    Record,
    SetBox,
    View,
    has_symbolic,
    is_foreign,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import failure_like
from taut.interruption import interruptible

if TYPE_CHECKING:
    from taut.frontend.python.reader import Reader

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
"""Modules of real randomness, the clock and the world outside."""
_PURE_MODULES = frozenset({"statistics", "fractions", "operator", "collections", "taut.numbers"})
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
"""Of these, what the library uses for its own work."""
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
"""Functions that compute something of their arguments and do nothing else."""


class Foreign:
    """Runs what cannot be read."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds

    def call(self, function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Call a function as it is; its arguments are copies, which it must not change."""
        name = getattr(function, "__name__", repr(function))
        self.refuse_forbidden(function)
        if has_symbolic([*args, *keywords.values()]):
            raise UnsupportedValue(
                f"'{name}' is ordinary Python that cannot take a random value exactly. {_instead(name)}"
            )
        pure = self._is_pure(function) and not any(is_foreign(arg) for arg in [*args, *keywords.values()])
        if not pure and not self.worlds.ordinary:
            raise UnsupportedValue(
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
                raise UnsupportedValue(
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
        watch = _Watch()
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
        """What can be seen of the objects from outside the mechanism that a call could change."""
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
        """container[index] of an object that is not known."""
        if isinstance(container, (IteratorBox, SetBox, View, Code, Method, Record)) or is_scalar(container):
            message = f"{kind_of(container)} has no items at places."
            return self.worlds.fail(failure_like(TypeError(), message))
        if isinstance(container, type):
            return self._run(operator.getitem, [container, index], {})
        if not self.worlds.ordinary and _is_array(container) and not has_symbolic(index):
            return self.reader.import_value(self._run(operator.getitem, [container, self.exported(index)], {}))
        return self.call(operator.getitem, [container, index], {})

    def items(self, value: Any, what: str) -> Any:
        """The items of an object that is not known."""
        if is_scalar(value) or callable(value) or isinstance(value, (Record, Method, Code)):
            message = f"{what}: {kind_of(value)} has no items to run through."
            return self.worlds.fail(failure_like(TypeError(), message))
        if isinstance(value, Iterator):
            raise UnsupportedValue(
                f"{what} is an iterator from outside the mechanism; one run would use it up for the next. "
                "Make a list of it."
            )
        if _is_array(value):
            return tuple([self.reader.import_value(item) for item in value])
        return self.call(_listed, [value], {})

    def exported(self, value: Any) -> Any:
        """Plain Python values, with copies of lists and the like; refused where their length or keys are random."""
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
        if isinstance(value, View):
            return [self._exported(item) for item in self.reader.sequences.items(value)]
        if isinstance(value, Code) and value.python is not None:
            return value.python
        if isinstance(value, (Code, Method, Partial)):
            raise UnsupportedValue(
                "a function of the mechanism reached ordinary Python code that would call it; such calls cannot be "
                "followed. Write a loop."
            )
        if isinstance(value, (IteratorBox, Alternatives, Record, Box)):
            raise UnsupportedValue(f"{kind_of(value)} reached ordinary Python code that cannot follow it.")
        return value

    def _key(self, key: Any) -> Any:
        """A key or element for ordinary Python; refused where True or 1, say, is random."""
        if has_symbolic(key):
            raise UnsupportedValue("which of several equal keys is kept is random where ordinary Python code sees it.")
        return self.exported(key)


def forbidden_module(function: Any) -> str | None:
    """The module of real randomness, the clock or the world outside that a function belongs to."""
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


class _Watch:
    """Closes the sources of randomness and the world outside to the code that is run."""

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
    """Return the name of the distribution of taut that a call inside it is made for, or None."""
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
    """Whether an object is an array of numbers, which reading does not change."""
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def _is_array_function(function: Any) -> bool:
    """Return True for a function of numbers that NumPy itself defines, such as numpy.exp; it does nothing else."""
    if type(function).__name__ != "ufunc" or type(function).__module__ != "numpy":
        return False
    return getattr(sys.modules.get("numpy"), function.__name__, None) is function


def _state(value: Any) -> str:
    """What can be seen of an object."""
    state = getattr(value, "__dict__", None)
    return f"{value!r} {state!r}" if state is not None else repr(value)


_SPELLED = {"mean": "sum(x) / len(x)", "amax": "max(x)", "amin": "min(x)", "absolute": "abs(x)", "prod": "math.prod(x)"}
_SPELLED |= {"exp": "taut.exp(x)"}


def _instead(name: str) -> str:
    """What to write in place of another library's function: Python's own of that name, if there is one."""
    own = _SPELLED.get(name) or (f"{name}(x)" if callable(getattr(builtins, name, None)) else None)
    if own is not None:
        return f"Write {own}."
    return "Write it as a function marked @taut.helper, or with the operators that a mechanism knows."
