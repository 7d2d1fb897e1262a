"""The extension point: a toy question gets a command with help, a section of reports, a form, snippets and a reference
page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.questions.test_toy_question import Toy

from taut.interfaces.play.form import forms_of
from taut.interfaces.play.snippets import OnPage, copied_command, copied_python
from taut.interfaces.play.workshop import Workshop
from taut.interfaces.queries.functions import load_functions
from taut.questions.question import known_questions

ROOT = Path(__file__).parent.parent.parent
LINES = {
    "all": ["--help"],
    "help": ["toy", "--help"],
    "text": ["toy", "rr", "n=3", "--scale", "2"],
    "json": ["toy", "rr", "n=3", "--scale", "2", "--save", "toy.json", "--explain", "--json"],
    "wrong": ["toy", "rr", "n=3", "--scale", "-1"],
    "explain": ["explain", "toy.json"],
    "replay": ["replay", "toy.json"],
    "check": ["check", "rr", "n=3", "--toy", "2,5"],
    "calibrate": ["calibrate", "rr", "n=2", "lam=0..1/2", "--toy", "2,9/2"],
    "sweep": ["sweep", "rr", "n=3", "lam=1/10,1/5", "--toy", "2"],
    "report": ["report", "rr", "n=2", "--out", "toy.html"],
}
ASKED = f"""
import json, sys
from pathlib import Path
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "docs" / "site")!r}]
from tests.golden.command import ran
from tests.questions.test_toy_question import Toy
from taut.questions.question import known_questions
known_questions["toy"] = Toy
found = {{name: "\\n".join(ran(*words)) for name, words in {LINES!r}.items()}}
import reference
found["reference"] = reference._commands()
print(json.dumps(found))
"""
CODE = """from taut import bits, flip, mechanism


@mechanism
def quiz(x, lam="1/5"):
    return [bit ^ flip(lam) for bit in x]
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what the commands print in a process that registered only this question."""
    folder = tmp_path_factory.mktemp("toy")
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return {**found, "html": (folder / "toy.html").read_text()}


def test_command(printed: dict[str, str]) -> None:
    assert "  toy         The largest chi-squared divergence of neighbours" in printed["all"]
    assert "The largest chi-squared divergence of neighbours, times a scale." in printed["help"]
    for words in ("--scale", "The factor.", "--neighbors", "--method", "--save", "--workers"):
        assert words in printed["help"]
    assert "9/2 = 4.5, exactly" in printed["text"] and "verified: yes" in printed["text"]
    assert '"value": "9/2"' in printed["json"] and '"explanation"' in printed["json"]
    assert printed["wrong"].startswith("exit code: 2") and "toy: scale must be at least 0; got -1." in printed["wrong"]


def test_files_claims_and_sweeps(printed: dict[str, str]) -> None:
    assert "the toy is 9/2 = 4.5" in printed["explain"] and "attains 9/2 = 4.5 again" in printed["replay"]
    assert "toy <= 5" in printed["check"] and "holds" in printed["check"]
    assert "1/5 <= lam <= 1/2" in printed["calibrate"]
    assert "9/2 = 4.5" in printed["sweep"] and " toy" in printed["sweep"]


def test_report_and_reference(printed: dict[str, str]) -> None:
    assert ">Toy<" in printed["html"] and "9/2 = 4.5, exactly" in printed["html"]
    assert "print(model.toy(2, neighbors=&quot;one_differ&quot;))" in printed["html"]
    assert "\n## taut toy\n" in printed["reference"] and "The factor. [required]" in printed["reference"]


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnPage:
    monkeypatch.setitem(known_questions, "toy", Toy)
    path = tmp_path / "quiz.py"
    path.write_text(CODE)
    (form,) = forms_of(load_functions(str(path)), CODE)
    return OnPage(CODE, form, {"x": "bits(3)", "lam": "1/5"}, "", "toy", {"scale": "3"})


def test_page(chosen: OnPage, tmp_path: Path) -> None:
    controls = pytest.importorskip("taut.interfaces.play.controls")
    assert controls.menu()["toy"] == "Toy"
    assert controls.options_of("toy", chosen.form, False) == [("scale", "scale", "2", None)]
    request: dict[str, Any] = {"kind": "ask", "code": CODE, "file": "quiz.py", "mechanism": "quiz", "style": "light"}
    request |= {"settings": dict(chosen.texts), "question": "toy", "options": dict(chosen.options), "time_limit": 60}
    (tmp_path / "shop").mkdir()
    parts = list(Workshop(tmp_path / "shop", memory=2 * 10**9).answer(request, lambda _: None))
    assert parts[0]["exact"] == "27/4" and parts[0]["label"] == "toy"
    assert {"sentences", "facts", "picture", "how", "verified"} <= {part["part"] for part in parts}


def test_snippets(chosen: OnPage) -> None:
    assert 'model = quiz(x=taut.bits(3), lam="1/5")\nprint(model.toy(3))\n' in copied_python(chosen)
    assert "toy taut_play.py:quiz 'x=bits(3)' lam=1/5 --scale 3\n" in copied_command(chosen)
