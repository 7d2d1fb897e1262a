"""Ending code of the user's that Python runs itself: it consults no limits, so it is ended from outside."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from taut.errors import OutOfTime
from taut.limits import exceeded, remaining

__all__ = ["interruptible"]

_LATE = 0.5
"""Seconds after the time limit that code has to end by itself: what consults the limits does."""
_AGAIN = 0.2
"""Seconds until code that went on is interrupted again."""

_inside: ContextVar[bool] = ContextVar("taut_interruptible", default=False)


class _Interruption(BaseException):
    """Raised in the user's code; no ``except Exception`` there holds it up."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the time limit in force end what runs inside the ``with`` block even if it never consults it.

    For calls of functions that the user wrote, and that Python runs as they are: a loop without end in one of them is
    ended shortly after the limit. What Python does outside of its own bytecode, such as one call of a function written
    in C, ends before it is noticed.

    Raises
    ------
    OutOfTime
        The time limit has been passed.

    Examples
    --------
    >>> from taut.limits import limits
    >>> with limits(seconds=0.01), interruptible():
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    ...
    taut.errors.OutOfTime: this is not done after 0.01 seconds. Allow more time ...
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
    """Interrupts the thread that made it after some seconds, again and again until it is ended."""

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
        """No interruption is raised or waits to be raised from here on."""
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
        """Let an interruption that may still wait arrive here: another one takes its place, and is waited for.

        It could be taken back instead, but Python 3.11 then goes on looking for it, and under a profiler never stops.
        """
        try:
            _raise_in(self._interrupted)
            while True:
                pass
        except _Interruption:
            pass


def _raise_in(thread: ctypes.c_ulong) -> None:
    """Have an interruption raised in a thread at its next step, in place of one that was not raised yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Interruption))
