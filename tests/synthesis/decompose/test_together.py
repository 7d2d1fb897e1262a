"""The walk of all related pairs finds the largest product of ratios over all pairs, and a pair that has it."""

from __future__ import annotations

import math
from fractions import Fraction
from operator import mul
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import INFINITY, Model, bits, discrete, exp, exponential, flip, geometric, ints, mechanism, options
from taut.mechanisms import above_threshold, binary_tree_counter, histogram, report_noisy_max
from taut.questions.privacy import LargestRatio
from taut.support.errors import TooLarge
from taut.synthesis import Budget
from taut.synthesis.decompose import Decomposition, together
from taut.synthesis.decompose.cells import cells_of
from taut.synthesis.decompose.together import Together
from taut.synthesis.hubs import Postprocessing


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
def median(x: Any, high: int) -> Any:
    scores = [-abs(sum(e < v for e in x) - sum(e > v for e in x)) for v in range(high + 1)]
    return exponential(scores, 2)


@mechanism
def clamped(x: Any) -> Any:
    """Two sums, of which the second is known when some entries are still to come."""
    return geometric(min(2, x[0] + x[1] + x[2]), "1/2", 0, 2), geometric(max(x[0], x[1]), "1/3", 0, 2)


@mechanism
def adaptive(x: Any) -> Any:
    """The second distribution depends on what was drawn first."""
    low = geometric(x[0], "1/2", 0, 2)
    return geometric(max(low, x[1]), "1/3", 0, 2)


@mechanism
def passed_on(x: Any, steps: int) -> Any:
    """Two branches share what was before them, so that there are 2**steps ways through the terms."""
    one, two = geometric(x[0], "1/2", 0, 3), geometric(x[1], "1/3", 0, 3)
    for step in range(steps):
        bit = x[step % len(x)] > step % 3
        one, two = (two if bit else one), (one if bit else two)
    return one


def worst(model: Model, neighbors: Any) -> tuple[Any, Any]:
    """Return the largest product of ratios of all cells, and the pair that has it."""
    cells = cells_of(model.program, whole=True)
    assert cells is not None
    automaton = model.neighbors(neighbors).automaton(model.space)
    (case,) = Together(model.program, cells, automaton, largest=True).cases()
    pair = case.pair()
    assert automaton.related(*pair)
    return math.prod([loss.ratio for _, loss in case.parts], start=Fraction(1)), pair


def rows_of(model: Model, x: Any, draws: int) -> list[dict[Any, Fraction]]:
    """The distribution of every item of the output, one by one."""
    found = model.distribution(x)
    return [
        {value: sum(mass for y, mass in found.items() if y[place] == value) for value in {y[place] for y in found}}
        for place in range(draws)
    ]


def product(own: list[dict[Any, Fraction]], other: list[dict[Any, Fraction]]) -> Any:
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
    automaton = model.neighbors(neighbors).automaton(model.space)
    known = {x: rows_of(model, x, len(given_tables)) for x in model.domain}
    expected = max(
        product(known[x], known[model.space.at(other)])
        for x in model.domain
        for other in automaton.neighbors(model.space.positions(x))
    )
    if expected == INFINITY:
        with pytest.raises(TooLarge):
            worst(model, neighbors)
        return
    found, pair = worst(model, neighbors)
    assert found == expected == product(*[known[model.space.at(side)] for side in pair])


NEAR = st.integers(1, 3) | st.integers(0, 20).map(lambda more: 10**20 + more)
"""Ratios of the large ones differ by less than a float shows."""
FACTORS = st.lists(st.integers(1, 10**6), min_size=4, max_size=4)
"""What an outcome has in all rows, so that its logarithm is rounded as it likes."""


@settings(max_examples=40)
@given(st.lists(st.lists(NEAR, min_size=4, max_size=4), min_size=2, max_size=4), FACTORS)
def test_ratios_that_floats_cannot_tell_apart_are_compared_exactly(
    weights: list[list[int]], factors: list[int]
) -> None:
    table = [
        [Fraction(a * b, sum(map(mul, row, factors))) for a, b in zip(row, factors, strict=True)] for row in weights
    ]
    model = drawn_by(ints(1, 0, len(table) - 1), tables=[table], plans=[[(0, 1)]])
    expected = max(
        a / b for own in table for other in table if own is not other for a, b in zip(own, other, strict=True)
    )
    assert worst(model, "one_differ")[0] == expected


SMALL = [
    (clamped(ints(3, 0, 2)), "all_step"),
    (plurality(ints(4, 0, 2), k=3, base=3), "all_step"),
    (plurality(ints(3, 0, 2), k=3, base=3), lambda x, other: sum(x) <= sum(other)),
    (histogram(ints(4, 0, 2), k=3, ratio="1/3"), "all_step"),
    (histogram(ints(3, 0, 2), k=3, ratio="1/3"), lambda x, other: x[0] != other[0] and x[1] == other[1]),
    (median(ints(3, 0, 3), high=3), "all_step"),
    (binary_tree_counter(bits(4), ratio="1/2"), "all_step"),
    (adaptive(ints(2, 0, 2)), "all_step"),
    (adaptive(ints(2, 0, 2)), [((0, 1), (2, 1)), ((1, 1), (0, 2))]),
    (passed_on(ints(2, 0, 3), steps=80), "all_step"),
]


@pytest.mark.parametrize(("model", "neighbors"), SMALL)
def test_decomposition_answers_as_enumeration_does(model: Model, neighbors: Any) -> None:
    problem = model._problem(model.neighbors(neighbors), LargestRatio())
    bound = Decomposition().solve(problem, Budget())
    assert bound.exact and bound.upper == model.privacy(neighbors, method="exhaustive").max_ratio
    x, x_prime, y = bound.witness.x, bound.witness.x_prime, bound.witness.y
    assert problem.related(x, x_prime)
    assert model.probability(x, y) / model.probability(x_prime, y) == bound.upper


def test_what_is_shared_by_all_entries_is_answered_for_many() -> None:
    bound = binary_tree_counter(bits(16), ratio="1/2").privacy("all_step")
    assert bound.max_ratio == 2**48 and bound.method == "decomposition"
    bound = median(ints(8, 0, 3), high=3).privacy("all_step")
    assert bound.max_ratio == 2**8 and bound.method == "decomposition" and bound.verify()


def test_entries_that_close_their_draws_are_forgotten() -> None:
    model = above_threshold(ints(60, 0, 3), threshold=1, ratio="1/2", high=3)
    bound = Postprocessing().solve(model._problem(model.neighbors("all_step"), LargestRatio()), Budget())
    assert bound.upper == 2**60


@pytest.mark.parametrize("neighbors", ["all_step", lambda x, other: x != other])
def test_what_is_less_than_the_draws_lies_below_their_release(neighbors: Any) -> None:
    model = report_noisy_max(ints(2, 0, 2), ratio="1/2", high=2)
    bound = Postprocessing().solve(model._problem(model.neighbors(neighbors), LargestRatio()), Budget())
    assert bound.lower <= model.privacy(neighbors, method="exhaustive").max_ratio <= bound.upper < INFINITY


def test_other_measures_and_irrational_weights_are_left_to_others() -> None:
    model = median(ints(3, 0, 3), high=3)
    cells = cells_of(model.program, whole=True)
    assert cells is not None
    with pytest.raises(TooLarge):
        Together(model.program, cells, model.neighbors("all_step").automaton(model.space), largest=False)
    irrational = mechanism(lambda x: [bit ^ flip(exp(-1)) for bit in x])(bits(2))
    with pytest.raises(TooLarge):
        worst(irrational, "all_step")


def test_an_interval_gets_a_finite_upper_end_from_the_draws() -> None:
    model = median(ints(4, 0, 4), high=4)
    with options(max_beliefs=2):
        bound = model.privacy(method="search")
    truth = model.privacy(method="exhaustive").max_ratio
    assert 1 <= bound.lower <= truth <= bound.upper < INFINITY
    assert bound.verify()


@pytest.mark.parametrize("limit", ["_MOST_PAIRS", "_MOST_APART"])
def test_pairs_that_do_not_merge_are_refused(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = report_noisy_max(ints(4, 0, 2), ratio="1/2", high=2)
    problem, cells = model._problem(model.neighbors("all_step"), LargestRatio()), cells_of(model.program, whole=True)
    assert cells is not None and len(list(Together(model.program, cells, problem.automaton, largest=True).cases())) == 1
    monkeypatch.setattr(together, limit, 100)
    with pytest.raises(TooLarge):
        list(Together(model.program, cells, problem.automaton, largest=True).cases())
