"""``taut sweep``."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from taut import OutOfTime
from taut.interfaces.sweep import SweepPlan


def test_sweep(run: Any, tmp_path: Path) -> None:
    files = ["--plot", "out.png", "--csv", "out.csv"]
    result = run("sweep", "rr_count", "n=8", "lam=0.05:0.5:0.05", "--alpha", "3", *files)
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert len(rows) == 11
    assert rows[4] == "1/5,0.2,1.38629436112,4,4,73728/78125,0.9437184"
    assert {path.name for path in tmp_path.iterdir()} == {"mine.py", "out.png", "out.csv"}
    data = json.loads(run("sweep", "rr", "n=3", "lam=0,1/4,1/2", "--json").out)
    assert [point["privacy"]["max_ratio"] for point in data["points"]] == ["inf", "3", "1"]
    # the swept parameter is no argument of the whole: it stands at each point
    assert (data["arguments"], data["domain"]) == ({}, {"x": "bits(3)"}) and data["versions"]["taut"]
    assert data["verification"]["done"] is False
    more = ("--delta-at", "ratio=2", "--renyi", "2", "--plot", "all.svg")
    result = run("sweep", "rr_count", "n=3", "lam=0,1/5,1/2", *more, "--alpha", "1")
    assert (
        result.code == 0 and "delta at eps = 0.693147 (e^eps = 2)" in result.out and "moment of order 2" in result.out
    )
    assert (tmp_path / "all.svg").read_bytes().startswith(b"<?xml")
    data = json.loads(run("sweep", "rr_count", "n=3", "lam=0,1/5", *more[:4], "--json").out)
    assert [point["renyi"]["infinite"] for point in data["points"]] == [True, False]
    assert [point["delta"]["delta"] for point in data["points"]] == ["1", "32/125"], "y = 0: 64/125 - 2 * 16/125"
    data = json.loads(run("sweep", "rr_count", "n=30,31", "--alpha", "2", "--accuracy-only", "--json").out)
    assert all(point["accuracy"]["method"] == "decomposition" for point in data["points"])
    assert (data["arguments"], data["domain"]) == ({"lam": "1/5"}, {})  # n is the size of the database
    assert (data["alpha"], data["target"], data["distance"]) == ("2", "sum", "absolute")


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (OutOfTime("enough"), 4)])
def test_a_sweep_that_is_stopped_keeps_its_points(
    stop: BaseException, code: int, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = SweepPlan.point

    def point(plan: SweepPlan, query: Any, value: Any, relations: Any) -> Any:
        if value == Fraction(1, 2):
            raise stop
        return whole(plan, query, value, relations)

    monkeypatch.setattr(SweepPlan, "point", point)
    result = run("sweep", "rr", "n=3", "lam=1/5,1/4,1/2", "--csv", "out.csv")
    assert result.code == code and "1 of 3 values are missing" in result.err and "0.25" in result.out
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 3
    result = run("sweep", "rr", "n=3", "lam=1/2,1/4", "--csv", "none.csv")
    assert result.code == {130: 130, 4: 3}[code] and not (tmp_path / "none.csv").exists()
