"""Misspelled names are answered with those that may be meant, wherever a name is typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.cli.command import Ran

import taut
from taut import bits
from taut.mechanisms import randomized_response
from taut.support.errors import meant, meant_file


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["privacy", "randomised_respons"], "Did you mean 'randomized_response'"),
        (["privacy", "RR"], "Did you mean 'rr'?"),
        (["privacy", "rr", "lambda=1/5"], "its arguments are (x, lam). Did you mean 'lam'?"),
        (["privacy", "rr", "x=bit(2)"], "Did you mean 'bits'?"),
        (["privacy", "rr", "--neighbors", "one_difer"], "Did you mean 'one_differ'?"),
        (["privacy", "rr", "--method", "serch"], "Did you mean 'search'?"),
        (["privacy", "rr", "--metod", "search"], "--method"),
        (["privacy", "rr", "--plot", "p.png", "--style", "drak"], "Did you mean 'dark'?"),
        (["divergence", "rr", "--measure", "total_varation"], "Did you mean 'total_variation'?"),
        (["accuracy", "rr_count", "--alpha", "1", "--target", "sums"], "Did you mean 'sum'?"),
        (["accuracy", "rr_count", "--alpha", "1", "--distance", "abslute"], "Did you mean 'absolute'?"),
        (["export", "rr", "--to", "dise"], "Did you mean 'dice'?"),
        (["compare", "rr", "--tools", "tout"], "Did you mean 'taut'?"),
        (["compare", "rr", "--methods", "exaustive"], "Did you mean 'exhaustive'?"),
        (["privacy", "minee.py:plain", "x=bits(2)"], "there is no file 'minee.py'. Did you mean 'mine.py'?"),
        (["privacy", "mine.py:plian", "x=bits(2)"], "Did you mean 'plain'"),
    ],
)
def test_what_may_be_meant_is_suggested(arguments: list[str], said: str, run: Callable[..., Ran]) -> None:
    done = run(*arguments)
    assert done.code == 2 and said in done.err, done.err


def test_in_python_as_on_the_command_line() -> None:
    with pytest.raises(taut.WrongArguments, match=r"Did you mean 'lam'\?"):
        randomized_response(bits(2), lambd="1/5")
    with pytest.raises(taut.InvalidNeighbors, match=r"Did you mean 'one_step'\?"):
        randomized_response(bits(2), lam="1/5").privacy("one_steps")
    with pytest.raises(taut.InvalidOption, match="Did you mean 'max_nodes'"):
        taut.options(max_node=3).__enter__()


def test_nothing_is_guessed_where_nothing_is_alike(tmp_path: Path) -> None:
    assert meant("xyzzy", ["lam", "n"]) == "" and meant("", ["lam"]) == "" and meant("x", []) == ""
    assert meant_file(tmp_path / "no" / "f.py") == ""
    (tmp_path / "other.py").touch()
    assert meant_file(tmp_path / "mine.py") == "", "that both end with .py makes them no more alike"
