"""Pieces of work: one function applied to many pieces by the executor in force, each result exactly once.

Shared data (a channel, say) are pickled once and identified by their digest; a worker caches them, and requests them if
they are missing. An error raised by a piece is a result, and is raised again here. Any other error of an executor means
that the piece was lost, with its worker or its connection; then it is repeated.

Short pieces are sent in lots, so that communication takes less time than the work.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import pickle
import time
import uuid
import warnings
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from typing import Any, TypeVar

from taut.support.errors import WorkersLost
from taut.support.limits import allowance, checkpoint, checkpoints, limits, remaining
from taut.support.package import __version__
from taut.support.parallel.executors import (
    current_executor,
    gone,
    is_connected,
    is_far,
    pulse_of,
    require_same_version,
    width,
)
from taut.support.process import ForkSafeLock

__all__ = ["mapped"]

P = TypeVar("P")
R = TypeVar("R")
_TRIES = 5
"""Number of losses after which a piece itself is blamed."""
_SMALL = 1 << 16
"""Bytes of shared data that are sent with every piece; larger data are sent only to workers that ask for them."""
_KEPT = 4
"""Number of shared data sets that a worker remembers."""
_LOOKS = 0.25
"""Seconds between two checks of the limits while no result arrives."""
_LOT = 0.25
"""Seconds of work in one call, if there are enough pieces for all workers."""
_DONE, _FAILED, _UNKNOWN = "done", "failed", "unknown"


def mapped(work: Callable[[Any, P], R], shared: Any, pieces: Iterable[P], count: int = 0) -> Iterator[tuple[int, R]]:
    """Yield ``work(shared, piece)`` for all pieces, each with the piece's number, in order of completion.

    With an executor in force (``using``) it does the pieces, in any order; without one, this process does them in their
    order. ``work`` is a function of a module. Shared data, pieces and results should be picklable; otherwise this
    process does the pieces. Leaving the iteration early cancels the rest. With ``count``, the number of pieces, small
    ones are sent in lots as long as there are enough for all workers.

    Raises:
        OutOfTime, OutOfMemory: a limit in force here has been passed. Pieces carry the time that is left, and end
            by themselves.
        WorkersLost: a piece was lost several times, and that is not because the executor has ended; or workers have
            another taut.
        WorkersGone: the executor is a cluster whose scheduler does not answer any more, or that has no workers
            left.
    """
    executor = current_executor()
    blob = None if executor is None else _pickled((work, shared))
    if executor is None or blob is None:
        for number, piece in enumerate(pieces):
            checkpoint()
            yield number, work(shared, piece)
        return
    require_same_version(executor)
    run = _Schedule(executor, blob, pieces, count)
    try:
        for lot, answer in run.answers():
            results = [work(shared, piece) for _, piece in lot] if answer is None else pickle.loads(answer)
            yield from zip([number for number, _ in lot], results, strict=True)
    finally:
        run.end()


_Lot = list[tuple[int, Any]]
"""Numbered pieces for one call."""


class _Schedule:
    """The state of one parallel computation: pieces waiting, pieces in progress, and losses of each piece."""

    def __init__(self, executor: Executor, blob: bytes, pieces: Iterable[Any], count: int) -> None:
        self.executor: Executor | None = executor
        self.blob, self.digest = blob, hashlib.sha256(blob).digest()
        self.pieces = iter(enumerate(pieces))
        self.left = count
        self.size = 1
        self.again: deque[tuple[_Lot, bool]] = deque()
        self.doing: dict[Future[Any], _Lot] = {}
        self.lost: dict[int, int] = {}
        self.width = width(executor)
        self.most = 2 * self.width + 2
        self.carried = 0
        self.name = uuid.uuid4().hex
        self.calls = itertools.count()
        self.pulse = pulse_of(executor)

    def answers(self) -> Iterator[tuple[_Lot, bytes | None]]:
        """Yield all pieces in lots with their pickled results; None for pieces left to this process."""
        while True:
            self._submit()
            if self.executor is None:
                yield from self._left()
                return
            if not self.doing:
                return
            done, _ = wait(self.doing, timeout=min(_LOOKS, max(0.0, remaining())), return_when=FIRST_COMPLETED)
            checkpoint()
            if not done:
                self.pulse.check()
            for future in done:
                lot = self.doing.pop(future)
                try:
                    kind, answer, seconds = future.result()
                except (Exception, CancelledError) as error:
                    self._lose(lot, error)
                    continue
                self.pulse.beat()
                if kind == _UNKNOWN:
                    self.again.append((lot, True))
                elif kind == _FAILED:
                    raise _received(answer)
                else:
                    self.size = max(1, min(2 * self.size, int(_LOT * len(lot) / max(seconds, 1e-6))))
                    yield lot, answer

    def end(self) -> None:
        """Cancel everything that is not done yet."""
        if not self.doing:
            return
        if self.executor is not None and is_connected(self.executor):
            for future in self.doing:
                future.cancel()
        abandon = getattr(self.executor, "abandon", None)
        if abandon is not None:
            abandon()
        self.doing.clear()

    def _submit(self) -> None:
        """Submit lots until the executor is busy."""
        while self.executor is not None and len(self.doing) < self.most:
            lot, whole = self.again.popleft() if self.again else (self._next_lot(), False)
            if not lot:
                return
            self.carried += 1
            carried = whole or len(self.blob) <= _SMALL or self.carried <= self.most // 2
            seconds = remaining()
            call = (
                (self.name, next(self.calls)),  # no two calls look alike, or an engine that remembers would not do both
                self.digest,
                self.blob if carried else None,
                [piece for _, piece in lot],
                None if math.isinf(seconds) else seconds,
                allowance(),
            )
            try:
                future = self.executor.submit(_perform, *call)
            except Exception as error:  # it is broken or shut down, and takes nothing any more
                if is_far(self.executor):
                    raise gone("its client is closed") from error
                self.again.append((lot, whole))
                self._leave(error)
            else:
                self.doing[future] = lot

    def _next_lot(self) -> _Lot:
        """Return the next pieces to send: few of them near the end, so that all workers finish together."""
        lot = list(itertools.islice(self.pieces, max(1, min(self.size, self.left // (4 * self.width)))))
        self.left -= len(lot)
        return lot

    def _lose(self, lot: _Lot, error: BaseException) -> None:
        for number, piece in lot:
            self.lost[number] = self.lost.get(number, 0) + 1
            if self.lost[number] > _TRIES:
                raise WorkersLost(
                    f"a piece of the work was lost {self.lost[number]} times: {type(error).__name__}: {error}. "
                    f"{_advice(error)}",
                    value=error,
                ) from error
            self.again.append(([(number, piece)], False))

    def _leave(self, error: BaseException) -> None:
        """Do the remaining pieces in this process: the executor is broken, and belongs to the user."""
        warnings.warn(
            f"the executor takes no more work ({type(error).__name__}: {error}); the rest is done in this process.",
            RuntimeWarning,
            stacklevel=2,
        )
        self.executor = None

    def _left(self) -> Iterator[tuple[_Lot, None]]:
        """Yield the pieces that no worker has done."""
        unfinished = [*self.doing.values(), *(lot for lot, _ in self.again)]
        for one in itertools.chain(itertools.chain.from_iterable(unfinished), self.pieces):
            checkpoint()
            yield [one], None
        self.doing.clear()


def _advice(error: BaseException) -> str:
    """Return advice for workers that are lost repeatedly."""
    if isinstance(error, (ImportError, AttributeError)):
        return f"Every worker needs taut {__version__}, and what it needs itself."
    return (
        "Its worker may have run out of memory (taut.options(max_memory=...) limits what it takes), or the program "
        "that starts workers does so without 'if __name__ == \"__main__\":'."
    )


_known: OrderedDict[bytes, Any] = OrderedDict()
_lock = ForkSafeLock()


def _perform(
    call: Any, digest: bytes, blob: bytes | None, pieces: list[Any], seconds: float | None, memory: int | None
) -> tuple[str, bytes, float]:
    """Do some pieces in a worker; return, pickled, their results, an error, or a request for the shared data.

    The third item is the seconds that it took.
    """
    start = time.perf_counter()
    with _lock.held():
        if digest in _known:
            _known.move_to_end(digest)
        elif blob is None:
            return _UNKNOWN, b"", 0.0
        else:
            _known[digest] = pickle.loads(blob)
            if len(_known) > _KEPT:
                _known.popitem(last=False)
        work, shared = _known[digest]
    try:
        with limits(seconds=seconds, memory=memory):
            results = [work(shared, piece) for piece in checkpoints(pieces, every=1)]
            return _DONE, pickle.dumps(results, pickle.HIGHEST_PROTOCOL), time.perf_counter() - start
    except Exception as error:
        return _FAILED, _sent(error), 0.0


def _sent(error: Exception) -> bytes:
    """Pickle the parts of an error, since Dask's own way of pickling errors fails for some of them."""
    return _pickled((type(error), error.args, vars(error))) or pickle.dumps((type(error), (str(error),), {}))


def _received(parts: bytes) -> Exception:
    kind, arguments, state = pickle.loads(parts)
    error: Exception = kind(*arguments)
    vars(error).update(state)
    return error


def _pickled(value: Any) -> bytes | None:
    """Return a value as bytes; None if it cannot be pickled."""
    with contextlib.suppress(Exception):
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return None
