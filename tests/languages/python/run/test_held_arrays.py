"""Arrays of plain numbers to which random numbers are added in place."""

import math
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
