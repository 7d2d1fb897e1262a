"""``taut symmetries``."""

from __future__ import annotations

import json
from typing import Any


def test_symmetries_are_told(run: Any) -> None:
    shown = run("symmetries", "rr", "n=60", "lam=1/5").out
    for words in ("entries 0..59 may be permuted together with their outputs", "1 of about 2^60 inputs", "120 triples"):
        assert words in " ".join(shown.split())
    told = json.loads(run("symmetries", "rr_count", "n=6", "--json").out)
    assert told["exact"] is True and told["representatives"] == "7" and told["classes"] == [[0, 1, 2, 3, 4, 5]]
    restricted = json.loads(run("privacy", "exponential", "--method", "restricted", "--json").out)
    exhaustive = json.loads(run("privacy", "exponential", "--json").out)
    assert restricted["max_ratio"] == exhaustive["max_ratio"] and restricted["count"] == exhaustive["count"]
