"""``taut formula`` and ``taut calibrate``."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

HALF = "lam=0..1/2"


def test_formula(run: Any) -> None:
    shown = run("formula", "rr", "n=8", HALF)
    assert shown.code == 0 and "eps = ln((1 - lam)/lam) for 0 < lam <= 1/2 (infinite at 0)" in " ".join(
        shown.out.split()
    )
    assert "randomized_response(x=bits(8), lam=0..1/2)" in shown.out
    data = json.loads(run("formula", "rr", "n=3", HALF, "--json").out)
    assert data["pieces"][0]["value"] == "(1 - lam)/lam" and data["arguments"] == {"lam": "0..1/2"} and data["exact"]
    assert run("formula", "rr", "n=2", HALF, "--latex").out.strip() == r"\frac{1 - \lambda}{\lambda}"


def test_formulas_of_other_bounds(run: Any, tmp_path: Path) -> None:
    for options, text in [
        (["--alpha", "1"], "1 - 3*lam**2 + 2*lam**3"),
        (["--delta-at", "2"], "(1 - 3*lam)*(1 - lam)**2"),
        (["--renyi", "2"], "lam"),
    ]:
        plot = tmp_path / "plot.png"
        ran = run("formula", "rr_count", "n=3", HALF, *options, "--plot", str(plot), "--json")
        assert ran.code == 0 and text in json.loads(ran.out)["pieces"][0]["value"] and plot.exists()
        plot.unlink()


def test_what_is_sampled_has_another_exit_code(run: Any) -> None:
    ran = run("formula", "rr", "n=2", HALF, "--method", "sampled")
    assert ran.code == 4 and "proved maximal at lam = 1/20" in " ".join(ran.out.split())


def test_calibrate(run: Any, tmp_path: Path) -> None:
    plot = tmp_path / "choice.png"
    options = ["--epsilon", "2", "--alpha", "2", "--probability", "0.9"]
    ran = run("calibrate", "rr_count", "n=6", HALF, *options, "--plot", str(plot))
    assert ran.code == 0 and "take lam = 8/67" in " ".join(ran.out.split()) and plot.exists()
    data = json.loads(run("calibrate", "rr", "n=4", HALF, "--epsilon", "1", "--json").out)
    assert Fraction(data["best"]) == Fraction(7, 26) and data["exact"] and data["feasible"]
    assert "take lam = 1/5" in run("calibrate", "rr", "n=2", HALF, "--ratio", "4").out
    assert "order 2 <= 1" in run("calibrate", "rr", "n=2", HALF, "--renyi", "2,1").out
    assert "delta <= 1/10 at e^eps = 2" in run("calibrate", "rr", "n=2", HALF, "--ratio", "2", "--delta", "0.1").out
    assert (
        "no value of lam" in run("calibrate", "rr_count", "n=3", HALF, *options[:2], "--alpha", "0", *options[4:]).out
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["calibrate", "rr", "n=2", HALF], "give a budget"),
        (["calibrate", "rr", "n=2", HALF, "--epsilon", "-1"], "must not be negative"),
        (["calibrate", "rr", "n=2", HALF, "--epsilon", "1", "--probability", "0.9"], "--probability needs --alpha"),
        (["calibrate", "rr", "n=2", HALF, "--renyi", "2"], "ORDER,LIMIT"),
        (["calibrate", "rr", "n=2", "lam=1/5", "--epsilon", "1"], "no parameter is left free"),
        (["formula", "rr", "n=2", "lam=1/5"], "no parameter is left free"),
        (["formula", "rr", "n=2", "lam=0..2"], "lam must be a probability"),
        (["formula", "rr", "n=2", "lam=1/2..0"], "low must be below high"),
        (["formula", "rr", "n=1..3", HALF], "n must be a whole number"),
        (["formula", "rr", "n=2", HALF, "--alpha", "1", "--renyi", "2"], "give one of"),
        (["formula", "rr", "n=2", HALF, "--method", "search"], "method must be one of"),
        (["formula", "rr", "n=2", HALF, "--renyi", "1/2"], "order must be"),
        (["formula", "rr", "n=2", HALF, "--plot", "x.txt"], ".png"),
        (["privacy", "rr", "n=2", HALF], "ask 'taut formula'"),
        (["accuracy", "rr_count", "n=2", HALF, "--alpha", "1"], "ask 'taut formula'"),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_sentence(run: Any, arguments: list[str], words: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2 and words in ran.err and len(ran.err.splitlines()) == 1


def test_several_runs_are_calibrated_by_value(run: Any) -> None:
    ran = run("calibrate", "rr_count", "n=4", "lam=1/100..1/2", "--epsilon", "1", "--compose", "3", "--json")
    data = json.loads(ran.out)
    assert ran.code == 0 and data["runs"] == 3 and data["feasible"] and data["relied_on"]
    assert Fraction(data["beyond"]) < Fraction(data["best"])
    for wrong in (["--compose", "0"], ["--compose", "3", "--plot", "p.png"]):
        refused = run("calibrate", "rr_count", "n=4", "lam=1/100..1/2", "--epsilon", "1", *wrong)
        assert refused.code == 2 and "ompose" in refused.err
