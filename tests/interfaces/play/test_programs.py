"""Every built-in mechanism is offered as a program of its own, with the same numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from taut.interfaces.play.form import forms_of, read_fields
from taut.interfaces.play.programs import program_of
from taut.interfaces.queries.functions import load_functions
from taut.mechanisms import CATALOG
from taut.model import Mechanism


@pytest.mark.parametrize("name", CATALOG)
def test_the_program_is_the_mechanism(name: str, tmp_path: Path) -> None:
    code = program_of(name)
    assert "taut." not in code and ">>>" not in code and ": Any" not in code
    path = tmp_path / f"{name}.py"
    path.write_text(code)
    functions = load_functions(str(path))
    assert isinstance(functions[name], Mechanism)
    form = next(form for form in forms_of(functions, code) if form.name == name)
    entry = CATALOG[name]
    relation = entry.mechanism.neighbors_with(entry.arguments())
    assert form.neighbors == relation
    ours = functions[name](**read_fields(form, {}))
    theirs = entry.model()
    x = theirs.space.at([len(values) - 1 for values in theirs.space.values])
    assert ours.distribution(x) == theirs.distribution(x)
    assert ours.privacy().max_ratio == theirs.privacy(relation).max_ratio


def test_it_runs_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(program_of("rr_count"))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("eps = 1.38629 (e^eps = 4 exactly)")
