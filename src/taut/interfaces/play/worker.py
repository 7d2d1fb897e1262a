"""The process of one tab: it runs the program in the editor and answers questions about it, under limits.

It is the child of a supervisor, which ends it and all that it starts.
Requests come in as lines of JSON on what was standard input when the process began, and events go out as lines of JSON
on what was standard output. Both are moved out of the program's reach before anything of it is run: what the program
prints goes to standard error, where the page's server reads it and never stops reading.

Guarantee:
    Every request is followed by exactly one event that ends it (``done`` or ``problem``), unless the process ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from taut.interfaces.play.supervisor import processes_of
from taut.support.process import end_with_parent

__all__ = ["main"]

_LEFT_FOR_PYTHON = 0.6
"""The share of the memory limit that taut may take before it ends a question itself, with what it knows by then."""
_OFTEN = 0.1
"""Seconds between two events of a closing interval."""


class _Wire:
    """The streams from and to the server."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        self._owner = os.getpid()
        self._lock = threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        self.requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.working_on: int | None = None
        self.given_way = False
        """True if a newer request has made the current answer obsolete."""

    def listen(self) -> None:
        """Take requests, in a thread of its own; the process ends when the server does."""
        for line in self._in:
            request = json.loads(line)
            if request["kind"] != "stop":
                self.requests.put(request)
            elif request["id"] == self.working_on:
                self.given_way = request["gives_way"]
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        with contextlib.suppress(OSError):
            os.killpg(0, signal.SIGKILL)
        os._exit(0)

    def send(self, event: dict[str, Any]) -> None:
        if os.getpid() != self._owner:  # a copy that the program made of this process is not the worker
            os._exit(0)
        with self._lock:
            self._out.write(json.dumps(event, default=str).encode() + b"\n")
            self._out.flush()


class _Interruptible:
    """Ctrl-C, which the server sends to stop a question, reaches only the work itself."""

    def __init__(self) -> None:
        self.inside = False

    def install(self) -> None:
        signal.signal(signal.SIGINT, self._interrupt)  # again each time: a program may have changed it

    def _interrupt(self, *_: Any) -> None:
        if self.inside:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        self.install()
        self.inside = True
        try:
            yield
        finally:
            self.inside = False


def main() -> None:
    """Answer requests until the server goes away."""
    end_with_parent()
    memory, folder = int(sys.argv[1]), Path(sys.argv[2])
    wire = _Wire()
    _limit_memory(memory)
    sys.set_int_max_str_digits(0)
    threading.Thread(target=wire.listen, name="taut-play-listen", daemon=True).start()
    interruptible = _Interruptible()
    interruptible.install()
    from taut.interfaces.play.workshop import Workshop  # all of the library, and Matplotlib

    workshop = Workshop(folder, memory=int(memory * _LEFT_FOR_PYTHON))
    wire.send({"event": "ready"})
    while True:
        request = wire.requests.get()
        _serve(request, workshop, wire, interruptible)


def _serve(request: dict[str, Any], workshop: Any, wire: _Wire, interruptible: _Interruptible) -> None:
    number = request["id"]
    wire.given_way, wire.working_on = False, number
    begun = time.perf_counter()
    threads = set(threading.enumerate())

    def send(event: dict[str, Any]) -> None:
        wire.send({"id": number, "seconds": time.perf_counter() - begun, **event})

    last = -1.0

    def tell(now: Any) -> None:
        nonlocal last
        clock = time.perf_counter()
        if clock - last >= _OFTEN:
            last = clock
            send({"event": "interval", **workshop.interval(now)})

    try:
        with interruptible():
            for part in workshop.answer(request, tell):
                send({"event": "part", **part})
                if wire.given_way or (request.get("yields") and not wire.requests.empty()):
                    break
        ended = {"event": "done"}
    except KeyboardInterrupt:
        ended = {"event": "problem", "kind": "stopped", "sentence": "Stopped."}
    except BaseException as problem:
        ended = {"event": "problem", **workshop.problem(problem, traceback.format_exc())}
    sys.stdout.flush()
    left = [one for one in set(threading.enumerate()) - threads if one.is_alive() and one.name != "taut-watchdog"]
    wire.working_on = None
    send({**ended, "threads": len(left), "processes": _children()})


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # on Windows; the limit that taut itself keeps remains
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _children() -> int:
    """Count the processes that the program has started and that still run, also those that left this process."""
    own = os.getpid()
    return len(processes_of({own, os.getppid()}) - {own})  # what loses its parent becomes the supervisor's


if __name__ == "__main__":
    main()
