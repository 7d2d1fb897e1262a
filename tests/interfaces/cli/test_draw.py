"""``taut draw``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_draw(run: Any, tmp_path: Path) -> None:
    result = run("draw", "rr", "n=3", "--out", "a.svg")
    assert (result.code, result.err) == (0, "")
    assert "<svg" in (tmp_path / "a.svg").read_text()
    assert json.loads(run("draw", "rr", "n=2", "--out", "a.dot", "--json").out)["nodes"] == 12
