"""Worker processes on this machine: spawned fresh, replaced when one dies, ended when no longer needed."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing import connection
from typing import Any, ParamSpec, TypeVar

from taut.support.errors import InvalidOption

__all__ = ["LocalWorkers", "local_workers"]

P = ParamSpec("P")
T = TypeVar("T")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class LocalWorkers(Executor):
    """An executor with worker processes on this machine; ``local_workers`` makes sure that they end.

    Processes are spawned, never forked, since diagrams have threads; each has one thread for its arithmetic. They
    ignore Ctrl-C, which is for the process that gives them work, and end when that process ends, however it does. If
    one dies, the others are replaced too, and the executor goes on.
    """

    def __init__(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InvalidOption(f"workers={count!r}: there must be a whole number of at least 1.", value=count)
        self._max_workers = count
        self._pool: ProcessPoolExecutor | None = None
        self._ended = False

    def submit(self, function: Callable[P, T], /, *args: P.args, **keywords: P.kwargs) -> Future[T]:
        """Submit a function call to one of the processes."""
        if self._ended:
            raise RuntimeError("these workers have been shut down.")
        try:
            return self._started().submit(function, *args, **keywords)
        except BrokenExecutor:
            self.abandon()
            return self._started().submit(function, *args, **keywords)

    def abandon(self) -> None:
        """End all processes at once; the next submitted call starts new ones."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        processes = list((getattr(pool, "_processes", None) or {}).values())
        for process in processes:
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.join()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after their current work, or at once with ``cancel_futures``."""
        self._ended = True
        if cancel_futures:
            self.abandon()
        elif self._pool is not None:
            self._pool.shutdown(wait=wait)
            self._pool = None

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._max_workers, mp_context=context, initializer=_prepare)
        return self._pool


@contextlib.contextmanager
def local_workers(count: int) -> Iterator[LocalWorkers]:
    """Start ``count`` worker processes on this machine, for the ``executor`` of any question.

    They start with the first piece of work, and are gone after the ``with`` block, also after Ctrl-C. As with every
    program that starts processes, what a script does stands under ``if __name__ == "__main__":``.

    Parameters
    ----------
    count
        How many processes.

    Raises
    ------
    InvalidOption
        That is not a whole number of at least 1.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> with local_workers(2) as pool:
    ...     randomized_response(bits(4), lam="1/5").privacy(method="exhaustive", executor=pool).max_ratio
    Fraction(4, 1)
    """
    workers = LocalWorkers(count)
    try:
        yield workers
    finally:
        workers.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Prepare a worker: ignore Ctrl-C, use one thread for matrices, and end with the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _THREADS:
        os.environ[name] = "1"
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), name="taut-parent", daemon=True).start()


def _end_with(sentinel: Any) -> None:
    """End this process as soon as the process behind ``sentinel`` has ended."""
    connection.wait([sentinel])
    os._exit(1)
