"""``taut paper``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taut.interfaces.paper import Reproduction


@pytest.mark.xdist_group("paper")  # with those that look at the same reproduction
def test_paper_quick(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_paper: tuple[Reproduction, list[str]]
) -> None:
    def made(quick: bool, step: Callable[[str], None]) -> Reproduction:
        assert quick
        for name in quick_paper[1]:
            step(name)
        return quick_paper[0]

    monkeypatch.setattr("taut.interfaces.paper.reproduce", made)
    folder = tmp_path / "new" / "results"
    folder.mkdir(parents=True)
    (folder / "report.md").write_text("old")
    result = run("paper", "--out", str(folder), "--quick", "--json")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert sorted(path.name for path in folder.iterdir()) == data["files"] == sorted(quick_paper[0].files)
    assert all(check["agrees"] for check in data["checks"])
    assert (folder / "report.md").read_text() != "old"


def test_an_interrupted_paper_leaves_nothing(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("taut.interfaces.paper.reproduce", stop)
    assert run("paper", "--out", "results", "--quick").code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
    refused = run("paper", "--out", "results/deep", "--quick")
    assert refused.code == 2 and "there is no folder 'results'; make it first" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
