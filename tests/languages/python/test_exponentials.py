"""Exponentials inside mechanisms: of draws and inputs, in random branches; and never a number that is returned."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, attr-defined"

import math
from fractions import Fraction

import numpy as np
import pytest

import taut
from taut import discrete, exp, flip, integer, mechanism, uniform


@pytest.mark.parametrize(
    ("power", "meant"),
    [
        (lambda x: -x, lambda x: -x),
        (lambda x: -x / 3, lambda x: Fraction(-x, 3)),
        (lambda x: Fraction(-x, 7), lambda x: Fraction(-x, 7)),
        (lambda x: -0.1 * x - 1, lambda x: Fraction(-x, 10) - 1),
    ],
)
def test_exponentials_of_inputs_are_those_of_the_numbers_that_are_meant(power, meant) -> None:
    model = mechanism(lambda x: flip(exp(power(x))))(integer(1, 4))
    for x in range(1, 5):
        assert abs(model.probability(x, True) - exp(meant(x))).upper < Fraction(1, 10**60)


def test_exponentials_of_draws() -> None:
    model = mechanism(lambda x: flip(exp(uniform(-2, -1) - x)))(integer(0, 1))
    truth = (exp(-1) + exp(-2)) / 2
    assert abs(model.probability(0, True) - truth).upper < Fraction(1, 10**60)


def test_exponentials_are_compared_where_their_digits_tell() -> None:
    assert mechanism(lambda x: exp(-x) == exp(-1))(integer(0, 2)).distribution(1) == {True: 1}
    assert mechanism(lambda x: exp(-x) == 1)(integer(0, 2)).distribution(0) == {True: 1}
    assert mechanism(lambda x: (exp(-x) == 2, exp(-x) == "a"))(integer(0, 2)).distribution(1) == {(False, False): 1}
    with pytest.raises(taut.TautError, match="the comparison is undecided"):
        mechanism(lambda x: exp(-1) * exp(-x) == exp(-2))(integer(0, 2))


@pytest.mark.parametrize("function", [lambda x: exp(-1), lambda x: exp(-x), lambda x: [x, exp(-x)]])
def test_exponentials_are_not_returned(function) -> None:
    with pytest.raises(taut.UnsupportedValue, match="cannot return an exponential"):
        mechanism(function)(integer(0, 1))


@pytest.mark.parametrize("function", [math.exp, np.exp])
def test_rounded_exponentials_of_random_values_are_tables_of_floats(function) -> None:
    model = mechanism(lambda x: flip(function(-x)))(integer(0, 1))
    assert model.probability(1, True) == Fraction(str(math.exp(-1)))


@pytest.mark.parametrize("name", ["exp", "sqrt", "log", "floor", "exp2", "tanh"])
def test_functions_of_numpy_stand_in_random_branches(name) -> None:
    function, plain = getattr(np, name), getattr(math, name, lambda v: 2.0**v)
    read = mechanism(lambda x: flip(1 / (2 + function(2.0))) if x else flip("1/2"))(integer(0, 1))
    expected = mechanism(lambda x: flip(1 / (2 + plain(2.0))) if x else flip("1/2"))(integer(0, 1))
    assert float(read.probability(1, True)) == pytest.approx(float(expected.probability(1, True)), rel=1e-15)


def test_functions_of_the_user_in_the_form_of_numpy_stay_outside_branches() -> None:
    seen = []
    function = np.frompyfunc(lambda v: seen.append(v) or v / 4, 1, 1)
    with pytest.raises(taut.UnsupportedValue, match="may change things"):
        mechanism(lambda x: flip(function(1)) if x else 0)(integer(0, 1))


def test_weights_that_python_has_rounded_say_so() -> None:
    weights = [0.1 / 0.7, 0.2 / 0.7, 0.4 / 0.7]
    weights = [weight / sum(weights) for weight in weights]
    assert sum(map(Fraction, map(str, weights))) != 1
    with pytest.raises(taut.InvalidDistribution, match="divide inside the mechanism"):
        mechanism(lambda x: discrete(weights))(integer(0, 1))
    parts = [0.1, 0.2, 0.4]
    model = mechanism(lambda x: discrete([part / sum(parts) for part in parts]))(integer(0, 1))
    assert model.distribution(0) == {0: Fraction(1, 7), 1: Fraction(2, 7), 2: Fraction(4, 7)}
