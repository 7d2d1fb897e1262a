"""Models of code that people ship: read where it can be read, run where it cannot."""

import functools
import math
import random
import secrets
from fractions import Fraction

import numpy as np
import pytest

import taut
from taut import bits, category, integer, ints, mechanism
from taut.support.errors import EndlessLoop, TautError, TooLarge

from . import shipped


def test_a_thousand_clients_share_one_table():
    model = mechanism(lambda x: [shipped.warner(bit) for bit in x])(bits(1000))
    assert model.privacy().max_ratio == 3
    (call,) = model.reading.run
    assert (call.name, call.values) == ("warner", 2)


@pytest.mark.parametrize(
    ("function", "domain"),
    [
        (lambda x: sum(shipped.warner(bit) for bit in x), bits(3)),
        (lambda x: [shipped.warner(bit, 0.25) for bit in x], bits(2)),
        (lambda x: shipped.inverse(x[0]) + shipped.inverse(x[1]), ints(2, 0, 1)),
        (lambda x: max(shipped.scaled(value) for value in x), ints(2, 0, 1)),
        (lambda x: math.sqrt(x[0] + shipped.dice()) > 2, ints(1, 0, 3)),
    ],
)
def test_what_is_read_around_calls_agrees_with_running_all_of_it(function, domain):
    model = mechanism(function)(domain)
    assert model.validation.conclusive
    with taut.options(validate="off"):
        whole = mechanism(functools.partial(function))(domain)
    assert whole.reading.read == ()
    for x in domain:
        assert model.distribution(x) == whole.distribution(x)


def test_an_object_with_a_generator_is_a_mechanism():
    mech = shipped.Randomiser(0.75)
    model = mechanism(mech.randomise)(category(["no", "yes"]))
    assert model.privacy().max_ratio == 3
    assert model.distribution("no") == {"no": Fraction(3, 4), "yes": Fraction(1, 4)}
    assert model.validation.conclusive
    assert model.privacy().verify().holds
    optional = mechanism(mech.randomise)(category(["no", "yes", "maybe"]))
    assert optional.privacy().max_ratio == taut.INFINITY


def test_arrays_are_run_whole():
    model = mechanism(shipped.vectorised)(bits(2), keep=0.9)
    assert model.privacy().max_ratio == 9
    assert mechanism(shipped.unary)(integer(0, 2)).privacy().max_ratio == 9


def test_parameters_stay_what_was_passed():
    def exponential(bit, epsilon):
        return bit if random.random() < np.exp(epsilon) / (1 + np.exp(epsilon)) else 1 - bit

    assert mechanism(exponential)(integer(0, 1), epsilon=1.0).privacy().epsilon == pytest.approx(1.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x ^ secrets.randbelow(2),
        lambda x: random.choice([x, 1 - x]),
        lambda x: x ^ (random.random() < 0.5),
        lambda x: x ^ int(np.random.default_rng(7).integers(2)),
    ],
)
def test_draws_inside_a_lambda(function):
    assert mechanism(function)(integer(0, 1)).privacy().max_ratio == 1


def test_a_sampler_without_ends_is_answered_with_a_remainder():
    bound = mechanism(shipped.discrete_laplace)(integer(0, 1)).privacy()
    assert 0 < bound.remainder <= bound.delta == Fraction(1, 2**100)
    assert abs(bound.max_ratio - taut.exp(1).mid) < Fraction(1, 10**30)
    assert bound.lower < taut.exp(1).upper and bound.upper == taut.INFINITY


def test_what_is_observed_and_not_followed_is_refused():
    def seen(x):
        k = shipped.counting()
        taut.observe(k > 0)
        return x + k

    with pytest.raises(EndlessLoop, match="observes something, and has runs that are not followed"):
        mechanism(seen)(integer(0, 1))


def test_a_subset_in_the_order_of_its_making_gives_the_value_away():
    def subset(value):
        return [value, *random.sample([other for other in range(3) if other != value], 1)]

    assert mechanism(subset)(integer(0, 2)).privacy().max_ratio == taut.INFINITY
    assert mechanism(lambda value: sorted(subset(value)))(integer(0, 2)).privacy().max_ratio == taut.INFINITY


def test_failures_name_the_input():
    def strict(value):
        if value > 1:
            raise ValueError("too much")
        return value ^ random.randrange(2)

    with pytest.raises(TautError, match="too much.*It happens at x=2"):
        mechanism(strict)(integer(0, 2))


def test_too_many_inputs_are_refused_with_their_number():
    with pytest.raises(TooLarge, match="values of its arguments"):
        mechanism(shipped.vectorised)(bits(40))


def test_real_draws_of_a_mechanism_that_is_just_called():
    assert mechanism(shipped.warner)(1, p=1.0) == 1


def rows_of_bits(value):
    drawn = np.array([random.random() < 0.5 for _ in range(40)])
    return int((drawn & np.roll(drawn, value)).sum())


def test_too_many_runs_are_refused_with_the_limit_that_can_be_set():
    with pytest.raises(TautError, match=r"max_runs=100000: "):
        mechanism(rows_of_bits)(integer(0, 1))
