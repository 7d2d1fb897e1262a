"""``taut privacy``: the contract in JSON, words for people, intervals of stopped searches."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from tests.interfaces.cli.command import failing

from taut.mechanisms import resolve
from taut.support.errors import OutOfTime
from taut.synthesis.search import engine as search_engine


def test_privacy_json_is_the_contract(run: Any) -> None:
    data = json.loads(run("privacy", "randomized_response", "n=8", "lam=1/5", "--json").out)
    assert data["max_ratio"] == data["lower"] == data["upper"] == "4"
    assert data["exact"] is True and data["method"] == "exhaustive"
    assert data["epsilon"] == 1.3862943611198908
    assert data["witness"] == {"x": [0] * 8, "x_prime": [1, *[0] * 7], "y": [0] * 8}
    assert data["count"] == 262144 and data["stats"]["nodes"] == 42


def test_privacy_for_people(run: Any) -> None:
    result = run("privacy", "rr", "n=8")
    assert (result.code, result.err) == (0, "")
    for words in ("1.38629 (e^eps = 4 exactly)", "(1, 0, 0, 0, 0, 0, 0, 0)", "262 144", "verified:"):
        assert words in result.out
    assert "yes (the function, run by Python)" in result.out


def test_infinity_is_an_answer(run: Any) -> None:
    data = run("privacy", "rr", "lam=0", "--json")
    assert data.code == 0
    found = json.loads(data.out)
    assert found["max_ratio"] == "inf" and found["epsilon"] is None and found["infinite"] is True
    assert "infinity: not private" in run("privacy", "rr", "lam=0").out


def test_large_databases_are_decomposed_or_restricted_by_symmetries_and_say_so(run: Any) -> None:
    for more, method in (((), "decomposition"), (("--method", "restricted"), "restricted by symmetries")):
        result = run("privacy", "rr", "n=40", *more)
        assert result.code == 0
        for words in ("0^40", "1 0^39", method, "samples of the function agreed"):
            assert words in result.out
    assert json.loads(run("privacy", "rr", "n=4", "--method", "restricted", "--json").out)["method"] == "restricted"


SEARCHED = ("privacy", "above", "x=ints(8,0,3)", "ratio=1/2", "--neighbors", "one_differ", "--method", "search")


def test_a_search_is_explained(run: Any) -> None:
    assert "does not matter" in run(*SEARCHED, "--explain").out
    data = json.loads(run(*SEARCHED, "--explain", "--json").out)
    assert data["exact"] and data["method"] == "search" and "steps were taken from the top" in data["explanation"]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_search_out_of_time_prints_its_interval(
    run: Any, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_engine, "step_up", failing(OutOfTime("not done")))
    result = run(*SEARCHED, *more)
    assert (result.code, result.err) == (4, "")
    assert ("time_limit" if more else "the time limit") in result.out and (
        '"exact": false' if more else "between"
    ) in result.out


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_an_interrupted_search_prints_its_interval(
    run: Any, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_engine, "step_up", failing(KeyboardInterrupt()))
    result = run(*SEARCHED, *more)
    assert result.code == 130 and "interrupted" in result.err
    assert ('"exact": false' if more else "between") in result.out


def test_neighbours_are_those_of_the_mechanism_or_given(run: Any) -> None:
    def ratio(*more: str) -> str:
        return str(json.loads(run("privacy", "above", "n=3", "threshold=2", *more, "--json").out)["max_ratio"])

    assert ratio() == ratio("--neighbors", "all_step") == "8"
    assert ratio("--neighbors", "one_differ") == "347/52"
    assert ratio("--neighbors", "one_step") == "2"


def test_files_of_users(run: Any) -> None:
    data = json.loads(run("privacy", "mine.py:svt", "x=ints(2,0,3)", "ratio=1/2", "--json").out)
    assert Fraction(data["max_ratio"]) > 1
    assert json.loads(run("privacy", "mine.py:plain", "x=bits(2)", "p=0.2", "--json").out)["max_ratio"] == "4"
    data = run("privacy", "mine.py:plain", "x=bits(2)", "p=0.2", "--neighbors", "mine.py:up")
    assert data.code == 0 and "mine.py:up" in data.out
    data = json.loads(run("privacy", "mine.py:named", "x=categories(1,[a,b])", "p=1/3", "--json").out)
    assert data["max_ratio"] == "inf" and data["witness"]["y"] == "a"


def test_entries_that_may_be_absent(run: Any) -> None:
    asked = ("privacy", "mine.py:present", "x=bits(3).optional()", "ratio=1/3", "--neighbors", "add_remove")
    data = json.loads(run(*asked, "--json").out)
    assert data["max_ratio"] == "3" and None in data["witness"]["x"] + data["witness"]["x_prime"]
    assert "add_remove" in run(*asked).out and "None" in run(*asked).out


def test_exp_gives_balls(run: Any) -> None:
    data = json.loads(run("privacy", "above", "n=2", "ratio=exp(-5)", "--json").out)
    assert data["max_ratio"]["radius"] < 1e-60
    assert "certainly within" in run("privacy", "above", "n=2", "ratio=exp(-5)").out


def test_json_says_what_was_asked(run: Any) -> None:
    data = json.loads(run("privacy", "rr", "n=2", "lam=0.25", "--json").out)
    assert (data["mechanism"], data["arguments"], data["domain"]) == (
        "randomized_response", {"lam": "1/4"}, {"x": "bits(2)"}
    )  # fmt: skip
    assert data["neighbors"] == "one_differ" and set(data["versions"]) == {"taut", "python"}
    row = json.loads(run("worst", "above", "n=2", "--top", "1", "--json").out)[0]
    assert row["neighbors"] == "all_step" and row["domain"] == {"x": "ints(2, 0, 3)"}
    swept = json.loads(run("sweep", "above", "n=2", "ratio=1/2,1/4", "--json").out)
    assert swept["neighbors"] == "all_step" and swept["mechanism"] == "above_threshold"
    accurate = json.loads(run("accuracy", "rr_count", "n=2", "--alpha", "1", "--json").out)
    assert (accurate["target"], accurate["distance"], accurate["alpha"]) == ("sum", "absolute", "1")


def test_python_and_the_command_line_mean_the_same_neighbours(run: Any) -> None:
    said = json.loads(run("privacy", "above", "n=3", "--json").out)
    bound = resolve("above").model(3).privacy()
    assert (said["max_ratio"], said["neighbors"]) == (str(bound.max_ratio), bound.neighbors)
    assert "all_step neighbours" in str(bound) and "all_step" in run("privacy", "above", "n=3").out


def test_the_explanation_of_an_exhaustive_bound_is_a_sentence(run: Any) -> None:
    *_, why, looked, checked = run("privacy", "rr", "n=2", "--explain").out.splitlines()
    assert why.endswith("few enough to look at all and to count the worst.")
    assert looked.startswith("Looked at: ") and looked.endswith("4 inputs, 16 probabilities.")
    assert checked.startswith("verified: yes")
