"""Hubs give what looking at everything gives, on programs that have one and on some that almost do."""

import contextlib
import random
from fractions import Fraction
from typing import Any

import pytest

from taut import Model, categories, discrete, flip, geometric, ints, measures, mechanism, observe
from taut.mechanisms import pate_vote
from taut.questions.epsilon import SmallestEpsilon
from taut.questions.privacy import LargestRatio
from taut.questions.profile import WholeProfile
from taut.support.errors import ImpossibleEvidence, TooLarge
from taut.synthesis import Budget, Problem, solve
from taut.synthesis.hubs import ByHubs, solver

WITH = ("first", "last", "loop", "strict loop", "second-hand", "bar", "late bar", "scaled", "with its place")
WITHOUT = ("bar above", "shared coin", "hub twice", "largest value", "sum", "observed")


@mechanism
def chosen(x: Any, rows: Any, ending: str, counted: int) -> Any:
    """Draws around entries or counts, and an ending that chooses one of them."""
    centers = [x.count(value) for value in range(counted)] if counted else list(x)
    noisy = [discrete(rows[place % len(rows)][center]) for place, center in enumerate(centers)]
    if ending == "first":
        return noisy.index(max(noisy))
    if ending == "last":
        return len(noisy) - 1 - noisy[::-1].index(max(noisy))
    if ending in ("loop", "strict loop"):
        best, place = noisy[0], 0
        for number, value in enumerate(noisy):
            if value > best if ending == "strict loop" else value >= best:
                best, place = value, number
        return place
    if ending == "second-hand":
        return 7 if noisy.index(max(noisy)) > 1 else noisy.index(max(noisy))
    if ending == "bar":
        bar = discrete(rows[0][0])
        return next((place for place, value in enumerate(noisy) if value >= bar), None)
    if ending == "late bar":
        bar = discrete(rows[-1][1])
        for place, value in enumerate(noisy):
            if value > bar:
                return place
        return None
    if ending == "bar above":
        bar = discrete(rows[0][0])
        return all(value < bar for value in noisy)
    if ending == "scaled":
        scaled = [value * (2 + place) for place, value in enumerate(noisy)]
        return scaled.index(max(scaled))
    if ending == "with its place":
        return max((value, place) for place, value in enumerate(noisy))[1]
    if ending == "shared coin":
        coin = flip("1/3")
        noisy = [value + coin if place else value - coin for place, value in enumerate(noisy)]
        return noisy.index(max(noisy))
    if ending == "hub twice":
        return noisy.index(max(noisy)) if noisy[0] + noisy[-1] > 2 else -1
    if ending == "largest value":
        return max(noisy)
    if ending == "sum":
        return sum(noisy) > 3
    observe(noisy[0] > 0)
    return noisy.index(max(noisy))


def made(random_: random.Random, ending: str) -> Model:
    """A small model with rows of random weights, some of them zero, or of clamped geometric noise."""
    counted = random_.choice([0, 0, 2, 3])
    values, n = random_.randint(2, 3), random_.randint(2, 3)
    top = n if counted else values - 1
    outcomes = random_.randint(2, 4)
    if random_.random() < 0.4:
        ratios = [Fraction(1, random_.randint(2, 4)) for _ in range(random_.randint(1, 2))]
        rows = [[clamped(center, ratio, outcomes) for center in range(top + 1)] for ratio in ratios]
    else:
        rows = [[weights(random_, outcomes) for _ in range(top + 1)] for _ in range(random_.randint(1, 2))]
    domain = ints(n, 0, values - 1) if random_.random() < 0.7 or not counted else categories(n, range(values))
    return chosen(domain, rows=rows, ending=ending, counted=counted)


def weights(random_: random.Random, outcomes: int) -> dict[int, Fraction]:
    shares = [random_.choice([0, 1, 1, 2, 3, 5, 40]) for _ in range(outcomes)]
    shares[random_.randrange(outcomes)] += 1
    return {place: Fraction(share, sum(shares)) for place, share in enumerate(shares)}


def clamped(center: int, ratio: Fraction, outcomes: int) -> dict[int, Fraction]:
    shares = [ratio ** abs(place - center) for place in range(outcomes)]
    return {place: share / sum(shares) for place, share in enumerate(shares)}


def compared(model: Model, neighbors: str) -> bool:
    """Compare with looking at everything; return False where hubs have no answer."""
    problem = model._problem(model.neighbors(neighbors), LargestRatio())
    if ByHubs().refuses(problem) is not None:
        return False
    try:
        found = ByHubs().solve(problem, Budget())
    except TooLarge:
        return False
    expected: Any = solve(Problem(model.channel(), problem.neighbors, LargestRatio()), "exhaustive")
    assert (found.lower, found.upper) == (expected.lower, expected.upper)
    witness: Any = found.witness  # type: ignore[attr-defined]
    assert problem.related(witness.x, witness.x_prime)
    own, other = (model.distribution(side).get(witness.y, 0) for side in (witness.x, witness.x_prime))
    assert own and (own / other if other else float("inf")) == found.lower
    return True


@pytest.mark.parametrize("ending", WITH)
def test_the_largest_quotient_is_that_of_all_cases(ending: str) -> None:
    random_ = random.Random(ending)
    done = [compared(made(random_, ending), random_.choice(["one_differ", "one_step"])) for _ in range(8)]
    assert sum(done) > 4


@pytest.mark.parametrize("ending", WITHOUT)
def test_what_almost_has_a_hub_is_answered_rightly_or_not_at_all(ending: str) -> None:
    random_ = random.Random(ending)
    for _ in range(6):
        with contextlib.suppress(ImpossibleEvidence):
            compared(made(random_, ending), random_.choice(["one_differ", "one_step"]))


@pytest.mark.parametrize("ending", WITH)
def test_divergences_lie_between_the_ends(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_FEW_PAIRS", 0)
    random_ = random.Random(ending)
    done = 0
    for measure in (measures.HockeyStick("3/2"), measures.RenyiMoment(2), SmallestEpsilon("1/10"), WholeProfile()):
        model = made(random_, ending)
        problem = model._problem(model.neighbors("one_differ"), measure)
        try:
            found: Any = ByHubs().solve(problem, Budget())
        except TooLarge:
            continue
        expected: Any = solve(Problem(model.channel(), problem.neighbors, measure), "exhaustive")
        done += 1
        if isinstance(measure, WholeProfile):
            for ratio in (Fraction(1), Fraction(3, 2), Fraction(3)):
                low, value, high = (one(ratio) for one in (found.lower, expected.lower, found.upper))
                assert low <= value <= high
        else:
            assert found.lower <= expected.lower <= expected.upper <= found.upper
        witness = found.witness
        if isinstance(measure, measures.HockeyStick):
            assert model.loss(witness.x, witness.x_prime).divergence(measure) == found.lower
    assert done


def test_ten_counts_are_compared_by_the_hub() -> None:
    @mechanism
    def largest(x: Any) -> Any:
        noisy = [geometric(value, "1/2", 0, 30) for value in x]
        best, place = -1, None
        for number, value in enumerate(noisy):
            if value > best:
                best, place = value, number
        return place

    model = largest(ints(8, 0, 30))
    found: Any = ByHubs().solve(model._problem(model.neighbors("one_step"), LargestRatio()), Budget())
    assert (found.max_ratio, found.method, found.exact) == (2, "hubs", True)
    assert "given the value of one draw" in found.stats["why"]
    bound = model.privacy("one_step")
    assert (bound.max_ratio, bound.exact) == (2, True) and bound.verify()


def test_votes_move_two_counts_at_a_time() -> None:
    model = pate_vote(ints(20, 0, 4), k=5, ratio="1/2")
    bound = model.privacy()
    assert (bound.max_ratio, bound.exact) == (4, True)
    found: Any = ByHubs().solve(model._problem(model.neighbors("one_differ"), LargestRatio()), Budget())
    assert (found.max_ratio, found.method, found.exact) == (4, "hubs", True)
    delta = model.delta(ratio="3/2")
    assert Fraction(1, 5) < delta.lower < delta.upper <= Fraction(5, 18)
    assert delta.stats["why"].endswith("that reveals every draw")


def test_a_search_for_the_largest_item_needs_no_diagram() -> None:
    @mechanism
    def place_of(x: Any) -> Any:
        noisy = [geometric(value, "1/2", 0, 60) for value in x]
        return noisy.index(max(noisy)), noisy.index(min(noisy[1:]))

    assert len(place_of(ints(9, 0, 60)).program.coins) == 9 * 61
