"""Distributions from states of loops are shared by runs and calls, and are what they would be without."""

import cProfile
import random
from fractions import Fraction

import pytest

import taut
from taut import integer, mechanism
from taut.support.errors import TooLarge

STAY = Fraction(3, 4)


def walk(steps):
    """Goes home step by step, or is lost on the way."""
    while steps > 0:
        if random.random() < 0.25:
            return "lost"
        steps -= 1
    return "home"


def counted(steps):
    """Leaves the same way, and tells how long it was."""
    taken = 0
    while steps > 0:
        if random.random() < 0.25:
            return taken
        taken, steps = taken + 1, steps - 1
    return -1


def test_calls_that_come_to_the_same_states_share_what_follows():
    model = mechanism(lambda x: (walk(x), walk(x + 3), walk(2 * x + 1)))(integer(0, 4))
    for x in range(5):
        masses = model.distribution(x)
        for places in [(0,), (1,), (2,), (0, 1, 2)]:
            lengths = (x, x + 3, 2 * x + 1)
            home = sum(mass for ends, mass in masses.items() if all(ends[place] == "home" for place in places))
            assert home == STAY ** sum(lengths[place] for place in places)
    assert model.remainder == 0


def test_variables_that_are_read_later_keep_states_apart():
    masses = mechanism(lambda x: counted(x + 2))(integer(0, 2)).distribution(1)
    assert masses == {**{k: STAY**k / 4 for k in range(3)}, -1: STAY**3}


class Meter:
    """Remembers in itself how far a walk has come, until the walk is over."""

    def __init__(self):
        self.far = 0

    def walk(self, steps):
        try:
            while steps > 0:
                if random.random() < 0.25:
                    return self.far
                self.far += 1
                steps -= 1
            return -1
        finally:
            self.far = 0


def test_what_an_object_remembers_is_part_of_the_state():
    masses = mechanism(Meter().walk)(integer(2, 4)).distribution(3)
    assert masses == {**{k: STAY**k / 4 for k in range(3)}, -1: STAY**3}


def test_long_walks_with_a_remainder_lose_no_more_than_they_say():
    with taut.options(max_remainder="1e-10"):
        model = mechanism(lambda x: walk(x + 300))(integer(0, 1))
    masses = model.distribution(1)
    assert 0 < model.remainder <= Fraction(1, 10**10)
    assert masses["lost"] <= 1 - STAY**301 <= masses["lost"] + model.remainder


class Sealed:
    """Keeps its results in a form that no reader follows."""

    def many(self, bit):
        return hash(tuple(bit ^ (random.random() < 0.25) for _ in iter(range(40))))


def test_what_surely_has_too_many_runs_is_refused_at_once():
    with pytest.raises(TooLarge, match=r"about 1e\+12 runs, more than max_runs=100000"):
        mechanism(Sealed().many)(integer(0, 1))


def test_a_profiler_goes_on():
    profiler = cProfile.Profile()
    profiler.enable()
    try:
        model = mechanism(walk)(integer(0, 2))
    finally:
        profiler.disable()
    assert model.distribution(2)["home"] == STAY**2
