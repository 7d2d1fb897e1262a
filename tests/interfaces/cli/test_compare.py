"""``taut compare``: tools side by side, files, refusals, and what there is after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.cli.command import MINE

import taut
from taut.interfaces.peers.storm import storm_missing

FAKE = Path(__file__).parents[1] / "peers" / "fake_dice.py"
needs_storm = pytest.mark.skipif(storm_missing() is not None, reason=storm_missing() or "")


def test_a_file_of_something_else_is_refused(run: Any, tmp_path: Path) -> None:
    result = run("compare", "rr", "--sizes", "2", "--tools", "taut", "--out", "mine.py")
    assert result.code == 2 and "mine.py:1 is not a line of a comparison" in result.err
    assert (tmp_path / "mine.py").read_text() == MINE


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rr", "--sizes", "two"], "sizes are whole numbers"),
        (["rr", "--sizes", "-1"], "sizes are whole numbers"),
        (["rr", "--tools", "prism"], "there are taut, storm"),
        (["rr", "--methods", "guess"], "there are exhaustive"),
        (["rr", "--time-limit", "0"], "must be above 0"),
        (["nothing"], "not a built-in mechanism"),
        (["rr", "--plot", "x.gif"], "allowed are"),
        (["rr", "--out", "missing/x.jsonl"], "cannot write"),
    ],
)
def test_bad_input_of_compare(run: Any, arguments: list[str], words: str) -> None:
    result = run("compare", *arguments)
    assert result.code == 2 and words in result.err and result.err.count("\n") == 1


def test_a_missing_tool_is_one_line_and_the_rest_goes_on(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = run("compare", "rr", "--sizes", "2", "--tools", "taut,dice")
    assert result.code == 0 and "exact" in result.out
    assert result.err.startswith("Dice: there is no 'dice' on the path") and result.err.count("\n") == 1


@needs_storm
def test_storm_beside_taut(run: Any, tmp_path: Path) -> None:
    files = ["--out", "c.jsonl", "--csv", "c.csv", "--markdown", "c.md", "--plot", "c.png"]
    result = run("compare", "rr", "--sizes", "2,4", "--tools", "taut,storm", *files)
    assert result.code == 0, result.err
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    tools = [(tool, "4") for tool in ("taut", "storm", "storm-naive")]
    assert [(row["tool"], row["answer"]) for row in rows] == 2 * tools
    sizes = {row["n"]: row["sizes"] for row in rows if row["tool"] == "storm-naive"}
    assert sizes == {2: {"states": 49, "transitions": 100}, 4: {"states": 2401, "transitions": 8488}}
    assert "2,401 states, 8,488 transitions" in (tmp_path / "c.md").read_text()
    assert (tmp_path / "c.csv").read_text().count("\n") == 7
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    again = json.loads(run("compare", "rr", "--sizes", "2", "--tools", "taut", "--out", "c.jsonl", "--json").out)
    assert again["cells"][0]["verdict"] == "exact" and again["missing"] == {}


@needs_storm
def test_a_users_own_mechanism(run: Any) -> None:
    result = run("compare", "mine.py:noisy", "x=bits({n})", "--sizes", "2", "--tools", "taut,storm", "--json")
    assert [cell["answer"] for cell in json.loads(result.out)["cells"]] == ["3", "3"]


@pytest.mark.parametrize(("change", "verdict"), [("", "rounded"), (" | sed s/0.122448980/0.122448991/g", "wrong")])
def test_dice_rounds_and_is_told_so(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, verdict: str
) -> None:
    """An answer is wrong if one probability is off by more than its rounding."""
    program = tmp_path / "bin" / "dice"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n"{sys.executable}" "{FAKE}" "$@"{change.replace("980/", "98/")}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    result = run("compare", "rr", "lam=1/7", "--sizes", "2", "--tools", "taut,dice", "--json")
    cells = json.loads(result.out)["cells"]
    assert [cell["tool"] for cell in cells] == ["taut", "dice", "dice-joint"] and result.code == 0
    assert cells[0]["verdict"] == "exact" and cells[1]["verdict"] == verdict
    assert cells[2]["verdict"] == "rounded" and [cell["runs"] for cell in cells[1:]] == [4, 1]
    assert sum(cell["best"] for cell in cells[1:]) == 1
    for cell in cells[1:]:
        assert cell["around_seconds"] > 0 and cell["startup_seconds"] > 0
        assert cell["megabytes"] < cells[0]["megabytes"]  # that of the tool, not that of taut which asks it


WAITING = """
import time
from pathlib import Path
from taut import flip

with open("loads", "a") as loads:
    loads.write("x")
if len(Path("loads").read_text()) == 3:  # the command itself, the first measurement, the second
    Path("waiting").touch()
    time.sleep(1_000_000)

def noisy(x):
    return [bit ^ flip("1/5") for bit in x]
"""


def test_ctrl_c_leaves_valid_lines_and_prints_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "waiting.py").write_text(WAITING)
    options = ["--sizes", "2,3,4", "--tools", "taut", "--time-limit", "1000000", "--out", "cells.jsonl"]
    process = subprocess.Popen(
        [sys.executable, "-m", "taut", "compare", "waiting.py:noisy", "x=bits({n})", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(taut.__file__).parents[1])},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which is ignored if the tests run behind
    )
    while process.poll() is None and not (tmp_path / "waiting").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130 and "exact" in out and err == "taut: interrupted.\n"
    assert [json.loads(line)["answer"] for line in (tmp_path / "cells.jsonl").read_text().splitlines()] == ["4"]
