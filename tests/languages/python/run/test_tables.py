"""A function that is run has the distribution that enumeration by hand finds."""

import itertools
import math
import random
import time
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taut
from taut.languages.python.run import lazy, steps
from taut.languages.python.run.table import Runner
from taut.support.errors import RealRandomness, TautError, TooLarge, UnsupportedValue

from . import shipped
from .judge import grid_distribution


def table(function, *args, **keywords):
    runner = Runner(function, getattr(function, "__name__", "it"), 2_000, keeps_arguments=True)
    with runner.ready():
        row = runner.row(args, keywords)
    found = {outcome.value: weight for outcome, weight in zip(row.outcomes, row.weights, strict=True)}
    assert sum(row.weights) + row.remainder + row.rejected == 1
    return found, row.remainder


def exactly(function, *args, **keywords):
    found, remainder = table(function, *args, **keywords)
    assert remainder == 0
    return found


# A program is a tree: a result, a comparison of a new or the last uniform number, or a scaled number rounded down.
_CELLS = 6
_LEAVES = st.integers(0, 2).map(lambda value: ("leaf", value))
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.just("new"), st.integers(0, _CELLS), inner, inner),
        st.tuples(st.just("last"), st.integers(0, _CELLS), inner, inner),
        st.tuples(st.just("flipped"), st.integers(0, _CELLS), inner, inner),
        st.tuples(st.just("scaled"), st.sampled_from([2, 3]), inner, inner),
    ),
    max_leaves=5,
)


def run_tree(tree):
    u, total = random.random(), 0
    while tree[0] != "leaf":
        kind, number, left, right = tree
        if kind == "new":
            u = random.random()
        if kind == "scaled":
            place = int(u * number)
            total += place
            tree = left if place else right
            continue
        threshold = Fraction(number, _CELLS)
        below = 1 - u < threshold if kind == "flipped" else u < threshold
        tree = left if below else right
    return total, tree[1]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(_TREES)
def test_uniform_numbers_are_decided_as_a_grid_decides_them(tree):
    assert exactly(run_tree, tree) == grid_distribution(run_tree, (tree,), _CELLS)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.floats(0.1, 40.0),
    st.floats(-2.0, 2.0),
    st.floats(-3.0, 40.0),
    st.sampled_from([lambda v: int(v), lambda v: math.floor(v), lambda v: round(v), lambda v: math.ceil(v)]),
)
def test_machine_numbers_are_counted(factor, shift, threshold, rounding):
    bits = 64

    def program():
        u = random.random() * factor + shift
        return (u < threshold, 1 - u <= threshold, rounding(u))

    wanted = Counter()
    for k in range(bits):
        u = k / bits * factor + shift
        wanted[u < threshold, 1 - u <= threshold, rounding(u)] += Fraction(1, bits)
    before = steps.DOUBLES
    steps.DOUBLES = lazy.DOUBLES = bits
    try:
        with taut.options(randomness="machine"):
            assert exactly(program) == dict(wanted)
    finally:
        steps.DOUBLES = lazy.DOUBLES = before


def test_ideal_thresholds_are_as_typed_and_those_of_the_machine_are_doubles():
    def program():
        return random.random() < 0.1

    assert exactly(program)[True] == Fraction(1, 10)
    with taut.options(randomness="machine"):
        below = sum(1 for _ in ()) + math.ceil(Fraction(0.1) * 2**53)
        assert exactly(program)[True] == Fraction(below, 2**53)


def test_real_random_calls():
    assert exactly(shipped.warner, 1) == {1: Fraction(3, 4), 0: Fraction(1, 4)}
    assert exactly(shipped.inverse, 0) == {0: Fraction(1, 5), 1: Fraction(3, 10), 2: Fraction(1, 2)}
    assert exactly(shipped.scaled, 0) == {
        -3: Fraction(1, 6),
        -2: Fraction(1, 6),
        -1: Fraction(1, 6),
        0: Fraction(1, 8),
        1: Fraction(1, 24) + 0,
        2: Fraction(1, 6),
        3: Fraction(1, 6),
    }
    assert exactly(shipped.unary, 0)[1, 0, 0] == Fraction(27, 64)
    assert exactly(shipped.vectorised, (0, 1))[0, 1] == Fraction(9, 16)


def test_shuffles_and_samples_are_uniform():
    def shuffled():
        x = [1, 2, 3]
        random.shuffle(x)
        return tuple(x)

    assert exactly(shuffled) == dict.fromkeys(itertools.permutations([1, 2, 3]), Fraction(1, 6))
    assert exactly(lambda: tuple(random.sample("abc", 2))) == dict.fromkeys(
        itertools.permutations("abc", 2), Fraction(1, 6)
    )
    assert exactly(lambda: random.choices([1, 2], [1, 3])[0]) == {1: Fraction(1, 4), 2: Fraction(3, 4)}


def test_loops_whose_state_repeats_are_exact():
    assert exactly(shipped.dice) == dict.fromkeys(range(1, 7), Fraction(1, 6))
    found = exactly(shipped.rejection)
    count = Fraction(10**19)
    assert found == {r: (count // 7 + (r < count % 7)) / count for r in range(7)}


def test_loops_without_end_leave_a_remainder():
    found, remainder = table(shipped.counting)
    assert 0 < remainder <= Fraction(1, 2**100)
    assert all(found[k] == Fraction(1, 2 ** (k + 1)) for k in range(40))


def test_a_sampler_of_the_discrete_laplace_distribution():
    found, remainder = table(shipped.discrete_laplace, 0)
    ratio = taut.exp(-1)
    for z in range(-5, 6):
        wanted = (1 - ratio) / (1 + ratio) * ratio ** abs(z)
        assert wanted.lower - found[z] >= -Fraction(1, 10**60)
        assert wanted.upper - found[z] <= remainder + Fraction(1, 10**60)
    assert remainder <= Fraction(1, 2**100)


def test_what_is_run_must_not_remember():
    with pytest.raises(UnsupportedValue, match="changes .*defaults of remembered"):
        table(shipped.remembered, 1)


@pytest.mark.parametrize("way", shipped.HIDDEN)
def test_what_is_run_must_not_remember_through_something_that_it_holds(way):
    shipped.ASKED.clear()
    with pytest.raises(UnsupportedValue, match="changes .*'ASKED'"):
        table(shipped.HIDDEN[way], 1)


def test_what_is_run_must_not_make_a_global():
    with pytest.raises(UnsupportedValue, match="changes 'made_by_first_run'"):
        table(shipped.sticky, 1)
    assert not hasattr(shipped, "made_by_first_run") or delattr(shipped, "made_by_first_run") is None


def test_what_is_run_must_not_change_its_arguments():
    def grows(items):
        items.append(random.randrange(2))
        return len(items)

    with pytest.raises(UnsupportedValue, match="changes what it is given"):
        table(grows, [1])


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda: time.time(), RealRandomness, "time.time"),
        (lambda: random.gauss(0, 1), RealRandomness, "taut.discrete_gaussian"),
        (lambda: random.random(), UnsupportedValue, "itself part of what is returned"),
        (lambda: random.random() * random.random() < 0.5, UnsupportedValue, "another random real number"),
        (lambda: random.getrandbits(64), TooLarge, "18446744073709551616 values"),
        (lambda: [random.random() < 0.5 for _ in range(20)], TooLarge, "max_runs=2000"),
        (lambda: object(), UnsupportedValue, "returns a object"),
    ],
)
def test_what_has_no_exact_distribution_is_refused_in_words(function, error, words):
    with pytest.raises(error, match=words):
        table(function)


def test_a_loop_that_never_ends_is_refused():
    def never():
        while True:
            if random.randrange(2) > 5:
                return 1

    with pytest.raises(TautError, match="never ends"):
        table(never)


def test_sources_are_themselves_again_afterwards():
    before = random.random, random.Random.choice, random.SystemRandom.random, math.log
    table(shipped.warner, 1)
    assert before == (random.random, random.Random.choice, random.SystemRandom.random, math.log)
    assert isinstance(random.random(), float)
    assert isinstance(shipped.bernoulli(Fraction(1, 2), random), int)


def test_objects_that_change_while_a_function_runs():
    assert exactly(shipped.tallied, 0) == {0: Fraction(3, 8), 1: Fraction(1, 2), 2: Fraction(1, 8)}
    assert exactly(shipped.Buffered().randomise, 1) == {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}
    assert exactly(shipped.counted) == {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}
