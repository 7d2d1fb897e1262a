"""Answers in balls enclose: whatever numbers the weights are within their balls, the exact answer lies in it."""

import random
from fractions import Fraction
from typing import Any

import flint
import pytest

import taut
from taut import Ball, InvalidNumber, Model, bits, flip, ints, mechanism
from taut.support.exact import ends, largest, smallest
from taut.synthesis.search import engine

MIDDLES = (0.25, 0.3, 0.5, 0.7)


@mechanism
def own_noise(x, lams):
    return sum(bit ^ flip(lam) for bit, lam in zip(x, lams, strict=True))


@mechanism
def answers(x, lams):
    return [bit ^ flip(lam) for bit, lam in zip(x, lams, strict=True)]


@mechanism
def first_one(x, lams):
    for index, (value, lam) in enumerate(zip(x, lams, strict=True)):
        if flip(lam) and value:
            return index
    return None


def wide(chance: random.Random) -> Ball:
    return Ball(flint.arb(chance.choice(MIDDLES), chance.choice([0.0, 1e-10, 0.001, 0.04])))


def inside(ball: Ball, chance: random.Random) -> Fraction:
    return ball.lower + chance.choice([Fraction(0), Fraction(1, 3), Fraction(1)]) * (ball.upper - ball.lower)


def holds(ball: Any, exact: Any, note: Any) -> None:
    lower, upper = ends(ball)
    assert lower <= exact <= upper, (note, ball, exact)


@pytest.mark.parametrize("method", ["search", "exhaustive"])
@pytest.mark.parametrize("large", [-1, 2_000])
def test_answers_hold_for_all_numbers_in_wide_balls(method: str, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_LARGE", large)
    for seed in range(24):
        chance = random.Random(seed)
        made = (own_noise, answers, first_one)[seed % 3]
        lams = [wide(chance) for _ in range(3)]
        model: Model = made(bits(3), lams=lams)
        bound = model.privacy(method=method)
        accuracies = [
            model.accuracy(lambda x: 1, 0, distance=differs, method=method, best=best) for best in (False, True)
        ]
        assert bound.verify() and all(accuracies)
        for _ in range(4):
            exact: Model = made(bits(3), lams=[inside(lam, chance) for lam in lams])
            holds(bound.max_ratio, exact.privacy(method="exhaustive").max_ratio, seed)
            for best, accuracy in zip((False, True), accuracies, strict=True):
                expected = exact.accuracy(lambda x: 1, 0, distance=differs, method="exhaustive", best=best)
                holds(accuracy.probability, expected.probability, (seed, best))


def differs(output: Any, target: Any) -> int:
    return 0 if output == target else 1


def test_balls_stay_narrow_on_long_ways() -> None:
    """Each step adds to the radius; none may multiply it."""
    bound = answers(bits(300), lams=[taut.exp("-9")] * 300).privacy("all_step", method="search")
    assert bound.max_ratio.radius < bound.max_ratio.mid / 10**70 and bound.verify()


def test_merged_scales_enclose_the_best() -> None:
    """Two prefixes that merge, of which either may be the better one."""

    @mechanism
    def either(x, p, q):
        return flip(p) if x[0] else flip(q)

    p, q = Ball(flint.arb(0.5, 0.01)), Ball(flint.arb(0.49, 0.2))
    model = either(ints(1, 0, 1), p=p, q=q)
    for best in (False, True):
        found = model.accuracy(lambda x: 1, 0, method="search", best=best).probability
        lower, upper = ends(found)
        lowest, highest = ends((largest if best else smallest)([p, q]))
        assert lowest - Fraction(1, 10**6) < lower <= lowest and highest <= upper < highest + Fraction(1, 10**6)


@pytest.mark.parametrize("method", ["search", "exhaustive"])
def test_weights_that_may_be_zero_are_refused(method: str) -> None:
    lams = [Ball(flint.arb(0.3, 0.29))] * 3
    with pytest.raises(InvalidNumber, match="contains 0"):
        own_noise(bits(3), lams=lams).privacy(method=method)
