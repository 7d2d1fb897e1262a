"""Shuffling, composition and subsampling: against sums over clients, runs and samples, with Fractions and ``==``."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.native import geometric_outcomes

import taut
from taut import bits, categories, flip, ints, mechanism
from taut.mechanisms import (
    above_threshold,
    composed,
    geometric_count,
    k_ary_randomized_response,
    randomized_response,
    resolve,
    shuffled,
    subsampled,
)

Row = dict[Any, Fraction]
lams = st.fractions(Fraction(1, 20), Fraction(1, 2), max_denominator=20)


def k_ary(value: int, k: int, lam: Fraction) -> Row:
    return {report: 1 - lam if report == value else lam / (k - 1) for report in range(k)}


def unary(one: Fraction, zero: Fraction) -> Callable[[int, int], Row]:
    """Each of k bits is set by itself: with probability ``one`` at the client's value, ``zero`` elsewhere."""

    def row(value: int, k: int) -> Row:
        found = {}
        for report in itertools.product((False, True), repeat=k):
            mass = Fraction(1)
            for place, bit in enumerate(report):
                p = one if place == value else zero
                mass *= p if bit else 1 - p
            found[report] = mass
        return found

    return row


def histogram(rows: Sequence[Row]) -> Row:
    """The counts of all reports, in their order: a sum over what every client sends."""
    reports = sorted({report for row in rows for report in row})
    found: Row = Counter()
    for sent in itertools.product(*[row.items() for row in rows]):
        mass = Fraction(1)
        for _, p in sent:
            mass *= p
        found[tuple(sum(report == r for r, _ in sent) for report in reports)] += mass
    return {counts: mass for counts, mass in found.items() if mass}


def ratio_between(a: Row, b: Row) -> Any:
    return max(p / b[y] if b.get(y) else taut.INFINITY for y, p in a.items() if p)


# -- shuffled --------------------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(n=st.integers(1, 3), k=st.integers(2, 3), lam=lams)
def test_shuffled_k_ary_response_is_the_sum_over_clients(n: int, k: int, lam: Fraction) -> None:
    model = shuffled(ints(n, 0, k - 1), local="k_ary_randomized_response", k=k, lam=lam)
    truth = {x: histogram([k_ary(value, k, lam) for value in x]) for x in model.domain}
    assert all(model.distribution(x) == truth[x] for x in model.domain)
    pairs = [(x, z) for x in truth for z in truth if sum(a != b for a, b in zip(x, z, strict=True)) == 1]
    assert model.privacy().max_ratio == max(ratio_between(truth[x], truth[z]) for x, z in pairs)
    for ratio in (1, Fraction(3, 2)):
        sticks = [sum(max(0, p - ratio * truth[z].get(y, 0)) for y, p in truth[x].items()) for x, z in pairs]
        assert model.delta(ratio=ratio).delta == max(sticks)
    assert model.privacy().verify()


@settings(max_examples=6)
@given(lam=lams)
@pytest.mark.parametrize(
    ("local", "named", "row"),
    [
        ("symmetric_unary_encoding", "lam", lambda lam: unary(1 - lam, lam)),
        ("optimised_unary_encoding", "lam", lambda lam: unary(Fraction(1, 2), lam)),
        ("one_time_rappor", "f", lambda f: unary(1 - f / 2, f / 2)),
    ],
)
def test_shuffled_encodings_are_the_sum_over_clients(local: str, named: str, row: Any, lam: Fraction) -> None:
    model = shuffled(ints(2, 0, 1), local=local, k=2, **{named: lam})
    for x in model.domain:
        assert model.distribution(x) == histogram([row(lam)(value, 2) for value in x])


def test_any_function_of_a_value_can_be_shuffled() -> None:
    def shy(answer: Any, p: Any) -> Any:
        return discrete_answer(answer) if flip(p) else None

    def discrete_answer(answer: Any) -> Any:
        return answer

    def row(answer: str) -> Row:
        return {answer: Fraction(1, 3), None: Fraction(2, 3)}

    with pytest.raises(taut.TautError, match="helper"):  # it branches on a random value, and is not marked
        mechanism(lambda x: shy(x[0], "1/3"))(categories(1, "ab"))
    model = shuffled(categories(3, "ab"), local=shy, p="1/3")
    order = [None, "a", "b"]
    for x in model.domain:
        found: Row = Counter()
        for sent in itertools.product(*[row(answer).items() for answer in x]):
            counts = tuple(sum(report == r for r, _ in sent) for report in order)
            found[counts] += Fraction(1, 3) ** sum(r is not None for r, _ in sent) * Fraction(2, 3) ** counts[0]
        assert model.distribution(x) == found
    chosen = shuffled(categories(3, "ab"), local=shy, reports=["b", None, "a"], p="1/3")
    assert chosen.distribution(("a", "a", "b")) == {
        (counts[2], counts[0], counts[1]): p for counts, p in model.distribution(("a", "a", "b")).items()
    }


def test_shuffling_is_a_name_a_mechanism_or_a_function() -> None:
    by_name = shuffled(bits(2), local="rr", lam="1/5")
    itself = shuffled(bits(2), local=randomized_response, lam="1/5")
    function = shuffled(bits(2), local=lambda bit: bit ^ flip("1/5"))
    parameter = shuffled(bits(2), lambda bit, p: bit ^ flip(p), p=0.2)
    rows = [model.distribution((0, 1)) for model in (by_name, itself, function, parameter)]
    assert (
        rows[0]
        == rows[1]
        == rows[2]
        == rows[3]
        == histogram([k_ary(0, 2, Fraction(1, 5)), k_ary(1, 2, Fraction(1, 5))])
    )


def test_sixty_clients_and_twenty_with_three_values_stay_small() -> None:
    """Counts are accumulated: a diagram of a few thousand nodes, and exact masses of sums of two binomials."""
    n, lam = 60, Fraction(1, 4)
    model = shuffled(bits(n), local="randomized_response", lam=lam)
    assert model.size < 10_000
    ones = 20
    found = model.distribution((1,) * ones + (0,) * (n - ones))
    for y in (0, 7, 30, 60):
        expected = sum(
            Fraction(comb(ones, a)) * (1 - lam) ** a * lam ** (ones - a)
            * comb(n - ones, y - a) * lam ** (y - a) * (1 - lam) ** (n - ones - y + a)
            for a in range(max(0, y - n + ones), min(y, ones) + 1)
        )  # fmt: skip
        assert found[n - y, y] == expected
    wide = shuffled(ints(20, 0, 2), local="k_ary", k=3, lam="1/4")
    assert wide.size < 10_000
    assert wide.probability((0,) * 20, (20, 0, 0)) == Fraction(3, 4) ** 20
    assert wide.probability((0,) * 20, (18, 1, 1)) == 20 * 19 * Fraction(3, 4) ** 18 * Fraction(1, 8) ** 2


def test_a_run_with_data_has_the_same_histogram() -> None:
    assert sum(shuffled((0, 1, 2, 2), local="k_ary", k=3, lam="1/3")) == 4
    assert shuffled((0, 1, 1), local="rr", lam=0) == (1, 2)
    assert shuffled(("a", "b"), local=lambda v: v, reports=["a", "b", "c"]) == (1, 1, 0)


# -- composed --------------------------------------------------------------------------------------------------------


@settings(max_examples=10)
@given(n=st.integers(1, 2), runs=st.integers(1, 3), ratio=st.fractions(0, Fraction(9, 10), max_denominator=10))
def test_composed_runs_are_independent(n: int, runs: int, ratio: Fraction) -> None:
    model = composed(bits(n), mechanism=geometric_count, runs=runs, ratio=ratio)
    for x in model.domain:
        row = geometric_outcomes(sum(x), ratio, 0, n)
        expected: Row = {}
        for outcome in itertools.product(row, repeat=runs):
            mass = Fraction(1)
            for _, p in outcome:
                mass *= p
            expected[tuple(y for y, _ in outcome)] = mass
        assert model.distribution(x) == expected
    one = geometric_count(bits(n), ratio=ratio).privacy().max_ratio
    assert model.privacy().max_ratio == one**runs


def test_the_relation_is_that_of_what_is_run() -> None:
    settings_ = {"threshold": 1, "ratio": "1/2", "high": 1}
    twice = composed(ints(2, 0, 1), mechanism="above_threshold", runs=2, **settings_).privacy()
    once = above_threshold(ints(2, 0, 1), **settings_).privacy()
    assert twice.neighbors == once.neighbors == "all_step" and twice.max_ratio == once.max_ratio**2

    @mechanism(neighbors="one_step")
    def own(x: Any) -> Any:
        return [value if flip("1/3") else 0 for value in x]

    assert composed(ints(1, 0, 2), own, 2).privacy().neighbors == "one_step"
    assert composed(bits(1), lambda x: x[0] ^ flip("1/3"), 2).privacy().neighbors == "one_differ"


def test_a_wrapper_may_stand_inside_a_mechanism() -> None:
    @mechanism
    def both(x: Any) -> Any:
        return composed(x, geometric_count, 2, ratio=Fraction(1, 2)), subsampled(
            x, geometric_count, 0, "1/3", ratio="1/2"
        )

    model = both(bits(2))
    twice = composed(bits(2), geometric_count, 2, ratio="1/2").distribution((0, 1))
    sample = subsampled(bits(2), geometric_count, 0, "1/3", ratio="1/2").distribution((0, 1))
    assert model.distribution((0, 1)) == {(a, b): p * q for a, p in twice.items() for b, q in sample.items()}
    inner = composed(bits(2), lambda x: subsampled(x, geometric_count, 0, Fraction(1, 3), ratio=Fraction(1, 2)), 2)
    assert inner.distribution((0, 1)) == {(a, b): p * q for a, p in sample.items() for b, q in sample.items()}


# -- subsampled ------------------------------------------------------------------------------------------------------


def mixture(x: Sequence[int], chance: Callable[[int], Fraction], ratio: Fraction, dropped: bool) -> Row:
    """The noisy count of a sample: a sum over all subsets of places, each with its chance by its size."""
    found: Row = Counter()
    for kept in itertools.product((False, True), repeat=len(x)):
        total = sum(value for value, keep in zip(x, kept, strict=True) if keep)
        for y, p in geometric_outcomes(total, ratio, 0, sum(kept) if dropped else len(x)):
            found[y] += chance(sum(kept)) * p
    return {y: p for y, p in found.items() if p}


@settings(max_examples=12)
@given(
    n=st.integers(1, 3),
    rate=st.fractions(0, 1, max_denominator=7),
    ratio=st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9),
    dropped=st.booleans(),
)
def test_sampling_by_rate_is_the_sum_over_samples(n: int, rate: Fraction, ratio: Fraction, dropped: bool) -> None:
    model = subsampled(bits(n), mechanism="geometric_count", absent="dropped" if dropped else 0, rate=rate, ratio=ratio)
    for x in model.domain:
        expected = mixture(x, lambda size: rate**size * (1 - rate) ** (n - size), ratio, dropped)
        assert model.distribution(x) == expected
    if not dropped:  # Balle, Barthe and Gaboardi 2018: attained, since changed records are the only difference
        assert model.privacy().max_ratio == 1 + rate * (1 / ratio - 1)


@settings(max_examples=12)
@given(n=st.integers(1, 4), size=st.integers(0, 4), dropped=st.booleans())
def test_sampling_by_size_is_the_sum_over_samples_of_that_size(n: int, size: int, dropped: bool) -> None:
    size, ratio = min(size, n), Fraction(1, 3)
    model = subsampled(bits(n), geometric_count, "dropped" if dropped else 0, size=size, ratio=ratio)
    for x in model.domain:
        expected = mixture(x, lambda kept: Fraction(kept == size, comb(n, size)), ratio, dropped)
        assert model.distribution(x) == expected
    assert model.privacy().max_ratio == 1 + Fraction(size, n) * (1 / ratio - 1)


def test_samples_keep_their_order_and_may_be_empty() -> None:
    model = subsampled(ints(3, 1, 3), lambda x: x, "dropped", size=2)
    assert model.distribution((1, 2, 3)) == dict.fromkeys([(1, 2), (1, 3), (2, 3)], Fraction(1, 3))
    none = subsampled(ints(2, 1, 2), lambda x: x, absent=None, rate="1/3").distribution((1, 2))
    assert none == {
        (None, None): Fraction(4, 9),
        (1, None): Fraction(2, 9),
        (None, 2): Fraction(2, 9),
        (1, 2): Fraction(1, 9),
    }
    assert subsampled((1, 1, 0), geometric_count, "dropped", size=2, ratio=0) in (1, 2)


def test_sixteen_records_stay_small() -> None:
    """Records are read as they are sampled, so that the diagram remembers a count and not who took part."""
    assert subsampled(bits(16), geometric_count, 0, ratio="1/2").size < 1_000
    assert subsampled(bits(10), geometric_count, "dropped", ratio="1/2").size < 1_000
    assert subsampled(bits(16), geometric_count, "dropped", size=3, ratio="1/2").size < 1_000


# -- arguments ------------------------------------------------------------------------------------------------------


def test_misuse_in_python() -> None:
    with pytest.raises(taut.MechanismError, match="inside another mechanism needs reports"):
        mechanism(lambda x: shuffled(x, local=lambda bit: bit ^ flip("1/3")))(bits(2))
    within = mechanism(lambda x: shuffled(x, local=lambda bit: bit ^ flip("1/3"), reports=[0, 1]))(bits(2))
    assert within.distribution((0, 1)) == shuffled(bits(2), local="rr", lam="1/3").distribution((0, 1))
    with pytest.raises(taut.WrongArguments, match="reports must be given"):
        shuffled((0, 1), local=lambda bit: bit)
    with pytest.raises(taut.WrongArguments, match="'lam' is not given"):
        shuffled(bits(2), local="rr")
    with pytest.raises(taut.WrongArguments, match="'absent' is not given"):
        subsampled(bits(2), geometric_count, rate="1/2", ratio="1/2")
    with pytest.raises(taut.TooLarge, match="8192 different reports or more; at most 4096"):
        shuffled(ints(1, 0, 12), local="symmetric_unary_encoding", k=13, lam="1/4")


def test_defaults_are_those_of_what_is_run() -> None:
    entry = resolve("composed")
    assert str(entry.model().domain) == "bits(4)"
    assert str(entry.model(mechanism="k_ary").domain) == "ints(3, 0, 2)"
    assert str(entry.model(2, mechanism="k_ary", k=2).domain) == "ints(2, 0, 1)"
    x = (0, 1)
    one = k_ary_randomized_response(ints(2, 0, 1), k=2, lam="1/2").distribution(x)
    assert entry.model(2, mechanism="k_ary", k=2, runs=1).distribution(x) == {(y,): p for y, p in one.items()}
