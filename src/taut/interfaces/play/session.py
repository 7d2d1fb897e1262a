"""The worker process of one tab, from the server's side: start, ask, stop, end, and restart after a crash."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["LOADING", "MEMORY", "Session", "Supervised", "end_all"]


Event = dict[str, Any]
MEMORY = 2 * 2**30
"""Bytes of memory that a worker may take, by default."""
LOADING = 10.0
"""Time limit for running a program before any question."""
_STARTING = 120.0
_STOPPING = 4.0
"""Seconds after Stop in which the work has to end by itself; then the process is ended."""
_ENDING = 1.0
"""Seconds for a worker that closed its streams to end, and for its last output to arrive."""
_PRINTED = 4_000
"""Characters of what a program prints that are kept."""

_alive: set[Session] = set()


class Session:
    """The worker of one tab, which may take ``memory`` bytes.

    Guarantee:
        ``ask`` always returns, within the seconds that it is given and a few more, whatever the program does; the next
        ``ask`` finds a worker that works. After ``close`` no process of the session is left, as far as ``Supervised``
        promises that.
    """

    def __init__(self, memory: int = MEMORY) -> None:
        self._memory = memory
        self._worker: Supervised | None = None
        self._folder: Path | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[Event], Callable[[Event], None]]] = {}
        self._ready: asyncio.Future[None] | None = None
        self._printed = ""
        self._printed_in_all = 0
        self._turn = asyncio.Lock()
        self._current: int | None = None
        self._stop_later: asyncio.TimerHandle | None = None
        self._stopped_by_hand = False
        self._said_something = False
        self._closed = False
        _alive.add(self)

    @property
    def pid(self) -> int | None:
        """The number of the worker's process, if there is one."""
        return None if self._worker is None else self._worker.pid

    @property
    def busy(self) -> bool:
        """True if a question is being answered."""
        return self._current is not None

    async def start(self) -> None:
        """Start the worker; the first question waits until it is ready."""
        if self._closed or self._worker is not None:
            return
        self._folder = Path(tempfile.mkdtemp(prefix="taut-play-"))
        self._ready = asyncio.get_running_loop().create_future()
        self._printed, self._printed_in_all = "", 0
        self._worker = await Supervised.start(self._memory, self._folder)
        self._tasks = [
            asyncio.ensure_future(work) for work in (self._attend(self._worker), self._drain(self._worker.printed))
        ]

    async def ask(self, request: Event, seconds: float, on_event: Callable[[Event], None] = lambda _: None) -> Event:
        """Send a request and wait for the event that ends it; other events are handed on as they come.

        After ``seconds`` the worker is ended. The last event is ``done``, or ``problem`` with a ``sentence``; as
        ``printed`` it has what the program printed.
        """
        async with self._turn:
            self._stopped_by_hand = False
            await self.start()
            assert self._ready is not None
            try:
                await asyncio.wait_for(asyncio.shield(self._ready), _STARTING)
            except (TimeoutError, ConnectionError):
                await self._end()
                return _problem("start", "The process that computes did not start. Ask again.")
            number = next(self._numbers)
            future: asyncio.Future[Event] = asyncio.get_running_loop().create_future()
            self._waiting[number] = future, on_event
            self._current = number
            self._printed, self._printed_in_all = "", 0
            try:
                self._send({**request, "id": number})
                try:
                    ended = await asyncio.wait_for(future, seconds)
                except TimeoutError:
                    await self._end()
                    ended = _problem("time", _too_long(request, seconds))
                except asyncio.CancelledError:
                    await self._end()
                    raise
            finally:
                self._waiting.pop(number, None)
                self._current = None
                self._cancel_stop()
            return await self._settled(ended)

    def stop(self) -> None:
        """Stop the running question: a search keeps its interval; a worker that does not react is killed."""
        if self._current is None or self._worker is None:
            return
        self._stopped_by_hand, self._said_something = True, False
        self._send({"kind": "stop", "id": self._current, "gives_way": False})
        if self._stop_later is None:
            self._stop_later = asyncio.get_running_loop().call_later(_STOPPING, self._end_deaf, self._current)

    def interrupt(self) -> None:
        """Interrupt the current question in favour of the next one."""
        if self._current is not None:
            self._send({"kind": "stop", "id": self._current, "gives_way": True})

    def _end_deaf(self, number: int) -> None:
        """Kill a worker that does not react to being stopped."""
        if self._current == number and not self._said_something and self._worker is not None:
            self._worker.kill()

    async def close(self) -> None:
        """End the worker and everything that it started; nothing can be asked any more."""
        self._closed = True
        await self._end()
        _alive.discard(self)

    # -- the process ---------------------------------------------------------------------------------------------

    def _send(self, request: Event) -> None:
        if self._worker is not None:
            self._worker.send(request)

    async def _attend(self, worker: Supervised) -> None:
        """Forward events until the worker ends, then wake those who wait."""
        listening = asyncio.ensure_future(self._listen(worker.events))
        ends: list[asyncio.Future[Any]] = [listening, worker.ended]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait(ends, timeout=_ENDING)
        finally:
            listening.cancel()
        code = worker.ended.result() if worker.ended.done() else 0
        worker.kill()
        await asyncio.wait([worker.ended], timeout=_STOPPING)
        sentence = self._sentence_of_end(code)
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(ConnectionError("the worker ended"))
            self._ready.exception()
        for future, _ in list(self._waiting.values()):
            if not future.done():
                future.set_result(_problem("stopped" if self._stopped_by_hand else "ended", sentence))

    async def _listen(self, events: asyncio.StreamReader) -> None:
        with contextlib.suppress(ValueError, OSError):
            while line := await events.readline():
                self._take(json.loads(line))

    def _take(self, event: Event) -> None:
        if event["event"] == "ready":
            if self._ready is not None and not self._ready.done():
                self._ready.set_result(None)
            return
        future, on_event = self._waiting.get(event["id"], (None, None))
        if future is None or future.done() or on_event is None:
            return
        self._said_something = True
        if event["event"] in ("done", "problem"):
            future.set_result(event)
        else:
            on_event(event)

    async def _drain(self, stream: asyncio.StreamReader) -> None:
        """Read all output of the program and keep its beginning, so that a full pipe never blocks it."""
        while chunk := await stream.read(2**20):
            if len(self._printed) < _PRINTED:
                self._printed += chunk[:_PRINTED].decode(errors="replace")
            self._printed_in_all += len(chunk)

    async def _settled(self, ended: Event) -> Event:
        """Return the last event with what was printed; a worker that is not clean any more is replaced."""
        await asyncio.sleep(0)
        printed = self._printed[:_PRINTED]
        if self._printed_in_all > len(printed):
            printed += f"\n… {self._printed_in_all:,} bytes were printed; this is their beginning."
        ended = {**ended, "printed": printed}
        threads, processes = ended.get("threads", 0), ended.get("processes", 0)
        if threads or processes:
            words = [_counted(*one) for one in ((threads, "thread", "threads"), (processes, "process", "processes"))]
            were = "it was" if threads + processes == 1 else "they were"
            started = " and ".join(filter(None, words))
            ended["left"] = f"The program started {started} that did not end; {were} ended with it."
        if threads or processes or ended.get("kind") == "memory":
            await self._end()
        if self._worker is not None and self._worker.ended.done():
            await self._end()
        if not self._closed:
            await self.start()
        return ended

    def _sentence_of_end(self, code: int | None) -> str:
        if self._stopped_by_hand:
            return "Stopped. The program did not listen, so its process was ended; ask again, and there is a new one."
        if code is None:
            return "The program ended the process that watches over it. There is a new one now."
        if code < 0:
            name = signal.Signals(-code).name if -code in {int(one) for one in signal.Signals} else f"signal {-code}"
            return (
                f"The process that ran the program was ended by the system ({name}), most likely for want of memory. "
                "There is a new one now."
            )
        return f"The program ended the process that ran it (exit code {code}). There is a new one now."

    def _cancel_stop(self) -> None:
        if self._stop_later is not None:
            self._stop_later.cancel()
            self._stop_later = None

    async def _end(self) -> None:
        worker = self._worker
        if worker is not None:
            await worker.end()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._worker = None
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def end_all() -> None:
    """End the workers of all sessions and all their processes, when the server stops."""
    workers = [session._worker for session in _alive if session._worker is not None]
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.end_now()
    for session in _alive:
        session._remove_folder()


atexit.register(end_all)


def _counted(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}" if count else ""


def _problem(kind: str, sentence: str) -> Event:
    return {"event": "problem", "kind": kind, "sentence": sentence}


def _too_long(request: Event, seconds: float) -> str:
    if request["kind"] == "inspect":
        return (
            f"The program did not finish running within {seconds:.0f} seconds, so it was ended. Look for a loop "
            "without end outside of its functions."
        )
    return (
        f"There was no answer within {seconds:.0f} seconds and the program did not listen, so its process was ended. "
        "Look for a loop without end, or make the domain smaller."
    )


_LONGEST = 2**27
"""Bytes of the longest event, a report."""
_REAPING = 10.0
"""Seconds in which a supervisor has to end everything below it; then it is ended itself."""


class Supervised:
    """A worker process with all that it starts.

    Nothing here waits for the end of a stream: processes that the program started may hold the other ends. What is
    waited for is the word of the supervisor, whose socket no other process has.

    Guarantee:
        ``end`` returns within a bounded time. On Linux no process that the worker or its descendants started is left
        then, unless one of them ended the supervisor, or belongs to another user.

    Attributes:
        pid: the number of the worker's process.
        ended: done when the worker and everything below it has ended: the worker's exit code, negative for a
            signal, or None if the supervisor did not say.
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
            await asyncio.wait([self.ended], timeout=_REAPING)
            await asyncio.to_thread(self._reap)
        finally:
            self._watching.cancel()
            for writer in (self._requests, self._words):
                writer.transport.abort()
            self._pipe.close()

    def end_now(self) -> None:
        """End everything and wait without an event loop, when the server stops."""
        self.kill()
        self._reap()

    def _reap(self) -> None:
        """Wait for the supervisor, and kill it if it does not end in time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._supervisor.wait(_REAPING)
        if self._supervisor.returncode != 0:
            if self.pid:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            self._supervisor.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(_REAPING)
