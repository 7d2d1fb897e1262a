"""The time of a command: a bound is shown before it is verified, and a limit or Ctrl-C ends only what is left."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.interfaces.cli.command import failing

from taut.questions.bound import Bound
from taut.support import limits
from taut.support.errors import OutOfTime
from taut.synthesis.search import engine as search_engine

ENDS = [(OutOfTime("late"), "time", "stopped"), (KeyboardInterrupt(), "interrupted", "interrupted")]


@pytest.mark.parametrize(("problem", "reason", "said"), ENDS)
def test_an_answer_that_is_not_verified_is_shown(
    run: Any, monkeypatch: pytest.MonkeyPatch, problem: BaseException, reason: str, said: str
) -> None:
    monkeypatch.setattr(Bound, "verify", failing(problem))
    result = run("privacy", "rr", "n=3")
    assert (result.code, result.err) == (0, "")
    assert "e^eps = 4 exactly" in result.out and f"not finished ({said} after" in result.out
    result = run("privacy", "rr", "n=3", "--json")
    answer = json.loads(result.out)
    assert result.code == 0 and answer["max_ratio"] == "4"
    assert answer["verification"]["done"] is False and answer["verification"]["reason"] == reason


def test_the_bound_is_printed_before_it_is_verified(
    run: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []
    verify = Bound.verify

    def watched(bound: Bound) -> Any:
        seen.append(capsys.readouterr().out)
        return verify(bound)

    monkeypatch.setattr(Bound, "verify", watched)
    result = run("privacy", "rr", "n=3")
    assert "e^eps = 4 exactly" in seen[0] and "verified" not in seen[0]
    assert result.out.startswith("verified: yes (") and " s" in result.out


def test_json_says_how_it_was_verified(run: Any) -> None:
    check = json.loads(run("accuracy", "rr_count", "n=3", "--alpha", "1", "--json").out)["verification"]
    assert check["done"] is check["holds"] is True and check["method"] and check["seconds"] >= 0


def test_an_interval_has_an_exit_code_and_says_how_to_go_on(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_engine, "step_up", failing(OutOfTime("late")))
    result = run("privacy", "above", "x=ints(8,0,3)", "--neighbors", "one_differ", "--method", "search")
    assert result.code == 4 and "--time-limit 600" in result.out


@pytest.mark.parametrize(
    "command",
    [
        ("privacy", "rr"),
        ("accuracy", "rr_count", "--alpha", "1"),
        ("worst", "rr"),
        ("error", "rr_count"),
        ("sweep", "rr", "lam=1/3,1/4"),
        ("delta", "rr", "--epsilon", "1"),
        ("epsilon", "rr", "--delta", "1e-6"),
        ("profile", "rr"),
        ("renyi", "rr"),
        ("tradeoff", "rr"),
        ("divergence", "rr"),
        ("loss", "rr", "n=2", "--x", "00", "--x-prime", "01"),
        ("symmetries", "rr"),
        ("draw", "rr", "--out", "rr.svg"),
        ("run", "coin.dice"),
    ],
)
def test_every_command_ends_with_its_time(
    run: Any, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "coin.dice").write_text("flip 0.5")
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(limits, "clock", lambda: float(next(hours)))
    result = run(*command)
    assert result.code == 3 and "--time-limit" in result.err and result.out == ""
    assert run(*command, "--time-limit", "0").code == 0


@pytest.mark.parametrize("seconds", ["-1", "nan", "1e9"])
def test_a_time_limit_is_a_number_of_seconds(run: Any, seconds: str) -> None:
    result = run("privacy", "rr", "--time-limit", seconds)
    assert result.code == 2 and "--time-limit" in result.err


def test_a_list_that_is_out_of_time_leaves_the_bound(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from taut.model import Model

    monkeypatch.setattr(Model, "worst_inputs", failing(OutOfTime("late")))
    monkeypatch.setattr(Model, "worst_inputs", lambda *_, **__: failing(OutOfTime("late"))())
    result = run("accuracy", "rr_count", "n=3", "--alpha", "1", "--top", "2")
    assert result.code == 0 and "not listed (time)" in result.out and "exactly" in result.out


def test_memory_has_an_option_which_errors_name(run: Any, tmp_path: Any) -> None:
    (tmp_path / "wide.py").write_text(
        "from taut import *\n@mechanism\ndef wide(x):\n    return binomial(900000, '1/3') + x[0]\n"
    )
    result = run("privacy", f"{tmp_path / 'wide.py'}:wide", "x=bits(2)", "--max-memory", "0.05")
    assert result.code == 3 and "0.05 GB" in result.err
    assert "--max-memory" in result.err and "taut.options" not in result.err
    for wrong in ("0", "-1", "inf"):
        assert run("check", "rr", "n=2", "--epsilon", "1", "--max-memory", wrong).code == 2
