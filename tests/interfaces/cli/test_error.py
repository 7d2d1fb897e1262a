"""``taut error``."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any


def test_error(run: Any) -> None:
    data = json.loads(run("error", "rr_count", "n=8", "lam=1/5", "--quantile", "0.95", "--json").out)
    values = {name: Fraction(data[name]["value"]) for name in ("mean", "mean_square", "variance", "quantile 0.95")}
    assert list(values.values()) == [Fraction(8, 5), Fraction(96, 25), Fraction(32, 25), 4]
    assert data["mean"]["witness"] == {"x": [0] * 8} and data["variance"]["verification"]["holds"] is True
    shown = run("error", "rr_count", "n=8", "lam=1/5", "--quantile", "0.95")
    assert shown.code == 0 and "96/25 = 3.84" in shown.out and "quantile 19/20" in shown.out


def test_targets_and_distances(run: Any) -> None:
    data = json.loads(run("error", "rr", "n=3", "--target", "identity", "--distance", "hamming", "--json").out)
    assert Fraction(data["mean"]["value"]) == Fraction(3, 5)


def test_a_search_has_no_variance(run: Any) -> None:
    ran = run("error", "rr_count", "n=3", "--method", "search")
    assert ran.code == 0 and "3/5 = 0.6" in ran.out and "variance: method='search'" in ran.out
    assert "refused" in json.loads(run("error", "rr_count", "n=3", "--method", "search", "--json").out)["variance"]


def test_refusals(run: Any) -> None:
    for share in ("0", "2", "much"):
        ran = run("error", "rr_count", "n=3", "--quantile", share)
        assert ran.code == 2 and "quantile" in ran.err and len(ran.err.splitlines()) == 1
