"""A watchdog that interrupts work which has passed a limit, whatever that work is doing.

``guarded`` runs work; a thread of its own looks ten times a second whether a limit in force has been passed by more
than all grace, and then raises Interruption in the thread at work, at its next bytecode. Python code is ended thus,
checkpoints or none; one call of a function written in C ends first.

An exception from outside must not leave anything half-made, so it is held back while the thread at work

- enters or leaves a context manager, which may hold a lock or have replaced something;
- imports a module, which could not be imported again;
- is in a function under ``@uninterrupted``.

It is delivered inside ``guarded`` or never: the watchdog raises it only where that call is on the stack of the thread,
and the end of the call waits for one that is on its way.
"""

from __future__ import annotations

import contextvars
import ctypes
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType, FrameType
from typing import Any, TypeVar

from taut.support import limits
from taut.support.errors import TooLarge
from taut.support.limits import ends, out_of_memory, out_of_time, remaining

__all__ = ["Interruption", "guarded", "interrupted_by", "interruptible", "unfinished_at", "uninterrupted"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
_TICK = 0.1
"""Seconds between two looks of the watchdog."""
_AGAIN = 0.4
"""Seconds between two interruptions of work that goes on."""
_SOON = 0.3
"""Seconds after a time limit until the user's own code is interrupted, which checks no limits."""
_PATIENCE = 5.0
"""Seconds for which an interruption is held back at most."""
_HELD = frozenset({"__enter__", "__exit__", "__del__", "_find_and_load"})
"""Names of functions that are not interrupted; the last is an import."""
_CALLBACKS = frozenset({"weakref", "_weakrefset"})
"""Modules whose functions are called where objects end; an exception there would be printed and lost."""
_codes: set[CodeType] = set()


class Interruption(BaseException):
    """The exception raised in work that has passed a limit; ``except Exception`` does not catch it."""


def uninterrupted(function: F) -> F:
    """Hold interruptions back while ``function`` runs: for a few steps that belong together."""
    _codes.add(function.__code__)
    return function


def unfinished_at(frame: FrameType | None, outermost: FrameType | None = None) -> bool:
    """Return True if an interruption at ``frame`` would leave something half-made, up to the frame ``outermost``."""
    while frame is not None and frame is not outermost:
        if frame.f_code.co_name in _HELD or frame.f_code in _codes or frame.f_globals.get("__name__") in _CALLBACKS:
            return True
        frame = frame.f_back
    return False


class _Scope:
    """Watched work: its thread, its deadline and its memory limit."""

    __slots__ = ("due", "frame", "held", "memory", "process", "reason", "thread")

    def __init__(self, seconds: float, memory: float, frame: FrameType | None) -> None:
        self.thread, self.process = threading.get_ident(), os.getpid()
        self.due = _now() + seconds
        self.memory = memory
        self.frame = frame
        self.held = 0.0
        self.reason: Callable[[], TooLarge] | None = None
        """Makes the error of the limit that was passed; None if none was."""

    def covers(self, seconds: float, memory: float) -> bool:
        """Return True if work of this thread with these limits needs no other watching."""
        here = self.thread == threading.get_ident() and self.process == os.getpid()
        return here and self.due <= _now() + seconds + _TICK and self.memory <= memory

    def passed(self) -> Callable[[], TooLarge] | None:
        """Return the constructor of the error for the limit that was passed, or None."""
        if _now() >= self.due:
            return out_of_time
        if self.memory < math.inf and limits.resident_memory() > self.memory:
            return out_of_memory
        return None

    def interruptible(self) -> bool | None:
        """Return True if the thread may be interrupted where it is; None if it has left this work."""
        frame = sys._current_frames().get(self.thread)
        if frame is None:
            return None
        if self.frame is not None:
            place: FrameType | None = frame
            while place is not None and place is not self.frame:
                place = place.f_back
            if place is None:
                return None
        return self.held >= _PATIENCE or not unfinished_at(frame, self.frame)


_scope: ContextVar[_Scope | None] = ContextVar("taut_scope", default=None)


def guarded(work: Callable[[], T]) -> T:
    """Return the result of ``work``; interrupt it once a limit in force is exceeded by more than the grace.

    Work inside such work is watched only where its limits are tighter. Context variables that the work sets are left
    as they were.

    Raises:
        OutOfTime, OutOfMemory: a limit has been passed.
    """
    seconds, memory = ends()
    outer = _scope.get()
    if (seconds == memory == math.inf) or (outer is not None and outer.covers(seconds, memory)):
        return work()
    scope = _Scope(seconds, memory, sys._getframe())
    context = contextvars.copy_context()
    try:
        try:
            context.run(_scope.set, scope)
            _watchdog.add(scope)
            return context.run(work)
        finally:
            _watchdog.remove(scope)
    except Interruption:
        _watchdog.remove(scope)
    raise interrupted_by(scope)


def interrupted_by(scope: _Scope | None = None) -> TooLarge:
    """Return the error of the limit that an interruption stands for."""
    found = _scope.get() if scope is None else scope
    return out_of_time() if found is None or found.reason is None else found.reason()


@contextmanager
def interruptible() -> Iterator[None]:
    """Enforce the time limit inside the ``with`` block soon, on code that never checks it.

    For calls of functions that the user wrote, and that Python runs as they are: a loop without end in one of them is
    ended shortly after the limit.

    Raises
    ------
    OutOfTime
        The time limit has been passed.

    Examples
    --------
    >>> from taut.support.limits import limits
    >>> with limits(seconds=0.01), interruptible():
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    ...
    taut.OutOfTime: this is not done after 0.01 seconds. Allow more time ...
    """
    seconds = max(remaining(), 0.0) + _SOON
    outer = _scope.get()
    if seconds == math.inf or (outer is not None and outer.covers(seconds, math.inf)):
        yield
        return
    scope = _Scope(seconds, math.inf, None)
    token = _scope.set(scope)
    _watchdog.add(scope)
    try:
        try:
            yield
        finally:
            _watchdog.remove(scope)
    except Interruption:
        _watchdog.remove(scope)
        raise out_of_time() from None
    finally:
        _scope.reset(token)


class _Watchdog:
    """The thread that interrupts others; it lives as long as something is watched, and a moment longer."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Reset in a forked child, which has no watching thread."""
        self._lock = threading.Lock()
        self._scopes: list[_Scope] = []
        self._running = False

    def add(self, scope: _Scope) -> None:
        """Begin to watch."""
        if scope.due == math.inf and scope.memory == math.inf:
            return
        with self._lock:
            self._scopes.append(scope)
            start, self._running = not self._running, True
        if start:
            try:
                threading.Thread(target=self._watch, name="taut-watchdog", daemon=True).start()
            except BaseException:
                self._running = False
                raise

    def remove(self, scope: _Scope) -> None:
        """Stop watching: afterwards no interruption of this work is raised or pending."""
        if os.getpid() != scope.process:
            return
        late = False
        while True:
            try:
                with self._lock:
                    if scope in self._scopes:
                        self._scopes.remove(scope)
                    scope.frame = None
                break
            except Interruption:  # it came while this was being ended
                late = True
        if scope.reason is not None:
            _settle(scope.thread)
        if late:
            raise Interruption

    def _watch(self) -> None:
        while True:
            time.sleep(_TICK)
            with self._lock:
                for scope in list(self._scopes):
                    self._look(scope)
                if not self._scopes:
                    self._running = False
                    return

    def _look(self, scope: _Scope) -> None:
        """Interrupt work that has passed a limit, unless it is in a protected section."""
        reason = scope.passed()
        if reason is None:
            return
        free = scope.interruptible()
        if free is None:
            self._scopes.remove(scope)
        elif free:
            scope.reason = scope.reason or reason
            scope.due, scope.held, scope.memory = _now() + _AGAIN, 0.0, math.inf
            _raise_in(scope.thread)
        else:
            scope.held += _TICK


_watchdog = _Watchdog()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watchdog.renew)


def _now() -> float:
    return time.monotonic()


def _settle(thread: int) -> None:
    """Raise a pending interruption here and now, so that it cannot arrive later.

    Cancelling the interruption is no alternative: under a profiler, Python 3.11 then hangs.
    """
    try:
        _raise_in(thread)
        while True:
            pass
    except Interruption:
        pass


def _raise_in(thread: int) -> None:
    """Raise an interruption in a thread at its next bytecode, in place of a pending one."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Interruption))
