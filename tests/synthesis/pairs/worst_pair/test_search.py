"""The worst pair found by search is that of brute force; stopped anywhere, its interval holds the truth."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.case import Case
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.questions import brute
from tests.synthesis.brute import all_step, one_differ, table_of
from tests.synthesis.corpus import CASES

from taut import (
    INFINITY,
    Ball,
    ImpossibleEvidence,
    InvalidInput,
    Model,
    TautError,
    bits,
    discrete,
    exp,
    flip,
    geometric,
    ints,
    measures,
    mechanism,
    observe,
)
from taut.mechanisms import randomized_response, rr_count
from taut.questions.epsilon import SmallestEpsilon
from taut.questions.profile import WholeProfile
from taut.synthesis import Problem, solve
from taut.synthesis.pairs.worst_pair import WorstPair

RATIOS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 2), Fraction(10)]
Pairs = Sequence[tuple[Any, Any]]


class Triangular(measures.Divergence):
    """A divergence that nobody has prepared for."""

    def phi(self, p: Any, q: Any) -> Any:
        return (p - q) ** 2 / (p + q)


def model_of(case: Case) -> Model:
    model = case.mechanism(**case.databases, **case.parameters)
    assert isinstance(model, Model)
    return model


def has_search(model: Model) -> bool:
    return not model.channel().conditioned and Ball not in {
        type(weight) for coin in model.relation.coins for weight in coin.weights
    }


def check(model: Model, rows: Any, neighbors: Any, pairs: Pairs) -> None:
    """Delta, moments, another divergence, epsilon and the profile are those of brute force."""
    worst = brute.Worst(rows, pairs)
    for gamma in RATIOS:
        expected = worst.delta(gamma)
        bound = model.delta(neighbors=neighbors, method="search", ratio=gamma)
        assert (bound.lower, bound.upper, bound.method) == (expected, expected, "search")
        witness = (bound.witness.x, bound.witness.x_prime)
        assert witness in pairs and brute.delta(brute.outputs(rows[witness[0]], rows[witness[1]]), gamma) == expected
        smallest = model.epsilon(expected, neighbors=neighbors, method="search").max_ratio
        assert 1 <= smallest <= gamma and worst.delta(smallest) <= expected
        if smallest > 1:
            assert worst.delta(smallest * (1 - Fraction(1, 10**9))) > expected
    for order in (2, 3):
        bound = model.renyi(order, neighbors=neighbors, method="search")
        assert bound.lower == bound.upper == worst.moment(order)
    other = model.divergence(Triangular(), neighbors=neighbors, method="search")
    assert other.lower == other.upper == model.divergence(Triangular(), neighbors=neighbors, method="exhaustive").value
    profile, expected = (model.profile(neighbors, method=method) for method in ("search", "exhaustive"))
    assert profile.exact and profile.lower.corners == expected.lower.corners
    assert [piece[:4] for piece in profile.pieces] == [piece[:4] for piece in expected.pieces]


@pytest.mark.parametrize("case", CASES[::11], ids=lambda case: case.name)
def test_the_corpus(case: Case) -> None:
    table = table_of(case)
    pairs, model = table.pairs(one_differ), model_of(case)
    if pairs and has_search(model):
        check(model, table.rows, "one_differ", pairs)


@pytest.mark.parametrize("case", CASES[1::17], ids=lambda case: case.name)
def test_other_relations(case: Case) -> None:
    table, model = table_of(case), model_of(case)
    if not has_search(model):
        return
    some = table.pairs(lambda a, b: True)[::7]
    relations = [("all_step", table.pairs(all_step))] if table.numeric else []
    for neighbors, pairs in [*relations, (some, some)]:
        if pairs and len(pairs) < 300:
            check(model, table.rows, neighbors, pairs)


def rows_of(model: Model, case: Case) -> Any:
    rows = {}
    for x, _ in case.inputs():
        with contextlib.suppress(ImpossibleEvidence):
            rows[x] = model.distribution(x)
    return rows


@settings(max_examples=18)
@given(program=programs(without=frozenset({"observe"})), data=st.data())
def test_random_programs_stopped_anywhere(program: GeneratedProgram, data: st.DataObject) -> None:
    """Random programs and random relations; whatever is left when the search is stopped holds the truth."""
    with loaded(program) as case:
        try:
            model = model_of(case)
            inputs = [x for x, _ in case.inputs()]
            rows = rows_of(model, case)
        except (TautError, ZeroDivisionError):
            return
        pairs = [(x, z) for x in inputs for z in inputs if x != z]
        if not pairs or len(pairs) > 400 or not has_search(model):
            return
        pairs = pairs[data.draw(st.integers(0, 2)) :: data.draw(st.integers(1, 4))] or pairs
        gamma, order = data.draw(st.sampled_from(RATIOS)), data.draw(st.sampled_from([2, 3]))
        worst = brute.Worst(rows, pairs)
        expected = worst.delta(gamma)
        moment = worst.moment(order)
        assert model.delta(ratio=gamma, neighbors=pairs, method="search").lower == expected
        assert model.delta(ratio=gamma, neighbors=pairs, method="search").upper == expected
        renyi = model.renyi(order, neighbors=pairs, method="search")
        assert renyi.lower == renyi.upper == moment
        solver = WorstPair(data.draw(st.integers(0, 60)), data.draw(st.sampled_from([1, 2, 5, None])))
        for measure, truth in ((measures.HockeyStick(gamma), expected), (measures.RenyiMoment(order), moment)):
            problem = Problem(model.channel(), model.neighbors(pairs), measure)
            bound = solve(problem, solver)
            assert bound.lower <= truth <= bound.upper and (bound.exact or bound.stats["stopped"])
        problem = Problem(model.channel(), model.neighbors(pairs), WholeProfile())
        profile: Any = solve(problem, solver)
        for ratio in RATIOS:
            low, high = profile.delta_interval(ratio=ratio)
            assert low <= worst.delta(ratio) <= high
        smallest = solve(replace(problem, measure=SmallestEpsilon(Fraction(1, 7))), solver)
        if smallest.upper < INFINITY:
            assert worst.delta(smallest.upper) <= Fraction(1, 7)
        if 1 < smallest.lower < INFINITY:
            below = smallest.lower * (1 - Fraction(1, 10**9))
            assert worst.delta(below) > Fraction(1, 7)


# -- beyond brute force ---------------------------------------------------------------------------------------------


@mechanism
def first_above(x: Any) -> Any:
    bar = geometric(1, "1/2", 0, 3)
    for place, value in enumerate(x):
        if geometric(value, "1/2", 0, 3) >= bar:
            return place
    return len(x)


def test_above_threshold_without_all_pairs() -> None:
    model = first_above(ints(6, 0, 3))
    for gamma, expected in ((2, Fraction(7, 24)), (4, Fraction(1513, 15552))):
        bound = model.delta(ratio=gamma, method="search")
        assert (bound.delta, bound.exact) == (expected, True) and bound.verify()
    assert model.delta(1, method="search").delta.arb.overlaps(model.profile(method="search").delta(1).arb)


def test_auto_searches_where_pairs_differ() -> None:
    model = first_above(ints(7, 0, 3))
    bound = model.delta(ratio=4)
    assert (bound.method, bound.exact) == ("search", True)
    assert "a search needs no list" in bound.stats["why"] and "items" in bound.explain()
    assert first_above(ints(2, 0, 3)).delta(ratio=4).method == "exhaustive"
    assert rr_count(bits(30), lam="1/4").delta(ratio=2).method == "decomposition"


def test_longer_is_no_better() -> None:
    """Adding an entry that is the same on both sides and never stops changes nothing, so delta does not decrease."""
    short, long = first_above(ints(5, 0, 3)), first_above(ints(9, 0, 3))
    for gamma in (Fraction(3, 2), 3, 5, 7):
        own, other = (model.delta(ratio=gamma, method="search") for model in (short, long))
        assert own.exact and other.exact and own.delta <= other.delta
    for order in (2, 3):
        own, other = (model.renyi(order, method="search") for model in (short, long))
        assert own.exact and other.exact and own.moment <= other.moment and other.verify()


@pytest.mark.parametrize("neighbors", ["one_differ", "all_step"])
def test_stopped_at_every_point(neighbors: str) -> None:
    model = first_above(ints(4, 0, 3))
    problem = Problem(model.channel(), model.neighbors(neighbors), measures.HockeyStick(3))
    truth = solve(problem, "exhaustive").upper
    intervals = []
    for items in range(0, 400, 41):
        bound = solve(problem, WorstPair(most_items=items))
        assert bound.lower <= truth <= bound.upper
        assert measures.HockeyStick(3).of(model.loss(bound.witness.x, bound.witness.x_prime).atoms) == bound.lower
        intervals.append(bound.upper - bound.lower)
    assert any(0 < width < 1 for width in intervals)
    assert solve(problem, WorstPair()).exact


def test_narrow_passes_hold_the_truth() -> None:
    model = first_above(ints(5, 0, 3))
    problem = Problem(model.channel(), model.neighbors("all_step"), measures.HockeyStick(4))
    truth = solve(problem, "search").upper
    for width in (1, 2, 5, 20):
        bound = solve(problem, WorstPair(widest=width))
        assert bound.lower <= truth <= bound.upper <= 1


def test_a_stopped_profile_still_says_something() -> None:
    model = first_above(ints(5, 0, 3))
    for measure in (WholeProfile(), SmallestEpsilon("1/20")):
        problem = Problem(model.channel(), model.neighbors("one_differ"), measure)
        exact: Any = solve(problem, "search")
        bound: Any = solve(problem, WorstPair(most_items=40))
        assert bound.stats["stopped"] == "most_items" and not bound.exact
        if isinstance(measure, SmallestEpsilon):
            assert bound.lower <= exact.max_ratio <= bound.upper < 20
        else:
            for ratio in (1, 2, 4, 7):
                low, high = bound.delta_interval(ratio=ratio)
                assert low <= exact.delta(ratio=ratio) <= high < 1


def test_progress_tells_intervals() -> None:
    seen: list[Any] = []
    model = first_above(ints(6, 0, 3))
    bound = model.delta(ratio=4, method="search", progress=seen.append)
    assert seen and all(one.lower is None or one.lower <= bound.delta for one in seen)
    assert all(one.upper is None or one.upper >= bound.delta for one in seen)


def test_interrupted() -> None:
    def stop(interval: Any) -> None:
        if interval.done == 3:
            raise KeyboardInterrupt

    model = first_above(ints(6, 0, 3))
    bound = model.delta(ratio=4, method="search", progress=stop)
    assert bound.stats["stopped"] == "interrupted" and bound.lower <= Fraction(1513, 15552) <= bound.upper < 1


# -- other numbers --------------------------------------------------------------------------------------------------


@mechanism
def told_late(x: Any) -> Any:
    return [x[0] if flip("1/3") else 0, (x[0] + x[1] + discrete({0: "1/2", 1: "1/3", 2: "1/6"})) % 3]


MEASURES = [
    measures.KullbackLeibler(),
    measures.SquaredHellinger(),
    measures.ChiSquared(),
    measures.TotalVariation(),
    measures.RenyiMoment("5/2"),
    measures.HockeyStick("5/4"),
]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.name)
@pytest.mark.parametrize("neighbors", ["one_differ", "all_step"])
def test_every_measure(measure: measures.Divergence, neighbors: str) -> None:
    for model in (told_late(ints(2, 0, 2)), rr_count(bits(4), lam="1/4"), first_above(ints(2, 0, 3))):
        found, expected = (
            model.divergence(measure, neighbors=neighbors, method=method) for method in ("search", "exhaustive")
        )
        assert found.exact
        if isinstance(expected.value, Ball):
            assert found.value.arb.overlaps(expected.value.arb) and found.value.radius < Fraction(1, 10**60)
        else:
            assert found.value == expected.value
        assert found.verify()


class Careless(measures.Divergence):
    """Divides by q without asking, which is right wherever both inputs have all outputs."""

    def phi(self, p: Any, q: Any) -> Any:
        return (p - q) ** 2 / q


def test_a_divergence_that_does_not_expect_zeros() -> None:
    model = first_above(ints(4, 0, 3))
    found = model.divergence(Careless(), method="search")
    assert found.exact and found.value == model.divergence(measures.ChiSquared(), method="search").value
    assert found.value == model.divergence(Careless(), method="exhaustive").value == model.renyi(2).moment - 1


def test_what_is_refused() -> None:
    @mechanism
    def conditioned(x: Any) -> Any:
        noise = flip("1/3")
        observe(noise or x[0] == 0)
        return noise

    with pytest.raises(InvalidInput, match="evidence of 'observe'"):
        conditioned(bits(1)).delta(ratio=2, method="search")
    with pytest.raises(InvalidInput, match="irrational"):
        randomized_response(bits(2), lam=exp("-2")).delta(ratio=2, method="search")
    with pytest.raises(InvalidInput, match="needs all of them"):
        randomized_response(bits(2), lam="1/5").tradeoff(method="search")

    class Concave(measures.Divergence):
        def phi(self, p: Any, q: Any) -> Any:
            return min(p, q)

    model = randomized_response(bits(2), lam="1/5")
    with pytest.raises(InvalidInput, match="not jointly convex"):
        model.divergence(Concave(), method="search")
    assert model.divergence(Concave()).value == Fraction(2, 5)
