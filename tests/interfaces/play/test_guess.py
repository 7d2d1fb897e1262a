"""Guesses of a function's inputs where the program does not give them: one value or several."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from taut.interfaces.play.form import forms_of, guessed_domain
from taut.interfaces.queries.functions import load_functions
from taut.interfaces.queries.literals import parse_value


def report(bit: Any, p: Any = 0.5) -> Any:
    return bit if random.random() < p else random.randrange(2)


def survey(answers: Any) -> Any:
    return [report(answer) for answer in answers]


def first(one: Any) -> Any:
    return one[0]


def clipped(value: Any) -> Any:
    return max(0, min(value, 3))


def worded(answer: Any) -> Any:
    if answer == "yes":
        return 1
    return 0 if answer in ("no", "none") else 2


@pytest.mark.parametrize(
    ("function", "name", "domain"),
    [
        (report, "bit", "integer(0, 1)"),
        (survey, "answers", "bits(4)"),
        (first, "one", "bits(4)"),
        (clipped, "value", "integer(0, 1)"),
        (worded, "answer", "category([yes, no, none])"),
        (len, "x", "bits(4)"),
    ],
)
def test_the_use_of_an_argument_decides(function: Any, name: str, domain: str) -> None:
    assert guessed_domain(function, name) == domain
    parse_value(domain, name)


def test_what_the_program_says_is_no_guess(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    code = "import random\ndef f(bit, lam, p=0.5): return bit ^ (random.random() < lam)\n"
    called = code + "from taut import integer\nif __name__ == '__main__':\n    f(integer(0, 2), lam='1/3')\n"
    for text, guessed in ((code, [True, True, False]), (called, [False, False, False])):
        path = tmp_path / f"mine{len(text)}.py"
        path.write_text(text)
        (form,) = forms_of(load_functions(str(path)), text)
        assert [field.guessed for field in form.fields] == guessed
