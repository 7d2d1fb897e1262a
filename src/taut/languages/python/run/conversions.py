"""Calls of ``int`` and ``float`` in code that is run: a number without a value stays without one.

Python insists that both return numbers of its own, so the calls are redirected in the bytecode of users' functions.
"""

from __future__ import annotations

import builtins
import dis
import functools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from taut.languages.python.run.lazy import LazyNumber
from taut.languages.python.run.lazy_bytes import LazyBytes
from taut.languages.python.run.needs import LIBRARIES, reached
from taut.languages.python.run.tree import unwatched

__all__ = ["converting"]

_PREFIX = "__taut_"
_CACHES = 256
"""Largest argument of an instruction without a prefix."""


class _Converter:
    """Stands for a class of numbers where it is called."""

    def __init__(self, kind: type, keep: Callable[[LazyNumber], Any]) -> None:
        self.kind = kind
        self.keep = keep

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if len(args) == 1 and type(args[0]) is LazyNumber and not keywords:
            return self.keep(args[0])
        return self.kind(*args, **keywords)

    @unwatched
    def from_bytes(self, value: Any, *args: Any, **keywords: Any) -> Any:
        """Return the whole number that bytes stand for."""
        if type(value) is LazyBytes and not keywords.get("signed"):
            return value.number()
        return int.from_bytes(value, *args, **keywords)


_CONVERTERS = {
    "int": _Converter(int, LazyNumber.as_whole),
    "float": _Converter(float, LazyNumber.as_real),
}


@contextmanager
def converting(function: Any) -> Iterator[None]:
    """Redirect the calls of ``int`` and ``float`` in all functions of users that a function can reach."""
    undone = []
    for name, converter in _CONVERTERS.items():
        if not hasattr(builtins, _PREFIX + name):
            setattr(builtins, _PREFIX + name, converter)
            undone.append(functools.partial(delattr, builtins, _PREFIX + name))
    for value in list(reached(function)):
        if isinstance(value, types.FunctionType) and str(value.__module__).split(".")[0] not in LIBRARIES:
            code, globals_ = value.__code__, value.__globals__
            made = _redirected(code, frozenset(name for name in _CONVERTERS if name not in globals_))
            if made is not code:
                value.__code__ = made
                undone.append(functools.partial(setattr, value, "__code__", code))
    try:
        yield
    finally:
        for undo in reversed(undone):
            undo()


_KNOWN: dict[tuple[int, frozenset[str]], tuple[types.CodeType, types.CodeType]] = {}


def _redirected(code: types.CodeType, names: frozenset[str]) -> types.CodeType:
    """Return code that calls the converters of these names, the same object each time."""
    known = _KNOWN.get((id(code), names))
    if known is None or known[0] is not code:
        known = _KNOWN[id(code), names] = code, _made(code, names)
    return known[1]


def _made(code: types.CodeType, names: frozenset[str]) -> types.CodeType:
    constants = tuple([_made(value, names) if isinstance(value, types.CodeType) else value for value in code.co_consts])
    used = list(code.co_names)
    raw = bytearray(code.co_code)
    steps = list(dis.get_instructions(code))
    for step, then in zip(steps, [*steps[1:], None], strict=True):
        if step.opname != "LOAD_GLOBAL" or step.argval not in names or step.arg is None:
            continue
        called = step.arg & 1
        if not called and (then is None or then.argval != "from_bytes"):
            continue
        name = _PREFIX + step.argval
        place = used.index(name) if name in used else len(used)
        argument = place << 1 | called
        if argument >= _CACHES or step.arg >= _CACHES:
            continue
        if name not in used:
            used.append(name)
        raw[step.offset + 1] = argument
    same = len(used) == len(code.co_names)
    if same and all(a is b for a, b in zip(constants, code.co_consts, strict=True)):
        return code
    return code.replace(co_code=bytes(raw), co_names=tuple(used), co_consts=constants)
