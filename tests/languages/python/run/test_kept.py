"""Uniform numbers kept in variables of functions of many entries: the same answers as by running all of it."""

import bisect
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import taut
from taut import bits, mechanism
from taut.languages.python import tracing
from taut.program import replay_distribution
from taut.support.errors import Misreading, TooLarge

RNG = random.Random(7)
NUMPY = np.random.default_rng(3)
LEVELS = [0.125, 0.5, 0.875]


def twice(x):
    said = []
    for bit in x:
        u = random.random()
        said.append(bit if u < 0.5 else 1 if u < 0.75 else 0)
    return said


def in_any_order(x):
    said = []
    for bit in x:
        u = RNG.random()
        if bit:
            said.append(u > 0.75 or u <= 0.25)
        else:
            said.append((u >= 0.5) + (u < 0.25) + 2 * (0.125 < u < 0.75))
    return said


def by_walrus(x):
    return [bit if (u := random.random()) < 0.5 else u < 0.75 for bit in x]


def as_argument(x):
    def told(u, bit):
        return bit if u < 0.5 else u < 0.75

    return [told(random.random(), bit) for bit in x]


def against_a_draw(x):
    return [random.random() < (0.25 if random.random() < 0.5 else 0.5) for _ in x]


def by_bisection(x):
    return [(bisect.bisect(LEVELS, NUMPY.random()) + bit) % 4 for bit in x]


def by_inversion(x):
    said = []
    for bit in x:
        u, total = random.random(), 0.0
        for place, weight in enumerate([0.1, 0.2, 0.3, 0.4]):
            total += weight
            if u < total:
                said.append((place + bit) % 4)
                break
    return said


def between_ends(x):
    said = []
    for bit in x:
        place = random.uniform(-1, 3)
        said.append(5 if place > 2 else bit if place <= 0.5 else int(place * 2) + bit)
    return said


def moved_and_rounded(x):
    said = []
    for bit in x:
        u = 1 - np.random.rand()
        v = 4 * u - 0.5
        v += bit
        said.append((round(v), math.floor(v), int(u * 3), -v < -1))
    return said


def by_an_entry(x):
    said = []
    for place, bit in enumerate(x):
        u = random.random()
        said.append((u < 0.25 + bit / 2, u * (bit + 1) < 0.5, u == bit, u < LEVELS[bit + place]))
    return said


def chosen_by_a_draw(x):
    said = []
    for bit in x:
        u = random.random() if random.randrange(3) else 0.5
        said.append((u < 0.25, u > 0.5, bit))
    return said


def clipped(x):
    said = []
    for bit in x:
        u = min(max(random.random(), 0.25), 0.75)
        said.append(bit if u == 0.25 else u < 0.75)
    return said


def in_a_list(x):
    drawn = [random.random() for _ in x]
    return [bit if drawn[place] < 0.5 else drawn[place - 1] < 0.25 for place, bit in enumerate(x)]


def on_one_side(x):
    u = random.random()
    return [bit if u < 0.25 else 1 - bit if bit and u < 0.5 else place for place, bit in enumerate(x)]


def wide(x):
    said = []
    for bit in x:
        key = random.getrandbits(64)
        said.append(bit if key < 2**62 else key >= 3 * 2**62)
    return said


def rejected(x):
    said = []
    for bit in x:
        for _ in range(2):
            u = random.random()
            if u >= 0.25:
                break
        said.append(bit if u < 0.5 else u < 0.75)
    return said


def answered(u, bit):
    if bit and u < 0.25:
        return 2
    return int(u > 0.75)


def by_a_helper(x):
    said = []
    for bit in x:
        u = random.random()
        said.append(answered(u, bit) + answered(1 - u, 1 - bit))
    return said


def by_its_own_generators(x, rng=None):
    rng = rng or random.Random()
    counts = np.random.default_rng(7)
    other = np.random.RandomState(5)
    said = []
    for bit in x:
        u = rng.random()
        said.append(
            bit if u < 0.25 else rng.choice("ab") if u < 0.5 else int(counts.integers(2)) + (other.rand() < 0.5)
        )
    return said


class Survey:
    def __init__(self):
        self.rng = np.random.default_rng(7)

    def answers(self, x):
        said = []
        for bit in x:
            u = self.rng.random()
            said.append(bit if u < 0.75 else 1 - bit if u < 0.875 else None)
        return said


EQUAL = [
    twice,
    in_any_order,
    by_walrus,
    as_argument,
    against_a_draw,
    by_bisection,
    by_inversion,
    between_ends,
    moved_and_rounded,
    by_an_entry,
    chosen_by_a_draw,
    clipped,
    in_a_list,
    on_one_side,
    wide,
    rejected,
    by_a_helper,
    by_its_own_generators,
    Survey().answers,
]
MACHINE = [twice, by_inversion, between_ends, moved_and_rounded, by_an_entry, by_bisection]


@pytest.fixture
def in_place(monkeypatch):
    """Refuse to run a whole function, as if its domain were too large."""

    def refuse(*given):
        raise TooLarge("too large")

    monkeypatch.setattr(tracing.TracedFunction, "run", refuse)


def distributions(model):
    return [replay_distribution(model.program, x)[0] for x in [(0, 0), (0, 1), (1, 0), (1, 1)]]


@pytest.mark.parametrize(
    ("function", "machine"),
    [*[(function, False) for function in EQUAL], *[(function, True) for function in MACHINE]],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_equal_to_runs(function, machine, request):
    with taut.options(randomness="machine" if machine else "ideal"):
        ran = distributions(mechanism(function)(bits(2)))
        request.getfixturevalue("in_place")
        model = mechanism(function)(bits(2))
        assert distributions(model) == ran
    assert model.validation.runs > 0 and any(call.cells for call in model.reading.run)


@pytest.mark.parametrize("function", EQUAL, ids=lambda function: function.__name__)
def test_single_runs_agree(function):
    model = mechanism(function)(bits(2 if function is by_an_entry else 20))
    assert model.validation.runs > 0


def test_a_seed_is_said_to_be_ignored():
    reading = str(mechanism(by_its_own_generators)(bits(30)).reading)
    assert "Generator, 1 value, 0 runs (a seed, which is ignored)" in reading
    assert "RandomState, 1 value" in reading and "Random, 1 value" not in reading.replace("RandomState", "")


def with_logarithms(x):
    said = []
    for bit in x:
        v = -math.log(random.random())
        said.append(bit if v > 0.5 else v < 0.25)
    return said


def test_logarithms():
    model = mechanism(with_logarithms)(bits(30))
    assert model.validation.runs > 0
    one = mechanism(with_logarithms)(bits(1)).privacy()
    assert math.isclose(float(model.privacy().max_ratio), float(one.max_ratio))


def test_a_thousand_entries():
    model = mechanism(twice)(bits(1000))
    assert model.privacy().max_ratio == 3
    assert str(model.reading).splitlines()[1] == "kept and compared: random.random, 1000 times, 3 cells"


def two_of_them(x):
    said = []
    for _ in x:
        u, v = random.random(), random.random()
        said.append(u < v)
    return said


def returned(x):
    return [random.random() for _ in x]


def squared(x):
    said = []
    for _ in x:
        u = random.random()
        said.append(u * u < 0.5)
    return said


@pytest.mark.parametrize("function", [two_of_them, returned, squared])
def test_what_is_not_followed_is_refused(function):
    with pytest.raises(TooLarge, match="function of one entry at a time"):
        mechanism(function)(bits(200))


def test_a_wrong_cut_is_found(monkeypatch):
    from taut.languages.python.run.kept import KeptNumbers

    right = KeptNumbers._cut

    def wrong(self, kept, threshold, strict):
        place, negated = right(self, kept, threshold, strict)
        return place / 2, negated

    monkeypatch.setattr(KeptNumbers, "_cut", wrong)
    with pytest.raises(Misreading):
        mechanism(twice)(bits(30))


def test_wrong_weights_are_found(monkeypatch):
    from taut.languages.python.run.kept import KeptNumbers

    right = KeptNumbers._split

    def wrong(self, kept, cell, cuts):
        self._rows[(cell.low, *cuts, cell.high)] = (True, False), (Fraction(1, 3), Fraction(2, 3))
        right(self, kept, cell, cuts)

    monkeypatch.setattr(KeptNumbers, "_split", wrong)
    with pytest.raises(Misreading):
        mechanism(twice)(bits(30))


def test_a_wrong_side_is_found(monkeypatch):
    from taut.languages.python.run.kept import KeptNumbers

    right = KeptNumbers._compared
    monkeypatch.setattr(
        KeptNumbers, "_compared", lambda self, name, kept, other: self.terms.negate(right(self, name, kept, other))
    )
    with pytest.raises(Misreading):
        mechanism(twice)(bits(30))


def drawn_at_once(x):
    drawn, signs = NUMPY.random(len(x)), np.random.randint(0, 2, size=len(x))
    return [bit if drawn[place] < 0.5 else int(signs[place]) for place, bit in enumerate(x)]


def drawn_in_turn(x):
    said = []
    for bit, u, count in zip(x, np.random.rand(len(x)), np.random.binomial(2, 0.25, size=(len(x),))):
        said.append(bit if u < 0.25 else count if u < 0.75 else 3)
    return said


def chosen_at_once(x):
    flips = random.choices([0, 1], weights=[0.75, 0.25], k=len(x))
    moves = NUMPY.choice([0, 2, 5], size=len(x), p=[0.5, 0.25, 0.25])
    return [bit ^ flip for bit, flip in zip(x, flips)], sum(moves)


def counted_at_once(x):
    return sum(np.random.choice(2, len(x))) + sum(u < 0.25 for u in np.random.uniform(0, 1, len(x))) + sum(x)


def given_as_it_is(x):
    return NUMPY.integers(0, 3, size=len(x)), np.random.geometric(0.5, size=1)[0] > 1, x


AT_ONCE = [drawn_at_once, drawn_in_turn, chosen_at_once, counted_at_once, given_as_it_is]


@pytest.mark.parametrize("function", AT_ONCE, ids=lambda function: function.__name__)
def test_many_numbers_of_one_call_are_drawn_one_by_one(function, request):
    ran = distributions(mechanism(function)(bits(2)))
    request.getfixturevalue("in_place")
    model = mechanism(function)(bits(2))
    assert distributions(model) == ran
    assert model.validation.runs > 0


def test_a_hundred_numbers_of_one_call():
    assert mechanism(drawn_at_once)(bits(100)).privacy().max_ratio == 3
    assert mechanism(drawn_in_turn)(bits(100)).privacy().max_ratio == Fraction(7, 3)


def added_booleans(x):
    drawn = np.random.rand(len(x))
    return [bit ^ int((drawn[place] < 0.5) + (drawn[place - 1] < 0.5)) for place, bit in enumerate(x)]


def compared_as_a_whole(x):
    return np.random.rand(len(x)) < 0.5


def sliced(x):
    return [u < 0.5 for u in np.random.rand(len(x))[1:]]


@pytest.mark.parametrize("function", [added_booleans, compared_as_a_whole, sliced], ids=lambda f: f.__name__)
def test_arrays_are_not_taken_for_lists(function):
    with pytest.raises(TooLarge):
        mechanism(function)(bits(200))
