"""A worker under its supervisor, as the server sees it: two streams, and an end that is always reached in time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["Supervised"]

_LONGEST = 2**27
"""Bytes of the longest event, a report."""
_ENDING = 10.0
"""Seconds in which a supervisor has to end everything below it; then it is ended itself."""


class Supervised:
    """A worker process with all that it starts.

    Nothing here waits for the end of a stream: processes that the program started may hold the other ends. What is
    waited for is the word of the supervisor, whose socket no other process has.

    Guarantee:
        ``end`` returns within a bounded time. On Linux no process that the worker or its descendants started is left
        then, unless one of them ended the supervisor, or belongs to another user.

    Attributes
    ----------
    pid
        The number of the worker's process.
    ended
        Done when the worker and everything below it has ended: the worker's exit code, negative for a signal, or None
        if the supervisor did not say.
    """

    def __init__(self, supervisor: subprocess.Popen[bytes], control: socket.socket, errors: int) -> None:
        self.pid = 0
        self.ended: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._supervisor = supervisor
        self._control = control
        self._errors = errors

    @classmethod
    async def start(cls, memory: int, folder: Path) -> Supervised:
        """Start a supervisor and its worker, which may take ``memory`` bytes and write to ``folder``."""
        wire, far_wire = socket.socketpair()
        control, far_control = socket.socketpair()
        errors, far_errors = os.pipe()
        command = [sys.executable, "-P", "-m", "taut.interfaces.play.supervisor", str(far_control.fileno())]
        try:
            supervisor = subprocess.Popen(
                [*command, str(memory), str(folder)],
                stdin=far_wire.fileno(),
                stdout=far_wire.fileno(),
                stderr=far_errors,
                pass_fds=[far_control.fileno()],
                start_new_session=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": ""},
            )
        except BaseException:
            for near in (wire, control):
                near.close()
            os.close(errors)
            raise
        finally:
            for far in (far_wire, far_control):
                far.close()
            os.close(far_errors)
        made = cls(supervisor, control, errors)
        await made._connect(wire)
        return made

    async def _connect(self, wire: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        self.events, self._requests = await asyncio.open_connection(sock=wire, limit=_LONGEST)
        self.printed = asyncio.StreamReader()
        file = os.fdopen(self._errors, "rb", buffering=0)
        self._pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self.printed), file)
        words, self._words = await asyncio.open_connection(sock=self._control)
        self._watching = asyncio.ensure_future(self._watch(words))

    async def _watch(self, words: asyncio.StreamReader) -> None:
        code: int | None = None
        with contextlib.suppress(OSError, ValueError):
            while line := await words.readline():
                told: dict[str, int] = json.loads(line)
                self.pid = told.get("pid", self.pid)
                code = told.get("code", code)
        if not self.ended.done():
            self.ended.set_result(code)

    def send(self, request: dict[str, Any]) -> None:
        """Send a request to the worker, if it is still there."""
        with contextlib.suppress(OSError, RuntimeError):
            self._requests.write(json.dumps(request).encode() + b"\n")

    def kill(self) -> None:
        """Have the supervisor end everything, without waiting for it."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)

    async def end(self) -> None:
        """End everything, wait until that is done, and close all streams."""
        self.kill()
        try:
            await asyncio.wait([self.ended], timeout=_ENDING)
            await asyncio.to_thread(self._reap)
        finally:
            self._watching.cancel()
            for writer in (self._requests, self._words):
                writer.transport.abort()
            self._pipe.close()

    def end_now(self) -> None:
        """End everything and wait for it without a loop of events; for when the server goes away."""
        self.kill()
        self._reap()

    def _reap(self) -> None:
        """Wait for the supervisor; one that did not end in time, or was ended by the program, is beyond its duty."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._supervisor.wait(_ENDING)
        if self._supervisor.returncode != 0:
            if self.pid:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            self._supervisor.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(_ENDING)
