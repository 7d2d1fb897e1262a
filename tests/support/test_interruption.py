"""Code of the user's that never ends is ended by the time limit, wherever Python runs it; nothing is left behind."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import bits, flip, mechanism
from taut.support import interruption
from taut.support.interruption import guarded, interruptible, uninterrupted
from taut.support.limits import checkpoint, limits

MADE: dict[str, Any] = {}
SOURCE = """
def endless(n):
    while True:
        n += 1

def stubborn(n):
    while True:
        try:
            n += 1
        except Exception:
            pass
"""
exec(compile(SOURCE, "<no file, so it is run and not read>", "exec"), MADE)


@mechanism
def noisy_count(x: Any) -> Any:
    return sum(bit ^ flip("1/5") for bit in x)


class Endless:
    def __call__(self, *databases: Any) -> Any:
        return MADE["stubborn"](0)


@mechanism
def calls_it(x: Any, name: Any) -> Any:
    return x[0] ^ flip("1/5") ^ MADE[name](0)


ASKED: dict[str, Callable[[], Any]] = {
    "mechanism": lambda: calls_it(bits(1), name="endless"),
    "stubborn mechanism": lambda: calls_it(bits(1), name="stubborn"),
    "predicate": lambda: noisy_count(bits(2)).privacy(Endless()),
    "target": lambda: noisy_count(bits(2)).accuracy(lambda x: MADE["endless"](0), 1),
    "distance": lambda: noisy_count(bits(2)).accuracy(sum, 1, distance=lambda y, aim: MADE["endless"](0)),
}


@pytest.mark.parametrize("ask", ASKED)
def test_endless_code_is_ended(ask: str) -> None:
    with taut.options(time_limit=0.2), pytest.raises(taut.OutOfTime):
        ASKED[ask]()
    assert noisy_count(bits(1)).privacy().max_ratio == 4  # all is as before


def test_an_interruption_ends_with_its_block() -> None:
    for _ in range(3):
        with pytest.raises(taut.OutOfTime), limits(seconds=0), interruptible():
            MADE["endless"](0)
    for thread in threading.enumerate():
        if thread.name == "taut-watchdog":
            thread.join()
    assert sum(range(100_000)) == 4_999_950_000


def test_nobody_watches_without_a_limit() -> None:
    before = threading.active_count()
    with interruptible():
        assert threading.active_count() == before


def test_errors_pass_through() -> None:
    with pytest.raises(KeyError), limits(seconds=1000), interruptible():
        raise KeyError("mine")


def test_code_can_be_watched_after_an_interruptible_block() -> None:
    """Taking an interruption back that was never raised leaves Python 3.11 looking for it, without end if profiled."""
    code = """
import sys
from taut.support import interruption
from taut.support.interruption import guarded, interruptible, uninterrupted
from taut.support.limits import checkpoint, limits

with limits(seconds=1000), interruptible():
    pass
sys.setprofile(lambda *_: None)
(lambda: None)()
sys.setprofile(None)
print("done")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={"PYTHONPATH": str(Path(taut.__file__).parent.parent)},
    )
    assert done.stdout == "done\n"


# -- work that is guarded ------------------------------------------------------------------------------------------


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it, and all time limits are passed: the watchdog's clock goes on by a day."""
    days = [0]
    monkeypatch.setattr(interruption, "_now", lambda: time.monotonic() + 86400 * days[0])

    def pass_by() -> None:
        days[0] += 1

    return pass_by


def endless(begun: Callable[[], object] = lambda: None) -> None:
    begun()
    while True:
        pass


def watchdogs() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "taut-watchdog"]


def test_guarded_work_is_ended_wherever_it_is(passed: Callable[[], None]) -> None:
    for _ in range(3):
        with limits(seconds=1000), pytest.raises(taut.OutOfTime, match="1000 seconds"):
            guarded(lambda: endless(passed))
    for thread in watchdogs():
        thread.join()
    assert not watchdogs()
    assert sum(range(100_000)) == 4_999_950_000


def test_an_outer_limit_ends_inner_work_that_has_a_later_one(passed: Callable[[], None]) -> None:
    def inner() -> None:
        with limits(seconds=10**9):
            guarded(lambda: endless(passed))

    with limits(seconds=1000), pytest.raises(taut.OutOfTime):
        guarded(inner)


def test_an_inner_limit_ends_inner_work_alone(passed: Callable[[], None]) -> None:
    def outer() -> str:
        with limits(seconds=10), pytest.raises(taut.OutOfTime, match="10 seconds"):
            guarded(lambda: endless(passed))
        return "went on"

    with limits(seconds=10**7):
        assert guarded(outer) == "went on"


def test_memory_beyond_the_limit_ends_work(monkeypatch: pytest.MonkeyPatch) -> None:
    held = [1000]
    monkeypatch.setattr("taut.support.limits.resident_memory", lambda: held[0])

    def grow() -> None:
        held[0] = 10**6
        endless()

    with limits(memory=10**4), pytest.raises(taut.OutOfMemory):
        guarded(grow)


def test_any_thread_can_be_ended(passed: Callable[[], None]) -> None:
    raised: list[BaseException] = []

    def work() -> None:
        try:
            with limits(seconds=1000):
                guarded(lambda: endless(passed))
        except taut.OutOfTime as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(raised) == 1


def test_what_must_not_be_left_half_made_is_finished(passed: Callable[[], None]) -> None:
    """No interruption comes while a context manager is left, or in a function that says so."""
    done: list[str] = []

    @contextmanager
    def slow() -> Iterator[None]:
        yield
        passed()
        time.sleep(0.5)
        done.append("left")

    @uninterrupted
    def whole() -> None:
        passed()
        time.sleep(0.5)
        done.append("whole")

    def work() -> None:
        with slow():
            pass
        whole()
        endless()

    with limits(seconds=1000), pytest.raises(taut.OutOfTime):
        guarded(work)
    assert done in (["left"], ["left", "whole"])
    with limits(seconds=1000), pytest.raises(taut.OutOfTime):
        guarded(lambda: (whole(), endless()))
    assert done[-1] == "whole"


def test_context_variables_are_as_before(passed: Callable[[], None]) -> None:
    def work() -> None:
        variable.set("inside")
        endless(passed)

    variable: ContextVar[str] = ContextVar("variable", default="outside")
    with limits(seconds=1000), pytest.raises(taut.OutOfTime):
        guarded(work)
    assert variable.get() == "outside"


def test_an_interruption_never_comes_after_the_end(passed: Callable[[], None]) -> None:
    """Work that ends just as it is interrupted: either it raises, or nothing comes later."""
    for spins in range(40):
        with limits(seconds=1000), contextlib.suppress(taut.OutOfTime):
            guarded(lambda: (passed(), [None for _ in range(20_000 * spins)]))  # noqa: B023
        assert sum(range(20_000)) == 199_990_000


def test_out_of_time_is_a_timeout() -> None:
    with pytest.raises(TimeoutError), limits(seconds=0):
        checkpoint()


def test_every_question_ends_and_says_what_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that never looks at a limit."""
    monkeypatch.setattr("taut.model.base.solve", lambda *_: endless())
    days = [0]
    monkeypatch.setattr(interruption, "_now", lambda: time.monotonic() + 10**6 * days[0])
    model = noisy_count(bits(3))
    asked: dict[str, tuple[Callable[[], Any], Any, Any]] = {
        "privacy": (lambda: model.privacy(time_limit=1000), 1, taut.INFINITY),
        "delta": (lambda: model.delta(1, time_limit=1000), 0, 1),
        "epsilon": (lambda: model.epsilon("1/10", time_limit=1000), 1, taut.INFINITY),
        "renyi": (lambda: model.renyi(2, time_limit=1000), 1, taut.INFINITY),
        "zcdp": (lambda: model.zcdp(time_limit=1000), 0, taut.INFINITY),
        "accuracy": (lambda: model.accuracy(sum, 1, time_limit=1000), 0, 1),
        "mean": (lambda: model.error(sum, time_limit=1000).mean, 0, 3),
        "variance": (lambda: model.error(sum, time_limit=1000).variance, 0, Fraction(9, 4)),
    }
    for name, (ask, lower, upper) in asked.items():
        threading.Timer(0.05, lambda: days.append(days.pop() + 1)).start()
        bound = ask()
        assert (bound.lower, bound.upper, bound.witnessed) == (lower, upper, False), name
        assert bound.stats["stopped"] == "time_limit" and "None" not in str(bound)
    assert model.distribution((0, 0, 0))
