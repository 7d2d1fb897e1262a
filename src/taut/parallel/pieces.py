"""Pieces of work: the same function of many pieces, by whatever executor is in force, each result exactly once.

What all pieces share (a channel, say) is pickled once and known by its digest: a worker keeps it, and asks for it if it
has not seen it yet. A piece's own error is a result like any other, and is raised here. Whatever else an executor
raises means that the piece was lost, with its worker or with the connection to it; then it is done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import pickle
import threading
import uuid
import warnings
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from typing import Any, TypeVar

from taut.errors import WorkersLost
from taut.limits import allowance, checkpoint, limits, remaining
from taut.parallel.executors import current_executor, width

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
_DONE, _FAILED, _UNKNOWN = "done", "failed", "unknown"


def mapped(work: Callable[[Any, P], R], shared: Any, pieces: Iterable[P]) -> Iterator[tuple[int, R]]:
    """The results of ``work(shared, piece)`` for all pieces, each with the piece's number, as they come.

    With an executor in force (``using``) pieces are done there, a few at a time, in any order; without one, here and in
    their order. ``work`` is a function of a module. What is shared, pieces and results can be pickled; where they
    cannot, pieces are done here. Leaving early gives up what has not been done.

    Raises
    ------
    OutOfTime, OutOfMemory
        A limit in force here has been passed. Pieces carry the time that is left, and end by themselves.
    WorkersLost
        A piece was lost several times, and that is not because the executor has ended.
    """
    executor = current_executor()
    blob = None if executor is None else _pickled((work, shared))
    if executor is None or blob is None:
        for number, piece in enumerate(pieces):
            checkpoint()
            yield number, work(shared, piece)
        return
    run = _Run(executor, blob, pieces)
    try:
        for number, answer, piece in run.answers():
            yield number, work(shared, piece) if answer is None else pickle.loads(answer)
    finally:
        run.end()


class _Run:
    """The pieces of one piece of work: those to come, those that are being done, and how often each was lost."""

    def __init__(self, executor: Executor, blob: bytes, pieces: Iterable[Any]) -> None:
        self.executor: Executor | None = executor
        self.blob, self.digest = blob, hashlib.sha256(blob).digest()
        self.pieces = iter(enumerate(pieces))
        self.again: deque[tuple[int, Any, bool]] = deque()
        self.doing: dict[Future[Any], tuple[int, Any]] = {}
        self.lost: dict[int, int] = {}
        self.most = 2 * width(executor) + 2
        self.carried = 0
        self.name = uuid.uuid4().hex
        self.calls = itertools.count()

    def answers(self) -> Iterator[tuple[int, bytes | None, Any]]:
        """The pickled result of every piece; None for a piece that is to be done in this process."""
        while True:
            self._submit()
            if self.executor is None:
                yield from self._left()
                return
            if not self.doing:
                return
            done, _ = wait(self.doing, timeout=min(_LOOKS, max(0.0, remaining())), return_when=FIRST_COMPLETED)
            checkpoint()
            for future in done:
                number, piece = self.doing.pop(future)
                try:
                    kind, answer = future.result()
                except (Exception, CancelledError) as error:
                    self._lose(number, piece, error)
                    continue
                if kind == _UNKNOWN:
                    self.again.append((number, piece, True))
                elif kind == _FAILED:
                    raise _received(answer)
                else:
                    yield number, answer, piece

    def end(self) -> None:
        """Give up what is not done yet."""
        if not self.doing:
            return
        for future in self.doing:
            future.cancel()
        abandon = getattr(self.executor, "abandon", None)
        if abandon is not None:
            abandon()
        self.doing.clear()

    def _submit(self) -> None:
        """Keep the executor busy."""
        while self.executor is not None and len(self.doing) < self.most:
            if self.again:
                number, piece, whole = self.again.popleft()
            else:
                following = next(self.pieces, None)
                if following is None:
                    return
                (number, piece), whole = following, False
            self.carried += 1
            carried = whole or len(self.blob) <= _SMALL or self.carried <= self.most // 2
            seconds = remaining()
            call = (
                (self.name, next(self.calls)),  # no two calls look alike, or an engine that remembers would not do both
                self.digest,
                self.blob if carried else None,
                piece,
                None if math.isinf(seconds) else seconds,
                allowance(),
            )
            try:
                future = self.executor.submit(_perform, *call)
            except Exception as error:  # it is broken or shut down, and takes nothing any more
                self.again.append((number, piece, whole))
                self._leave(error)
            else:
                self.doing[future] = (number, piece)

    def _lose(self, number: int, piece: Any, error: BaseException) -> None:
        self.lost[number] = self.lost.get(number, 0) + 1
        if self.lost[number] > _TRIES:
            raise WorkersLost(
                f"a piece of the work was lost {self.lost[number]} times: {type(error).__name__}: {error}. Its worker "
                "may have run out of memory (taut.options(max_memory=...) limits what it takes), or the program that "
                "starts workers does so without 'if __name__ == \"__main__\":'.",
                value=error,
            ) from error
        self.again.append((number, piece, False))

    def _leave(self, error: BaseException) -> None:
        """Do the rest here: the executor is broken, and it is not ours to mend."""
        warnings.warn(
            f"the executor takes no more work ({type(error).__name__}: {error}); the rest is done in this process.",
            RuntimeWarning,
            stacklevel=2,
        )
        self.executor = None

    def _left(self) -> Iterator[tuple[int, None, Any]]:
        """The pieces that no worker has done."""
        rest = itertools.chain(
            ((number, piece) for number, piece in self.doing.values()),
            ((number, piece) for number, piece, _ in self.again),
            self.pieces,
        )
        for number, piece in rest:
            checkpoint()
            yield number, None, piece
        self.doing.clear()


_known: OrderedDict[bytes, Any] = OrderedDict()
_lock = threading.Lock()


def _perform(
    call: Any, digest: bytes, blob: bytes | None, piece: Any, seconds: float | None, memory: int | None
) -> tuple[str, bytes]:
    """Do one piece, in a worker: its result, its error, or that the shared data are not known here; pickled."""
    with _lock:
        if digest in _known:
            _known.move_to_end(digest)
        elif blob is None:
            return _UNKNOWN, b""
        else:
            _known[digest] = pickle.loads(blob)
            if len(_known) > _KEPT:
                _known.popitem(last=False)
        work, shared = _known[digest]
    try:
        with limits(seconds=seconds, memory=memory):
            return _DONE, pickle.dumps(work(shared, piece), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return _FAILED, _sent(error)


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
