"""A cluster without workers is given up, but not at once, and not while it answers."""

from concurrent.futures import Executor, Future
from typing import Any

import pytest

from taut import WorkersGone
from taut.support.parallel import executors, pieces
from taut.support.parallel.executors import Pulse, pulse_of, using
from taut.support.parallel.pieces import mapped


class Scheduler:
    """Answers with a number of workers, fails, or keeps silent, by a clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.asked: list[Future[int]] = []
        monkeypatch.setattr(executors, "clock", lambda: self.now)

    def ask(self) -> Future[int]:
        self.asked.append(Future())
        return self.asked[-1]

    def pass_time(self, of: Pulse, seconds: int, answer: int | Exception | None) -> None:
        """Look four times a second, as a run does."""
        for _ in range(4 * seconds):
            self.now += 0.25
            of.check()
            if answer is not None and not self.asked[-1].done():
                if isinstance(answer, Exception):
                    self.asked[-1].set_exception(answer)
                else:
                    self.asked[-1].set_result(answer)


@pytest.fixture
def scheduler(monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    return Scheduler(monkeypatch)


def test_a_cluster_with_workers_is_waited_for(scheduler: Scheduler) -> None:
    one = Pulse(scheduler.ask)
    scheduler.pass_time(one, 1000, 2)
    assert 900 < len(scheduler.asked) <= 1000


@pytest.mark.parametrize("answer", [None, OSError("the connection was refused")])
def test_a_scheduler_that_does_not_answer_is_given_up(scheduler: Scheduler, answer: Any) -> None:
    one = Pulse(scheduler.ask)
    scheduler.pass_time(one, 100, 1)
    with pytest.raises(WorkersGone, match="has not answered for 10 seconds"):
        scheduler.pass_time(one, 15, answer)
    assert scheduler.now > 109


def test_workers_may_be_replaced_within_a_minute(scheduler: Scheduler) -> None:
    one = Pulse(scheduler.ask)
    for _ in range(3):
        scheduler.pass_time(one, 50, 0)
        scheduler.pass_time(one, 5, 1)
    scheduler.pass_time(one, 50, 0)
    one.beat()
    with pytest.raises(WorkersGone, match="has had no workers for 60 seconds"):
        scheduler.pass_time(one, 70, 0)


class Client:
    """A Dask client, as far as it is looked at."""

    def __init__(self, status: str) -> None:
        self.status = status

    def run(self, *_: Any, **__: Any) -> dict[str, Any]:
        if self.status == "closed":
            raise OSError("the client is closed")
        return {}

    def nthreads(self) -> dict[str, int]:
        return {"tcp://a": 1}


class Far(Executor):
    """A cluster whose client takes some pieces, none of which is ever done, and then no more."""

    def __init__(self, takes: int, status: str = "running") -> None:
        self._client = Client(status)
        self.takes = takes
        self.futures: list[Future[Any]] = []

    def submit(self, function: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        if len(self.futures) == self.takes:
            raise RuntimeError("the client is closed")
        self.futures.append(Future())
        return self.futures[-1]


def same(shared: int, piece: int) -> int:
    return piece


@pytest.mark.parametrize("far", [Far(0), Far(2), Far(100, "closed")])
def test_a_closed_client_is_a_lost_cluster(far: Far) -> None:
    """Work given to a cluster is not done in this process instead."""
    with using(far), pytest.raises(WorkersGone, match="the cluster was lost"):
        list(mapped(same, 1, range(10)))


@pytest.mark.parametrize("status", ["running", "connecting"])
def test_a_lost_scheduler_is_not_asked_to_cancel(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    far = Far(100)
    far._client.status = status

    def lost() -> None:
        raise executors.gone("nobody is there")

    made = Pulse(None)
    monkeypatch.setattr(made, "check", lost)
    monkeypatch.setattr(pieces, "pulse_of", lambda executor: made)
    monkeypatch.setattr(pieces, "_LOOKS", 0.0)
    with using(far), pytest.raises(WorkersGone, match="nobody is there"):
        list(mapped(same, 1, range(10)))
    assert far.futures and all(future.cancelled() == (status == "running") for future in far.futures)


def test_other_executors_have_no_pulse() -> None:
    pulse_of(Far(1)).check()
