"""The walk over what pairs of inputs choose finds the largest product over all pairs, and a pair that has it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.mechanisms import asked_from

from taut import INFINITY, bits, discrete, exponential, geometric, ints, mechanism
from taut.mechanisms import above_threshold, histogram
from taut.program.enumerator import evaluate
from taut.synthesis.terms.chosen_rows import Choice
from taut.synthesis.terms.solver import revealed_draws


@mechanism
def drawn_by(x: Any, tables: Any, plans: Any) -> Any:
    """One draw per plan: its distribution depends on a weighted sum of some entries, modulo the number of rows."""
    return [
        discrete(table[sum(weight * x[entry] for entry, weight in plan) % len(table)])
        for table, plan in zip(tables, plans, strict=True)
    ]


@mechanism
def plurality(x: Any, k: Any, base: Any) -> Any:
    counts = [0] * k
    for value in x:
        counts[value] += 1
    return exponential(counts, base)


@mechanism
def clamped(x: Any) -> Any:
    """Two sums, of which the second is known when some entries are still to come."""
    return geometric(min(2, x[0] + x[1] + x[2]), "1/2", 0, 2), geometric(max(x[0], x[1]), "1/3", 0, 2)


def _asked(model: Any, neighbors: str) -> Any:
    return revealed_draws(model.program, model.neighbors(neighbors).automaton(model.space))


def _rows(model: Any, x: Any, draws: int) -> list[dict[Any, Fraction]]:
    """The distribution of every item of the output, one by one."""
    found = model.distribution(x)
    return [
        {value: sum(mass for y, mass in found.items() if y[place] == value) for value in {y[place] for y in found}}
        for place in range(draws)
    ]


def _product(own: list[dict[Any, Fraction]], other: list[dict[Any, Fraction]]) -> Any:
    if any(value not in other[place] for place, row in enumerate(own) for value in row):
        return INFINITY
    return math.prod(max(mass / other[place][value] for value, mass in row.items()) for place, row in enumerate(own))


rows = st.lists(st.integers(1, 4), min_size=3, max_size=3).map(
    lambda row: [Fraction(weight, sum(row)) for weight in row]
)
sparse = st.lists(st.integers(0, 3), min_size=2, max_size=2).filter(any)
rows |= sparse.map(lambda row: [Fraction(weight, sum(row)) for weight in row] + [Fraction(0)])
tables = st.lists(st.lists(rows, min_size=2, max_size=4), min_size=1, max_size=3)
plans = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), min_size=1, max_size=3)


entries = st.tuples(*[st.integers(0, 2)] * 3)
relations = st.sampled_from(["one_differ", "one_step", "all_step"])
relations |= st.sampled_from([lambda x, other: x != other, lambda x, other: sum(x) <= sum(other)])
relations |= st.lists(st.tuples(entries, entries).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=6)


@settings(max_examples=40)
@given(tables, st.lists(plans, min_size=3, max_size=3), relations)
def test_on_random_choices_the_largest_product_is_that_of_all_pairs(
    given_tables: list[Any], given_plans: list[Any], neighbors: Any
) -> None:
    model = drawn_by(ints(3, 0, 2), tables=given_tables, plans=given_plans[: len(given_tables)])
    if not model.program.coins:
        return
    automaton = model.neighbors(neighbors).automaton(model.space)
    known = {x: _rows(model, x, len(given_tables)) for x in model.domain}
    expected = max(
        _product(known[x], known[model.space.at(other)])
        for x in model.domain
        for other in automaton.neighbors(model.space.positions(x))
    )
    found = revealed_draws(model.program, automaton)
    assert found.limit == expected
    if found.worst is not None:
        x, x_prime = (model.space.at(positions) for positions in found.worst.pair)
        assert automaton.related(*found.worst.pair) and _product(known[x], known[x_prime]) == expected


@pytest.mark.parametrize(
    ("model", "neighbors"),
    [
        (clamped(ints(3, 0, 2)), "one_differ"),
        (clamped(ints(3, 0, 2)), "all_step"),
        (plurality(ints(4, 0, 2), k=3, base=3), "one_differ"),
        (histogram(ints(4, 0, 2), k=3, ratio="1/3"), "one_differ"),
    ],
    ids=str,
)
def test_the_draws_of_the_worst_pair_give_an_output_that_tells_as_much(model: Any, neighbors: str) -> None:
    found = _asked(model, neighbors)
    assert isinstance(found.worst, Choice)
    x, x_prime = (model.space.at(positions) for positions in found.worst.pair)
    y = evaluate(model.program.output, model.program.entries(x), found.worst.drawn)
    assert model.probability(x, y) / model.probability(x_prime, y) == found.limit
    assert found.limit == model.privacy(neighbors, method="exhaustive").max_ratio


def test_bounds_of_counts_do_not_list_inputs() -> None:
    for model, expected in [
        (histogram(ints(20, 0, 3), k=4, ratio="1/2"), 4),
        (plurality(ints(40, 0, 1), k=2, base=2), None),
    ]:
        bound = model.privacy("one_differ")
        assert bound.exact and bound.method == "decomposition" and bound.verify()
        assert expected is None or bound.max_ratio == expected


def test_entries_that_close_their_draws_are_forgotten() -> None:
    model = above_threshold(ints(60, 0, 3), threshold=1, ratio="1/2", high=3)
    found = _asked(model, "one_differ")
    assert found.limit == 8 and found.worst is not None


def test_an_outcome_that_is_ruled_out_is_infinite() -> None:
    model = drawn_by(bits(2), tables=[[["1/2", "1/2"], [1, 0]]], plans=[[(0, 1), (1, 1)]])
    assert _asked(model, "one_differ").limit == INFINITY


@pytest.mark.parametrize("size", [2, 3])
def test_terms_and_all_cases_agree_on_counts(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_from(0, monkeypatch)
    for model in (plurality(ints(size, 0, 2), k=3, base=2), histogram(ints(size, 0, 1), k=2, ratio="1/3")):
        bound = model.privacy("one_differ")
        assert bound.method == "terms"
        assert bound.max_ratio == model.privacy("one_differ", method="exhaustive").max_ratio
