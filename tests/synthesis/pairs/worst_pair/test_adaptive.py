"""Adaptive inputs: the exact value is that of a recursion over the game alone; stopped, the interval holds it."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import Ball, InvalidInput, Model, bits, flip, geometric, ints, measures, mechanism, observe
from taut.mechanisms import randomized_response
from taut.synthesis import AdaptiveInputs, Problem, solve

Phi = Callable[[Fraction, Fraction], Any]
Weights = Sequence[Fraction]


@mechanism
def rounds(x: Any, start: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """A hidden state answers one question per entry, and an answer may turn it."""
    hidden = flip(start)
    answers = []
    for value in x:
        if hidden:
            answer = flip(a) if value else flip(b)
        else:
            answer = flip(c) if value else flip(d)
        answers.append(answer)
        if answer and value:
            hidden = not hidden
    return answers


def game(weights: Weights, entries: int, phi: Phi, allowed: Callable[[int, bool], bool]) -> Any:
    """The largest divergence if values are chosen after all earlier answers were seen, by the rules of the game alone.

    ``allowed`` says whether a number of differences is fine, before the end and at the end.
    """
    start, *answers = weights
    chances = {(True, 1): answers[0], (True, 0): answers[1], (False, 1): answers[2], (False, 0): answers[3]}

    def after(belief: Mapping[bool, Fraction], value: int, answer: bool) -> dict[bool, Fraction]:
        reached = {True: Fraction(0), False: Fraction(0)}
        for hidden, mass in belief.items():
            chance = chances[hidden, value] if answer else 1 - chances[hidden, value]
            reached[hidden != (answer and bool(value))] += mass * chance
        return reached

    def value(left: int, differences: int, own: Mapping[bool, Fraction], other: Mapping[bool, Fraction]) -> Any:
        if not left:
            p, q = sum(own.values()), sum(other.values())
            if not allowed(differences, True):
                return -math.inf
            return phi(Fraction(p), Fraction(q)) if p or q else Fraction(0)
        best: Any = -math.inf
        for s in (0, 1):
            for t in (0, 1):
                if allowed(differences + (s != t), False):
                    parts = [
                        value(left - 1, differences + (s != t), after(own, s, answer), after(other, t, answer))
                        for answer in (True, False)
                    ]
                    best = max(best, sum(parts))
        return best

    first = {True: start, False: 1 - start}
    return value(entries, 0, first, first)


RULES: dict[str, Callable[[int, bool], bool]] = {
    "one_differ": lambda differences, end: differences == 1 if end else differences <= 1,
    "all_step": lambda differences, end: differences >= 1 if end else True,
}
chances = st.sampled_from([Fraction(n, 12) for n in (0, 1, 3, 4, 6, 8, 9, 11, 12)])


def moment(order: int) -> Phi:
    def phi(p: Fraction, q: Fraction) -> Any:
        if not p:
            return Fraction(0)
        return p**order / q ** (order - 1) if q else math.inf

    return phi


@settings(max_examples=15)
@given(
    weights=st.lists(chances, min_size=5, max_size=5),
    entries=st.integers(1, 3),
    gamma=st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)]),
    rule=st.sampled_from(sorted(RULES)),
    items=st.integers(0, 120),
)
def test_the_value_of_the_game(weights: list[Fraction], entries: int, gamma: Fraction, rule: str, items: int) -> None:
    model = rounds(bits(entries), *weights)
    assert isinstance(model, Model)
    expected = game(weights, entries, lambda p, q: max(Fraction(0), p - gamma * q), RULES[rule])
    bound = model.delta(ratio=gamma, neighbors=rule, adaptive=True)
    assert (bound.lower, bound.upper) == (expected, expected) and bound.verify()
    assert expected >= model.delta(ratio=gamma, neighbors=rule).delta
    squares = game(weights, entries, moment(2), RULES[rule])
    assert model.renyi(2, neighbors=rule, adaptive=True).moment == squares
    for measure, truth in ((measures.HockeyStick(gamma), expected), (measures.RenyiMoment(2), squares)):
        problem = Problem(model.channel(), model.neighbors(rule), measure)
        stopped = solve(problem, AdaptiveInputs(most_items=items))
        assert stopped.lower <= truth <= stopped.upper
        assert measure.of(stopped.witness.loss.atoms) == stopped.lower


def test_seeing_answers_helps() -> None:
    """The second question is best chosen by the first answer; nobody who has to choose before is as good."""
    weights = [Fraction(1, 2), Fraction(9, 10), Fraction(1, 10), Fraction(1, 10), Fraction(1, 2)]
    model = rounds(bits(3), *weights)
    plain, adaptive = (model.delta(ratio=2, neighbors="one_differ", adaptive=how) for how in (False, True))
    assert adaptive.delta > plain.delta and adaptive.adaptive and "adaptive" in str(adaptive)
    assert sum(atom.mass for atom in adaptive.witness.loss.atoms) == 1


@mechanism
def first_above(x: Any) -> Any:
    bar = geometric(1, "1/2", 0, 3)
    for place, value in enumerate(x):
        if geometric(value, "1/2", 0, 3) >= bar:
            return place
    return len(x)


def test_where_nothing_is_seen_before_the_end() -> None:
    """While the first index is not found there is one course only, so nothing is gained; its end is seen at once."""
    model = first_above(ints(4, 0, 3))
    for gamma in (2, 4):
        assert model.delta(ratio=gamma, adaptive=True).delta == model.delta(ratio=gamma).delta
    ball = model.delta(1, adaptive=True)
    assert isinstance(ball.delta, Ball) and ball.exact and ball.delta.arb.overlaps(model.delta(1).delta.arb)


def test_randomized_response_has_nothing_to_adapt_to() -> None:
    model = randomized_response(bits(12), lam="1/5")
    assert model.delta(ratio=2, adaptive=True).delta == Fraction(2, 5)
    assert model.renyi(3, adaptive=True).moment == Fraction(205, 16)
    assert model.divergence(measures.ChiSquared(), adaptive=True).value == Fraction(9, 4)


def test_an_entry_that_is_never_read() -> None:
    @mechanism
    def skips(x: Any) -> Any:
        return [x[0] if flip("1/3") else 0, x[2] if flip("1/4") else 1]

    model = skips(bits(3))
    assert model.delta(ratio=1, adaptive=True).delta == model.delta(ratio=1).delta == Fraction(1, 3)


def test_what_is_refused() -> None:
    @mechanism
    def backwards(x: Any) -> Any:
        return [x[1] if flip("1/3") else 0, x[0] if flip("1/4") else 0]

    @mechanism
    def conditioned(x: Any) -> Any:
        noise = flip("1/3")
        observe(noise or x[0] == 0)
        return noise

    with pytest.raises(InvalidInput, match=r"reads its entries in the order \[1, 0\]"):
        backwards(bits(2)).delta(ratio=2, adaptive=True)
    with pytest.raises(InvalidInput, match="evidence of 'observe'"):
        conditioned(bits(1)).renyi(2, adaptive=True)
    with pytest.raises(InvalidInput, match="leave method='search' out"):
        randomized_response(bits(2), lam="1/5").delta(ratio=2, method="search", adaptive=True)
