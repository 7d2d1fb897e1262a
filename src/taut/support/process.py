"""State of the process: forks and what is safe in them, the garbage collector, loggers, threads of matrix libraries."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload
from weakref import WeakSet

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "SET_CHILD_SUBREAPER",
    "ForkSafeLock",
    "cached_property",
    "collector_paused",
    "end_with_parent",
    "process_control",
    "product",
    "silent_loggers",
]


_SET_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801 - it is used like functools.cached_property
    """A property whose value is kept on the instance after the first access, like ``functools.cached_property``.

    Unlike that of Python 3.11 it has no lock: a child forked while another thread computes the property would wait for
    the lock forever. Two threads may compute the value at the same time.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.name = function.__name__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.function(instance))


class ForkSafeLock:
    """A lock that is free in every forked child, where the thread that held it does not exist."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _LOCKS.add(self)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock inside the ``with`` block."""
        with self._lock:
            yield


def _renew() -> None:
    for lock in list(_LOCKS):
        lock._lock = threading.Lock()


_LOCKS: WeakSet[ForkSafeLock] = WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def end_with_parent() -> None:
    """Have the system end this process when its parent ends, where the system can do that."""
    process_control(_SET_DEATH_SIGNAL, signal.SIGKILL)


def process_control(option: int, value: int) -> bool:
    """Set an option of this process by ``prctl``, and return True if that worked; only Linux has it."""
    if sys.platform != "linux":
        return False
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    return False


@contextmanager
def silent_loggers() -> Iterator[None]:
    """Keep loggers silent inside the ``with`` block."""
    import logging  # which most programs do without

    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the search for cycles inside the ``with`` block, where many objects and no cycles are made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_SMALL = 1 << 15
"""Number of multiplications up to which a product always uses one thread."""


@functools.cache
def _libraries() -> Any:
    """Return the loaded matrix libraries; finding them takes a moment."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Any:
    """Return a @ b, computed by the calling thread."""
    if a.size * (b.shape[-1] if b.ndim > 1 else 1) <= _SMALL:
        return a @ b
    with _libraries().limit(limits=1):
        return a @ b
