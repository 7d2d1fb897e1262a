"""Mechanisms as people ship them: not a line of taut in it."""

import functools
import math
import operator
import random
import secrets
from bisect import bisect
from fractions import Fraction
from itertools import accumulate

import numpy as np


def warner(bit, p=0.5):
    return bit if random.random() < p else random.randrange(2)


def inverse(value, weights=(0.2, 0.3, 0.5)):
    """A category drawn by the inverse of its cumulative distribution, moved by the value."""
    return (bisect(list(accumulate(weights)), random.random()) + value) % 3


def scaled(value):
    u = random.uniform(-1, 1)
    return value + int(math.floor(u * 3)) + (1 if u > 0.25 else 0)


def rejection():
    while True:
        z = random.getrandbits(64)
        if z < 10**19:
            return z % 7


def dice(sides=6):
    while True:
        z = secrets.randbits(3)
        if z < sides:
            return z + 1


def counting(p=0.5):
    k = 0
    while random.random() >= p:
        k += 1
    return k


class Randomiser:
    """Parameters and a generator kept in an object, arguments checked, errors caught."""

    def __init__(self, truth, labels=("no", "yes"), seed=7):
        self.truth = truth
        self.labels = labels
        self.rng = np.random.default_rng(seed)

    def _check(self, value):
        if not isinstance(value, str):
            raise TypeError("a label is text")
        return self.labels.index(value)

    def randomise(self, value):
        try:
            place = self._check(value)
        except ValueError:
            return None
        if self.rng.random() < self.truth:
            return value
        return self.labels[1 - place]


def vectorised(x, keep=0.75):
    array = np.asarray(x)
    kept = np.random.rand(len(array)) < keep
    return np.where(kept, array, 1 - array)


def unary(value, size=3, p=0.75, q=0.25):
    """One bit for each category; the true one is set more often."""
    bits = np.zeros(size, dtype=int)
    for place in range(size):
        bits[place] = np.random.binomial(1, p if place == value else q)
    return bits


def remembered(value, memory=[]):  # noqa: B006
    memory.append(value)
    return random.randrange(2)


def bernoulli(p, rng):
    return 1 if rng.randrange(p.denominator) < p.numerator else 0


def bernoulli_exp(x, rng):
    """1 with probability exp(-x), for x from 0 to 1."""
    k = 1
    while bernoulli(x / k, rng):
        k += 1
    return k % 2


def discrete_laplace(value, scale=1, rng=random.SystemRandom()):  # noqa: B008
    """Discrete Laplace noise by rejection, of whole scales (after Canonne, Kamath and Steinke)."""
    while True:
        u = rng.randrange(scale)
        if not bernoulli_exp(Fraction(u, scale), rng):
            continue
        v = 0
        while bernoulli_exp(Fraction(1), rng):
            v += 1
        magnitude = u + scale * v
        sign = rng.randrange(2)
        if sign and magnitude == 0:
            continue
        return value + (-magnitude if sign else magnitude)


class Tally:
    """An object that a run makes for itself, and changes."""

    def __init__(self):
        self.total = 0

    def add(self, p):
        self.total += 1 if random.random() < p else 0
        return self.total


def tallied(value):
    tally = Tally()
    tally.add(0.5)
    return tally.add(0.25) + value


class Buffered:
    """An object that keeps something only while it works."""

    def __init__(self):
        self.buffer = None

    def _fill(self, value):
        self.buffer.append(value ^ random.getrandbits(1))

    def randomise(self, value):
        self.buffer = []
        self._fill(value)
        self._fill(value)
        found, self.buffer = sum(self.buffer), None
        return found


def add_to(counts, p):
    counts[0] += random.random() < p


def counted():
    counts = [0]
    add_to(counts, 0.5)
    add_to(counts, 0.5)
    return counts[0]


def sticky(bit):
    """Report a bit that the first run has kept for all later ones."""
    global made_by_first_run
    try:
        made_by_first_run
    except NameError:
        made_by_first_run = bit
    return made_by_first_run ^ (random.random() < 0.25)


ASKED = []


def alternating(bit):
    """Return another distribution every other time that it is called."""
    ASKED.append(bit)
    return (bit + random.randrange(2) * (len(ASKED) % 2)) % 2


class Holder:
    """An object that holds the function above, and calls it in several ways."""

    function = staticmethod(alternating)

    def __init__(self):
        self.held = alternating

    @property
    def asked(self):
        return alternating(0)

    def __call__(self, bit):
        return self.held(bit)

    def __getitem__(self, bit):
        return self.held(bit)


HELD = {"function": alternating, "object": Holder(), "partial": functools.partial(alternating), "row": [alternating]}
HIDDEN = {
    "dictionary": lambda bit: HELD["function"](bit),
    "list in a dictionary": lambda bit: HELD["row"][0](bit),
    "object": lambda bit: HELD["object"](bit),
    "item of an object": lambda bit: HELD["object"][bit],
    "property": lambda bit: (HELD["object"].asked + bit) % 2,
    "partial": lambda bit: HELD["partial"](bit),
    "a partial itself": functools.partial(alternating),
    "partial of a method": functools.partial(Holder().__call__),
    "static method": lambda bit: Holder.function(bit),
    "default": lambda bit, rows=(alternating,): rows[0](bit),
    "closure": (lambda rows: lambda bit: rows[0](bit))([alternating]),
    "vectorized": lambda bit: int(np.vectorize(HELD["function"])(bit)),
    "method by its name": lambda bit: operator.methodcaller("held", bit)(HELD["object"]),
}
"""Functions that remember what was asked, through something that holds the function which does."""
