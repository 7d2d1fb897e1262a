"""Pieces of work: the same function of many pieces, by whatever executor is in force, each result exactly once.

What all pieces share (a channel, say) is pickled once and known by its digest: a worker keeps it, and asks for it if it
has not seen it yet. A piece's own error is a result like any other, and is raised here. Whatever else an executor
raises means that the piece was lost, with its worker or with the connection to it; then it is done again.

Pieces that take no time are sent several at a time, in lots, so that engines have less to carry than workers to do.
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

from taut._version import __version__
from taut.errors import WorkersLost
from taut.forks import ForkSafeLock
from taut.limits import allowance, checkpoint, checkpoints, limits, remaining
from taut.parallel.executors import current_executor, is_connected, is_far, require_same_version, width
from taut.parallel.pulse import gone, pulse_of

__all__ = ["mapped"]

P = TypeVar("P")
R = TypeVar("R")
_TRIES = 5
"""How often a piece may be lost before that is taken for its own fault."""
_SMALL = 1 << 16
"""Bytes of shared data that every piece may carry; more are sent to those workers only that ask for them."""
_KEPT = 4
"""Shared data that a worker remembers."""
_LOOKS = 0.25
"""Seconds between two looks at the limits while nothing arrives."""
_LOT = 0.25
"""Seconds that the pieces of one call take together, if there are enough of them for all workers."""
_DONE, _FAILED, _UNKNOWN = "done", "failed", "unknown"


def mapped(work: Callable[[Any, P], R], shared: Any, pieces: Iterable[P], count: int = 0) -> Iterator[tuple[int, R]]:
    """The results of ``work(shared, piece)`` for all pieces, each with the piece's number, as they come.

    With an executor in force (``using``) pieces are done there, a few at a time, in any order; without one, here and in
    their order. ``work`` is a function of a module. What is shared, pieces and results can be pickled; where they
    cannot, pieces are done here. Leaving early gives up what has not been done. If it is said how many pieces there
    are, small ones are sent several at a time, as long as there are enough for all workers.

    Raises
    ------
    OutOfTime, OutOfMemory
        A limit in force here has been passed. Pieces carry the time that is left, and end by themselves.
    WorkersLost
        A piece was lost several times, and that is not because the executor has ended; or workers have another taut.
    WorkersGone
        The executor is a cluster whose scheduler does not answer any more, or that has no workers left.
    """
    executor = current_executor()
    blob = None if executor is None else _pickled((work, shared))
    if executor is None or blob is None:
        for number, piece in enumerate(pieces):
            checkpoint()
            yield number, work(shared, piece)
        return
    require_same_version(executor)
    run = _Run(executor, blob, pieces, count)
    try:
        for lot, answer in run.answers():
            results = [work(shared, piece) for _, piece in lot] if answer is None else pickle.loads(answer)
            yield from zip([number for number, _ in lot], results, strict=True)
    finally:
        run.end()


_Lot = list[tuple[int, Any]]
"""Pieces that are done by one call, with their numbers."""


class _Run:
    """The pieces of one piece of work: those to come, those that are being done, and how often each was lost."""

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
        """All pieces in lots with their pickled results; with None for pieces that are to be done in this process."""
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
        """Give up what is not done yet."""
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
        """Keep the executor busy."""
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
        """Pieces that were not sent yet: few towards the end, so that no worker has much to do when others are done."""
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
        """Do the rest here: the executor is broken, and it is not ours to mend."""
        warnings.warn(
            f"the executor takes no more work ({type(error).__name__}: {error}); the rest is done in this process.",
            RuntimeWarning,
            stacklevel=2,
        )
        self.executor = None

    def _left(self) -> Iterator[tuple[_Lot, None]]:
        """The pieces that no worker has done."""
        unfinished = [*self.doing.values(), *(lot for lot, _ in self.again)]
        for one in itertools.chain(itertools.chain.from_iterable(unfinished), self.pieces):
            checkpoint()
            yield [one], None
        self.doing.clear()


def _advice(error: BaseException) -> str:
    """What may be done about workers that are lost again and again."""
    if isinstance(error, (ImportError, AttributeError)):
        return f"Every worker needs taut {__version__}, and what it needs itself."
    return (
        "Its worker may have run out of memory (taut.options(max_memory=...) limits what it takes), or the program "
        "that starts workers does so without 'if __name__ == \"__main__\":'."
    )


_known: OrderedDict[bytes, Any] = OrderedDict()
_lock = ForkSafeLock()


def _perform(
    call: Any,
    digest: bytes,
    blob: bytes | None,
    pieces: list[Any],
    seconds: float | None,
    memory: int | None,
) -> tuple[str, bytes, float]:
    """Do some pieces, in a worker: their results, an error, or that the shared data are not known here; pickled.

    With them go the seconds that it took.
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
    """An error as its parts: not as itself, since Dask has errors pickled in a way of its own, which fails for some."""
    return _pickled((type(error), error.args, vars(error))) or pickle.dumps((type(error), (str(error),), {}))


def _received(parts: bytes) -> Exception:
    kind, arguments, state = pickle.loads(parts)
    error: Exception = kind(*arguments)
    vars(error).update(state)
    return error


def _pickled(value: Any) -> bytes | None:
    """A value as bytes; None if there is something in it that cannot be written as bytes."""
    with contextlib.suppress(Exception):
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return None
