"""Measurements in processes of their own, records that are gone on with, verdicts and plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from taut import InvalidInput
from taut.interfaces.compare.comparison import Comparison, compare, comparison_figure
from taut.interfaces.compare.measurement import Measurement, RecordFile, measure, measurements_of
from taut.support.pictures.style import picture


def record(tool: str, answer: str | None, n: int = 2, status: str = "answer", **more: Any) -> dict[str, Any]:
    base = {"target": "rr", "settings": [f"n={n}"], "n": n, "tool": tool, "method": "exhaustive", "neighbors": None}
    common = {"mechanism": "rr", "relation": "one_differ", "limit": 1.0, "seconds": 0.5, "status": status}
    return {**base, **common, **({"answer": answer} if answer is not None else {}), **more}


def test_a_wrong_answer_is_wrong_and_not_fast() -> None:
    found = Comparison([record("taut", "4"), record("dice", "4"), record("storm", "39/10"), record("storm", "4", n=3)])
    assert [found.verdict(one) for one in found.records] == ["exact", "exact", "wrong", "unchecked"]
    assert found.wrong == [found.records[2]]


def test_within_its_rounding_an_answer_is_rounded() -> None:
    near = record("dice", "401/100", at_least="399/100", at_most="403/100")
    off = record("dice", "41/10", at_least="405/100", at_most="415/100")
    blind = record("dice", "inf", at_least="2", at_most="inf")
    found = Comparison([record("taut", "4"), near, off, blind])
    assert [found.verdict(one) for one in found.records[1:]] == ["rounded", "wrong", "rounded"]
    ball = Comparison([record("taut", "148.41", low="14841/100", high="14842/100"), near, off])
    assert [ball.verdict(one) for one in ball.records] == ["exact", "wrong", "wrong"]
    inside = record("dice", "148", at_least="147", at_most="148415/1000")
    assert Comparison([*ball.records, inside]).verdict(inside) == "rounded"


def test_the_best_way_of_asking_a_tool_has_a_star() -> None:
    slow = record("dice", "4", cpu_seconds=3.0, startup_seconds=1.0)
    fast = record("dice-joint", "401/100", at_least="399/100", at_most="403/100", cpu_seconds=2.0, startup_seconds=0.1)
    found = Comparison([record("taut", "4"), slow, fast, record("dice", "4", 3, cpu_seconds=9.0)])
    assert [found.best(one) for one in found.records] == [True, False, True, True]
    assert [row[1] for row in found.table("").rows] == ["taut", "dice", "dice-joint *", "dice"]
    assert found.table("").rows[2][3:5] == ("1.38879", "401/100 (3.99 to 4.03)")
    wrong = Comparison([record("taut", "4"), slow, record("dice-joint", "5", cpu_seconds=0.1)])
    assert [wrong.best(one) for one in wrong.records] == [True, True, False]
    blind = Comparison([record("taut", "4"), slow, {**fast, "at_most": "inf"}])
    assert [blind.best(one) for one in blind.records] == [True, True, False]
    late = Comparison([record("taut", "4"), slow, record("dice-joint", None, status="time-out")])
    assert [late.best(one) for one in late.records] == [True, True, False]


def test_balls_are_compared_with_their_ends() -> None:
    truth = record("taut", "148.41", low="14841/100", high="14842/100")
    found = Comparison([truth, record("storm", "148415/1000"), record("dice", "149"), record("storm", "inf")])
    assert [found.verdict(one) for one in found.records] == ["exact", "exact", "wrong", "wrong"]


def test_a_measurement_in_its_own_process() -> None:
    found = measure(Measurement("rr", ("n=2",), 2, "taut", "exhaustive"), 1_000_000)
    assert (found["status"], found["answer"], found["sizes"]["nodes"]) == ("answer", "4", 12)
    assert found["seconds"] > 0 and found["cpu_seconds"] > 0 and found["megabytes"] > 10
    assert found["startup_seconds"] > 0 and found["around_seconds"] == 0


def test_time_outs_deaths_and_refusals(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(1_000_000)\n")
    (tmp_path / "dead.py").write_text("import os\nos._exit(9)\n")
    (tmp_path / "large.py").write_text("def f(x):\n    return [x[0]] * 10**10\n")

    def status(target: str, setting: str, tool: str, method: str, limit: float = 1_000_000) -> str:
        return str(measure(Measurement(target, (setting,), 1, tool, method), limit)["status"])

    assert status(f"{tmp_path}/slow.py:f", "x=bits(1)", "taut", "exhaustive", 0.5) == "time-out"
    assert status(f"{tmp_path}/dead.py:f", "x=bits(1)", "taut", "exhaustive") == "died"
    assert status("rr", "n=2", "storm", "search") == "refused"
    assert status("rr_count", "n=2", "taut", "restricted") == "answer"
    assert status(f"{tmp_path}/large.py:f", "x=bits(1)", "taut", "exhaustive") == "too large"


def test_sizes_go_where_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def noisy(x, p):\n    return x\n")
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
    both = measurements_of("rr", [], [2], ["dice"], ["exhaustive", "restricted"], None)
    ways = [("dice", "exhaustive"), ("dice", "restricted"), ("dice-joint", "exhaustive")]
    assert [(c.tool, c.method) for c in both] == ways


def test_a_second_run_goes_on_where_the_first_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Measurement] = []

    def fake(cell: Measurement, limit: float) -> dict[str, Any]:
        asked.append(cell)
        if len(asked) == 2:
            raise KeyboardInterrupt
        status = "time-out" if cell.n == 4 else "answer"
        return {**record("taut", "4", cell.n, status), "settings": list(cell.settings), "limit": limit}

    monkeypatch.setattr("taut.interfaces.compare.comparison.measure", fake)
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


def test_plots_show_time_outs_and_wrong_answers() -> None:
    late = record("storm", None, 4, "time-out", seconds=1.0)
    found = Comparison([record("taut", "4"), record("dice", "5"), record("taut", "4", 4), late])
    assert picture(comparison_figure(found, "a title")).startswith(b"\x89PNG")
    assert picture(comparison_figure(Comparison(), "nothing")).startswith(b"\x89PNG")
