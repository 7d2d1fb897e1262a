"""``taut delta``, ``epsilon``, ``profile``, ``renyi``, ``tradeoff``, ``divergence`` and ``loss``."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.cli.command import failing

from taut import exp
from taut.mechanisms import resolve
from taut.questions import tradeoff
from taut.questions.bound import Bound
from taut.questions.delta import DeltaBound
from taut.support.errors import OutOfTime
from taut.synthesis.pairs.losses import LossCollection

PAIR = ("--x", "000", "--x-prime", "100")
COMMANDS = [
    ("delta", "rr", "n=3", "--epsilon", "1"),
    ("epsilon", "rr", "n=3", "--delta", "1e-6"),
    ("profile", "rr", "n=3"),
    ("renyi", "rr", "n=3", "--order", "2"),
    ("tradeoff", "rr", "n=3"),
    ("divergence", "rr", "n=3"),
    ("loss", "rr", "n=3", *PAIR),
]
PLOTTED = [command for command in COMMANDS if command[0] in ("profile", "tradeoff", "loss")]


def found(run: Any, *arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert (result.code, result.err) == (0, "")
    return json.loads(result.out)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_json_says_what_was_asked(run: Any, command: tuple[str, ...]) -> None:
    data = found(run, *command, "--neighbors", "one_step")
    assert (data["mechanism"], data["arguments"]) == ("randomized_response", {"lam": "1/5"})
    assert data["domain"] == {"x": "bits(3)"} and data["neighbors"] == "one_step"
    assert set(data["versions"]) == {"taut", "python"}
    (check,) = [data["verification"]] if "verification" in data else [one["verification"] for one in _rows(data)]
    assert check["done"] is check["holds"] is True and check["method"] and check["seconds"] >= 0


def _rows(data: dict[str, Any]) -> list[Any]:
    return [one for key in ("orders", "measures") for one in data.get(key, [])]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_people_are_told_the_relation_and_whether_it_was_verified(run: Any, command: tuple[str, ...]) -> None:
    result = run(*command)
    assert (result.code, result.err) == (0, "")
    assert "verified: yes (the function, run by Python)" in result.out
    assert command[0] == "loss" or "one_differ" in result.out


def test_delta_is_that_of_the_model(run: Any) -> None:
    model = resolve("rr").model(2)
    data = found(run, "delta", "rr", "n=2", "--ratio", "3/2")
    assert (data["delta"], data["ratio"]) == (str(model.delta(ratio="3/2").delta), "3/2") == ("1/2", "3/2")
    assert data["witness"] == {"x": [0, 0], "x_prime": [1, 0], "event": [[0, 0], [0, 1]]}
    assert abs(found(run, "delta", "rr", "n=2", "--epsilon", "1")["delta"]["mid"] - 0.25634363430819096) < 1e-15
    words = run("delta", "rr", "n=2", "--ratio", "3/2").out
    assert "1/2 = 0.5, exactly" in words and "(0, 0), (0, 1): the outputs" in words


def test_an_event_of_many_outputs_is_not_listed(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DeltaBound, "verify", failing(OutOfTime("late")))
    assert found(run, "delta", "rr", "n=20", "--ratio", "2")["witness"]["event"] is None


def test_epsilon_is_that_of_the_model(run: Any) -> None:
    data = found(run, "epsilon", "rr", "n=3", "--delta", "0.1")
    assert (data["max_ratio"], data["delta"], data["infinite"]) == ("7/2", "1/10", False)
    data = found(run, "epsilon", "rr", "lam=0", "n=2", "--delta", "0.1")
    assert (data["max_ratio"], data["epsilon"], data["infinite"]) == ("inf", None, True)
    assert "delta is too small for any" in run("epsilon", "rr", "lam=0", "n=2", "--delta", "0.1").out


def test_renyi_and_zcdp(run: Any) -> None:
    data = found(run, "renyi", "rr", "n=3", "--order", "2,3,3/2", "--zcdp")
    assert [row["order"] for row in data["orders"]] == ["2", "3", "3/2"]
    assert [row["moment"] for row in data["orders"]][:2] == ["13/4", "205/16"]
    assert round(data["zcdp"]["rho"], 8) == 0.83177662 and data["zcdp"]["verification"]["holds"]
    data = found(run, "renyi", "rr", "lam=0", "n=2", "--zcdp")
    assert data["orders"][0]["divergence"] is None and data["orders"][0]["infinite"] is True
    assert data["zcdp"]["rho"] is None and data["zcdp"]["infinite"] is True
    words = run("renyi", "rr", "n=3", "--order", "2,4", "--zcdp").out
    assert "rho = 0.8317767" in words and words.count("verified: yes") == 3


def test_divergences(run: Any, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from taut.measures import Divergence\n\n\n"
        "class Triangular(Divergence):\n    def phi(self, p, q):\n        return (p - q) ** 2 / (p + q)\n\n\n"
        "class Other:\n    pass\n"
    )
    data = found(run, "divergence", "rr", "n=3", "--measure", "total_variation,chi_squared,own.py:Triangular")
    assert [row["value"] for row in data["measures"]] == ["3/5", "9/4", "18/25"]
    result = run("divergence", "rr", "--measure", "own.py:Other")
    assert result.code == 2 and "expected a measure of taut.measures" in result.err


def test_a_profile_and_its_composition(run: Any) -> None:
    data = found(run, "profile", "rr", "n=3", "--epsilon", "1", "--ratio", "2", "--delta", "0.1")
    assert data["corners"] == [["1", "3/5"], ["4", "0"]] and data["tight"] is True
    assert data["deltas"][1] == {"ratio": "2", "lower": "2/5", "upper": "2/5"}
    assert data["epsilons"][0]["max_ratio"] == "7/2" and data["epsilons"][0]["neighbors"] == "one_differ"
    model = resolve("rr_count").model(4)
    composed = model.profile().compose(3)
    data = found(run, "profile", "rr_count", "n=4", "--compose", "3", "--ratio", "2")
    assert data["runs"] == 3 and data["tight"] is composed.tight and data["neighbors"] == "one_differ"
    assert [data["deltas"][0][end] for end in ("lower", "upper")] == [
        str(end) for end in composed.delta_interval(ratio=2)
    ]
    assert [row["delta"] for row in data["epsilons"]] == ["1/100000", "1/1000000", "1/1000000000"]
    words = run("profile", "rr_count", "n=8", "--compose", "20").out
    assert "answers before it; an upper bound" in " ".join(words.split()) and "certainly within" in words
    words = run("profile", "rr_count", "n=8").out
    assert "Worst pairs" in words and "pieces" in words


def test_a_tradeoff_curve(run: Any) -> None:
    data = found(run, "tradeoff", "rr", "n=3", "--alpha", "1/10,1/5")
    assert [(row["alpha"], row["lower"], row["upper"]) for row in data["values"]] == [
        ("1/10", "3/5", "3/5"), ("1/5", "1/5", "1/5")
    ]  # fmt: skip
    assert [corner["alpha"] for corner in data["corners"]] == ["0", "1/5", "1"]
    many = run("tradeoff", "rr_count", "n=12")
    assert many.code == 0 and "1/20 = 0.05" in many.out


def test_a_loss_distribution(run: Any) -> None:
    data = found(run, "loss", "rr", "n=2", "--x", "00", "--x-prime", "1,1")
    assert data["atoms"][2] == {"ratio": "16", "mass": "16/25", "mass_prime": "1/25"}
    assert data["divergences"]["total variation"] == "3/5" and data["related"] is False
    data = found(run, "loss", "rr", "n=2", "lam=0", "--x", "00", "--x-prime", "10")
    assert data["atoms"][1]["ratio"] == "inf" and data["divergences"]["chi-squared divergence"] == "inf"
    assert data["related"] is True
    words = run("loss", "rr", "n=40", "--x", ",".join("0" * 40), "--x-prime", "1" * 40).out
    assert "x = 0^40, x' = 1^40" in words and "17 more" in words


def test_verification_compares_the_whole_loss() -> None:
    model = resolve("rr").model(2)
    loss = model.loss((0, 0), (1, 1))
    assert loss.verify()
    other = model.loss((0, 0), (0, 1))
    assert not replace(loss, atoms=other.atoms).verify()
    model = resolve("above").model(2, ratio=exp("-1/2"))
    loss, other = model.loss((0, 0), (1, 1)), model.loss((0, 0), (0, 1))
    assert not loss.exact and loss.verify() and not replace(loss, atoms=other.atoms).verify()


@pytest.mark.parametrize("command", PLOTTED, ids=lambda command: command[0])
@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_plots_are_written(run: Any, tmp_path: Path, command: tuple[str, ...], suffix: str) -> None:
    result = run(*command, "--plot", f"out{suffix}")
    assert result.code == 0 and f"wrote out{suffix}" in result.out
    content = (tmp_path / f"out{suffix}").read_bytes()
    assert content.startswith(b"\x89PNG" if suffix == ".png" else b"<?xml") and len(content) > 5000
    assert json.loads(run(*command, "--plot", f"out{suffix}", "--json").out)
    assert {path.name for path in tmp_path.iterdir()} == {"mine.py", f"out{suffix}"}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("delta", "rr", "--epsilon", "-1"), "epsilon must not be negative; got -1"),
        (("delta", "rr", "--ratio", "1/2"), "must be at least 1; got 1/2"),
        (("delta", "rr"), "give either epsilon, or ratio="),
        (("delta", "rr", "--epsilon", "1", "--ratio", "2"), "give either epsilon, or ratio="),
        (("delta", "rr", "--epsilon", "much"), "'much' is not a number"),
        (("delta", "rr", "--epsilon", "1", "--method", "guess"), "--method guess: there are auto"),
        (("delta", "rr", "--epsilon", "1", "--neighbors", "foo"), "--neighbors 'foo': there are"),
        (("epsilon", "rr", "--delta", "2"), "delta must be a rational number in [0, 1]; got 2"),
        (("epsilon", "rr"), "Missing option '--delta'"),
        (("profile", "rr", "--compose", "0", "--plot", "p.png"), "--compose must be a whole number of at least 1"),
        (("profile", "rr", "--delta", "-1/2", "--plot", "p.png"), "delta must be a rational number in [0, 1]"),
        (("profile", "rr", "--epsilon", "1,-1", "--plot", "p.png"), "epsilon must not be negative"),
        (("profile", "rr", "--plot", "p.txt"), "allowed are .png, .svg, .pdf"),
        (("profile", "rr", "--plot", "no/p.png"), "there is no folder 'no'"),
        (("renyi", "rr", "--order", "1"), "order must be a rational number above 1; got 1"),
        (("renyi", "rr", "--order", "2,,4"), "write values with commas between them"),
        (("tradeoff", "rr", "--alpha", "3/2", "--plot", "p.png"), "must be a rational number in [0, 1]; got 3/2"),
        (("divergence", "rr", "--measure", "foo"), "--measure 'foo': there are total_variation"),
        (("loss", "rr", "n=2", "--x", "00", "--x-prime", "11", "--neighbors", "one_differ"), "are not neighbours by"),
        (("loss", "rr", "n=2", "--x", "00", "--x-prime", "12", "--plot", "p.png"), "is not a database of bits(2)"),
        (("loss", "rr", "n=2", "--x", "000", "--x-prime", "110"), "it has 3 entries, not 2"),
        (("sweep", "rr", "lam=1/4,1/5", "--delta-at", "-1"), "epsilon must not be negative"),
        (("sweep", "rr", "lam=1/4,1/5", "--renyi", "1"), "order must be a rational number above 1"),
        (("sweep", "rr_count", "lam=1/4,1/5", "--alpha", "1", "--accuracy-only", "--renyi", "2"), "leave --renyi out"),
    ],
)
def test_bad_input_is_one_sentence(run: Any, tmp_path: Path, command: tuple[str, ...], said: str) -> None:
    result = run(*command)
    assert result.code == 2 and result.out == "" and said in result.err
    assert result.err.startswith("taut: ") and result.err.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"mine.py"}


WHOLE = [command for command in COMMANDS if command[0] != "loss"]


@pytest.mark.parametrize("command", WHOLE, ids=lambda command: command[0])
def test_what_ran_out_of_time_is_an_interval(
    run: Any, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LossCollection, "_cases", failing(OutOfTime("late")))
    monkeypatch.setattr("taut.synthesis.auto._FOR_ENDS", ())  # no other solver is asked for the ends
    result = run(*command, "--method", "exhaustive")
    assert (result.code, result.err) == (4, "") and "--time-limit 600" in result.out
    result = run(*command, "--method", "exhaustive", "--json")
    data = json.loads(result.out)
    assert result.code == 4 and [row["exact"] for row in (_rows(data) or [data])] == [False]


@pytest.mark.parametrize("command", WHOLE, ids=lambda command: command[0])
def test_ctrl_c_keeps_the_interval(run: Any, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LossCollection, "_cases", failing(KeyboardInterrupt()))
    result = run(*command, "--method", "exhaustive")
    assert result.code == 130 and "interrupted" in result.err and result.out


def test_a_bound_is_printed_before_it_is_verified(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bound, "verify", failing(OutOfTime("late")))
    result = run("delta", "rr", "n=3", "--ratio", "2")
    assert (
        result.code == 0
        and "2/5 = 0.4" in result.out
        and "replay of the witness by Python not finished (stopped" in result.out
    )
    assert found(run, "epsilon", "rr", "n=3", "--delta", "0")["verification"]["reason"] == "time"


def test_an_interval_of_a_composition_is_an_answer(run: Any) -> None:
    data = found(run, "profile", "rr_count", "n=8", "--compose", "20", "--ratio", "2")
    (row,) = data["deltas"]
    low, high = Fraction(row["lower"]), Fraction(row["upper"])
    assert data["exact"] is False and low < high < low * (1 + Fraction(1, 10**6))


def test_many_curves_are_compared_within_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model = resolve("above").model(3)
    whole = model.tradeoff()
    real = tradeoff.least

    def late(functions: Any) -> Any:
        if len(functions) > 32:
            raise OutOfTime("late")
        return real(functions)

    monkeypatch.setattr(tradeoff, "least", late)
    curve = model.tradeoff()
    assert not curve.complete and curve.stats["stopped"] == "time_limit" and curve.verify()
    for alpha in ("0", "1/10", "1/2"):
        low, high = curve.interval(alpha)
        assert low <= whole(alpha) <= high
