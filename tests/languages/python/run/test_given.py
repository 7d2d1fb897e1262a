"""Databases as lists and arrays, generators that are given, and parameters that are arrays."""

import logging
import math
import random
import secrets
from fractions import Fraction

import numpy as np
import pytest

import taut
from taut import bits, integer, mechanism


def masked(x):
    return (x ^ np.random.choice(2, size=x.shape[0], p=[0.75, 0.25])).tolist()


def overwritten(x):
    assert isinstance(x, list)
    x[0] = x[0] ^ (random.random() < 0.25)
    return x


def test_arrays_reach_the_mechanism_and_its_replay():
    bound = mechanism(masked)(bits(3).as_array()).privacy()
    assert bound.max_ratio == 3
    assert bound.verify().replayed == 3
    assert mechanism(lambda c: c.item(0) ^ random.getrandbits(1))(integer(0, 1).as_array()).privacy().max_ratio == 1


def test_lists_may_be_changed_by_each_run():
    model = mechanism(overwritten)(bits(2).as_list())
    assert model.distribution((0, 1)) == {(0, 1): Fraction(3, 4), (1, 1): Fraction(1, 4)}
    assert model.accuracy(lambda x: x[0], 0, distance=lambda y, t: abs(y[0] - t)).probability == Fraction(3, 4)


def _both(bit, rng):
    if rng.random() < 0.5:
        return bit
    return int(rng.integers(0, 4) == 0) if rng.randint(0, 1) else int(rng.choice([bit, 1 - bit], p=[0.75, 0.25]))


def _sized(bit, rng):
    return int(rng.random(2)[bit] < 0.25) + int(rng.binomial(1, [0.25, 0.5])[bit])


def test_a_generator_has_the_methods_of_both_kinds():
    one = Fraction(1, 4) * Fraction(1, 4) + Fraction(1, 4) * Fraction(1, 4)
    both = mechanism(_both)(integer(0, 1), rng=taut.generator())
    assert both.distribution(0) == {0: 1 - one, 1: one}
    sized = mechanism(_sized)(integer(0, 1), rng=taut.generator())
    assert sized.distribution(0) == {0: Fraction(9, 16), 1: Fraction(6, 16), 2: Fraction(1, 16)}
    assert mechanism(_both)(1, rng=taut.generator()) in (0, 1)


def test_types_of_whole_numbers_are_what_is_asked_for():
    def wrapped(x):
        drawn = np.random.Generator(np.random.PCG64(3)).integers(0, 4, size=2, dtype=np.uint8)
        return int(drawn[0] + 253) ^ x

    quarter = Fraction(1, 4)
    found = mechanism(wrapped)(integer(0, 1)).distribution(0)
    assert found == {0: quarter, 253: quarter, 254: quarter, 255: quarter}


def test_parameters_may_be_arrays_and_items_rows():
    def drawn(x):
        low = np.random.default_rng().integers([1, 2 + x], [2, 4])
        return (*low, *np.random.default_rng().choice(np.array([[0, 1], [1, 0]])))

    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert mechanism(drawn)(integer(0, 1)).distribution(1) == {(1, 3, 0, 1): half, (1, 3, 1, 0): half}
    found = mechanism(drawn)(integer(0, 1)).distribution(0)
    assert found == dict.fromkeys([(1, a, b, 1 - b) for a in (2, 3) for b in (0, 1)], quarter)


def test_what_is_imported_in_the_function_is_under_control():
    def report(bit):
        import os
        import secrets

        return bit if os.urandom(1)[0] < 192 and secrets.randbits(64) >= 0 else 1 - bit

    assert mechanism(report)(integer(0, 1)).privacy().max_ratio == 3


def test_a_rest_of_a_division_keeps_its_number():
    def reduced():
        drawn = random.getrandbits(32) * 10
        while drawn % 2**32 < 2**32 % 10:
            drawn = random.getrandbits(32) * 10
        return drawn // 2**32

    found = mechanism(lambda x: (x + reduced()) % 10)(integer(0, 1)).distribution(0)
    assert found == dict.fromkeys(range(10), Fraction(1, 10))


def test_a_loop_with_small_numbers_needs_few_runs():
    def alternating(x):
        rng = np.random.default_rng()
        k = 1
        while rng.integers(0, 3 * k) < x + 1:
            k += 1
        return k % 2

    model = mechanism(alternating)(integer(0, 1))
    assert abs(float(model.distribution(0)[1]) - math.exp(-1 / 3)) < 1e-12
    assert model.remainder < 1e-20


def test_differences_of_geometric_numbers_by_logarithms():
    def one():
        return int(math.floor(math.log(1.0 - random.random()) / math.log(0.5)))

    model = mechanism(lambda x: x + one() - one())(integer(0, 1))
    assert float(model.privacy().max_ratio) == pytest.approx(2)
    assert model.remainder < 1e-20


def test_loggers_may_remember_what_they_were_asked():
    logger = logging.getLogger(__name__)

    def report(bit):
        logger.debug("bit %s", bit)
        return bit ^ (random.random() < 0.25)

    assert mechanism(report)(integer(0, 1)).privacy().max_ratio == 3


def _turned(bit, place, rng):
    return bit ^ int(rng.integers(0, 4) == place % 4)


def _many_turned(bit, rng):
    return sum([_turned(bit, place, rng) for place in range(11)])


def test_functions_that_are_handed_a_generator_are_run_apart():
    """More runs than are made at once: their number is estimated first, by runs under the same control."""
    model = mechanism(_many_turned)(integer(0, 1), rng=np.random.default_rng(1))
    chances = {k: Fraction(math.comb(11, k) * 3 ** (11 - k), 4**11) for k in range(12)}
    assert model.distribution(0) == chances


class Handmade:
    """A generator of pseudorandom bits that nobody could tell from an ordinary object."""

    def __init__(self):
        self.state = 5

    def bit(self):
        self.state = (self.state * 13 + 7) % 64
        return self.state >> 5


def test_an_object_that_is_given_may_not_remember_calls():
    for function in (lambda x, source: x ^ source.bit(), lambda x, source: source.bit() or x):
        with pytest.raises(taut.TautError, match="changes an object that is defined outside"):
            mechanism(function)(integer(0, 1), source=Handmade())


def test_code_that_wants_an_array_is_told_how_to_get_one():
    with pytest.raises(AttributeError, match=r"'shape'\. A database is a tuple; as_list\(\) and as_array\(\)"):
        mechanism(masked)(bits(3))


class _Made:
    """Sources of randomness that are attributes of a class."""

    kind, made, sources = np.random.RandomState, np.random.default_rng(3), {"a": random.Random(5)}
    below, real = secrets.randbelow, staticmethod(np.random.random)

    def one(self, x):
        return x ^ int(self.kind().randint(0, 4) == 0)

    def two(self, x):
        return x ^ int(self.made.integers(4) == 0)

    def three(self, x):
        return x ^ (_Made.below(4) == 0 if x else self.real() < 0.25)

    def four(self, x):
        return x ^ (self.sources["a"].random() < 0.25)


@pytest.mark.parametrize("name", ["one", "two", "three", "four"])
def test_sources_that_a_class_holds_are_under_control(name):
    held = dict(vars(_Made))
    quarter = {0: Fraction(3, 4), 1: Fraction(1, 4)}
    assert mechanism(lambda x: getattr(_Made(), name)(x))(integer(0, 1)).distribution(0) == quarter
    assert mechanism(getattr(_Made(), name))(integer(0, 1)).distribution(0) == quarter
    assert dict(vars(_Made)) == held
