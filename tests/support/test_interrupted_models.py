"""Work that is interrupted at any line: the interval holds, and the model then answers as if nothing had happened."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import taut
from taut import bits, flip, mechanism
from taut.mechanisms import geometric_count
from taut.support.interruption import Interruption, guarded, unfinished_at

Error = type[BaseException]


class Injected:
    """Raises an exception once, at a given line of taut that is run, where the watchdog could do so."""

    def __init__(self, error: Error, lines: int) -> None:
        self.error, self.left, self.outermost = error, lines, sys._getframe(1)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if "/taut/" not in frame.f_code.co_filename or "/support/" in frame.f_code.co_filename:
            return None
        return self._line

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.left -= event == "line"
        if self.left <= 0 and event == "line" and not unfinished_at(frame, self.outermost):
            sys.settrace(None)
            raise self.error
        return self._line


def interrupted(work: Callable[[], Any], error: Error, lines: int) -> tuple[bool, Any]:
    """Return True if the work ended before the given line, with its result; None if it raised."""
    injected = Injected(error, lines)
    sys.settrace(injected)
    try:
        found = work()
    except (taut.OutOfTime, KeyboardInterrupt):
        found = None
    finally:
        sys.settrace(None)
    return injected.left > 0, found


@mechanism
def noisy_count(x: Any) -> Any:
    return sum(bit ^ flip("1/5") for bit in x)


@mechanism
def hidden(x: Any) -> Any:
    """Reports of a hidden bit: nothing decomposes."""
    state, out = flip("1/2"), []
    for place, bit in enumerate(x):
        state = state ^ (flip(f"1/{3 + place}") if bit else flip(f"1/{7 + place}"))
        out.append(state ^ flip("1/5"))
    return out


MADE: dict[str, Callable[[], Any]] = {
    "count": lambda: noisy_count(bits(3)),
    "hidden": lambda: hidden(bits(3)),
    "geometric": lambda: geometric_count(bits(6), ratio="1/2"),
}
ASKED: dict[str, Callable[[Any], Any]] = {
    "privacy": lambda model: model.privacy(),
    "search": lambda model: model.privacy(method="search"),
    "delta": lambda model: model.delta(ratio="3/2"),
    "worst pair": lambda model: model.delta(ratio="3/2", method="search"),
    "orbits": lambda model: model.delta(ratio="3/2", method="restricted"),
    "renyi": lambda model: model.renyi(2),
    "epsilon": lambda model: model.epsilon("1/100"),
    "accuracy": lambda model: model.accuracy(lambda x: 0, 1, distance=lambda y, _: y if isinstance(y, int) else sum(y)),
}
KEPT = {name: make() for name, make in MADE.items()}
"""One model of each kind, which all tests interrupt and ask again."""


def total(work: Callable[[], Any]) -> int:
    """Return the number of lines of taut that the work runs."""
    counted = Injected(Interruption, 10**9)
    sys.settrace(counted)
    try:
        work()
    finally:
        sys.settrace(None)
    return 10**9 - counted.left


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("name", MADE)
def test_an_interruption_anywhere_leaves_the_model_whole(name: str, ask: str) -> None:
    whole = ASKED[ask](MADE[name]())
    lines = total(lambda: ASKED[ask](MADE[name]()))
    kept = KEPT[name]
    for error in (Interruption, KeyboardInterrupt):
        for part in (1, 3, 7, 17, 29, 41, 53, 67, 79, 89, 97):
            done, found = interrupted(lambda: guarded(lambda: ASKED[ask](kept)), error, max(1, lines * part // 100))
            if found is not None:
                assert found.lower <= whole.upper and found.upper >= whole.lower, (part, found, whole)
                assert not done or found == whole
            assert ASKED[ask](kept) == whole, (error, part)
