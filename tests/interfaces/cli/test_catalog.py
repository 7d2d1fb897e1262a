"""``taut list`` and ``taut show``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from taut.mechanisms import BUILT_IN


def test_list_shows_every_mechanism_with_its_arguments(run: Any) -> None:
    result = run("list")
    assert (result.code, result.err) == (0, "")
    for name in BUILT_IN:
        assert name in result.out
    assert "flipped with probability" in " ".join(result.out.split())


def test_list_json_can_be_called_from(run: Any) -> None:
    result = run("list", "--json")
    rows = {row["name"]: row for row in json.loads(result.out)}
    assert list(rows) == list(BUILT_IN)
    assert rows["randomized_response"]["arguments"] == [
        {"name": "x", "required": True},
        {"name": "lam", "required": True, "tried_with": "1/5"},
    ]
    assert {"name": "strict", "required": False, "default": False} in rows["above_threshold"]["arguments"]
    assert all(row["summary"].endswith(".") and row["reference"] for row in rows.values())


def test_show(run: Any) -> None:
    result = run("show", "rr")
    assert result.code == 0
    for words in ("randomized_response", "Warner 1965", "bits(4)", "bit ^ flip(lam)", "one_differ"):
        assert words in result.out
    data = json.loads(run("show", "above", "--json").out)
    assert "geometric(threshold" in data["source"] and data["neighbors"] == "all_step"
    assert "Mine." in run("show", "mine.py:svt").out


def test_sources_are_shown_in_whole_lines(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = "    return [" + " + ".join(["x[0]"] * 60) + "]"
    (tmp_path / "wide.py").write_text(f"def wide(x):\n{line}\n")
    monkeypatch.setenv("COLUMNS", "60")
    assert line in run("show", "wide.py:wide").out.splitlines()
