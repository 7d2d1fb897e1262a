"""Commands on files that never import taut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SOURCE = """
import random
import numpy as np

def report(bit, p=0.5):
    return bit if random.random() < p else random.randrange(2)

def reports(x, epsilon=1.0):
    keep = np.exp(epsilon) / (1 + np.exp(epsilon))
    return [bit if random.random() < keep else 1 - bit for bit in x]

class Survey:
    def __init__(self, truth):
        self.truth = truth

    def answer(self, value):
        return value if random.random() < self.truth else {"no": "yes", "yes": "no"}[value]
"""


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "plain_code.py"
    path.write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return str(path)


def test_functions_and_methods_of_plain_files(plain: str, run: Any) -> None:
    found = json.loads(run("privacy", f"{plain}:report", "bit=integer(0,1)", "p=0.25", "--json").out)
    assert found["max_ratio"] == "5/3"
    found = json.loads(run("privacy", f"{plain}:Survey(0.75).answer", "value=category([no,yes])", "--json").out)
    assert found["max_ratio"] == "3"


def test_decimals_are_floats_for_what_is_run(plain: str, run: Any) -> None:
    found = json.loads(run("privacy", f"{plain}:reports", "x=bits(2)", "epsilon=0.5", "--json").out)
    assert found["epsilon"] == pytest.approx(0.5)


def test_a_module_is_imported_by_its_name(plain: str, run: Any) -> None:
    found = json.loads(run("privacy", "plain_code:Survey(truth=0.9).answer", "value=category([no,yes])", "--json").out)
    assert found["max_ratio"] == "9"


def test_what_is_not_there_is_said(plain: str, run: Any) -> None:
    result = run("privacy", f"{plain}:Survey(0.75).missing", "value=category([no,yes])")
    assert result.code == 2 and "has no attribute 'missing'" in result.err
    result = run("privacy", "no_such_module:report", "bit=integer(0,1)")
    assert result.code == 2 and "there is no module 'no_such_module'" in result.err


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("Survey", "is a class. Name a method of an object, such as 'plain_code.py:Survey(...).answer'"),
        ("Survey.answer", "is a method without an object. Write one with its arguments"),
    ],
)
def test_a_class_in_place_of_an_object_is_refused_with_what_to_write(
    plain: str, run: Any, target: str, said: str
) -> None:
    refused = run("privacy", f"plain_code.py:{target}", "value=category([no,yes])")
    assert refused.code == 2 and said in refused.err
