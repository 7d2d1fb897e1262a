"""``taut accuracy`` and ``taut worst``."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any


def test_accuracy(run: Any) -> None:
    data = json.loads(run("accuracy", "rr_count", "n=8", "lam=1/5", "--alpha", "3", "--top", "2", "--json").out)
    assert Fraction(data["probability"]) == Fraction("0.9437184")
    assert [one["count"] for one in data["worst_inputs"]] == [2, 16]
    result = run("accuracy", "rr_count", "n=8", "--alpha", "3", "--top", "4")
    assert "73728/78125 = 0.9437184, exactly" in result.out and "112" in result.out
    assert "worst_inputs" not in json.loads(run("accuracy", "rr_count", "n=4", "--alpha", "1", "--json").out)


def test_targets_and_distances(run: Any) -> None:
    def probability(*arguments: str) -> Fraction:
        return Fraction(json.loads(run("accuracy", *arguments, "--json").out)["probability"])

    assert probability("rr", "n=3", "--alpha", "1", "--target", "identity", "--distance", "hamming") == Fraction(
        112, 125
    )
    assert probability("rr", "n=3", "--alpha", "0", "--target", "identity", "--distance", "largest") == Fraction(
        64, 125
    )
    assert probability("rr_majority", "n=3", "--alpha", "0", "--target", "majority") == Fraction(88, 125)
    assert probability("mine.py:total", "x=bits(2)", "p=1/5", "--alpha", "1") == Fraction(24, 25)
    assert probability("rr_count", "n=1", "lam=1/5", "--alpha", "0", "--target", "mine.py:doubled") == 0
    assert probability("rr_count", "n=2", "--alpha", "2", "--distance", "mine.py:half") == Fraction(24, 25)
    for target in ("mean", "max", "min"):
        assert 0 < probability("geometric", "n=3", "--alpha", "1", "--target", target) < 1
    assert 0 < probability("report", "n=2", "--alpha", "0", "--target", "argmax", "--distance", "different") < 1


def test_worst(run: Any) -> None:
    rows = json.loads(run("worst", "rr_count", "n=8", "--alpha", "3", "--json").out)
    assert [row["count"] for row in rows] == [2, 16, 56, 112]
    rows = json.loads(run("worst", "rr", "n=2", "--top", "9", "--json").out)
    assert [(row["ratio"], row["count"]) for row in rows] == [("4", 16), ("1/4", 16)]
    assert all(row["domain"] == {"x": "bits(2)"} and not row["verification"]["done"] for row in rows)
    assert "Worst pairs" in run("worst", "rr", "n=2", "lam=0").out
    assert "Worst inputs" in run("worst", "rr_count", "n=2", "--alpha", "1").out
