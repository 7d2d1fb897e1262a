"""The executor in force, its number of workers, and the liveness of the cluster behind it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from taut.support.errors import TautError, WorkersGone, WorkersLost
from taut.support.limits import clock
from taut.support.package import __version__

if TYPE_CHECKING:  # importing them would make every start of the package slower
    from concurrent.futures import Executor, Future

__all__ = [
    "Pulse",
    "check_executor",
    "current_executor",
    "gone",
    "is_connected",
    "is_far",
    "pulse_of",
    "require_same_version",
    "using",
    "width",
]


_SILENT = 10.0
"""Seconds without an answer after which a scheduler is considered gone."""
_EMPTY = 60.0
"""Seconds without any worker after which a cluster is considered gone; until then workers may be replaced."""
_BETWEEN = 1.0
"""Seconds between two requests to a scheduler."""


class Pulse:
    """The liveness of a cluster, checked while no result arrives.

    Parameters:
        ask: asks the scheduler for the number of its workers, without waiting for the answer; None for executors
            that notice the loss of their workers themselves.
    """

    def __init__(self, ask: Callable[[], Future[int]] | None) -> None:
        self._ask = ask
        self._asked: Future[int] | None = None
        self._next = self._answered = self._working = clock()

    def beat(self) -> None:
        """Record that a result has arrived, so some worker is alive."""
        self._answered = self._working = clock()

    def check(self) -> None:
        """Raise WorkersGone if the scheduler has not answered, or has had no workers, for too long."""
        if self._ask is None:
            return
        now = clock()
        if self._asked is None and now >= self._next:
            self._asked, self._next = self._ask(), now + _BETWEEN
        if self._asked is not None and self._asked.done():
            asked, self._asked = self._asked, None
            if not asked.cancelled() and asked.exception() is None:
                self._answered = now
                if asked.result():
                    self._working = now
        if now - self._answered > _SILENT:
            raise gone(f"its scheduler has not answered for {_SILENT:.0f} seconds")
        if now - self._working > _EMPTY:
            raise gone(f"it has had no workers for {_EMPTY:.0f} seconds")


def gone(why: str) -> WorkersGone:
    """Return the error for a cluster that is gone."""
    return WorkersGone(f"the cluster was lost: {why}. Start it again, or ask without it.", value=why)


def pulse_of(executor: Executor) -> Pulse:
    """Return the pulse of an executor: that of a Dask client's cluster, or one that never fails."""
    client: Any = getattr(executor, "_client", None)
    loop: Any = getattr(getattr(client, "loop", None), "asyncio_loop", None)
    if loop is None:
        return Pulse(None)

    import asyncio
    from concurrent.futures import Future

    def ask() -> Future[int]:
        answer = _workers(client)
        try:
            return asyncio.run_coroutine_threadsafe(answer, loop)
        except RuntimeError:  # the loop has ended, and the client with it
            answer.close()
            return Future()

    return Pulse(ask)


async def _workers(client: Any) -> int:
    return len(await client.scheduler.ncores())


_executor: ContextVar[Executor | None] = ContextVar("taut_executor", default=None)


def current_executor() -> Executor | None:
    """Return the executor for pieces of work; None if this process does them one after the other."""
    return _executor.get()


@contextmanager
def using(executor: Executor | None) -> Iterator[None]:
    """Send pieces of work to an executor inside the ``with`` block; None keeps the one in force.

    Like the limits of time and memory this is a matter of context, so that deep code need not be told.
    """
    if executor is None:
        yield
        return
    token = _executor.set(executor)
    try:
        yield
    finally:
        _executor.reset(token)


def check_executor(executor: Any, what: str, error: type[TautError]) -> None:
    """Refuse a value that is neither None nor an executor."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise error(
            f"{what} must be a concurrent.futures.Executor, such as taut.local_workers(4) or Dask's "
            f"client.get_executor(); got {executor!r}.",
            value=executor,
        )


def is_far(executor: Executor) -> bool:
    """Return True if workers may run on other machines, with other files."""
    return hasattr(executor, "_client")


def is_connected(executor: Executor) -> bool:
    """Return True unless the executor is a Dask client that has lost its scheduler."""
    return getattr(getattr(executor, "_client", None), "status", "running") == "running"


_same: weakref.WeakSet[Executor] = weakref.WeakSet()
"""Executors whose workers have been asked for their version."""


def require_same_version(executor: Executor) -> None:
    """Refuse workers of a cluster that lack taut or have another version of it.

    Raises:
        WorkersLost: some worker cannot do what it would be given.
    """
    client: Any = getattr(executor, "_client", None)
    if client is None or executor in _same:
        return
    words = "__import__('taut').__version__"  # a function of ours could not be sent to a worker that does not know it
    with _answering():
        answers = client.run(eval, words, on_error="return")
    for worker, answer in answers.items():
        if isinstance(answer, ImportError):
            raise WorkersLost(
                f"the worker at {worker} has no taut ({answer}); it needs taut {__version__}.", value=worker
            )
        if isinstance(answer, str) and answer != __version__:
            raise WorkersLost(f"the worker at {worker} has taut {answer}; it needs taut {__version__}.", value=worker)
    _same.add(executor)


def width(executor: Executor) -> int:
    """Return the number of pieces that an executor works on at once, if it says so."""
    known: Any = getattr(executor, "_max_workers", None)  # of the pools of the standard library, and of ours
    client: Any = getattr(executor, "_client", None)  # of Dask's
    if client is not None:
        with _answering():
            known = sum(client.nthreads().values())
    return known if isinstance(known, int) and known > 0 else os.cpu_count() or 1


@contextmanager
def _answering() -> Iterator[None]:
    """Treat every error of a Dask client as the loss of its scheduler."""
    try:
        yield
    except Exception as error:
        raise gone("its scheduler does not answer") from error
