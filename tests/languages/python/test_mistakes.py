"""Mistakes a user really makes: each is refused in one paragraph with its place, the value given, and no traceback.

Every function of ``mistakes/`` marked ``@mistake`` commits one mistake. The fragments beside the mark must stand
in the message; a tuple asks for one of its fragments. Lines marked ``# here`` are offending lines of mechanism code:
the message must then have ``FILE:LINE:COLUMN:`` of one of them. Mistakes without a marked line have no place in code.
"""

from __future__ import annotations

import inspect
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from tests.languages.python.mistakes import calls, code, distributions, formulas
from tests.languages.python.mistakes.mistake import MISTAKES, Mistake, says

import taut

PATIENCE = 60  # seconds: a refusal that takes longer is a hang
SUBJECTS = (distributions, code, calls, formulas)


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    """Fail the test instead of hanging, where the system has an alarm."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"not refused within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_every_subject_has_mistakes() -> None:
    assert {one.commit.__module__ for one in MISTAKES} == {subject.__name__ for subject in SUBJECTS}


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_mistake_is_refused_with_its_place_and_value(case: Mistake) -> None:
    with patience(PATIENCE), pytest.raises(taut.TautError) as caught:
        case.commit()

    message = str(caught.value)
    assert isinstance(caught.value, case.base)
    assert message.strip() and "\n\n" not in message.strip() and "Traceback" not in message

    file = re.escape(Path(inspect.getfile(case.commit)).name)
    sentence = re.sub(rf"\S*{file}(:\d+)*:?", "", message)
    missing = [fragment for fragment in case.fragments if not says(sentence, fragment)]
    assert not missing, message

    places = case.places()
    named = {int(line) for line in re.findall(rf"{file}:(\d+):\d+: ", message)}
    assert not places or places & named, f"expected a line of {sorted(places)}: {message}"
