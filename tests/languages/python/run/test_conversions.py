"""Whole numbers that ``int``, ``float`` and bytes are made of, and uniform numbers made of two others."""

import os
import random
import secrets
from fractions import Fraction

import numpy as np
import pytest

from taut import TautError, integer, mechanism

WIDE = 2**53


class Wrapped:
    """Draws with NumPy, and hands out whole numbers of Python's."""

    def __init__(self, rng):
        self.rng = rng

    def below(self, count):
        return int(self.rng.integers(low=0, high=count, endpoint=False))


def of_numpy(x):
    return x ^ (Wrapped(np.random.default_rng()).below(WIDE) < WIDE // 4)


def as_real(x):
    return x ^ (float(random.getrandbits(60)) < 2**58)


def of_bytes(x):
    return x ^ (int.from_bytes(os.urandom(8), "big") < 2**62)


def shared_out(x):
    drawn = secrets.token_bytes(2)
    return x ^ (drawn[0] >> 7 and drawn[1] >= 128)


def mixed(x):
    return x ^ ((random.getrandbits(64) ^ int.from_bytes(os.urandom(8), "little")) >> 62 == 3)


def appended(x):
    words = [random.getrandbits(32) for _ in range(2)]
    return x ^ ((words[0] << 32) + words[1] < 2**62)


def joined(x):
    return x ^ ((random.getrandbits(32) << 32 | random.getrandbits(32)) >> 62 == 3)


def floor_of_real(x):
    return x ^ (int(random.random() * 10**6) < 250_000)


@pytest.mark.parametrize(
    "function",
    [of_numpy, as_real, of_bytes, shared_out, mixed, appended, joined, floor_of_real],
    ids=lambda f: f.__name__,
)
def test_a_quarter(function):
    assert mechanism(function)(integer(0, 1)).distribution(0) == {0: Fraction(3, 4), 1: Fraction(1, 4)}


def used_twice(x):
    first, second = random.getrandbits(64), random.getrandbits(64)
    return x ^ (first ^ second < 2**63) ^ (first < 2**63)


def spelled(x):
    return os.urandom(4).hex()


def cut(x):
    return int.from_bytes(os.urandom(8)[:4], "big") % 2


@pytest.mark.parametrize(
    ("function", "told"), [(used_twice, "its sum with another"), (spelled, "random bytes are spelled"), (cut, "pieces")]
)
def test_what_is_refused(function, told):
    with pytest.raises(TautError, match=told):
        mechanism(function)(integer(0, 1))


def test_classes_of_numbers_stay_what_they_are():
    def typed(x):
        return isinstance(x, int) and type(x) is int and int("7") == 7 and int("11", 2) == 3 and random.random() < 0.5

    assert mechanism(typed)(integer(0, 1)).distribution(0)[True] == Fraction(1, 2)
    assert int is type(0) and not hasattr(__builtins__, "__taut_int__")


def _coin(sides, rng):
    return bool(rng.integers(sides) == 0)


class Chooser:
    """Calls a function that draws from a method of a class that the mechanism names."""

    def choose(self, count):
        rng = np.random.default_rng()
        return sum([_coin(place + 2, rng) for place in range(count)])


def test_functions_are_run_apart_in_classes_that_are_named():
    model = mechanism(lambda x: Chooser().choose(6) + x)(integer(0, 1))
    assert sum(model.distribution(0).values()) == 1
    assert model.distribution(0)[6] == Fraction(1, 5040)
