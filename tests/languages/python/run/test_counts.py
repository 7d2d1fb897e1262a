"""Counts that have no value until something asks: sums of them are summed before they are listed."""

import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from taut import integer, mechanism
from taut.languages.python.run.listed import Law, law_of_sum
from taut.support.exact import exp, may_be_equal

HALF = [Fraction(math.comb(40, k), 2**40) for k in range(41)]
"""The law of 40 tosses."""


def summed(*laws):
    """The law of a sum of independent numbers, by pairs of values."""
    total = {0: Fraction(1)}
    for law in laws:
        found = Counter()
        for a, p in total.items():
            for b, q in law.items():
                found[a + b] += p * q
        total = found
    return total


def clipped(law):
    found = Counter()
    for value, mass in law.items():
        found[min(max(value, 0), 3)] += mass
    return dict(found)


def two_bins(x):
    """Return two noisy counts, each the sum of two draws: too many runs if all draws were listed."""
    noise = np.random.binomial(40, 0.5, size=2) - np.random.binomial(40, 0.5, size=2)
    return np.clip(np.array([x, 1]) + noise, 0, 3)


def two_bins_by_hand(x):
    kept = []
    for count in (x, 1):
        noisy = count + np.random.binomial(40, 0.5) - np.random.binomial(40, 0.5)
        kept.append(max(0, min(3, noisy)))
    return kept


def as_signed(x):
    a, b, c, d = (np.random.binomial(40, 0.5) for _ in range(4))
    return -(b - a - x) > 0, c - (d - 1) <= 0


@pytest.mark.parametrize("function", [two_bins, two_bins_by_hand])
def test_two_sums_are_clipped_exactly(function):
    noise = summed(dict(enumerate(HALF)), {-k: mass for k, mass in enumerate(HALF)})
    model = mechanism(function)(integer(0, 1))
    for x in (0, 1):
        first, second = (clipped({count + value: mass for value, mass in noise.items()}) for count in (x, 1))
        expected = {(a, b): p * q for a, p in first.items() for b, q in second.items()}
        assert dict(model.distribution(x).items()) == expected


def test_factors_of_both_signs():
    noise = summed(dict(enumerate(HALF)), {-k: mass for k, mass in enumerate(HALF)})
    model = mechanism(as_signed)(integer(0, 1))
    for x in (0, 1):
        above = sum(mass for value, mass in noise.items() if value + x > 0)
        below = sum(mass for value, mass in noise.items() if value + 1 <= 0)
        assert model.probability(x, (True, True)) == above * below


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("factor", [1, -1])
def test_the_law_of_a_sum(seed, factor):
    rng = random.Random(seed)
    laws = []
    for _ in range(2):
        weights = [rng.randrange(4) for _ in range(rng.randrange(1, 6))] + [1]
        laws.append(Law(rng.randrange(-3, 4), [Fraction(weight, sum(weights)) for weight in weights]))
    a, b = ({law.low + place: weight for place, weight in enumerate(law.weights)} for law in laws)
    found = law_of_sum(*laws, factor)
    known = {found.low + place: weight for place, weight in enumerate(found.weights) if weight}
    assert known == {k: v for k, v in summed(a, {factor * k: v for k, v in b.items()}).items() if v}


def depends(x):
    """Return a draw whose sum with another one is used before: runs list such draws one by one."""
    a, b = np.random.binomial(50, 0.5), np.random.binomial(50, 0.5)
    return (a > 25) + x if a + b > 50 else 5


def test_a_draw_that_is_used_beside_its_sum_is_listed():
    model = mechanism(lambda x: depends(x))(integer(0, 1))
    toss = [Fraction(math.comb(50, k), 2**50) for k in range(51)]
    low = sum(toss[a] * toss[b] for a in range(26) for b in range(51) if a + b > 50)
    assert model.probability(0, 0) == low


def inverted(x, rate=0.5):
    """Return two-sided geometric noise by two inversions, as the difference of two whole numbers without ends."""
    one = math.floor(math.log(1 - random.random()) / -rate)
    return x + one - math.floor(math.log(1 - random.random()) / -rate)


def test_a_difference_of_inversions_is_two_sided_geometric():
    model = mechanism(inverted)(integer(0, 1))
    bound = model.privacy()
    assert math.isclose(bound.epsilon, 0.5) and 0 < float(model.remainder) < 1e-30
    ratio = exp(Fraction(-1, 2))
    for value in (-30, -1, 0, 4):
        expected = (1 - ratio) / (1 + ratio) * ratio ** abs(value)
        assert abs(model.distribution(0)[value] - expected) < Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("name", "args", "law"),
    [
        ("poisson", (2.5,), lambda k: exp(Fraction(-5, 2)) * Fraction(5, 2) ** k / math.factorial(k)),
        ("negative_binomial", (3, 0.5), lambda k: Fraction(math.comb(k + 2, 2), 2 ** (k + 3))),
        ("hypergeometric", (5, 4, 6), lambda k: Fraction(math.comb(5, k) * math.comb(4, 6 - k), math.comb(9, 6))),
    ],
)
def test_counts_of_numpy(name, args, law):
    model = mechanism(lambda x: x + getattr(np.random, name)(*args))(integer(0, 1))
    for value in (2, 3, 5):
        mass = model.distribution(0)[value]
        assert may_be_equal(mass, law(value)) or abs(mass - law(value)) < Fraction(1, 10**29)
    assert abs(1 - sum(list(model.distribution(0).values()), start=Fraction(0))) < Fraction(1, 10**29)
