"""Draws of NumPy with their options: the distribution is that of NumPy, or the option is refused."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from taut import integer, mechanism
from taut.support.errors import RealRandomness, UnsupportedValue

RUNS = 3000


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
