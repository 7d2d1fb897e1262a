"""Comparisons: cells in processes of their own, JSON lines that are gone on with, verdicts, tables and plots."""

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
from tests.cli.command import in_folder

from taut import InvalidInput
from taut.compare.comparison import Comparison, compare
from taut.compare.measurement import Measurement, measure, measurements_of
from taut.compare.plot import comparison_figure
from taut.compare.records import RecordFile
from taut.peers.storm import storm_missing
from taut.reports.plots import picture

FAKE = Path(__file__).parents[1] / "peers" / "fake_dice.py"
MINE = """
import time
from taut import flip

def noisy(x, p="1/4"):
    return [bit ^ flip(p) for bit in x]

def sized(n):
    return n

def slow(x):
    time.sleep(60)
    return flip("1/2")

def dead(x):
    import os
    os._exit(9)
"""
needs_storm = pytest.mark.skipif(storm_missing() is not None, reason=storm_missing() or "")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    return in_folder(tmp_path, MINE, monkeypatch, capsys)


def record(tool: str, answer: str | None, n: int = 2, status: str = "answer", **more: Any) -> dict[str, Any]:
    base = {"target": "rr", "settings": [f"n={n}"], "n": n, "tool": tool, "method": "exhaustive", "neighbors": None}
    common = {"mechanism": "rr", "relation": "one_differ", "limit": 1.0, "seconds": 0.5, "status": status}
    return {**base, **common, **({"answer": answer} if answer is not None else {}), **more}


def test_a_wrong_answer_is_wrong_and_not_fast() -> None:
    found = Comparison([record("taut", "4"), record("dice", "4"), record("storm", "39/10"), record("storm", "4", n=3)])
    assert [found.verdict(one) for one in found.records] == ["exact", "exact", "wrong", "unchecked"]
    assert found.wrong == [found.records[2]]


def test_balls_are_compared_with_their_ends() -> None:
    truth = record("taut", "148.41", low="14841/100", high="14842/100")
    found = Comparison([truth, record("storm", "148415/1000"), record("dice", "149"), record("storm", "inf")])
    assert [found.verdict(one) for one in found.records] == ["exact", "exact", "wrong", "wrong"]


def test_a_cell_in_its_own_process() -> None:
    found = measure(Measurement("rr", ("n=2",), 2, "taut", "exhaustive"), 60)
    assert (found["status"], found["answer"], found["sizes"]["nodes"]) == ("answer", "4", 12)
    assert found["seconds"] > 0 and found["cpu_seconds"] > 0 and found["megabytes"] > 10


def test_time_outs_deaths_and_refusals(run: Any, tmp_path: Path) -> None:
    start = time.perf_counter()
    found = measure(Measurement("mine.py:slow", ("x=bits(1)",), 1, "taut", "exhaustive"), 0.5)
    assert found["status"] in ("time-out", "refused") and time.perf_counter() - start < 40
    assert measure(Measurement("rr", ("n=2",), 2, "storm", "search"), 60)["status"] == "refused"
    assert measure(Measurement("rr_count", ("n=2",), 2, "taut", "restricted"), 60)["status"] == "answer"
    assert measure(Measurement("rr", ("n=200",), 200, "taut", "exhaustive"), 60)["status"] == "too large"


def test_sizes_go_where_they_are_written(run: Any) -> None:
    (cell,) = measurements_of("mine.py:noisy", ["x=bits({n})", "p=1/3"], [3], ["taut"], ["exhaustive"], None)
    assert cell.settings == ("x=bits(3)", "p=1/3")
    with pytest.raises(InvalidInput, match=r"x=bits\(\{n\}\)"):
        measurements_of("mine.py:noisy", ["x=bits(2)"], [3], ["taut"], ["exhaustive"], None)
    with pytest.raises(InvalidInput, match="--tools prism"):
        measurements_of("rr", [], [3], ["prism"], ["exhaustive"], None)
    assert [c.tool for c in measurements_of("rr", [], [2], ["taut", "storm"], ["exhaustive"], None)] == [
        "taut",
        "storm",
        "storm-naive",
    ]
    assert [c.tool for c in measurements_of("rr_count", [], [2], ["storm"], ["exhaustive"], None)] == ["storm"]


def test_a_second_run_goes_on_where_the_first_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Measurement] = []

    def fake(cell: Measurement, limit: float) -> dict[str, Any]:
        asked.append(cell)
        if len(asked) == 2:
            raise KeyboardInterrupt
        status = "time-out" if cell.n == 4 else "answer"
        return {**record("taut", "4", cell.n, status), "settings": list(cell.settings), "limit": limit}

    monkeypatch.setattr("taut.compare.comparison.measure", fake)
    path = tmp_path / "cells.jsonl"
    cells = measurements_of("rr", [], [2, 3, 4], ["taut"], ["exhaustive"], None)
    with pytest.raises(KeyboardInterrupt):
        compare(cells, 1, RecordFile(path), lambda _: None)
    assert len(path.read_text().splitlines()) == 1
    with path.open("a") as file:
        file.write('{"target": "rr", "cut o')
    assert len(compare(cells, 1, RecordFile(path), lambda _: None).records) == 3
    assert [cell.n for cell in asked] == [2, 3, 3, 4]
    compare(cells, 1, RecordFile(path), lambda _: None)
    assert len(asked) == 4
    compare(cells, 2, RecordFile(path), lambda _: None)
    assert [cell.n for cell in asked[4:]] == [4]
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_file_of_something_else_is_refused(run: Any, tmp_path: Path) -> None:
    result = run("compare", "rr", "--sizes", "2", "--tools", "taut", "--out", "mine.py")
    assert result.code == 2 and "mine.py:1 is no line of a comparison" in result.err
    assert (tmp_path / "mine.py").read_text() == MINE


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rr", "--sizes", "two"], "sizes are whole numbers"),
        (["rr", "--sizes", "-1"], "sizes are whole numbers"),
        (["rr", "--tools", "prism"], "there are taut, storm"),
        (["rr", "--methods", "guess"], "there are exhaustive"),
        (["rr", "--time-limit", "0"], "must be above 0"),
        (["nothing"], "no built-in mechanism"),
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


def test_dice_rounds_and_is_told_so(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "dice"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    result = run("compare", "rr", "lam=1/7", "--sizes", "2", "--tools", "taut,dice", "--json")
    assert [cell["verdict"] for cell in json.loads(result.out)["cells"]] == ["exact", "wrong"]
    assert result.code == 0


def test_plots_show_time_outs_and_wrong_answers() -> None:
    late = record("storm", None, 4, "time-out", seconds=1.0)
    found = Comparison([record("taut", "4"), record("dice", "5"), record("taut", "4", 4), late])
    assert picture(comparison_figure(found, "a title")).startswith(b"\x89PNG")
    assert picture(comparison_figure(Comparison(), "nothing")).startswith(b"\x89PNG")


def test_ctrl_c_leaves_valid_lines_and_prints_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    command = [sys.executable, "-m", "taut", "compare", "rr", "--sizes", "2,3,4,5,6,7,8", "--tools", "taut"]
    process = subprocess.Popen(
        [*command, "--out", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not (path.exists() and path.read_text().count("\n") >= 1):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "exact" in out and err == "taut: interrupted.\n"
    assert all(json.loads(line)["answer"] == "4" for line in path.read_text().splitlines())


# ------------------------------------------------------------------------------------------------------------ export


def test_export_prints_a_program(run: Any) -> None:
    result = run("export", "rr", "n=2", "--to", "dice", "--input", "0,1")
    assert result.out.splitlines()[1:] == ["let c0 = flip 1/5 in", "let c1 = flip 1/5 in", "(c0, (!c1))"]
    assert "fun randomized_response(x0: bool, x1: bool)" in run("export", "rr", "n=2").out
    assert 'label "done"' in run("export", "above_threshold", "n=2", "--to", "prism", "--input", "0,3").out
    assert run("export", "rr", "n=3", "--to", "prism", "--encoding", "naive").out.count("endmodule") == 3


def test_export_writes_a_file(run: Any, tmp_path: Path) -> None:
    assert "6 lines" in run("export", "rr", "n=4", "--input", "0,1,0,1", "--out", "rr.dice").out
    assert (tmp_path / "rr.dice").read_text().endswith("\n")
    assert run("run", "rr.dice", "--json").code == 0
    found = json.loads(run("export", "rr", "n=2", "--json").out)
    assert found["to"] == "dice" and found["text"].startswith("//")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rr", "--to", "storm"], "there are dice, prism"),
        (["rr", "--encoding", "best"], "there are sequential, naive"),
        (["rr", "--encoding", "naive"], "for --to prism"),
        (["rr_count", "--to", "prism", "--encoding", "naive"], "another mechanism"),
        (["rr", "n=2", "--input", "0,1,0"], "it has 3 entries, not 2"),
        (["rr", "n=2", "--input", "0,2"], "no database"),
        (["rr", "n=2", "--out", "missing/x.dice"], "cannot write"),
    ],
)
def test_bad_input_of_export(run: Any, arguments: list[str], words: str) -> None:
    result = run("export", *arguments)
    assert result.code == 2 and words in result.err and result.err.count("\n") == 1, result
