"""The limits of a command, and the process that it runs under: it ends the command at them, even inside C code.

Where the system can fork, the command becomes a child, in a process group of its own. The parent passes signals on,
waits, and ends with the child's exit code. It reads a small piece of shared memory, into which the child writes when
its time is over, how much memory it may take, and its *last words*: what is to be printed, the exit code, and perhaps a
file that is moved to its place, if it has to be ended. Everything else (the answer, progress, the sentence for an
error) the child prints itself.

The parent forks before the command is imported, and reads the time limit that was typed, so that slow imports count.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from taut.interfaces.cli.output import INTERRUPTED, TOO_LARGE, printable
from taut.support.errors import InvalidOption
from taut.support.limits import count_from, ends, limits, out_of_time, resident_memory
from taut.support.options import active, options
from taut.support.process import end_with_parent

__all__ = ["CLUSTER_LOST", "MORE_TIME", "SECONDS", "budget", "end", "is_supervised", "leave", "supervise"]

MORE_TIME = "Give it more time with --time-limit 600, in seconds; 0 is no limit."
CLUSTER_LOST = "The cluster was lost before all was done: start it again, or ask without --cluster."

SECONDS = 60.0
_LONGEST = 10_000_000

_LATE = 0.4
"""Seconds after the end of all grace until a command is killed."""
_END = 1.4
"""Seconds after a typed limit until a command is ended that has not come to set the limit."""
_TICK = 0.1
_STUBBORN = 2.0
"""Seconds after Ctrl-C until a command is ended."""
_HEAD = struct.Struct("ddBi")
"""The deadline by the system's clock, the memory limit, and the number of the slot with the last words."""
_PLACE = struct.Struct("iIIII")
"""An exit code, and the bytes that follow: of standard output and error, of a file, and of the path it is moved to."""
_ROOM = 1 << 20
_FORWARDED = (signal.SIGINT, signal.SIGTERM)

_shared: mmap.mmap | None = None
_begun: float | None = None
"""When the program was started, by the clock of all processes; None once its first limit has been set."""


def supervise(arguments: Sequence[str]) -> None:
    """Fork: the child returns and runs the command; the parent watches it and ends as it ends."""
    if not all(hasattr(*one) for one in ((os, "fork"), (os, "setpgid"), (signal, "sigtimedwait"))):
        return
    global _begun, _shared
    _begun = time.monotonic() - _age()
    _shared = mmap.mmap(-1, _HEAD.size + 2 * _ROOM)
    seconds = _typed_limit(arguments)
    _write_head(_begun + seconds + _END, float("inf"))
    said = str(out_of_time(seconds))
    leave(err=f"taut: {said if seconds < float('inf') else said.replace('after inf seconds', 'in time')}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    watched = {signal.SIGCHLD, signal.SIGTSTP, signal.SIGHUP, signal.SIGQUIT, *_FORWARDED}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        child = os.fork()
    except OSError:  # no more processes: the command runs without
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _shared = None
        return
    if child == 0:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        end_with_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    with contextlib.suppress(OSError):  # whichever of the two comes first
        os.setpgid(child, child)
    _Parent(child, _shared, watched).wait()


def is_supervised() -> bool:
    """Return True if a supervising parent would print the last words."""
    return _shared is not None


def _limit() -> None:
    """Tell the parent of the limits in force; the first time limit counts from the start of the program."""
    global _begun
    if _shared is not None:
        if _begun is not None:
            count_from(time.monotonic() - _begun)
            _begun = None
        seconds, memory = ends()
        _write_head(time.monotonic() + seconds + _LATE, memory)


@contextlib.contextmanager
def budget(seconds: float) -> Iterator[None]:
    """The time limit of a command; 0 is no limit."""
    if not 0 <= seconds <= _LONGEST:
        raise InvalidOption(f"--time-limit must lie between 0 and {_LONGEST} seconds; got {seconds:g}.", value=seconds)
    with options(time_limit=seconds or None), limits(memory=active().max_memory):
        _limit()
        if seconds:
            leave(err=f"taut: {out_of_time(seconds)}\n")
        yield


def leave(out: str = "", err: str = "", code: int = TOO_LARGE, file: tuple[Path, Path] | None = None) -> None:
    """Set the output and exit code in case this process has to be killed, and a file to be moved to its place then."""
    if _shared is None:
        return
    paths = ("", "") if file is None else [os.fspath(path.absolute()) for path in file]
    parts = [*[printable(text).encode(errors="backslashreplace") for text in (out, err)], *map(os.fsencode, paths)]
    if sum(map(len, parts)) > _ROOM - _PLACE.size:
        return
    time_over, memory, place, _ = _HEAD.unpack_from(_shared, 0)
    start = _HEAD.size + (1 - place) * _ROOM
    _PLACE.pack_into(_shared, start, code, *map(len, parts))
    _shared[start + _PLACE.size : start + _PLACE.size + sum(map(len, parts))] = b"".join(parts)
    _HEAD.pack_into(_shared, 0, time_over, memory, 1 - place, 0)  # the old words hold until the new ones are complete


def end(code: int) -> NoReturn:
    """End this process at once, without taking all objects apart; everything has been printed."""
    leave(code=code)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _typed_limit(arguments: Sequence[str]) -> float:
    """Return the seconds of a typed ``--time-limit``; infinity if there is none, or no limit is meant."""
    texts = [text.partition("=")[2] for text in arguments if text.startswith("--time-limit=")]
    texts += [arguments[place + 1] for place, text in enumerate(arguments[:-1]) if text == "--time-limit"]
    with contextlib.suppress(ValueError):
        longest = max(map(float, texts), default=0.0)
        return longest if longest > 0 else float("inf")  # the command itself refuses what is no limit
    return float("inf")


def _age() -> float:
    """Return how many seconds ago this process was started; 0 where the system does not tell."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError):
        return 0.0


def _write_head(time_over: float, memory: float) -> None:
    assert _shared is not None
    place = _HEAD.unpack_from(_shared, 0)[2]
    _HEAD.pack_into(_shared, 0, time_over, memory, place, 0)


class _Parent:
    """The parent process, which watches the command."""

    def __init__(self, child: int, shared: mmap.mmap, watched: set[signal.Signals]) -> None:
        self.child, self.shared, self.watched = child, shared, watched
        self.asked: float | None = None
        """Time at which Ctrl-C was passed on."""

    def wait(self) -> NoReturn:
        """Wait for the end of the command, or end it; then end."""
        while True:
            found = signal.sigtimedwait(self.watched, _TICK)
            if found is not None:
                self._received(found.si_signo)
            pid, status = os.waitpid(self.child, os.WNOHANG)
            if pid:
                self._ended(status)
            time_over, memory = _HEAD.unpack_from(self.shared, 0)[:2]
            stubborn = self.asked is not None and time.monotonic() > self.asked + _STUBBORN
            if stubborn or time.monotonic() > time_over or resident_memory(self.child) > memory:
                self._kill()
                self._speak(INTERRUPTED if self.asked is not None else None)

    def _received(self, number: int) -> None:
        if number == signal.SIGTSTP:  # Ctrl-Z: the command stops too, and goes on with this
            self._send(signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)
            self._send(signal.SIGCONT)
        elif number == signal.SIGINT:
            self.asked = self.asked or time.monotonic()
            self._send(number)
        elif number != signal.SIGCHLD:
            self._kill()
            self._discard()
            _die_of(number)

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child, number)

    def _kill(self) -> None:
        self._send(signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.child, 0)

    def _ended(self, status: int) -> NoReturn:
        code = os.waitstatus_to_exitcode(status)
        if code >= 0:
            os._exit(code)
        if -code == signal.SIGKILL:  # by the system, which was out of memory
            self._speak(None)
        self._discard()
        _die_of(-code)

    def _speak(self, code: int | None) -> NoReturn:
        """Print the last words of the command, and end with their exit code, or the given one."""
        own, out, err, file, place = self._words()
        if code == INTERRUPTED and own == TOO_LARGE:  # there is no interval yet
            err = b"taut: interrupted.\n"
        if file:
            with contextlib.suppress(OSError):
                os.replace(file, place)
        for number, text in ((1, out), (2, err)):
            with contextlib.suppress(OSError):
                os.write(number, text)
        os._exit(own if code is None else code)

    def _discard(self) -> None:
        """Remove the file that the last words would have moved."""
        file = self._words()[3]
        if file:
            with contextlib.suppress(OSError):
                os.unlink(file)

    def _words(self) -> tuple[int, bytes, bytes, bytes, bytes]:
        """Return the exit code, what is to be printed, and the file with its place."""
        start = _HEAD.size + _HEAD.unpack_from(self.shared, 0)[2] * _ROOM
        code, *lengths = _PLACE.unpack_from(self.shared, start)
        ends = list(itertools.accumulate(lengths, initial=start + _PLACE.size))
        out, err, file, place = (self.shared[a:b] for a, b in itertools.pairwise(ends))
        return code, out, err, file, place


def _die_of(number: int) -> NoReturn:
    """End by the signal that ended the command."""
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.kill(os.getpid(), number)
    os._exit(128 + number)
