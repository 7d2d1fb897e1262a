"""Code of the user's that never ends is ended by the time limit, wherever Python runs it; nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import bits, flip, mechanism
from taut.support.interruption import interruptible
from taut.support.limits import limits

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
from taut.support.interruption import interruptible
from taut.support.limits import limits

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
