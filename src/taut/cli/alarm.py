"""A limit of time for work that has no clock of its own."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
from collections.abc import Iterator
from typing import Any

from taut.errors import InvalidOption, TooLarge

__all__ = ["within"]

_LONGEST = 10_000_000


class _TimeIsUp(BaseException):
    """The bell; no error of ours, since operations on values take those as 'undefined' wherever the bell may ring."""


@contextlib.contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Stop the work inside after so many seconds, as too large; 0 is no limit.

    Only a process's first thread can be told the time by a signal, and only where there are signals; elsewhere the
    limits on nodes and steps are all there is.
    """
    if not math.isfinite(seconds) or not 0 <= seconds <= _LONGEST:
        raise InvalidOption(f"--time-limit must lie between 0 and {_LONGEST} seconds; got {seconds}.", value=seconds)
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _TimeIsUp:
        raise TooLarge(
            f"'{what}' is not done after {seconds:g} seconds; raise --time-limit, or make it smaller.", value=seconds
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
