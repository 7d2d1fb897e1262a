"""Doubles of the machine: distributions are those that counting the 2**53 numbers of a draw gives."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import taut
from taut import integer, mechanism
from taut.support.errors import RealRandomness

DOUBLES = 2**53
NUMPY = np.random.default_rng(3)
WEIGHTS = [0.1, 0.2, 0.3, 0.15, 0.25]
SUMS = list(itertools.accumulate(WEIGHTS))
CHANCES = [weight / sum(WEIGHTS) for weight in WEIGHTS]


def counted(outcome):
    """The distribution of a monotone function of k, uniform below 2**53, by bisection."""
    found = {}
    waiting = [(0, DOUBLES - 1, outcome(0), outcome(DOUBLES - 1))]
    while waiting:
        low, high, first, last = waiting.pop()
        if first == last:
            found[first] = found.get(first, Fraction(0)) + Fraction(high - low + 1, DOUBLES)
            continue
        middle = (low + high) // 2
        waiting.append((low, middle, first, outcome(middle)))
        waiting.append((middle + 1, high, outcome(middle + 1), last))
    return found


class Counting(random.Random):
    """Python's own generator, with one number for all draws."""

    def __init__(self, k):
        super().__init__()
        self.k = k

    def random(self):
        return self.k / DOUBLES


def looked_up(k):
    sums = np.array(CHANCES).cumsum()
    sums /= sums[-1]
    return int(sums.searchsorted(k / DOUBLES, side="right"))


CASES = [
    (lambda x: random.random() < 0.1 + 0.2, lambda k: k / DOUBLES < 0.1 + 0.2),
    (lambda x: 1 - 0.3 * random.random() >= 0.9, lambda k: 1 - 0.3 * (k / DOUBLES) >= 0.9),
    (lambda x: random.uniform(0.1, 0.7) < 0.3, lambda k: Counting(k).uniform(0.1, 0.7) < 0.3),
    (lambda x: int(random.random() * 7), lambda k: int(k / DOUBLES * 7)),
    (lambda x: round(random.random() * 3 - 0.7), lambda k: round(k / DOUBLES * 3 - 0.7)),
    (lambda x: math.floor(-random.random() / 0.3), lambda k: math.floor(-(k / DOUBLES) / 0.3)),
    (lambda x: random.choices("abcde", WEIGHTS)[0], lambda k: Counting(k).choices("abcde", WEIGHTS)[0]),
    (lambda x: random.choices("abcde", WEIGHTS)[0], lambda k: Counting(k).choices("abcde", cum_weights=SUMS)[0]),
    (lambda x: random.choices("abc")[0], lambda k: Counting(k).choices("abc")[0]),
    (lambda x: int(np.random.choice(5, p=CHANCES)), looked_up),
    (lambda x: int(NUMPY.choice(5, p=CHANCES)), looked_up),
]


@pytest.mark.parametrize(("function", "outcome"), CASES)
def test_a_distribution_is_that_of_counting(function, outcome):
    with taut.options(randomness="machine"):
        found = mechanism(function)(integer(0, 0)).distribution(0)
    assert {y: p for y, p in found.items() if p} == counted(outcome)


def test_ends_of_a_uniform_number_are_the_decimals_that_are_meant():
    assert mechanism(lambda x: random.uniform(0.1, 0.3) < 0.2)(integer(0, 0)).probability(0, True) == Fraction(1, 2)


def test_counts_of_numpy_are_not_followed():
    for draw in (lambda x: int(np.random.binomial(2, 0.3)), lambda x: int(NUMPY.geometric(0.5)) > 2):
        with taut.options(randomness="machine"), pytest.raises(RealRandomness, match="randomness"):
            mechanism(draw)(integer(0, 0))
