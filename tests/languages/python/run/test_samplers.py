"""Samplers that end with probability 1 have the distribution that they promise, up to the remainder."""

import random
from fractions import Fraction

import pytest

import taut
from taut import UNFOLLOWED, bits, flip, geometric, integer, mechanism

from . import samplers


def promised(weight, most=400):
    """The probabilities of integers with these weights, as balls."""
    total = weight(0) + 2 * sum((weight(z) for z in range(1, most)), start=0 * weight(0))
    return lambda z: weight(z) / total


@pytest.mark.parametrize(
    ("sampler", "weight"),
    [
        (lambda: samplers.discrete_laplace(Fraction(2, 3)), lambda z: taut.exp(-Fraction(3 * abs(z), 2))),
        (lambda: samplers.discrete_gaussian(Fraction(1, 2)), lambda z: taut.exp(-z * z)),
    ],
)
def test_followed_masses_are_the_promised_ones_but_for_the_remainder(sampler, weight):
    with taut.options(max_remainder="1/10", validate="off"):
        model = mechanism(lambda x: sampler() + x)(integer(0, 1))
    masses, probability = dict(model.distribution(0)), promised(weight)
    rest = masses.pop(UNFOLLOWED)
    assert 0 < rest <= model.remainder <= Fraction(1, 10)
    for z in range(-3, 4):
        missing = probability(z) - masses[z]
        assert missing.upper >= 0 and missing.lower <= rest


def test_a_rejected_round_costs_nothing():
    def uniform(n):
        while True:
            z = random.getrandbits(3)
            if z < n:
                return z

    model = mechanism(lambda x: (uniform(5) + x) % 5)(integer(0, 4))
    assert model.remainder == 0
    assert model.distribution(3) == dict.fromkeys(range(5), Fraction(1, 5))


def test_loops_of_what_is_read_are_followed_until_they_are_improbable():
    def noisy(x):
        k = 0
        while flip("1/16"):
            k += 1
        return sum(x) + k

    model = mechanism(noisy)(bits(3))
    masses = dict(model.distribution((0, 1, 1)))
    rest = masses.pop(UNFOLLOWED)
    assert masses == {2 + k: Fraction(15, 16) * Fraction(1, 16) ** k for k in range(len(masses))}
    assert rest == Fraction(1, 16) ** len(masses) == model.remainder <= Fraction(1, 2**100)
    assert model.validation.runs > 0
    low, high = model.profile().delta_interval(ratio=3)
    assert low <= Fraction(15, 16) <= high  # the smallest output tells the smaller sum


def test_a_loop_that_depends_on_the_input_is_cut_where_no_input_is_left():
    def noisy(x):
        k = 0
        while flip("1/2") if x else flip("1/4"):
            k += 1
        return k

    model = mechanism(noisy)(integer(0, 1))
    assert 0 < model.distribution(0)[UNFOLLOWED] < model.distribution(1)[UNFOLLOWED] == model.remainder
    assert model.distribution(1)[5] == Fraction(1, 2**6)
    assert model.distribution(0)[5] == Fraction(3, 4) * Fraction(1, 4) ** 5


def test_geometric_noise_with_ends_leaves_nothing():
    assert mechanism(lambda x: geometric(x, "1/2", 0, 3))(integer(0, 1)).remainder == 0
