"""Interruption of the user's code when Python runs it: that code checks no limits."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from taut.support.errors import OutOfTime
from taut.support.limits import exceeded, remaining

__all__ = ["interruptible"]

_LATE = 0.5
"""Seconds after the time limit before an interruption: code that checks the limits ends by itself."""
_AGAIN = 0.2
"""Seconds between two interruptions of code that continues."""

_inside: ContextVar[bool] = ContextVar("taut_interruptible", default=False)


class _Interruption(BaseException):
    """The exception raised in the user's code; ``except Exception`` does not catch it."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Enforce the time limit inside the ``with`` block even on code that never checks it.

    For calls of functions that the user wrote, and that Python runs as they are: a loop without end in one of them is
    ended shortly after the limit. What Python does outside of its own bytecode, such as one call of a function written
    in C, ends before it is noticed.

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
    seconds = remaining()
    if seconds == math.inf or _inside.get():
        yield
        return
    token = _inside.set(True)
    watchdog = _Watchdog(max(seconds, 0) + _LATE)
    try:
        try:
            yield
        finally:
            watchdog.end()
    except _Interruption:
        raise exceeded() or OutOfTime("this is not done in time.", value=seconds) from None
    finally:
        _inside.reset(token)


class _Watchdog:
    """A timer that interrupts the thread that made it, repeatedly, until ``end`` is called."""

    def __init__(self, seconds: float) -> None:
        self._interrupted = ctypes.c_ulong(threading.get_ident())
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._raised = False
        self._process = os.getpid()
        threading.Thread(target=self._watch, args=(seconds,), name="taut-watchdog", daemon=True).start()

    def _watch(self, seconds: float) -> None:
        while not self._ended.wait(min(seconds, threading.TIMEOUT_MAX)):
            with self._lock:
                if not self._ended.is_set():
                    self._raised = True
                    _raise_in(self._interrupted)
            seconds = _AGAIN

    def end(self) -> None:
        """Stop: afterwards no interruption is raised or pending."""
        if os.getpid() != self._process:  # a forked child has no thread that watches, but perhaps the lock that it held
            return
        interrupted = False
        while True:
            try:
                with self._lock:
                    self._ended.set()
                break
            except _Interruption:  # it came while this was being ended
                interrupted = True
        if self._raised:
            self._settle()
        if interrupted:
            raise _Interruption

    def _settle(self) -> None:
        """Raise a pending interruption here and now, so that it cannot arrive later.

        Cancelling the interruption is no alternative: under a profiler, Python 3.11 then hangs.
        """
        try:
            _raise_in(self._interrupted)
            while True:
                pass
        except _Interruption:
            pass


def _raise_in(thread: ctypes.c_ulong) -> None:
    """Raise an interruption in a thread at its next bytecode, in place of a pending one."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Interruption))
