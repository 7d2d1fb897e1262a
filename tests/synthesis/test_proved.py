"""Answers help each other: an interval is no wider than what earlier answers give, and exact answers never change."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from taut import bits, flip, mechanism
from taut.model.base import ModelBase
from taut.questions.bound import Bound
from taut.support.limits import out_of_time
from taut.synthesis.unfinished import nothing_known, stopped_by


@mechanism
def hidden(x: Any) -> Any:
    state, out = flip("1/2"), []
    for place, bit in enumerate(x):
        state = state ^ (flip(f"1/{3 + place}") if bit else flip(f"1/{7 + place}"))
        out.append(state ^ flip("1/5"))
    return out


ASKED: dict[str, Callable[[Any], Bound]] = {
    "privacy": lambda model: model.privacy(),
    "delta": lambda model: model.delta(ratio="6/5"),
    "later delta": lambda model: model.delta(ratio="3/2"),
    "delta at epsilon": lambda model: model.delta("1/3"),
    "epsilon": lambda model: model.epsilon("1/50"),
    "renyi": lambda model: model.renyi(3),
    "zcdp": lambda model: model.zcdp(),
    "profile": lambda model: model.profile(),
    "tradeoff": lambda model: model.tradeoff(),
}
FRESH = {name: ask(hidden(bits(2))) for name, ask in ASKED.items()}


def out_of_time_now(problem: Any, *_: Any) -> Bound:
    """No time at all: what a solver has before it has begun."""
    error = out_of_time(1)
    return nothing_known(problem.measure, error, stopped_by(error, "at once"))


@pytest.mark.parametrize("first", ASKED)
def test_exact_answers_do_not_depend_on_the_order_of_questions(first: str) -> None:
    model = hidden(bits(2))
    for name in (first, *[other for other in ASKED if other != first]):
        assert ASKED[name](model) == FRESH[name]
    for name in reversed(ASKED):
        assert ASKED[name](model) == FRESH[name]


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(ASKED, 2)))
def test_an_interval_holds_and_is_as_narrow_as_earlier_answers_make_it(
    first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = hidden(bits(2))
    ASKED[first](model)
    monkeypatch.setattr("taut.model.base.solve", out_of_time_now)
    alone, after = ASKED[second](hidden(bits(2))), ASKED[second](model)
    measure, truth = after.question.to_measure(), FRESH[second]
    for wide, narrow in ((alone, after), (after, truth)):
        ends = [(wide.lower, narrow.lower), (narrow.upper, wide.upper)]  # each below the other
        assert not any(measure.worse(*(pair if measure.largest else pair[::-1])) for pair in ends)
    assert ASKED[second](model) == after


def test_what_follows_from_the_largest_quotient(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden(bits(2))
    ratio = model.privacy().max_ratio
    monkeypatch.setattr("taut.model.base.solve", out_of_time_now)
    assert model.delta(ratio=ratio).delta == 0 and model.delta(ratio=ratio).exact
    assert model.delta(ratio=1).upper == 1 - 1 / ratio
    assert model.epsilon("1/100").upper == ratio * Fraction(99, 100)
    assert model.renyi(3).upper == ratio**2
    assert model.profile().delta(ratio=ratio) == 0
    assert model.privacy().exact and model.privacy().max_ratio == ratio


def test_no_delta_limits_the_largest_quotient(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden(bits(2))
    assert model.delta(ratio=50).delta == 0
    monkeypatch.setattr("taut.model.base.solve", out_of_time_now)
    assert model.privacy().upper == 50
    assert model.epsilon(0).upper == 50


def test_an_interruption_forgets_what_is_found_by_the_way_but_no_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hidden(bits(2))
    ratio = model.privacy().max_ratio
    before = model._channel
    ModelBase.forget(model)
    assert model._channel is None and before is not None and not len(model._known)
    monkeypatch.setattr("taut.model.base.solve", out_of_time_now)
    assert model.privacy().max_ratio == ratio
