"""Arrays of plain numbers to which random numbers are added in place."""

import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from taut import bits, integer, mechanism
from taut.support.errors import MechanismError, UnsupportedValue


def by_a_new_array(votes):
    counts = np.bincount(votes, minlength=2) + np.random.laplace(0, 2.0, size=2)
    return int(np.argmax(counts))


def in_place(votes):
    counts = np.bincount(votes, minlength=2).astype(float)
    counts += np.random.laplace(0, 2.0, size=2)
    return int(np.argmax(counts))


def in_place_after_a_loop(votes):
    counts = np.zeros(2, dtype=np.float32)
    for vote in votes:
        counts[vote] += 1
    counts -= np.random.laplace(0, 2.0, size=(2,))
    return int(counts.argmax())


def in_place_twice(votes):
    counts = np.array([votes.count(0), votes.count(1)], dtype=float)
    counts *= 0.5
    counts += np.random.laplace(0, 1.0, size=2)
    counts *= 2
    counts += 3
    return int(np.flatnonzero(counts == counts.max())[0])


class Counts:
    def __init__(self):
        self.counts = np.zeros(2)

    def winner(self, votes):
        for vote in votes:
            self.counts[vote] += 1
        self.counts += np.random.laplace(0, 2.0, size=2)
        return int(np.argmax(self.counts))


def of_an_attribute(votes):
    return Counts().winner(votes)


def of_an_entry(votes):
    kept = {"counts": np.bincount(votes, minlength=2) * 1.0}
    kept["counts"] += np.random.laplace(0, 2.0, size=2)
    return int(np.argmax(kept["counts"]))


@pytest.mark.parametrize(
    "function",
    [in_place, in_place_after_a_loop, in_place_twice, of_an_attribute, of_an_entry],
    ids=lambda f: f.__name__,
)
def test_the_sum_in_place_is_that_in_a_new_array(function):
    known, found = (mechanism(made)(bits(2)) for made in (by_a_new_array, function))
    for votes in bits(2):
        assert math.isclose(known.probability(votes, 1), found.probability(votes, 1), rel_tol=1e-12)


def one_for_all(x):
    counts = np.array([0.0, 1.0])
    counts += x + np.random.laplace()
    return (counts > 0).tolist()


def test_one_number_is_added_to_all_entries():
    found = mechanism(one_for_all)(integer(0, 1)).distribution(0)
    assert set(found) == {(False, False), (False, True), (True, True)}
    assert math.isclose(found[(True, True)], 0.5)


def whole_numbers(x):
    counts = np.array([x, 1])
    counts += np.random.binomial(40, 0.5, size=2) - np.random.binomial(40, 0.5, size=2)
    return np.clip(counts, 0, 2)


def test_whole_numbers_are_added_to_whole_numbers():
    toss = [math.comb(40, k) for k in range(41)]
    noise = Counter()
    for a, p in enumerate(toss):
        for b, q in enumerate(toss):
            noise[a - b] += Fraction(p * q, 2**80)
    first, second = (
        [sum(mass for value, mass in noise.items() if min(max(count + value, 0), 2) == kept) for kept in range(3)]
        for count in (0, 1)
    )
    found = mechanism(whole_numbers)(integer(0, 1)).distribution(0)
    assert dict(found.items()) == {(a, b): first[a] * second[b] for a in range(3) for b in range(3)}


def two_names(x):
    counts = np.zeros(2)
    other = counts
    counts += np.random.laplace(size=2)
    return bool(other[0] > other[1])


def in_a_list(x):
    rows = [np.zeros(2), np.ones(2)]
    for row in rows:
        row += np.random.laplace(size=2)
    return bool(rows[0][0] > rows[1][0])


def part_of_another(x):
    counts = np.zeros(4)
    half = counts[:2]
    half += np.random.laplace(size=2)
    return bool(counts[0] > counts[1])


def given_as_out(x):
    counts = np.zeros(2)
    np.add(counts, np.random.laplace(size=2), out=counts)
    return bool(counts[0] > counts[1])


def given_as_out_by_place(x):
    counts = np.zeros(2)
    np.add(counts, np.random.laplace(), counts)
    return bool(counts[0] > 0)


@pytest.mark.parametrize(
    "function", [two_names, in_a_list, part_of_another, given_as_out, given_as_out_by_place], ids=lambda f: f.__name__
)
def test_an_array_with_another_name_is_refused_with_what_to_write(function):
    with pytest.raises(UnsupportedValue, match=r"something else refers to as well\. Write a = a \+ noise"):
        mechanism(function)(integer(0, 1))


def into_whole_numbers(x):
    counts = np.array([x, 1])
    counts += np.random.laplace(size=2)
    return bool(counts[0] > counts[1])


def test_what_numpy_refuses_is_refused():
    with pytest.raises(TypeError, match="same_kind"):
        into_whole_numbers(0)
    with pytest.raises(MechanismError, match="same_kind"):
        mechanism(into_whole_numbers)(integer(0, 1))


def _by_places(x):
    noisy = np.zeros(len(x))
    for place, value in enumerate(x):
        noisy[place] = value + np.random.laplace(scale=2.0)
    return int(np.argmax(noisy))


def _by_a_list(x):
    noisy = [value + np.random.laplace(scale=2.0) for value in x]
    return noisy.index(max(noisy))


def _added_to_float32(x):
    counts = np.asarray(np.bincount(np.array(x), minlength=3), dtype=np.float32)
    for place in range(3):
        counts[place] += np.random.laplace(loc=0.0, scale=1.0)
    return int(counts.argmax())


def _added_to_numbers(x):
    noisy = [x.count(place) + np.random.laplace(loc=0.0, scale=1.0) for place in range(3)]
    return noisy.index(max(noisy))


def _by_slices(x):
    kept = np.full((2, 2), 0.25)
    kept[1:] = random.random()
    kept[:, 0] *= 2
    kept[kept > 0.75] = 1
    kept[0, 1] = x[0]
    return float(kept[0].sum()), int((kept == 1).sum()), bool(kept[1, 1] < 0.5)


def _by_numbers(x):
    u = random.random()
    second, first = u > 0.75, 2 * u > 0.75
    return 0.5 + x[0], int(second) + int(first) + int(x[0] == 1), u < 0.5


def _whole_places(x):
    places = np.zeros(2, dtype=int)
    places[0] = 4 * random.random() + x[0]
    places[1] += 7
    return int(places[0] * places[1]), places.dtype.kind


def _whole_numbers(x):
    return int(4 * random.random() + x[0]) * 7, "i"


@pytest.mark.parametrize(
    ("stored", "plain"),
    [
        (_by_places, _by_a_list),
        (_added_to_float32, _added_to_numbers),
        (_by_slices, _by_numbers),
        (_whole_places, _whole_numbers),
    ],
)
def test_random_numbers_are_put_into_places_of_arrays(stored, plain):
    models = [mechanism(function)(bits(2)) for function in (stored, plain)]
    for x in ((0, 0), (0, 1), (1, 1)):
        made, known = (model.distribution(x) for model in models)
        assert set(made) == set(known)
        assert all(made[y] is known[y] or bool(abs(made[y] - known[y]) < 1e-60) for y in known)


def test_arrays_of_random_numbers_say_which_numbers_they_hold():
    def rounded(x):
        u = np.random.uniform(size=2)
        assert u.dtype == np.float64 and np.random.laplace(size=1).astype(float).dtype == np.float64
        return tuple(np.clip(np.round(4 * u), 0, 2).astype(int) + x)

    assert mechanism(rounded)(integer(0, 1)).distribution(0)[0, 0] == Fraction(1, 64)


def test_a_sum_of_probabilities_that_rounding_keeps_below_one_is_named():
    chances = [0.1] * 10
    assert sum(chances) < 1

    def drawn(x):
        return int(np.searchsorted(np.cumsum(chances), np.random.rand())) + x

    model = mechanism(drawn)(integer(0, 1))
    assert model.distribution(0)[10] == 1 - Fraction(repr(sum(chances)))
    assert "only rounding may keep from being 1" in str(model.reading)
    assert "make the last threshold 1" in str(model.privacy())


def test_a_failure_beyond_such_a_sum_is_told_with_it():
    def chosen(x):
        left, place = random.random(), 0
        for chance in [1 / 3] * 3:
            left -= chance
            if left <= 0:
                break
            place += 1
        return list(range(3))[place] + x

    with pytest.raises(IndexError, match="only rounding may keep from being 1"):
        mechanism(chosen)(integer(0, 1)).privacy()


def test_a_number_is_looked_up_among_long_floats():
    def drawn(x):
        return int(np.searchsorted(np.cumsum(np.array([0.25, 0.5], dtype=np.longdouble)), np.random.rand())) + x

    assert mechanism(drawn)(integer(0, 1)).distribution(0) == {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}


def test_places_found_in_arrays_of_random_numbers_are_whole():
    names = ["a", "b", "c"]

    def ordered(x):
        noisy = np.array([x, 0, 1], dtype=float) + np.random.laplace(size=3)
        places = np.argsort(noisy)[::-1]
        assert places.dtype.kind == "i" and np.nonzero(noisy > 0)[0].dtype.kind == "i"
        return places[:2].tolist(), names[places.tolist()[0]], np.argmax(noisy).item()

    for y in mechanism(ordered)(integer(0, 1)).distribution(0):
        assert y[1] == names[y[2]] and y[2] == y[0][0]
        assert all(type(place) is int for place in (*y[0], y[2]))


def test_functions_of_one_number_take_arrays_of_both_kinds():
    def rounded(x):
        kept = np.zeros(2)
        kept[0] = random.random()
        kept[1] = x - 0.75
        assert not np.isnan(kept).any()
        return tuple(np.floor(4 * kept)), tuple(np.sign(kept)), tuple(np.abs(np.round(2 * kept)).astype(int))

    chances = mechanism(rounded)(integer(0, 1)).distribution(1)
    assert chances[(0, 1), (1, 1), (0, 0)] == Fraction(1, 4) and sum(chances.values()) == 1
