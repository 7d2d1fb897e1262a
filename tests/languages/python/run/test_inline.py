"""Draws in place, in functions of too many entries to be run: the same answers as by running all of it."""

import random
import secrets

import numpy as np
import pytest

import taut
from taut import bits, flip, mechanism
from taut.languages.python import tracing
from taut.program import replay_distribution
from taut.support.errors import Misreading, TooLarge

RNG = random.Random(7)
NUMPY = np.random.default_rng(3)
THRESHOLDS = [0.25, 0.75, 1.0]


def by_entry(x):
    return [bit if random.random() < 0.75 else 1 - bit for bit in x]


def summed(x):
    return sum(bit if RNG.random() < 0.75 else random.randrange(2) for bit in x)


def with_numpy(x):
    return [bit ^ (np.random.rand() < 0.25) for bit in x], sum(bit ^ NUMPY.integers(2) for bit in x)


def whole_numbers(x):
    return [(bit + secrets.randbelow(3)) % 3 if random.randint(0, 1) else random.choice([0, 1, 5]) for bit in x]


def by_threshold(x):
    return [random.random() < THRESHOLDS[bit + (place > 0)] for place, bit in enumerate(x)]


def on_a_random_threshold(x):
    return [random.random() < (0.25 if bit else 0.5) and bit == x[0] for bit in x]


def short_circuits(x):
    said = []
    for bit in x:
        if bit and random.random() < 0.5 or random.random() < 0.25:
            said.append(1)
        elif not (random.random() < 0.5 or bit):
            said.append(2)
    return said


def in_conditions(x):
    total = 0
    for bit in x:
        total += (1 if RNG.random() < 0.5 else 2) if bit else (3 if NUMPY.random() >= 0.75 else 4)
    return total


def nested(x):
    def noisy(bit, keep=0.75):
        return bit if random.random() < keep else 1 - bit

    return [noisy(bit) + noisy(bit, 0.5) for bit in x]


def by_generator(x):
    def said():
        for bit in x:
            yield bit if random.random() < 0.75 else random.randrange(3)

    return sum(said())


def defaults(x, keep=0.75, draw=random.random):
    return [bit if draw() < keep else 1 - bit for bit in x]


def with_walrus(x):
    return [bit if (lucky := random.random() < 0.75) else 5 + lucky for bit in x]


def two_in_one(x):
    return [bit if random.random() < random.random() else random.random() + random.random() < 1.5 for bit in x]


def between(x):
    return [bit if 0.25 < random.random() < 0.75 else 1 - bit for bit in x]


def scaled(x):
    return [bit + int(random.random() * 4) - (round(2 * random.random()) == 1) for bit in x]


def many_values(x):
    return [bit if random.getrandbits(64) < 2**62 else random.randrange(100) < 50 for bit in x]


def to_a_helper(x):
    def told(value, bit):
        return value + bit

    return [told(random.randrange(3), bit) + told(random.random() < 0.25, bit) for bit in x]


def until(x):
    for place, bit in enumerate(x):
        if bit and random.random() < 0.5:
            return place
        if any(random.random() < 0.25 for _ in range(2)):
            break
    return -1


def with_flips(x):
    return [bit ^ flip("1/4") if random.random() < 0.75 else 1 - bit for bit in x]


def never_and_always(x):
    return [bit if random.random() < 1 else 1 - bit for bit in x], [random.random() < 0 or bit for bit in x]


def list_helper(x):
    return by_entry(x)[0] + summed(x)


class Survey:
    def __init__(self):
        self.keep, self.rng = 0.75, np.random.default_rng(7)

    def answers(self, x):
        said = []
        for bit in x:
            said.append(bit if self.rng.random() < self.keep else 1 - bit)
        return said


EQUAL = [
    by_entry,
    summed,
    with_numpy,
    whole_numbers,
    by_threshold,
    on_a_random_threshold,
    short_circuits,
    in_conditions,
    nested,
    by_generator,
    defaults,
    with_walrus,
    two_in_one,
    between,
    scaled,
    many_values,
    to_a_helper,
    until,
    with_flips,
    never_and_always,
    Survey().answers,
    list_helper,
]


@pytest.fixture
def in_place(monkeypatch):
    """Refuse to run a whole function, as if its domain were too large; run no helper on a whole list."""

    def refuse(*given):
        raise TooLarge("too large")

    monkeypatch.setattr(tracing.TracedFunction, "run", refuse)


def distributions(model):
    return [replay_distribution(model.program, x)[0] for x in [(0, 0), (0, 1), (1, 0), (1, 1)]]


MACHINE = (by_entry, summed, scaled, between)


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
    assert model.validation.runs > 0


def returned(x):
    return [random.random() for _ in x]


def test_a_number_that_is_returned_is_refused():
    wanted = r"function of one entry at a time.* It is not read because of test_inline\.py:\d+:\d+: a mechanism returns"
    with pytest.raises(TooLarge, match=wanted):
        mechanism(returned)(bits(200))


def test_small_domains_are_run():
    model = mechanism(by_entry)(bits(3))
    assert not model.reading.read
    assert [call.inline for call in model.reading.run] == [False]


def test_many_entries():
    model = mechanism(by_entry)(bits(40))
    assert str(model.reading).splitlines()[1] == (
        "drawn in place: random.random() < 0.75, 1 value, 3 runs (random.random)"
    )
    assert model.validation.runs > 0 and not model.validation.conclusive
    assert model.privacy().max_ratio == 3


def test_a_thousand_entries():
    with taut.options(validate="off"):
        assert mechanism(summed)(bits(1000)).privacy().max_ratio == 7


def test_witness_is_replayed_by_samples():
    found = mechanism(by_entry)(bits(24)).privacy().verify()
    assert found.holds and found.method == "function, sampled"


@pytest.mark.parametrize("function", EQUAL[::4], ids=lambda function: function.__name__)
def test_runs_of_many_entries_agree(function):
    model = mechanism(function)(bits(24))
    assert model.validation.runs > 0 or not any(call.inline for call in model.reading.run)


def test_a_wrong_reading_is_found(monkeypatch):
    from taut.languages.python.run import calls

    right = calls.Runs._draw

    def wrong(self, function, *given):
        value = right(self, function, *given)
        return self.reader.operators.negated(value) if calls.is_inline(function) else value

    monkeypatch.setattr(calls.Runs, "_draw", wrong)
    with pytest.raises(Misreading):
        mechanism(by_entry)(bits(24))


def test_wrong_weights_are_found(monkeypatch):
    from taut.languages.python.run.inline import InlineDraws

    right = InlineDraws._function

    def wrong(self, node, body, skeleton):
        node.comparators[0].value = body.comparators[0].value = 0.5
        return right(self, node, body, skeleton)

    def lonely(x):
        return [bit if random.random() < 0.75 else 1 - bit for bit in x]

    monkeypatch.setattr(InlineDraws, "_function", wrong)
    with pytest.raises(Misreading):
        mechanism(lonely)(bits(24))


@pytest.mark.parametrize("count", [9, 12])
def test_domains_that_could_be_listed_are_read_where_runs_are_many(count):
    """2^9 inputs with 3^9 runs each are far more work than nine entries; what draws is listed once, not by entry."""
    with taut.options(validate="off"):
        model = mechanism(summed)(bits(count))
    listed = [(call.name, call.values, call.inline) for call in model.reading.run]
    assert listed == [("RNG.random() < 0.75", 1, True), ("random.randrange(2)", 1, True)]
    assert model.privacy().max_ratio == 7
