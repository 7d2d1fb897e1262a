"""Liveness of a cluster: its scheduler answers and has workers, else the work would never end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from taut.support.errors import WorkersGone
from taut.support.limits import clock

__all__ = ["Pulse", "gone", "pulse_of"]

_SILENT = 10.0
"""Seconds without an answer after which a scheduler is considered gone."""
_EMPTY = 60.0
"""Seconds without any worker after which a cluster is considered gone; until then workers may be replaced."""
_BETWEEN = 1.0
"""Seconds between two requests to a scheduler."""


class Pulse:
    """The liveness of a cluster, checked while no result arrives.

    Parameters
    ----------
    ask
        Asks the scheduler for the number of its workers, without waiting for the answer; None for executors that notice
        the loss of their workers themselves.
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
