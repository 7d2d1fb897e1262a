"""Pieces give every result once, in any order, whichever workers do them and whichever die."""

import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.parallel.executors import Dying, Flaky, Reversed

import taut
from taut import InvalidOption, OutOfTime, TooLarge, WorkersLost
from taut.support import limits
from taut.support.options import captured_options
from taut.support.parallel import pieces as module
from taut.support.parallel.executors import current_executor, using, width
from taut.support.parallel.local import LocalWorkers
from taut.support.parallel.pieces import mapped


def scaled(factor: int, piece: int) -> int:
    if piece == 113:
        raise TooLarge("a hundred and thirteen are too many", value=piece)
    return factor * piece


def with_lock(factor: Any, piece: int) -> Any:
    return piece


def results(executor: Executor | None, count: int = 12, factor: int = 2, known: int = 0) -> list[tuple[int, int]]:
    with using(executor):
        return sorted(mapped(scaled, factor, range(count), known))


EXPECTED = [(number, 2 * number) for number in range(12)]


def test_without_an_executor_pieces_are_done_here_in_order() -> None:
    assert current_executor() is None
    assert list(mapped(scaled, 2, range(12))) == EXPECTED


@pytest.mark.parametrize("together", [1, 2, 5, 12])
def test_the_order_of_completion_does_not_matter(together: int) -> None:
    assert results(Reversed(together)) == EXPECTED


def test_threads() -> None:
    with ThreadPoolExecutor(3) as pool:
        assert results(pool) == EXPECTED and width(pool) == 3


def test_lost_pieces_are_done_again() -> None:
    executor = Flaky()
    assert results(executor) == EXPECTED
    assert executor.lost > 3 and executor.calls == 12 + executor.lost


@pytest.mark.parametrize("after", [0, 1, 5])
def test_what_a_broken_executor_leaves_is_done_here(after: int) -> None:
    with pytest.warns(RuntimeWarning, match="the rest is done in this process"):
        assert results(Dying(after)) == EXPECTED


class LosingLots(Reversed):
    """Loses every call with more than one piece."""

    def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        if len(args[3]) == 1:
            return super().submit(function, *args, **keywords)
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor("a worker died"))
        return future


@pytest.mark.parametrize("known", [100, 7, 1000])
@pytest.mark.parametrize("make", [Reversed, LosingLots, lambda: Dying(7), lambda: None])
@pytest.mark.filterwarnings("ignore:the executor takes no more work")
def test_lots_of_pieces_have_all_results(make: Any, known: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is said of how many there are; and a lot that is lost is done again piece by piece."""
    monkeypatch.setattr(module, "_LOT", 1e9)
    monkeypatch.setattr(module, "width", lambda executor: 2)
    assert results(make(), 100, 2, known) == [(number, 2 * number) for number in range(100)]


def test_small_pieces_are_sent_several_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOT", 1e9)
    sizes: list[int] = []

    class Counting(Reversed):
        def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
            sizes.append(len(args[3]))
            return super().submit(function, *args, **keywords)

    results(Counting(2), 110, known=110)
    assert sum(sizes) == 110 and len(sizes) < 60 and max(sizes) > 4 and sizes[-1] == 1
    monkeypatch.setattr(module, "_LOT", 0)  # pieces that take long
    sizes.clear()
    results(Counting(2), 110, known=110)
    assert sizes == [1] * 110


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("0.0.1", r"the worker at tcp://b has taut 0\.0\.1; it needs taut"),
        (ModuleNotFoundError("No module named 'taut'"), "the worker at tcp://b has no taut"),
        (OSError("the connection was lost"), None),
    ],
)
def test_workers_of_a_cluster_need_the_same_version(answer: Any, words: str | None) -> None:
    """A worker whose connection is lost is no reason to refuse the others."""

    class Client:
        asked = 0

        def run(self, function: Any, words: str, on_error: str) -> dict[str, Any]:
            self.asked += 1
            return {"tcp://a": function(words), "tcp://b": answer}

        def nthreads(self) -> dict[str, int]:
            return {"tcp://a": 1}

    executor = Reversed(1)
    executor._client = client = Client()  # type: ignore[attr-defined]
    if words is not None:
        with pytest.raises(WorkersLost, match=words):
            results(executor)
    else:
        assert results(executor) == results(executor) == EXPECTED and client.asked == 1


def test_a_worker_without_taut_is_told_of() -> None:
    class Bare(Executor):
        def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(ModuleNotFoundError("No module named 'taut'"))
            return future

    with pytest.raises(WorkersLost, match=r"No module named 'taut'\. Every worker needs taut"):
        results(Bare())


def test_a_piece_that_is_always_lost_is_given_up() -> None:
    class Hopeless(Executor):
        def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(MemoryError("killed"))
            return future

    with pytest.raises(WorkersLost, match="lost 6 times: MemoryError: killed"):
        results(Hopeless())


def test_an_error_of_a_piece_is_raised_here() -> None:
    with pytest.raises(TooLarge, match="thirteen") as caught:
        results(Reversed(2), 120)
    assert caught.value.value == 113


def test_what_cannot_be_sent_is_done_here() -> None:
    executor = Flaky()
    with using(executor):
        assert [result for _, result in mapped(with_lock, threading.Lock(), range(3))] == [0, 1, 2]
    assert executor.calls == 0


def test_large_shared_data_are_sent_to_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SMALL", 0)
    sent: list[bool] = []

    class Forgetful(Reversed):
        def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
            sent.append(args[2] is not None)
            module._known.clear()
            return super().submit(function, *args, **keywords)

    assert results(Forgetful(2), 12, 3) == [(number, 3 * number) for number in range(12)]
    assert 0 < sent.count(False) < len(sent) and len(sent) > 12


def test_a_time_limit_gives_up_what_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(limits, "clock", lambda: now[0])
    futures: list[Future[Any]] = []

    class Slow(Executor):
        def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
            futures.append(Future())
            assert args[4] is not None and args[4] <= 5
            now[0] += 1
            return futures[-1]

    with limits.limits(seconds=5), using(Slow()), pytest.raises(OutOfTime):
        list(mapped(scaled, 2, range(100)))
    assert futures and all(future.cancelled() for future in futures)


def test_leaving_early_cancels_the_rest() -> None:
    class Waiting(Reversed):
        abandoned = False

        def abandon(self) -> None:
            self.abandoned = True

    executor = Waiting(4)
    with using(executor):
        first: Iterator[Any] = mapped(scaled, 2, range(40))
        next(first)
        first.close()  # type: ignore[attr-defined]
    assert executor.abandoned and executor.calls < 40


def test_options_carry_an_executor() -> None:
    executor = Reversed()
    with taut.options(executor=executor) as current:
        assert current.executor is executor and current_executor() is executor
        assert "executor" not in captured_options()
    assert current_executor() is None
    for wrong in (3, "pool", object()):
        with pytest.raises(InvalidOption, match=r"concurrent\.futures\.Executor"), taut.options(executor=wrong):
            pass
    for count in (0, -1, True, 1.5):
        with pytest.raises(InvalidOption, match="whole number of at least 1"):
            LocalWorkers(count)  # type: ignore[arg-type]
