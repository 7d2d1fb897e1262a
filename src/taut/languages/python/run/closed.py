"""The world outside, closed to what is run: no clock, files, network, environment or real randomness."""

from __future__ import annotations

import logging
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from taut.languages.python.foreign import forbidden_module
from taut.languages.python.run.sources import active_tree
from taut.support.errors import RealRandomness

__all__ = ["silent_loggers", "watched"]

_INNER = frozenset({"sys", "threading", "_thread", "io", "_io"})
_HARMLESS = frozenset(
    {"__new__", "__init__", "fspath", "fsencode", "fsdecode", "perf_counter", "seed", "__reduce__", "getpid"}
)


@contextmanager
def silent_loggers() -> Iterator[None]:
    """Keep loggers silent meanwhile."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def watched(call: Callable[[], Any]) -> Any:
    """The result of a call that the world outside is closed to."""
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
