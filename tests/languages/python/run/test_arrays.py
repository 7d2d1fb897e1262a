"""Draws of NumPy with their options: the distribution is that of NumPy, or the option is refused."""

import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from taut import integer, mechanism
from taut.support.errors import RealRandomness, UnsupportedValue

RUNS = 3000
NUMPY = np.random.default_rng(5)


def flat(array):
    return tuple(int(value) for value in array.flat)


def table(x):
    return np.array([[x, 0], [2, 3]])


def columns_shuffled(x, rng):
    found = table(x)
    rng.shuffle(found, axis=1)
    return flat(found)


def rows_shuffled(x, rng):
    found = table(x)
    rng.shuffle(found)
    return flat(found)


def columns_permuted(x, rng):
    return flat(rng.permutation(table(x), axis=1))


def all_permuted(x, rng):
    return flat(rng.permuted(np.array([[x, 0], [0, 0]])))


def each_row_permuted(x, rng):
    return flat(rng.permuted(table(x), axis=1))


def each_column_permuted_in_place(x, rng):
    found = table(x)
    rng.permuted(found, axis=0, out=found)
    return flat(found)


def chosen_without_replacement(x, rng):
    return flat(rng.choice(np.array([x, 2, 3]), 2, replace=False))


def chosen_rows(x, rng):
    return flat(rng.choice(table(x), 2, axis=0))


def chosen_by_weights(x, rng):
    return flat(rng.choice(3, (1, 2), p=[0.5, 0.25, 0.25]))


def whole_up_to_the_end(x, rng):
    return flat(rng.integers(x, [1, 2], endpoint=True))


DRAWS = [
    columns_shuffled,
    rows_shuffled,
    columns_permuted,
    all_permuted,
    each_row_permuted,
    each_column_permuted_in_place,
    chosen_without_replacement,
    chosen_rows,
    chosen_by_weights,
    whole_up_to_the_end,
]


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_a_draw_with_options_has_the_distribution_of_numpy(draw):
    found = mechanism(draw)(integer(0, 1), rng=np.random.default_rng(1)).distribution(1)
    rng = np.random.default_rng(2)
    seen = Counter(draw(1, rng) for _ in range(RUNS))
    assert seen.keys() == found.keys()
    assert all(abs(seen[output] / RUNS - float(chance)) < 0.05 for output, chance in found.items())


def uniform_downwards(x, rng):
    return int(rng.uniform(x + 2, 1) < 2)


def test_only_a_random_state_takes_ends_in_any_order():
    found = mechanism(uniform_downwards)(integer(0, 1), rng=np.random.RandomState(1)).distribution(1)
    assert found == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    with pytest.raises(ValueError, match="high - low < 0"):
        mechanism(uniform_downwards)(integer(0, 1), rng=np.random.default_rng(1)).distribution(1)


def chosen_unshuffled(x, rng):
    return flat(rng.choice(3, 2, replace=False, shuffle=False))


def written_into_an_array(x, rng):
    found = np.zeros(2)
    rng.random(out=found)
    return bool(found[0] < found[1])


def exponential_written_into_an_array(x, rng):
    found = np.zeros(2)
    rng.standard_exponential(out=found)
    return bool(found[0] < found[1])


def rounded_into_an_array(x, rng):
    found = np.zeros(())
    np.round(4 * rng.random(), out=found)
    return int(found)


REFUSED = [chosen_unshuffled, written_into_an_array, exponential_written_into_an_array, rounded_into_an_array]


@pytest.mark.parametrize("draw", REFUSED, ids=lambda draw: draw.__name__)
def test_an_option_that_is_not_followed_is_refused(draw):
    with pytest.raises((RealRandomness, UnsupportedValue), match="not followed|into an array"):
        mechanism(draw)(integer(0, 1), rng=np.random.default_rng(1)).distribution(1)


def both(x):
    drawn = np.random.rand(2)
    return (drawn[0] < 0.5) + (drawn[1] < 0.5)


def neither(x):
    return ~(NUMPY.random(1)[0] < 0.25), -(NUMPY.random(1)[0]) < -0.25


def by_a_threshold_of_numpy(x):
    return (random.random() < np.float64(0.5)) + (np.float64(0.5) > random.random())


def of_numbers_of_python(x):
    return (random.random() < 0.5) + (np.random.rand() < 0.5) + (np.random.binomial(1, 0.5) == 1)


def kinds_of_results(x):
    first, second = NUMPY.random(2), random.random()
    return [
        (first[0] < 0.5) is True,
        (second < 0.5) is True,
        isinstance(first[0] < 0.5, bool),
        isinstance(first[0], np.float64),
        isinstance(1 - first[1], np.floating),
        isinstance(second, np.floating),
        isinstance(math.floor(2 * first[0]), int),
        type(NUMPY.binomial(1, 0.5)) is int,
        isinstance(NUMPY.integers(1000), np.int64),
        isinstance(np.random.randint(1000), int),
    ]


def test_scalars_of_numpy_are_no_numbers_of_python():
    quarter = Fraction(1, 4)
    assert mechanism(both)(integer(0, 0)).distribution(0) == {False: quarter, True: 3 * quarter}
    assert mechanism(neither)(integer(0, 0)).probability(0, (True, True)) == Fraction(9, 16)
    assert mechanism(by_a_threshold_of_numpy)(integer(0, 0)).probability(0, True) == 3 * quarter
    assert mechanism(of_numbers_of_python)(integer(0, 0)).probability(0, 3) == Fraction(1, 8)


def test_kinds_of_results_are_those_of_numpy():
    possible = {tuple(kinds_of_results(0)) for _ in range(50)}
    found = mechanism(kinds_of_results)(integer(0, 0)).distribution(0)
    assert {y for y, mass in found.items() if mass} == possible


@pytest.mark.parametrize("name", ["cos", "exp", "sqrt", "log1p", "arctan"])
def test_functions_of_arrays_of_numbers_without_a_value_are_refused_by_name(name):
    def transformed(bit):
        return bit + int((getattr(np, name)(np.pi * np.random.rand(2)) > 0.5).sum())

    with pytest.raises(UnsupportedValue, match=rf"is given to numpy\.{name}"):
        mechanism(transformed)(integer(0, 1))
