"""``taut export``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_export_prints_a_program(run: Any) -> None:
    result = run("export", "rr", "n=2", "--to", "dice", "--input", "0,1")
    assert result.out.splitlines()[1:] == ["let c0 = flip 1/5 in", "let c1 = flip 1/5 in", "(c0, (!c1))"]
    assert "fun randomized_response(x0: bool, x1: bool)" in run("export", "rr", "n=2").out
    assert 'label "done"' in run("export", "above_threshold", "n=2", "--to", "prism", "--input", "0,3").out
    assert run("export", "rr", "n=3", "--to", "prism", "--encoding", "naive").out.count("endmodule") == 3
    assert run("export", "rr", "n=2", "--encoding", "joint").out.endswith("(c0, (c2, ((c0 ^ c1), (c2 ^ c3))))\n")


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
        (["rr", "--to", "prism", "--encoding", "joint"], "for --to dice"),
        (["rr", "n=2", "--encoding", "joint", "--input", "0,1"], "leave --input out"),
        (["rr_count", "--to", "prism", "--encoding", "naive"], "another mechanism"),
        (["rr", "n=2", "--input", "0,1,0"], "it has 3 entries, not 2"),
        (["rr", "n=2", "--input", "0,2"], "not a database"),
        (["rr", "n=2", "--out", "missing/x.dice"], "cannot write"),
    ],
)
def test_bad_input_of_export(run: Any, arguments: list[str], words: str) -> None:
    result = run("export", *arguments)
    assert result.code == 2 and words in result.err and result.err.count("\n") == 1, result


def test_export_ends_in_time(run: Any) -> None:
    result = run("export", "rr", "n=2", "--time-limit", "1e-9")
    assert result.code == 3 and "--time-limit" in result.err and not result.out
