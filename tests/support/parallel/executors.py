"""Executors with unusual behaviour."""

import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

__all__ = ["Dying", "Flaky", "Reversed", "outcome"]


class Reversed(Executor):
    """Does pieces in one thread, of those that wait always the last one; it begins when some are there."""

    def __init__(self, together: int = 3) -> None:
        self._max_workers = together
        self.waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []
        self.calls = 0
        self.timer: threading.Timer | None = None

    def submit(self, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        self.waiting.append((future, function, args))
        if self.timer is not None:
            self.timer.cancel()
        if len(self.waiting) >= self._max_workers:
            self.flush()
        else:
            self.timer = threading.Timer(0.02, self.flush)
            self.timer.daemon = True
            self.timer.start()
        return future

    def flush(self) -> None:
        while self.waiting:
            future, function, args = self.waiting.pop()
            if future.set_running_or_notify_cancel():
                outcome(future, function, args)


class Flaky(Executor):
    """Loses every third piece, as an executor does whose worker dies."""

    def __init__(self) -> None:
        self.calls = self.lost = 0

    def submit(self, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        if self.calls % 3 == 1:
            self.lost += 1
            future.set_exception(BrokenExecutor("a worker died"))
        else:
            outcome(future, function, args)
        return future


class Dying(Executor):
    """Does some pieces, loses the next, and takes none from then on, as a broken pool does."""

    def __init__(self, after: int) -> None:
        self.after = after

    def submit(self, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.after -= 1
        if self.after < -1:
            raise BrokenExecutor("the pool is broken")
        if self.after < 0:
            future.set_exception(BrokenExecutor("a worker died"))
        else:
            outcome(future, function, args)
        return future


def outcome(future: Future[Any], function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Let a future have what a function returns or raises."""
    try:
        future.set_result(function(*args))
    except Exception as error:
        future.set_exception(error)
