"""Mechanisms that run others, from the command line: built-in ones by name, a user's own by file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

OWN = """
from taut import flip, mechanism


def shy(bit, p):
    return bit if flip(p) else "none"


def failing(bit):
    return 1 // bit


@mechanism(neighbors="one_step")
def noisy(x, p):
    return [value if flip(p) else 1 for value in x]
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return str(path)


def test_wrappers_on_the_command_line(run: Any, mine: str) -> None:
    def asked(*words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(run("privacy", *words, "--json").out)
        return found

    shuffle = asked("shuffled", "n=8", "local=k_ary", "k=3", "lam=1/4")
    assert (shuffle["max_ratio"], shuffle["neighbors"]) == ("6", "one_differ")
    assert asked("shuffled", "local=rr", "n=3", "lam=1/5")["max_ratio"] == "4"
    assert asked("shuffled", f"local={mine}:shy", "x=bits(2)", "p=1/3")["infinite"]
    assert asked("composed", "mechanism=above", "n=2", "runs=2")["neighbors"] == "all_step"
    own = asked("composed", f"mechanism={mine}:noisy", "x=ints(2,0,1)", "p=1/3", "runs=2")
    assert (own["neighbors"], own["mechanism"], own["arguments"]["mechanism"]) == ("one_step", "composed", "noisy")
    assert asked("subsampled", "n=3", "rate=1/4")["max_ratio"] == "5/4"
    assert asked("subsampled", "mechanism=rr_count", "n=3", "size=1", "absent=dropped", "lam=1/5")["max_ratio"] == "2"
    shown = run("show", "shuffled").out
    assert "k_ary_randomized_response" in shown and "counts[" in shown
    assert "subsampled(x=bits(2), mechanism=geometric_count, absent=0" in run("privacy", "subsampled", "n=2").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shuffled", "local=nobody"], "'nobody' is not a built-in mechanism"),
        (["shuffled", "local=rr_count"], "shuffled: local=rr_count does not return a list with one report per client"),
        (
            ["shuffled", "local=histogram"],
            "shuffled: local=histogram does not return a list with one report per client",
        ),
        (["shuffled", "local=rr", "k=3"], "shuffled: randomized_response: no argument 'k'"),
        (["shuffled", "reports=3"], "shuffled: reports must be a list of all that a client can send; got 3."),
        (["shuffled", "local=rr", "reports=[0]"], "key"),
        (["shuffled", "x=integer(0,2)"], "shuffled: x must be a database with an entry per client"),
        (["shuffled", "local=MINE:shy", "n=3", "p=1/2"], "write the database as a domain, like 'x=bits(4)'."),
        (["shuffled", "local=MINE:shy", "x=bits(2)"], "'p' is not given and has no default"),
        (["shuffled", "local=MINE:failing", "x=bits(2)"], "own.py:10:12"),
        (["composed", "runs=0"], "composed: runs must be a whole number from 1 to 100000; got 0."),
        (["composed", "mechanism=shuffled"], "composed: mechanism=shuffled takes a mechanism itself"),
        (["composed", "mechanism=3"], "composed: mechanism must be a mechanism, a function, or the name"),
        (["composed", "n=2", "x=bits(2)"], "composed: give n or x, not both"),
        (["subsampled", "rate=3/2"], "subsampled: rate must be a probability, a number from 0 to 1, or None; got 3/2."),
        (["subsampled", "size=5"], "subsampled: size must be a whole number from 0 to the 4 records of x; got 5."),
        (["subsampled", "size=1/2"], "subsampled: size must be a whole number"),
        (["subsampled", "size=1", "rate=1/2"], "subsampled: give rate or size, not both"),
    ],
)
def test_misuse_is_one_sentence(run: Any, mine: str, words: list[str], said: str) -> None:
    result = run("privacy", *[word.replace("MINE", mine) for word in words])
    assert result.code == 2 and result.out == ""
    assert said in result.err and result.err.startswith("taut: ") and result.err.count("\n") == 1
