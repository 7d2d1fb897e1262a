"""Hadamard response, PATE's vote and propose-test-release, against their definitions, with Fractions and ``==``."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.native import geometric_outcomes

import taut
from taut import exp, ints
from taut.mechanisms import hadamard_response, pate_vote, propose_test_release, resolve

Database = tuple[int, ...]
ratios = st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10)


def neighbours(x: Database, k: int) -> list[Database]:
    return [(*x[:i], value, *x[i + 1 :]) for i in range(len(x)) for value in range(k) if value != x[i]]


def delta(p: dict[Any, Fraction], q: dict[Any, Fraction], ratio: Fraction) -> Fraction:
    """The hockey-stick divergence at e^eps = ratio."""
    return sum((max(Fraction(0), mass - ratio * q.get(y, Fraction(0))) for y, mass in p.items()), Fraction(0))


# -- Hadamard response -----------------------------------------------------------------------------------------------


def hadamard(size: int) -> list[list[int]]:
    """Sylvester's construction."""
    if size == 1:
        return [[1]]
    smaller = hadamard(size // 2)
    return [row + row for row in smaller] + [row + [-entry for entry in row] for row in smaller]


@settings(max_examples=15)
@given(k=st.integers(1, 9), lam=st.fractions(Fraction(1, 20), Fraction(1, 2), max_denominator=20))
def test_hadamard_response_is_its_matrix(k: int, lam: Fraction) -> None:
    columns = next(size for size in (2, 4, 8, 16) if size > k)
    matrix = hadamard(columns)
    model = hadamard_response(ints(1, 0, k - 1), k=k, lam=lam)
    for value in range(k):
        row = model.distribution((value,))
        assert row == {
            (y,): (1 - lam if matrix[value + 1][y] == 1 else lam) * Fraction(2, columns) for y in range(columns)
        }
        for other in range(k):  # what makes frequencies easy to estimate (Acharya, Sun and Zhang 2019, section 4)
            hit = sum(p for (y,), p in row.items() if matrix[other + 1][y] == 1)
            assert hit == (1 - lam if other == value else Fraction(1, 2))
    if k > 1:
        assert model.privacy().max_ratio == (1 - lam) / lam


def test_hadamard_clients_are_independent() -> None:
    one = hadamard_response(ints(1, 0, 2), k=3, lam="1/4")
    two = hadamard_response(ints(2, 0, 2), k=3, lam="1/4")
    a, b = one.distribution((0,)), one.distribution((2,))
    assert two.distribution((0, 2)) == {y + z: p * q for y, p in a.items() for z, q in b.items()}


# -- PATE ------------------------------------------------------------------------------------------------------------


def vote(x: Database, k: int, ratio: Fraction) -> dict[int, Fraction]:
    found: dict[int, Fraction] = Counter()
    rows = [geometric_outcomes(x.count(label), ratio, 0, len(x)) for label in range(k)]
    for outcome in itertools.product(*rows):
        counts = [count for count, _ in outcome]
        mass = Fraction(1)
        for _, p in outcome:
            mass *= p
        found[counts.index(max(counts))] += mass
    return dict(found)


@settings(max_examples=10)
@given(n=st.integers(1, 3), k=st.integers(1, 3), ratio=ratios)
def test_the_vote_is_the_noisy_largest_count(n: int, k: int, ratio: Fraction) -> None:
    model = pate_vote(ints(n, 0, k - 1), k=k, ratio=ratio)
    truth = {x: vote(x, k, ratio) for x in model.domain}
    assert all(model.distribution(x) == truth[x] for x in truth)
    if k > 1:
        worst = max(p / truth[z][y] for x in truth for z in neighbours(x, k) for y, p in truth[x].items())
        assert model.privacy().max_ratio == worst <= ratio**-2


def test_laplace_noise_is_a_ratio_with_exp() -> None:
    bound = pate_vote(ints(2, 0, 1), k=2, ratio=exp("-1/2")).privacy()
    assert isinstance(bound.max_ratio, taut.Ball)
    assert bound.max_ratio.lower <= exp(1).upper and bound.max_ratio.radius < Fraction(1, 10**70)
    assert bound.verify()


# -- propose-test-release ----------------------------------------------------------------------------------------------


def mode(x: Database, k: int) -> int:
    return max(range(k), key=lambda value: (x.count(value), -value))


def stability(x: Database, k: int) -> int:
    """Count, by trying all reachable databases, how many records can change without changing the mode."""
    reached, steps = {x}, 0
    while True:
        reached |= {z for y in reached for z in neighbours(y, k)}
        if any(mode(z, k) != mode(x, k) for z in reached):
            return steps
        steps += 1


@pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 3), (3, 2), (3, 3), (4, 3), (5, 2)])
def test_the_answer_is_released_where_the_noisy_distance_passes(n: int, k: int) -> None:
    ratio, threshold = Fraction(1, 3), 1
    model = propose_test_release(ints(n, 0, k - 1), k=k, ratio=ratio, threshold=threshold)
    for x in model.domain:
        passes = sum(p for z, p in geometric_outcomes(stability(x, k), ratio, 0, n) if z >= threshold)
        assert model.distribution(x) == {mode(x, k): passes, None: 1 - passes}


@settings(max_examples=10)
@given(ratio=ratios, threshold=st.integers(1, 3))
def test_epsilon_and_delta_are_those_of_the_theorem(ratio: Fraction, threshold: int) -> None:
    """Dwork and Lei 2009: with e^eps = 1/ratio the delta is the chance that a database at distance 0 passes."""
    n, k = 3, 2
    model = propose_test_release(ints(n, 0, k - 1), k=k, ratio=ratio, threshold=threshold)
    rows = {x: model.distribution(x) for x in model.domain}
    worst = max(delta(rows[x], rows[z], 1 / ratio) for x in rows for z in neighbours(x, k))
    assert model.delta(ratio=1 / ratio).delta == worst == ratio**threshold / (1 + ratio)
    assert model.privacy().max_ratio == taut.INFINITY


@pytest.mark.parametrize(
    ("name", "given_", "said"),
    [
        ("hadamard_response", {"lam": 2}, "hadamard_response: lam must be a probability"),
        ("hadamard_response", {"k": 0}, "k must be a whole number from 1"),
        ("hadamard_response", {"x": ints(1, 0, 5), "k": 3}, "x="),
        ("pate_vote", {"ratio": 1}, "ratio must be a number from 0 to 1"),
        ("pate_vote", {"k": "many"}, "k must be a whole number"),
        ("propose_test_release", {"k": 1}, "k must be a whole number from 2"),
        ("propose_test_release", {"ratio": "-1/2"}, "ratio must be a number from 0 to 1"),
        ("propose_test_release", {"threshold": "high"}, "threshold must be a whole number"),
    ],
)
def test_misuse_is_refused(name: str, given_: dict[str, Any], said: str) -> None:
    with pytest.raises(taut.TautError, match=said):
        resolve(name).model(**given_)
