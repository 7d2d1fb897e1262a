"""Answers help each other, on random channels: no interval gets wider, none is wrong, no exact answer changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import bits, discrete, discrete_gaussian, integer, mechanism
from taut.questions.bound import Bound
from taut.questions.profile import WholeProfile
from taut.questions.tradeoff import Tradeoff
from taut.support.exact import INFINITY, Ball, ends
from taut.support.limits import out_of_time
from taut.synthesis import auto
from taut.synthesis.unfinished import nothing_known, stopped_by

ASKED: dict[str, Callable[[Any], Bound]] = {
    "privacy": lambda model: model.privacy(),
    "delta": lambda model: model.delta(ratio="6/5"),
    "later delta": lambda model: model.delta(ratio=3),
    "epsilon": lambda model: model.epsilon("1/50"),
    "renyi": lambda model: model.renyi(2),
    "zcdp": lambda model: model.zcdp(),
    "profile": lambda model: model.profile(),
    "accuracy": lambda model: model.accuracy(lambda x: 0, 0),
}
rows = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)
channels = st.lists(rows, min_size=2, max_size=3)
orders = st.permutations(list(ASKED))


def model_of(channel: list[list[int]]) -> Any:
    """A mechanism whose output has the given weights on each input."""
    shares = [[Fraction(weight, sum(row)) for weight in row] for row in channel]
    return mechanism(lambda x: discrete(shares[x]))(integer(0, len(channel) - 1))


def plain_ratio(channel: list[list[int]]) -> Any:
    """The largest ratio of two rows, written down again."""
    shares = [[Fraction(weight, sum(row)) for weight in row] for row in channel]
    pairs = [(p, q) for one in shares for other in shares for p, q in zip(one, other, strict=True) if p]
    return max(INFINITY if q == 0 else p / q for p, q in pairs)


def out_of_time_now(problem: Any, *_: Any) -> Bound:
    """The answer of a solver that has no time at all."""
    error = out_of_time(1)
    return nothing_known(problem.measure, error, stopped_by(error, "at once"))


def within(inner: Bound, outer: Bound) -> bool:
    """Return True if one interval lies inside of another, up to the rounding of balls."""
    slack = 1 + Fraction(1, 2**100)
    low = [ends(bound.lower)[0] if isinstance(bound.lower, Ball) else bound.lower for bound in (outer, inner)]
    high = [bound.upper if bound.upper == INFINITY else ends(bound.upper)[1] for bound in (inner, outer)]
    return bool(low[0] <= low[1] * slack and high[0] <= high[1] * slack)


@settings(max_examples=25, deadline=None)
@given(channels, orders)
def test_the_order_of_questions_changes_no_exact_answer(channel: list[list[int]], order: list[str]) -> None:
    model = model_of(channel)
    assert {name: ASKED[name](model) for name in order} == {name: ASKED[name](model_of(channel)) for name in ASKED}
    assert model.privacy().max_ratio == plain_ratio(channel)


@settings(max_examples=25, deadline=None)
@given(channels, orders, st.integers(1, 3))
def test_an_interval_is_never_wider_than_the_facts_and_never_wrong(
    channel: list[list[int]], order: list[str], known: int
) -> None:
    model = model_of(channel)
    truth = {name: ask(model_of(channel)) for name, ask in ASKED.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("taut.model.base.solve", out_of_time_now)
        alone = {name: ask(model_of(channel)) for name, ask in ASKED.items() if name != "profile"}
    for name in order[:known]:
        ASKED[name](model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("taut.model.base.solve", out_of_time_now)
        for _ in range(2):  # what an interval proves is a fact as well
            for name in (one for one in order if one != "profile"):
                found = ASKED[name](model)
                assert within(found, alone[name]) and within(truth[name], found)
                alone[name] = found
        if "privacy" in order[:known] and plain_ratio(channel) < math.inf:
            assert model.delta(ratio=plain_ratio(channel)).upper == 0
        if "epsilon" in order[:known] and truth["epsilon"].upper < math.inf:
            assert model.delta(ratio=truth["epsilon"].upper).upper <= Fraction(1, 50)


def test_the_limit_of_a_curve_is_its_open_side() -> None:
    """A profile is no larger than its upper end, a trade-off curve no smaller than its lower one."""
    model = mechanism(lambda x: discrete_gaussian(sum(x), 2, 0, len(x)))(bits(3))
    for known, measure, end in ((model.profile(), WholeProfile(), "upper"), (model.tradeoff(), Tradeoff(), "lower")):
        (limit,) = auto._facts(known, measure)
        assert not known.exact and limit.value is getattr(known, end)
