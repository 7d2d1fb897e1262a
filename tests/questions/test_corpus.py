"""The corpus and random programs: every answer about pairs is exactly that of brute force over outputs and pairs."""

import contextlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from tests.corpus.case import Case
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.questions import brute
from tests.synthesis.brute import Table, add_remove, all_step, one_differ, table_of
from tests.synthesis.corpus import CASES

from taut import ImpossibleEvidence, Model, NoNeighbors, TautError

RATIOS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 2), Fraction(10)]
ALPHAS = [Fraction(0), Fraction(1, 7), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
Pairs = Sequence[tuple[Any, Any]]


def check(model: Model, table: Table, neighbors: Any, pairs: Pairs, method: str = "exhaustive") -> None:
    """Every answer about pairs is that of brute force, and its witness can be replayed."""
    rows, worst = table.rows, brute.Worst(table.rows, pairs)
    profile = model.profile(neighbors, method=method)
    assert profile.exact and profile.verify()
    for gamma in RATIOS:
        assert profile.delta(ratio=gamma) == worst.delta(gamma)
    for gamma in RATIOS[1:4:2]:
        bound = model.delta(neighbors=neighbors, method=method, ratio=gamma)
        expected = worst.delta(gamma)
        assert (bound.delta, bound.lower, bound.upper, bound.exact) == (expected, expected, expected, True)
        x, x_prime = bound.witness.x, bound.witness.x_prime
        assert (x, x_prime) in pairs and brute.delta(brute.outputs(rows[x], rows[x_prime]), gamma) == expected
        event = set(bound.witness.event)
        own, other = (sum((p for y, p in rows[z].items() if y in event), Fraction(0)) for z in (x, x_prime))
        assert own - gamma * other == expected and all(map(bound.witness.event, event))
        assert bound.count == worst.attaining(gamma, expected)
        smallest = model.epsilon(expected, neighbors=neighbors, method=method).max_ratio
        assert 1 <= smallest <= gamma and worst.delta(smallest) <= expected
        if smallest > 1:
            assert worst.delta(smallest * (1 - Fraction(1, 10**9))) > expected
    for order in (2, 3):
        renyi = model.renyi(order, neighbors=neighbors, method=method)
        assert renyi.moment == worst.moment(order)
    assert bound.verify() and renyi.verify()
    curve = model.tradeoff(neighbors, method=method)
    assert curve.exact and curve.verify()
    for alpha in ALPHAS:
        assert curve(alpha) == worst.least_error(alpha)
        assert curve.convex()(alpha) == profile.tradeoff()(alpha) <= curve(alpha)


def model_of(case: Case) -> Model:
    model = case.model()
    assert isinstance(model, Model)
    return model


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_corpus(case: Case) -> None:
    table = table_of(case)
    pairs = table.pairs(one_differ)
    model = model_of(case)
    if not pairs:
        with pytest.raises(NoNeighbors):
            model.profile()
        return
    check(model, table, "one_differ", pairs)
    for x, x_prime in pairs[:: max(1, len(pairs) // 20)]:
        assert list(model.loss(x, x_prime).atoms) == brute.loss_atoms(brute.outputs(table.rows[x], table.rows[x_prime]))


@pytest.mark.parametrize("case", CASES[::8], ids=lambda case: case.name)
def test_one_pair_per_orbit_is_enough(case: Case) -> None:
    table = table_of(case)
    pairs = table.pairs(one_differ)
    if not pairs:
        return
    model = model_of(case)
    check(model, table, "one_differ", pairs, "restricted")
    assert model.zcdp(method="restricted").lower == model.zcdp().lower


@pytest.mark.parametrize("case", CASES[3::10], ids=lambda case: case.name)
def test_other_relations(case: Case) -> None:
    table = table_of(case)
    relations = [("all_step", table.pairs(all_step))] if table.numeric else []
    if any(None in entries for entries in table.entries.values()):
        relations.append(("add_remove", table.pairs(add_remove)))
    some = table.pairs(lambda a, b: True)[::7]
    for neighbors, pairs in [*relations, (some, some)]:
        if pairs and len(pairs) < 3000:
            check(model_of(case), table, neighbors, pairs)


@settings(max_examples=24)
@given(program=programs())
def test_random_programs(program: GeneratedProgram) -> None:
    with loaded(program) as case:
        try:
            model = model_of(case)
            pairs = [(x, y) for x, _ in case.inputs() for y, _ in case.inputs() if x != y][::3]
            rows = {}
            for x, _ in case.inputs():
                with contextlib.suppress(ImpossibleEvidence):
                    rows[x] = model.distribution(x)
        except (TautError, ZeroDivisionError):
            return
        if len(rows) < len(list(case.inputs())):
            if pairs:
                with pytest.raises(ImpossibleEvidence):
                    model.profile(pairs)
            return
        if not pairs or len(pairs) > 400:
            return
        worst = brute.Worst(rows, pairs)
        for gamma in RATIOS:
            assert model.delta(ratio=gamma, neighbors=pairs).delta == worst.delta(gamma)
        for order in (2, 3):
            assert model.renyi(order, neighbors=pairs).moment == worst.moment(order)
        curve = model.tradeoff(pairs)
        for alpha in ALPHAS:
            assert curve(alpha) == worst.least_error(alpha)
        for x, z in pairs[:5]:
            assert list(model.loss(x, z).atoms) == brute.loss_atoms(brute.outputs(rows[x], rows[z]))
