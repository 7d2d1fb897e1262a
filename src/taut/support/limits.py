"""Limits of time and memory, which long work checks by itself.

Every long loop calls ``checkpoint()`` regularly, which raises OutOfTime or OutOfMemory once a limit in force has been
passed, and again at the next call if the error was swallowed. Limits are stored in the context, so they need no
parameter: ``with limits(seconds=20)`` covers everything that runs inside. Work that checks too rarely is ended from
outside (``taut.support.interruption``), after the time that ``grace`` may add at most.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from taut.support.errors import OutOfMemory, OutOfTime, TooLarge, WorkersGone

__all__ = [
    "advised",
    "allowance",
    "checkpoint",
    "checkpoints",
    "clock",
    "count_from",
    "cpu_clock",
    "end_now",
    "ends",
    "exceeded",
    "grace",
    "limits",
    "memory_limited",
    "out_of_memory",
    "out_of_time",
    "reason_of",
    "remaining",
    "require_room",
    "resident_memory",
]

T = TypeVar("T")
_LOOKS = 0.05
"""Seconds between two checks of the memory, which cost more than a check of the clock."""
_SPARE = 0.05
"""Share of the memory limit by which ``grace`` raises it."""
_GRACE = 0.8
"""Seconds that all grace after one time limit may add together."""
_LATE = 0.2
"""Seconds after the last grace until work is ended from outside."""
_MOMENT = 0.5
"""Seconds after a limit up to which work goes on that has begun late."""
_more_time = "with time_limit=, in seconds"
_more_memory = "with taut.options(max_memory=...), in bytes"
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def clock() -> float:
    """Return the seconds by which limits are measured, from an arbitrary start."""
    return time.perf_counter()


def cpu_clock() -> float:
    """Return the CPU seconds of this thread, which do not depend on other processes."""
    return time.thread_time()


def resident_memory(process: int | str = "self") -> int:
    """Return the resident memory of the process in bytes (its peak if the system reports nothing else)."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # on Windows there is neither; the system's own limit remains
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


class _Watch:
    """The limits of one piece of work: deadline, CPU seconds, and memory of the process."""

    __slots__ = (
        "cpu_deadline",
        "cpu_last",
        "cpu_seconds",
        "deadline",
        "ended",
        "last",
        "memory",
        "most",
        "next_cpu_look",
        "next_look",
        "seconds",
    )

    def __init__(self, seconds: float, deadline: float, memory: float, most: float, last: float = math.inf) -> None:
        self.seconds = seconds
        self.deadline = deadline
        self.last = last
        """The end of all grace."""
        self.cpu_seconds = self.cpu_deadline = self.cpu_last = math.inf
        self.ended = False
        """True if Ctrl-C has ended the work."""
        self.memory = memory
        self.most = most
        self.next_look = self.next_cpu_look = -math.inf

    def passed(self) -> TooLarge | None:
        """Return the error for a limit that has been passed; None if there is none."""
        now = clock()
        if self.ended:
            return OutOfTime("this was interrupted.", value="interrupted")
        if now >= self.deadline:
            return out_of_time(self.seconds)
        if self.cpu_deadline < math.inf and now >= self.next_cpu_look:
            left = self.cpu_deadline - cpu_clock()
            if left <= 0:
                return out_of_time(self.cpu_seconds)
            self.next_cpu_look = now + left  # a thread uses no more time than passes
        if now >= self.next_look:
            self.next_look = now + _LOOKS
            if self.most < math.inf and resident_memory() > self.most:
                return out_of_memory(self.memory)
        return None


_watch: ContextVar[_Watch | None] = ContextVar("taut_limits", default=None)


@contextmanager
def limits(
    seconds: float | None = None, memory: int | None = None, *, cpu_seconds: float | None = None
) -> Iterator[None]:
    """Enforce limits inside the ``with`` block; they are never looser than those in force already.

    Parameters
    ----------
    seconds
        Time from now; None for no further limit.
    memory
        Bytes by which the process may grow from now; None for no further limit.
    cpu_seconds
        Time at work, by this thread: for a try whose outcome must not depend on what else the machine does.

    Raises
    ------
    OutOfTime, OutOfMemory
        By whatever runs inside, at its next checkpoint after a limit was passed.

    Examples
    --------
    >>> with limits(seconds=1000):
    ...     remaining() > 900
    True
    """
    outer = _watch.get()
    watch = _Watch(math.inf, math.inf, math.inf, math.inf)
    if outer is not None:
        watch.seconds, watch.deadline, watch.last = outer.seconds, outer.deadline, outer.last
        watch.ended = outer.ended
        watch.memory, watch.most = outer.memory, outer.most
        watch.cpu_seconds, watch.cpu_deadline, watch.cpu_last = outer.cpu_seconds, outer.cpu_deadline, outer.cpu_last
    if seconds is not None and clock() + seconds < watch.deadline:
        watch.seconds, watch.deadline = seconds, clock() + seconds
        watch.last = min(watch.last, watch.deadline + _GRACE)
    if cpu_seconds is not None and cpu_clock() + cpu_seconds < watch.cpu_deadline:
        watch.cpu_seconds, watch.cpu_deadline = cpu_seconds, cpu_clock() + cpu_seconds
        watch.cpu_last = min(watch.cpu_last, watch.cpu_deadline + _GRACE)
    if memory is not None and memory < watch.memory:
        watch.memory, watch.most = memory, min(watch.most, resident_memory() + memory)
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def grace(seconds: float) -> Iterator[None]:
    """Allow a little more time and memory after a limit was passed, to assemble what is known.

    All grace after one time limit ends together, so that steps which each take some do not add up.
    """
    outer = _watch.get()
    if outer is None:
        yield
        return
    deadline, most = max(outer.deadline, min(clock() + seconds, outer.last)), outer.most
    if most < math.inf:
        most = max(most, resident_memory()) + _SPARE * outer.memory
    watch = _Watch(outer.seconds, deadline, outer.memory, most, outer.last)
    watch.cpu_seconds, watch.cpu_last = outer.cpu_seconds, outer.cpu_last
    if outer.cpu_deadline < math.inf:
        watch.cpu_deadline = max(outer.cpu_deadline, min(cpu_clock() + seconds, outer.cpu_last))
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def checkpoint() -> None:
    """Raise OutOfTime or OutOfMemory if a limit in force has been passed; call it every few hundred steps of a loop."""
    watch = _watch.get()
    if watch is not None:
        error = watch.passed()
        if error is not None:
            raise error


def checkpoints(items: Iterable[T], every: int = 256) -> Iterator[T]:
    """Yield the items, with a checkpoint after every ``every`` of them."""
    for number, item in enumerate(items, 1):
        yield item
        if not number % every:
            checkpoint()


def count_from(earlier: float) -> None:
    """Let the time limit in force have begun so many seconds earlier.

    Half of what remains is left, as far as that does not end the work more than a moment after the limit.
    """
    watch = _watch.get()
    if watch is not None and watch.deadline < math.inf:
        spent = max(min(earlier, (watch.deadline - clock()) / 2), earlier - _MOMENT)
        watch.deadline, watch.last = watch.deadline - spent, max(watch.last - earlier, watch.deadline - spent)


def end_now() -> None:
    """Let all checkpoints of the work in progress raise from now on, since Ctrl-C has ended a part of it."""
    watch = _watch.get()
    if watch is not None:
        watch.ended = True


def exceeded() -> TooLarge | None:
    """Return the error that a checkpoint would raise; None if no limit has been passed."""
    watch = _watch.get()
    return None if watch is None else watch.passed()


def remaining() -> float:
    """Return the seconds left; infinity without a limit."""
    watch = _watch.get()
    return math.inf if watch is None else watch.deadline - clock()


def ends() -> tuple[float, float]:
    """Return where work is ended from outside: seconds from now, and bytes of resident memory."""
    watch = _watch.get()
    if watch is None:
        return math.inf, math.inf
    return watch.last + _LATE - clock(), watch.most + 2 * _SPARE * watch.memory


def allowance() -> int | None:
    """Return the bytes by which the process may grow under the limit in force; None without a limit."""
    watch = _watch.get()
    return None if watch is None or math.isinf(watch.memory) else int(watch.memory)


def reason_of(error: TooLarge | WorkersGone | KeyboardInterrupt) -> str:
    """Return the reason for a stop: the name of an option, "workers_gone" or "interrupted"."""
    if isinstance(error, KeyboardInterrupt) or (isinstance(error, OutOfTime) and error.value == "interrupted"):
        return "interrupted"
    if isinstance(error, WorkersGone):
        return "workers_gone"
    return "time_limit" if isinstance(error, OutOfTime) else "max_memory"


def require_room(size: float) -> None:
    """Refuse to make one object of ``size`` bytes if that alone would pass the memory limit in force."""
    watch = _watch.get()
    if watch is not None and size > watch.memory:
        raise out_of_memory(watch.memory)


@contextmanager
def memory_limited() -> Iterator[None]:
    """Report a MemoryError of the system as a memory limit that was passed."""
    try:
        yield
    except TooLarge:  # which is a MemoryError as well
        raise
    except MemoryError:
        watch = _watch.get()
        raise out_of_memory(math.inf if watch is None else watch.memory) from None


@contextmanager
def advised(time: str, memory: str) -> Iterator[None]:
    """Let errors say with these words how to allow more time and memory: a command has options for both."""
    global _more_time, _more_memory
    before = _more_time, _more_memory
    _more_time, _more_memory = time, memory
    try:
        yield
    finally:
        _more_time, _more_memory = before


def out_of_time(seconds: float | None = None) -> OutOfTime:
    """Return the error for a time limit that was passed: one of ``seconds``, or the one in force."""
    if seconds is None:
        watch = _watch.get()
        seconds = math.inf if watch is None else watch.seconds
    return OutOfTime(
        f"this is not done after {seconds:.4g} seconds. Allow more time {_more_time}, or make the mechanism or its "
        "domain smaller.",
        value=seconds,
    )


def out_of_memory(memory: float | None = None) -> OutOfMemory:
    """Return the error for a memory limit that was passed: one of ``memory`` bytes, or the one in force."""
    if memory is None:
        watch = _watch.get()
        memory = math.inf if watch is None else watch.memory
    most = (
        "memory than there is" if math.isinf(memory) else f"than the {memory / 10**9:.3g} GB of memory that it may take"
    )
    return OutOfMemory(
        f"this needs more {most}. Make the mechanism or its domain smaller, or allow more {_more_memory}.", value=memory
    )
