"""Gumbel noise that is only compared: each spelling is the exponential mechanism, and rankings are drawn one by one."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from taut import exp, ints, mechanism
from taut.languages.python.run.gumbel import Gumbel, _Race
from taut.support.errors import RealRandomness
from taut.support.exact import may_be_equal

SCORES = ints(3, 0, 2)


def of_array(scores):
    return int(np.argmax(0.5 * np.array(scores) + np.random.gumbel(size=len(scores))))


def of_list(scores):
    noisy = [score + np.random.gumbel(scale=2) for score in scores]
    return noisy.index(max(noisy))


def of_generator(scores, rng=None):
    rng = np.random.default_rng(rng)
    best = None
    for place, score in enumerate(scores):
        value = rng.gumbel(score, 2.0)
        if best is None or value > best[0]:
            best = value, place
    return best[1]


def of_centers(scores):
    return int(np.argmin(-np.random.RandomState(0).gumbel(np.array(scores), 2)))


def by_inversion(scores):
    return max(
        range(3),
        key=lambda place, noise=[-math.log(-math.log(random.random())) for _ in scores]: (
            scores[place] / 2 + noise[place]
        ),
    )


def by_inversion_of_arrays(scores):
    return int(np.argmax(np.array(scores) / 2 - np.log(-np.log(np.random.rand(len(scores))))))


def of_exponentials(scores):
    return int(np.argmax(np.array(scores) / 2 - np.log(np.random.exponential(size=len(scores)))))


@pytest.mark.parametrize(
    "function",
    [of_array, of_list, of_generator, of_centers, by_inversion, by_inversion_of_arrays, of_exponentials],
)
def test_the_largest_is_chosen_as_the_exponential_mechanism_does(function):
    model = mechanism(function)(SCORES)
    for scores in SCORES:
        weights = [exp(Fraction(score, 2)) for score in scores]
        found = model.distribution(scores)
        for place in range(3):
            assert may_be_equal(found[place] * 1, weights[place] / sum(weights[1:], start=weights[0])), scores


def test_a_ranking_is_drawn_one_by_one():
    def ranked(scores):
        return np.argsort(-(np.array(scores) + np.random.gumbel(scale=2, size=len(scores)))).tolist()

    model = mechanism(ranked)(ints(3, 0, 1))
    for scores in ints(3, 0, 1):
        found = model.distribution(scores)
        assert len(found) == 6
        for order in itertools.permutations(range(3)):
            chance, left = Fraction(1), list(range(3))
            for place in order:
                weights = {other: exp(Fraction(scores[other], 2)) for other in left}
                chance = weights[place] / sum(list(weights.values())[1:], start=weights[left[0]]) * chance
                left.remove(place)
            assert may_be_equal(found[order] * 1, chance)


def test_equal_scores_give_fractions():
    model = mechanism(of_array)(ints(3, 1, 1))
    assert list(model.distribution((1, 1, 1)).values()) == [Fraction(1, 3)] * 3


@pytest.mark.parametrize("seed", range(20))
def test_the_chance_of_an_order_is_that_of_its_permutations(seed):
    rng = random.Random(seed)
    heights = [Fraction(rng.randrange(3)) for _ in range(5)]
    race = _Race(Gumbel(None), heights[0])
    race.heights = heights
    edges = frozenset(pair for pair in itertools.combinations(range(5), 2) if rng.random() < 0.4)
    top = max(heights)
    total = Fraction(0)
    for order in itertools.permutations(range(5)):
        if any(order.index(first) > order.index(later) for first, later in edges):
            continue
        chance, left = Fraction(1), list(range(5))
        for place in order:
            rates = [exp(heights[other] - top) for other in left]
            chance = exp(heights[place] - top) / sum(rates[1:], start=rates[0]) * chance
            left.remove(place)
        total = chance + total
    assert may_be_equal(race.chance(edges) + exp(0) * 0, total + exp(0) * 0)


def once_more(scores):
    noisy = [score + np.random.gumbel() for score in scores]
    return noisy[0] > noisy[1], noisy[0] + 1 > noisy[1]


def with_a_number(scores):
    return np.random.gumbel(scores[0]) > 1


def returned(scores):
    return np.random.gumbel(scores[0])


def of_two_scales(scores):
    return np.random.gumbel(scale=1) > np.random.gumbel(scale=2)


def beside_its_exponential(scores):
    noise = [np.random.exponential() for _ in scores]
    return -math.log(noise[0]) > -math.log(noise[1]), noise[0] > 1


@pytest.mark.parametrize("function", [once_more, with_a_number, returned, of_two_scales, beside_its_exponential])
def test_other_uses_are_refused_with_what_to_do(function):
    with pytest.raises(RealRandomness, match="It can be|as well"):
        mechanism(function)(ints(2, 0, 1))
