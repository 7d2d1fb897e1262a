"""Outputs that are conditions on answers, given a hub: what looking at everything gives, for one entry and for all."""

import random
from fractions import Fraction
from typing import Any

import pytest
from tests.synthesis.hubs.test_laws import clamped, weights

from taut import INFINITY, Model, discrete, flip, ints, measures, mechanism
from taut.mechanisms import above_threshold, sparse_vector
from taut.questions.epsilon import SmallestEpsilon
from taut.questions.privacy import LargestRatio
from taut.questions.profile import WholeProfile
from taut.support.errors import TooLarge
from taut.synthesis import Budget, Problem, solve
from taut.synthesis.hubs import ByHubs, Together, TogetherIntervals, multisets
from taut.synthesis.hubs.factors import factors_of
from taut.synthesis.hubs.multisets import Choices, Kind, Largest, Pair
from taut.synthesis.hubs.paths import paths_of

ENDINGS = ("place", "all", "three", "stop", "stopped early", "marked")
ALMOST = ("shared", "reads the bar", "two bars", "unsure")


@mechanism
def asked(x: Any, rows: Any, first: Any, ending: str, most: int) -> Any:
    """Noisy entries compared with a noisy bar."""
    bar = discrete(first)
    answers: list[Any] = []
    above = 0
    coin = flip("1/3") if ending == "shared" else False
    for place, value in enumerate(x):
        noisy = discrete(rows[place % len(rows)][value])
        if ending == "place" and noisy >= bar:
            return place
        elif ending == "all":
            answers.append(noisy > bar)
        elif ending == "three":
            answers.append("equal" if noisy == bar else noisy > bar)
        elif ending == "stop":
            if above < most:
                answers.append(noisy >= bar)
                above += noisy >= bar
        elif ending == "stopped early":
            answers.append(noisy >= bar)
            above += noisy >= bar
            if above == most:
                break
        elif ending == "marked":
            answers.append(7 if noisy < bar else 2)
        elif ending == "shared":
            answers.append(noisy + coin > bar)
        elif ending == "reads the bar":
            answers.append(noisy > bar or bar == 0)
        elif ending == "two bars":
            answers.append(noisy > bar + discrete(first))
        elif ending == "unsure":
            above += noisy > bar
    return above if ending == "unsure" else (tuple(answers), "end") if ending == "three" else answers


def made(random_: random.Random, ending: str) -> Model:
    values, n, outcomes = random_.randint(2, 4), random_.randint(2, 3), random_.randint(2, 4)
    if random_.random() < 0.5:
        ratio = Fraction(1, random_.randint(2, 4))
        rows = [[clamped(center, ratio, outcomes) for center in range(values)]]
        first = clamped(random_.randrange(outcomes), Fraction(1, random_.randint(2, 5)), outcomes)
    else:
        rows = [[weights(random_, outcomes) for _ in range(values)] for _ in range(random_.randint(1, 2))]
        first = weights(random_, outcomes)
    return asked(ints(n, 0, values - 1), rows=rows, first=first, ending=ending, most=random_.randint(1, 2))


def compared(model: Model, neighbors: str) -> bool:
    """Compare with looking at everything; return False where hubs have no answer."""
    problem = model._problem(model.neighbors(neighbors), LargestRatio())
    solver = Together() if neighbors == "all_step" else ByHubs()
    try:
        found: Any = solver.solve(problem, Budget())
    except TooLarge:
        return False
    expected: Any = solve(Problem(model.channel(), problem.neighbors, LargestRatio()), "exhaustive")
    assert found.lower <= expected.lower == expected.upper <= found.upper
    assert found.exact
    witness = found.witness
    assert problem.related(witness.x, witness.x_prime)
    own, other = (model.distribution(side).get(witness.y, 0) for side in (witness.x, witness.x_prime))
    assert own and (own / other if other else float("inf")) == found.lower
    return True


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_largest_quotient_is_that_of_all_cases(ending: str) -> None:
    random_ = random.Random(ending)
    done = [compared(made(random_, ending), random_.choice(["all_step", "all_step", "one_step"])) for _ in range(8)]
    assert sum(done) > 4


@pytest.mark.parametrize("ending", ALMOST)
def test_what_is_almost_a_list_of_answers_is_answered_rightly_or_not_at_all(ending: str) -> None:
    random_ = random.Random(ending)
    for _ in range(4):
        compared(made(random_, ending), random_.choice(["all_step", "one_step"]))


@pytest.mark.parametrize("ending", ENDINGS)
def test_divergences_lie_between_the_ends(ending: str) -> None:
    random_ = random.Random(ending)
    done = 0
    for measure in (measures.HockeyStick("3/2"), measures.RenyiMoment(2), SmallestEpsilon("1/10"), WholeProfile()):
        model = made(random_, ending)
        problem = model._problem(model.neighbors("all_step"), measure)
        try:
            found: Any = TogetherIntervals().solve(problem, Budget())
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
    assert done


def test_choices_from_random_vectors_are_those_of_all_multisets() -> None:
    random_ = random.Random(4)
    done = 0
    for _ in range(30):
        width, number = random_.randint(1, 4), random_.randint(1, 4)
        vectors = [[random_.choice([0, 1, 2, 5, 30]) for _ in range(width)] for _ in range(5)]
        kinds = [
            Kind([Pair(random_.choice(vectors), random_.choice(vectors), (n, n)) for n in range(4)])
            for _ in range(random_.randint(1, 2))
        ]
        weighted = [random_.randint(0, 3) for _ in range(width)]
        choices = Choices(weighted, weighted, kinds, (number,) * len(kinds), None)
        largest = Largest()
        expected = max(
            [value for one in _all(kinds, number) if (value := choices.value(one)) is not None], default=None
        )
        try:
            limit = largest.search([choices])
        except TooLarge:
            continue
        done += 1
        assert largest.value == expected == limit
    assert done > 20


def _all(kinds: Any, number: int) -> Any:
    if not kinds:
        yield ()
        return
    for counts in _sums(len(kinds[0].pairs), number):
        for rest in _all(kinds[1:], number):
            yield (counts, *rest)


def _sums(size: int, number: int) -> Any:
    if size == 1:
        yield (number,)
        return
    for first in range(number + 1):
        for rest in _sums(size - 1, number - first):
            yield (first, *rest)


def test_lists_that_stop_are_few_kinds_of_paths() -> None:
    model = sparse_vector(ints(5, 0, 4), threshold=2, ratio="1/2", high=4, c=2)
    paths = paths_of(factors_of(model.program))
    assert paths is not None
    assert paths.count == len(model.channel().distribution((0,) * 5))
    assert len(paths.classes(dict.fromkeys(range(6), 0))) == 6


def test_fifty_queries_that_all_move_are_compared_by_the_hub() -> None:
    model = above_threshold(ints(50, 1, 19), threshold=10, ratio="1/2", high=20)
    found: Any = Together().solve(model._problem(model.neighbors("all_step"), LargestRatio()), Budget())
    assert found.exact and 112107 < found.max_ratio < 112108
    assert model.probability(found.witness.x, found.witness.y) == found.max_ratio * model.probability(
        found.witness.x_prime, found.witness.y
    )


def ratio_of(own: Any, other: Any, more: Any, more_other: Any) -> Any:
    """The ratio of two sums of products over the hub; None where both are 0."""
    above, below = (sum(a * b for a, b in zip(*both, strict=True)) for both in ((own, more), (other, more_other)))
    return None if not above else Fraction(above, below) if below else INFINITY


@pytest.mark.parametrize("up", [True, False])
def test_what_leads_is_at_least_as_bad_whatever_follows(up: bool) -> None:
    random_ = random.Random(7)
    led = covered = 0
    for _ in range(4000):
        one, head = ([[random_.choice([0, 1, 1, 2, 3]) for _ in range(3)] for _ in range(2)] for _ in range(2))
        if random_.random() < 0.5:
            one = [
                [max(0, value + random_.choice([0, 0, change])) for value in side]
                for side, change in zip(head, (1, -1), strict=True)
            ]
        leads = multisets._leads(multisets._Head((), *one), multisets._Head((), *head), up)
        covers = multisets._covers(Pair(*one, (0, 0)), Pair(*head, (0, 0)))
        led, covered = led + leads, covered + covers
        if not leads and not covers:
            continue
        for _ in range(6):
            below = [random_.randint(1, 4) for _ in range(3)]
            steps = sorted([random_.choice([0, 1, 1, 2, 5]) for _ in range(3)], reverse=not up)
            if covers:
                random_.shuffle(steps)  # no order is needed
            more = [a * step for a, step in zip(below, steps, strict=True)]
            best, known = ratio_of(*one, more, below), ratio_of(*head, more, below)
            assert known is None or (best is not None and best >= known), (one, head, more, below)
    assert led > 50 and covered > 50
