"""Copied snippets run unchanged in a fresh process and print the number that the page shows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from taut.interfaces.play.form import forms_of
from taut.interfaces.play.programs import program_of
from taut.interfaces.play.snippets import OnPage, copied_command, copied_python
from taut.interfaces.play.workshop import Workshop
from taut.interfaces.queries import starter
from taut.interfaces.queries.functions import load_functions
from taut.support.errors import InvalidInput

OWN = """from taut import flip


def either(x, p, q=0.25):
    return sum(flip(p) if value else flip(q) for value in x)


if __name__ == "__main__":
    raise SystemExit("the question is asked, not the program run")
"""
OPTIONS: dict[str, Mapping[str, str]] = {
    "privacy": {},
    "delta": {"epsilon": "ratio=3/2"},
    "renyi": {"order": "2, 3"},
    "tradeoff": {"alpha": "1/3"},
    "accuracy": {"alpha": "1", "target": "sum", "distance": "absolute"},
    "distribution": {"input": "0,1"},
    "formula": {"parameter": "p", "range": "1/2..3/4"},
    "composition": {"compose": "3", "delta": "1/100"},
    "calibration": {"parameter": "p", "range": "1/2..3/4", "epsilon": "3/4"},
    "diagram": {},
    "symmetries": {},
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("workshop"), memory=2 * 10**9)


def chosen(code: str, name: str, folder: Path, question: str, **more: Any) -> OnPage:
    path = folder / "taut_play_form.py"
    path.write_text(code)
    form = next(form for form in forms_of(load_functions(str(path)), code) if form.name == name)
    texts = more.pop("texts", {})
    options = more.pop("options", OPTIONS.get(question, {}))
    return OnPage(code, form, texts, more.pop("neighbors", ""), question, options, **more)


def shown(workshop: Workshop, one: OnPage) -> str:
    """Return the number that the page shows."""
    request = {
        "kind": "ask",
        "code": one.code,
        "file": "mine.py",
        "mechanism": one.form.name,
        "settings": dict(one.texts),
        "question": one.question,
        "options": dict(one.options),
        "neighbors": one.neighbors,
        "style": "light",
        "time_limit": 60,
    }
    return str(next(workshop.answer(request, lambda _: None))["exact"])


def printed(words: list[str], folder: Path, text: str | None = None) -> str:
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    for name, arguments in (("taut", "-m taut"), ("python", "")):
        script = bin_folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        script.chmod(0o755)
    env = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "200"}
    done = subprocess.run(words, input=text, capture_output=True, text=True, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def python_prints(one: OnPage, folder: Path) -> str:
    (folder / "copied.py").write_text(copied_python(one))
    return printed([sys.executable, "copied.py"], folder)


def command_prints(one: OnPage, folder: Path) -> str:
    return printed(["sh"], folder, copied_command(one))


CASES = [
    *[(OWN, "either", question, {"texts": {"x": "bits(2)", "p": "0.75"}}) for question in OPTIONS],
    (OWN, "either", "privacy", {"texts": {"x": "ints(2,0,2)", "p": "3/5", "q": "1/5"}, "neighbors": "one_step"}),
    (starter("mine.py", "mine"), "mine", "claims", {}),
    (program_of("shuffled"), "shuffled", "privacy", {"built_in": "shuffled"}),
    (program_of("above_threshold"), "above_threshold", "privacy", {"built_in": "above_threshold"}),
    (program_of("rr_count"), "rr_count", "accuracy", {"built_in": "rr_count"}),
]


@pytest.mark.parametrize(("code", "name", "question", "more"), CASES, ids=[f"{c[1]}-{c[2]}" for c in CASES])
def test_both_print_the_number_of_the_page(
    code: str, name: str, question: str, more: dict[str, Any], workshop: Workshop, tmp_path: Path
) -> None:
    one = chosen(code, name, tmp_path, question, **more)
    number = shown(workshop, one)
    if question == "claims":
        assert number == "1 of 1"
        number = "holds"
    for out in (python_prints(one, tmp_path), command_prints(one, tmp_path)):
        if number.endswith("…"):
            assert number[:8] in out
        else:
            assert number in out, (number, out)


def test_a_file_that_was_not_changed_is_named_and_not_copied(tmp_path: Path, workshop: Workshop) -> None:
    path = tmp_path / "given name.py"
    path.write_text(OWN)
    one = chosen(OWN, "either", tmp_path, "privacy", texts={"x": "bits(2)", "p": "1/3"}, path=path)
    assert "END_OF_PROGRAM" not in copied_command(one)
    assert shown(workshop, one) in command_prints(one, tmp_path)


def test_a_built_in_mechanism_that_was_not_changed_is_imported(tmp_path: Path) -> None:
    code = program_of("randomized_response")
    one = chosen(code, "randomized_response", tmp_path, "privacy", texts={"lam": "0.2"}, built_in="randomized_response")
    assert copied_command(one) == "taut privacy randomized_response 'x=bits(4)' lam=0.2\n"
    assert "def " not in copied_python(one)


def test_a_field_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    one = chosen(OWN, "either", tmp_path, "privacy", texts={"x": "4", "p": "1/3"})
    for copied in (copied_python, copied_command):
        with pytest.raises(InvalidInput, match="is a database"):
            copied(one)


def test_the_numbers_of_the_page_are_those_of_the_library(tmp_path: Path, workshop: Workshop) -> None:
    from taut import bits, flip, mechanism

    def either(x: Any, p: Any, q: Any) -> Any:
        return sum(flip(p) if value else flip(q) for value in x)

    one = chosen(OWN, "either", tmp_path, "privacy", texts={"x": "bits(2)", "p": "2/3", "q": "1/7"})
    model = mechanism(either)(bits(2), p="2/3", q="1/7")
    assert shown(workshop, one) == f"{model.privacy().epsilon:.6g}"
