"""Choices in proportion to weights that share entries: what enumeration gives, or an interval that holds it."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.oracle.native import native_distribution
from tests.synthesis.decompose.test_laws import agree

from taut import Model, bits, discrete, exp, exponential, flip, helper, ints, mechanism, observe
from taut.languages.python import conditional_draws, draws
from taut.program import enumerate_outcomes
from taut.questions.delta import HockeyStick
from taut.questions.divergence import TotalVariation
from taut.questions.privacy import LargestRatio
from taut.questions.renyi import RenyiMoment
from taut.support.errors import TooLarge
from taut.synthesis import Budget, Problem, solve
from taut.synthesis.decompose import Decomposition, selections

KINDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=4, unique=True)
BASES = st.sampled_from(["1/2", "3/2", "2"])


@pytest.fixture(autouse=True)
def weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read every draw whose weights share entries as a uniform one that is accepted in proportion."""
    monkeypatch.setattr(draws, "_LISTED", 0)
    monkeypatch.setattr(conditional_draws, "FEWEST_VECTORS", 0)


@helper
def score(x: Any, kind: int, place: int) -> Any:
    """A function of all entries, of one of four kinds."""
    if kind == 0:
        return sum(1 for value in x if value == place)
    if kind == 1:
        return -abs(2 * sum(1 for value in x if value <= place) - len(x))
    if kind == 2:
        return sum(min(value, place) for value in x) - 2 * x[0]
    return max(x) * (1 + place)


def compared(model: Model, neighbors: str) -> None:
    """The largest ratio is exact; intervals of other measures hold the worst of all pairs."""
    for measure in (LargestRatio(), HockeyStick("5/4"), TotalVariation(), RenyiMoment(2)):
        problem = model._problem(model.neighbors(neighbors), measure)
        expected = solve(Problem(model.channel(), problem.neighbors, measure), "exhaustive")
        found = Decomposition().solve(problem, Budget())
        assert found.lower <= expected.lower <= found.upper
        if isinstance(measure, LargestRatio):
            assert found.lower == found.upper == expected.upper
        agree(model, problem, found)


@given(KINDS, BASES, st.sampled_from(["one_differ", "one_step"]), st.integers(2, 3), st.integers(1, 2))
@settings(max_examples=12, deadline=None)
def test_the_largest_quotient_is_exact_and_others_are_held(
    kinds: Any, base: str, neighbors: str, n: int, top: int
) -> None:
    made = mechanism(lambda x: exponential([score(x, kind, place) for kind, place in kinds], base))
    model = made(ints(n, 0, top))
    assume(model.program.conditioned)  # weights that share no entry are a chain
    for x in list(model.domain)[:4]:
        assert enumerate_outcomes(model.program, x) == native_distribution(made, {"x": x})
    compared(model, neighbors)


def test_weights_divided_by_their_total_are_a_selection() -> None:
    made = mechanism(lambda x: discrete({bin_: Fraction(x.count(bin_) + 1) / (len(x) + 3) for bin_ in range(3)}))
    compared(made(ints(3, 0, 2)), "one_differ")


@pytest.mark.parametrize("domain", [bits(2), bits(1).optional(), ints(2, 0, 2)])
def test_candidates_of_which_all_have_the_largest_weight_are_drawn(domain: Any) -> None:
    """At such an input every candidate is accepted for certain."""

    @mechanism
    def largest_score(x: Any) -> Any:
        present = [value for value in x if value is not None]
        return exponential([min(sum(present), 1), max(present, default=0) > 0, min(sum(present), 1) ** 2], "3/2")

    model = largest_score(domain)
    assert model.validation.runs
    for x in domain:
        assert model.distribution(x) == native_distribution(largest_score, {"x": x})


def test_impossible_candidates_give_an_infinite_quotient() -> None:
    weighed_by_count = mechanism(lambda x: exponential([x.count(1), x.count(0), x[0] * x[1]], 2))
    compared(weighed_by_count(bits(3)), "one_differ")


def test_several_entries_that_change_are_left_to_others() -> None:
    model = mechanism(lambda x: exponential([x.count(bin_) for bin_ in range(3)], "3/2"))(ints(3, 0, 2))
    for measure in (LargestRatio(), HockeyStick("5/4")):
        problem = model._problem(model.neighbors("all_step"), measure)
        expected = solve(Problem(model.channel(), problem.neighbors, measure), "exhaustive")
        with pytest.raises(TooLarge):
            Decomposition().solve(problem, Budget())
        assert solve(problem).lower == expected.lower


def test_irrational_weights_are_balls() -> None:
    model = mechanism(lambda x: exponential([x.count(bin_) for bin_ in range(3)], exp("1/2")))(ints(3, 0, 2))
    problem = model._problem(model.neighbors("one_differ"), LargestRatio())
    expected = solve(Problem(model.channel(), problem.neighbors, LargestRatio()), "exhaustive")
    found = Decomposition().solve(problem, Budget())
    assert abs(float(found.lower) - float(expected.lower)) < 1e-12
    assert abs(float(found.upper) - float(expected.upper)) < 1e-12


def test_sums_without_a_walk_have_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> Any:
        raise TooLarge("no walks", value=None)

    monkeypatch.setattr(selections, "SelectedWalk", refuse)
    made = mechanism(lambda x: exponential([sum(abs(value - place) < 2 for value in x) for place in range(4)], 2))
    model = made(ints(3, 0, 3))
    for measure in (LargestRatio(), HockeyStick("5/4"), RenyiMoment(2)):
        problem = model._problem(model.neighbors("one_differ"), measure)
        expected = solve(Problem(model.channel(), problem.neighbors, measure), "exhaustive")
        found = Decomposition().solve(problem, Budget())
        assert found.lower <= expected.lower <= found.upper
        agree(model, problem, found)


@mechanism
def almost(x: Any, kind: str) -> Any:
    """A choice beside other draws, evidence, and choices that depend on coins."""
    scores = [x.count(0), x.count(1) + x[0], max(x)]
    if kind == "two":
        return exponential(scores, 2), exponential([len(x) - score for score in scores], "3/2")
    if kind == "beside":
        return exponential(scores, 2), flip("1/3") ^ (sum(x) > 1)
    if kind == "observed":
        chosen = exponential(scores, 2)
        observe(chosen != 0 or flip("1/3"))
        return chosen
    if kind == "matching":
        chosen = exponential(scores, 2)
        observe(chosen == x[0] or flip("1/3"))
        return chosen
    if kind == "branch":
        return exponential(scores, 2) if x[1] else 3
    if kind == "coin":
        return exponential([one + flip("1/4") for one in scores], 2)
    first = exponential(scores, 2)
    return first, exponential([first, scores[1], scores[2]], 2)


@pytest.mark.parametrize("kind", ["two", "beside", "observed", "matching", "branch", "coin", "adaptive"])
def test_programs_that_are_almost_selections_have_the_right_distribution(kind: str) -> None:
    model = almost(ints(2, 0, 2), kind=kind)
    for x in model.domain:
        assert enumerate_outcomes(model.program, x) == native_distribution(almost, {"x": x, "kind": kind})
    largest = model.privacy(method="exhaustive").max_ratio
    assert model.privacy().max_ratio == largest
    with contextlib.suppress(TooLarge):
        compared(model, "one_differ")
