"""The bound with every draw revealed is never below the answer; where the output tells the draws it is the answer."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.case import Case
from tests.synthesis.corpus import CASES
from tests.synthesis.mechanisms import asked_from

from taut import (
    INFINITY,
    TautError,
    bits,
    discrete,
    exponential,
    flip,
    geometric,
    integer,
    ints,
    mechanism,
    options,
    uniform,
)
from taut.mechanisms import binary_tree_counter, histogram, randomized_response, report_noisy_max
from taut.neighbors import neighbors_of
from taut.questions.privacy import LargestRatio
from taut.support import limits
from taut.synthesis import solve
from taut.synthesis.terms import solver as by_terms
from taut.synthesis.terms.solver import revealed_draws


@mechanism
def two_tables(x: Any, first: Any, second: Any, told: Any) -> Any:
    """Two draws whose distributions the entries choose; the output tells one of them, both, or their sum."""
    one = discrete(first[x[0]])
    two = discrete(second[x[1] if told == "other" else (x[0] + x[1]) % len(second)])
    if told == "one":
        return one
    return one + two if told == "sum" else (one, two)


@mechanism
def adaptive(x: Any) -> Any:
    """The second distribution depends on what was drawn first."""
    low = geometric(x[0], "1/2", 0, 2)
    return geometric(max(low, x[1]), "1/3", 0, 2)


@mechanism
def shared(x: Any) -> Any:
    """One draw that is used as it is and together with an input."""
    coin = flip("1/3")
    return (coin, coin ^ (x[0] == 1), uniform(0, 1))


@mechanism
def median(x: Any, high: int) -> Any:
    scores = [-abs(sum(e < v for e in x) - sum(e > v for e in x)) for v in range(high + 1)]
    return exponential(scores, 2)


def _limit(model: Any, neighbors: Any = None) -> Any:
    return revealed_draws(model.program, model.neighbors(neighbors).automaton(model.space)).limit


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_on_the_corpus_nothing_exceeds_the_bound(case: Case) -> None:
    model = case.model()
    if not model.program.inputs:
        pytest.skip("there are no inputs to compare")
    for neighbors in ("one_differ", "all_step"):
        try:
            truth = model.privacy(neighbors, method="exhaustive").upper
        except TautError:
            continue
        assert _limit(model, neighbors) >= (truth.lower if hasattr(truth, "lower") else truth)


rows = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)


@settings(max_examples=24)
@given(
    st.lists(rows, min_size=2, max_size=2),
    st.lists(rows, min_size=2, max_size=2),
    st.sampled_from(["one", "sum", "both", "other"]),
)
def test_on_random_tables_the_bound_holds_and_is_attained_where_all_is_told(
    first: list[list[int]], second: list[list[int]], told: str
) -> None:
    tables = [[[Fraction(weight, sum(row)) for weight in row] for row in table] for table in (first, second)]
    model = two_tables(ints(2, 0, 1), first=tables[0], second=tables[1], told=told)
    truth = model.privacy("one_differ", method="exhaustive").max_ratio
    limit = _limit(model, "one_differ")
    assert limit >= truth
    if told in ("both", "other") and all(all(row) for table in tables for row in table):
        assert limit == truth


@pytest.mark.parametrize("model", [adaptive(ints(2, 0, 2)), shared(ints(1, 0, 2))], ids=lambda model: model.name)
def test_draws_that_depend_on_draws_or_meet_inputs_are_bounded_safely(model: Any) -> None:
    assert _limit(model) >= model.privacy(method="exhaustive").max_ratio


@pytest.mark.parametrize("listed", [0, 1 << 16], ids=["searched", "listed"])
def test_the_answer_from_terms_is_the_answer(listed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_from(0, monkeypatch)
    monkeypatch.setattr(by_terms, "_OUTCOMES", listed)
    asked = [
        (median(ints(3, 0, 3), high=3), "one_differ"),
        (histogram(ints(3, 0, 2), k=3, ratio="1/2"), "one_differ"),
        (report_noisy_max(ints(2, 0, 2), ratio="1/2", high=2), "all_step"),
        (binary_tree_counter(ints(4, 0, 1), ratio="1/2"), "one_differ"),
        (shared(ints(1, 0, 2)), "one_differ"),
    ]
    methods = []
    for model, neighbors in asked:
        bound = model.privacy(neighbors)
        assert bound.max_ratio == model.privacy(neighbors, method="exhaustive").max_ratio
        assert bound.verify()
        methods.append(bound.method)
    assert methods[:2] == ["terms", "terms"] and methods[-1] != "terms"


def test_a_busy_machine_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_from(0, monkeypatch)
    model = median(ints(3, 0, 3), high=3)
    with monkeypatch.context() as busy:
        busy.setattr(limits, "clock", itertools.count(0, 100).__next__)
        bound = model.privacy()
    with monkeypatch.context() as slow:
        slow.setattr(limits, "cpu_clock", itertools.count(0, 100).__next__)
        other = median(ints(3, 0, 3), high=3).privacy()
    assert bound.method == "terms" != other.method and bound.max_ratio == other.max_ratio


@mechanism
def two_levels(x: Any, cases: Any, tables: Any) -> Any:
    """A draw from a row that an index in a table of conditions and numbers chooses."""
    index = cases[x[0]] if x[1] == 0 else cases[(x[0] + x[1]) % len(cases)]
    return discrete(tables[index if index < len(tables) else 0])


@settings(max_examples=24)
@given(st.lists(st.integers(0, 4), min_size=3, max_size=3), st.lists(rows, min_size=1, max_size=4))
def test_rows_are_chosen_as_the_program_chooses_them(cases: list[int], weights: list[list[int]]) -> None:
    tables = [[Fraction(1 + weight, 3 + sum(row)) for weight in row] for row in weights]
    model = two_levels(ints(2, 0, 2), cases=cases, tables=tables)
    assert _limit(model, "one_differ") == model.privacy("one_differ", method="exhaustive").max_ratio


@mechanism
def rounded(x: Any, k: int) -> Any:
    """A coin whose weight depends on the input."""
    return flip(Fraction(1 + x % k, k + 3))


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "size": lambda model: model.size,
    "one input": lambda model: model.distribution(model.space.at([0] * len(model.space.values))),
    "another method": lambda model: model.privacy(method="search"),
    "delta": lambda model: model.delta(ratio=2),
    "symmetries": lambda model: model.symmetries(),
    "privacy": lambda model: model.privacy(),
}
MODELS: dict[str, Callable[[], Any]] = {
    "terms": lambda: rounded(integer(0, 19), k=5),
    "terms of a median": lambda: median(ints(3, 0, 3), high=3),
    "no terms": lambda: shared(ints(3, 0, 2)),
    "few pairs": lambda: randomized_response(bits(3), lam="1/5"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("first", QUESTIONS)
def test_an_answer_does_not_depend_on_what_was_asked_before(
    name: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_from(100, monkeypatch)
    fresh, used = MODELS[name](), MODELS[name]()
    expected = fresh.privacy()
    QUESTIONS[first](used)
    found = used.privacy()
    assert found == expected and found.method == expected.method and found.stats["why"] == expected.stats["why"]
    assert (found.method == "terms") == name.startswith("terms")


def test_an_answer_from_the_terms_needs_no_channel() -> None:
    def refused(*_: Any) -> Any:
        raise AssertionError("nothing is compiled with inputs left free")

    model = rounded(integer(0, 799), k=5)
    bound = model.compiled_by(refused).privacy()
    assert bound.method == "decomposition" and bound.max_ratio == model.privacy(method="exhaustive").max_ratio


def test_a_problem_is_pickled_with_its_channel() -> None:
    problem = median(ints(2, 0, 2), high=2)._problem(neighbors_of("one_differ"), LargestRatio())
    again = pickle.loads(pickle.dumps(problem))
    assert solve(again).max_ratio == solve(problem).max_ratio


def test_an_interval_gets_a_finite_upper_end_from_the_draws() -> None:
    model = median(ints(4, 0, 4), high=4)
    with options(max_beliefs=2):
        bound = model.privacy(method="search")
    truth = model.privacy(method="exhaustive").max_ratio
    assert 1 <= bound.lower <= truth <= bound.upper < INFINITY
    assert bound.verify()


@mechanism
def passed_on(x: Any, steps: int) -> Any:
    """Two branches share what was before them, so that there are 2**steps ways through the terms."""
    one, two = geometric(x[0], "1/2", 0, 3), geometric(x[1], "1/3", 0, 3)
    for step in range(steps):
        bit = x[step % len(x)] > step % 3
        one, two = (two if bit else one), (one if bit else two)
    return one


def test_branches_that_share_their_parts_are_looked_at_once() -> None:
    model = passed_on(ints(2, 0, 3), steps=80)
    assert _limit(model, "one_differ") >= model.privacy("one_differ").max_ratio
