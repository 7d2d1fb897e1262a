"""The process between the server and the worker of one tab: it ends the worker and all processes that descend from it.

On Linux the supervisor is a "child subreaper": a process below it whose parent has ended becomes its own child, in
whatever group or session it is and whatever its environment says. So everything that the program started is found below
the supervisor, and the supervisor has no child left exactly when nothing of the program runs any more. Elsewhere it
ends the worker's process group.

The server and the supervisor share a socket. The supervisor sends ``{"pid": ...}`` when the worker has started, and
``{"code": ...}`` when the worker has ended and everything below has ended too. When the server closes its end, or dies,
the supervisor ends the worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from taut.support.process import SET_CHILD_SUBREAPER, process_control

__all__ = ["adopt_orphans", "main", "processes_of"]

_BETWEEN = 0.01
"""Seconds between two looks at what has not ended yet."""


def main() -> None:
    """Run ``supervisor SOCKET ARGUMENTS...``: start the worker with the arguments, and outlive all that it starts."""
    adopts = adopt_orphans()
    with socket.socket(fileno=int(sys.argv[1])) as server:
        server.set_inheritable(False)
        command = [sys.executable, "-P", "-m", "taut.interfaces.play.worker", *sys.argv[2:]]
        worker = subprocess.Popen(command, start_new_session=True).pid
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # not before: the worker would ignore them too
            signal.signal(number, signal.SIG_IGN)
        _let_go_of_the_wire()
        _tell(server, pid=worker)
        threading.Thread(target=_end_with_server, args=(server, worker), daemon=True).start()
        status = _status_of(worker)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(worker, signal.SIGKILL)
        if adopts:
            _end_all_below()
        _tell(server, code=os.waitstatus_to_exitcode(status))


def adopt_orphans() -> bool:
    """Become the parent of all processes below that lose their own; return False where the system cannot do that."""
    return process_control(SET_CHILD_SUBREAPER, 1)


def processes_of(parents: set[int]) -> set[int]:
    """Return the running processes that are children of one of some processes; none where there is no /proc."""
    return {pid for pid, parent, state in _processes() if parent in parents and state != "Z"}


def _let_go_of_the_wire() -> None:
    """Close the supervisor's copies of the streams, so that they end with the worker."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    os.close(nothing)


def _tell(server: socket.socket, **words: int) -> None:
    with contextlib.suppress(OSError):  # there may be no server any more
        server.sendall(json.dumps(words).encode() + b"\n")


def _end_with_server(server: socket.socket, worker: int) -> None:
    with contextlib.suppress(OSError):
        server.recv(1)  # the server says nothing: this returns when it closes its end
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def _status_of(worker: int) -> int:
    """Wait for the worker to end, and reap the orphans that end before it."""
    while True:
        pid, status = os.wait()
        if pid == worker:
            return status


def _end_all_below() -> None:
    """End every process below this one.

    Each is stopped as soon as it is seen, so that it cannot start another in the meantime, and all are ended when none
    is new. That is repeated until this process has no children, since whatever lost its parent has become one.
    """
    while True:
        stopped: set[int] = set()
        while found := _stop_below(stopped):
            stopped |= found
        for pid in stopped:
            _signal(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_BETWEEN)


def _stop_below(known: set[int]) -> set[int]:
    """Stop all processes below this one that are not known yet, and return them."""
    found: set[int] = set()
    stack = [os.getpid()]
    seen = set(stack)
    while stack:
        for pid in _children(stack.pop()):
            if pid not in known and pid not in found:
                _signal(pid, signal.SIGSTOP)
                found.add(pid)
            if pid not in seen:
                seen.add(pid)
                stack.append(pid)
    return found


def _children(parent: int) -> list[int]:
    """Return the children of a process: from the list that most kernels keep, else by looking at all processes."""
    tasks = Path(f"/proc/{parent}/task")
    try:
        return [int(word) for task in os.listdir(tasks) for word in (tasks / task / "children").read_text().split()]
    except OSError:
        return [pid for pid, above, _ in _processes() if above == parent]


def _processes() -> Iterator[tuple[int, int, str]]:
    """Yield each process with its parent and its state, as far as /proc tells."""
    with contextlib.suppress(OSError):
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError, ValueError):
                    state, parent = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
                    yield int(entry.name), int(parent), state


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


if __name__ == "__main__":
    main()
