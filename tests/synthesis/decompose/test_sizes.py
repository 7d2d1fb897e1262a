"""Decomposition at sizes beyond any listing, its translations, and one mechanism written in several ways."""

from fractions import Fraction
from typing import Any

import pytest
from tests.synthesis.decompose.test_laws import MEASURES, check

from taut import (
    INFINITY,
    bits,
    discrete_gaussian,
    discrete_laplace,
    flip,
    geometric,
    helper,
    ints,
    mechanism,
    observe,
)
from taut.mechanisms import geometric_count, histogram, randomized_response
from taut.questions.privacy import LargestRatio
from taut.questions.profile import WholeProfile
from taut.support.errors import TooLarge
from taut.support.exact import ends
from taut.synthesis import Budget, Problem, solve
from taut.synthesis.decompose import Decomposition, loss_by_cells, translation
from taut.synthesis.decompose.statistics import Reach


def test_a_count_of_many() -> None:
    model = geometric_count(bits(300), ratio="1/2")
    bound = model.privacy()
    assert (bound.max_ratio, bound.method) == (2, "decomposition") and bound.verify()
    assert "any number of such entries" in bound.stats["why"] and "any number" in bound.explain()
    assert model.delta(ratio="3/2").delta == Fraction(1, 6)
    assert model.epsilon("1e-6").max_ratio == Fraction(1999997, 1000000)
    assert model.renyi(2).moment == Fraction(3, 2)


def test_a_histogram_of_many_bins() -> None:
    model = histogram(ints(60, 0, 9), k=10, ratio="1/2")
    assert model.privacy().max_ratio == 4
    for bound in (model.delta(ratio=2), model.epsilon("1/100"), model.renyi(2)):
        assert bound.method == "decomposition" and bound.verify()
    assert model.profile().corners == histogram(ints(2, 0, 2), k=3, ratio="1/2").profile(method="exhaustive").corners


def test_reports_are_one_report() -> None:
    few, many = (randomized_response(bits(n), lam="1/5") for n in (2, 400))
    for measure in MEASURES[:6]:
        known = solve(Problem(few.channel(), few.neighbors(None), measure), "exhaustive")
        found = Decomposition().solve(many._problem(many.neighbors(None), measure), Budget())
        if not isinstance(measure, WholeProfile):
            assert (found.lower, found.upper) == (known.lower, known.upper)


@mechanism
def stable(x: Any) -> Any:
    counts = [x.count(value) for value in range(3)]
    noisy = [geometric(count, "1/2", 0, len(x)) for count in counts]
    return [y if count > 0 and y > 1 else 0 for count, y in zip(counts, noisy, strict=True)]


def test_a_statistic_that_is_tested_too() -> None:
    assert check(stable(ints(3, 0, 2)), "one_differ") == len(MEASURES)
    assert stable(ints(40, 0, 2)).privacy().max_ratio == INFINITY


@mechanism
def gaussian(x: Any) -> Any:
    return discrete_gaussian(sum(x), 2, 0, len(x))


@mechanism
def laplace(x: Any) -> Any:
    return discrete_laplace(2 * sum(x), 2, -1, 2 * len(x) + 1)


@pytest.mark.parametrize("made", [gaussian, laplace])
@pytest.mark.parametrize("measure", [MEASURES[0], MEASURES[1], MEASURES[3], MEASURES[5]])
def test_translated_noise_holds_what_all_pairs_give(made: Any, measure: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_FEW", 0)
    model = made(bits(6))
    found = Decomposition().solve(model._problem(model.neighbors(None), measure), Budget())
    expected = solve(Problem(model.channel(), model.neighbors(None), measure), "exhaustive")
    low, high = (getattr(end, "lower", end) for end in (found.lower, expected.lower))
    top, bottom = (getattr(end, "upper", end) for end in (found.upper, expected.upper))
    slack = 1 + Fraction(1, 10**60)
    assert low <= getattr(expected.upper, "upper", expected.upper) * slack
    assert high <= top * slack and bottom <= top * slack


@mechanism
def two_gaussians(x: Any) -> Any:
    return discrete_gaussian(sum(x), 2, 0, len(x)), discrete_gaussian(x[0] - x[1], 2, -1, len(x))


def test_noise_in_two_cells_is_looked_at_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The middle tells most of one cell, but not of two that move together."""
    monkeypatch.setattr(translation, "_FEW", 0)
    model = two_gaussians(bits(4))
    for measure in (MEASURES[1], MEASURES[5]):
        found = Decomposition().solve(model._problem(model.neighbors(None), measure), Budget())
        expected = solve(Problem(model.channel(), model.neighbors(None), measure), "exhaustive")
        for end in (found.lower, found.upper):
            assert abs(ends(end)[0] - ends(expected.lower)[1]) < Fraction(1, 10**60), measure


def test_pairs_cell_by_cell() -> None:
    model = histogram(ints(3, 0, 2), k=3, ratio="1/3")
    found = loss_by_cells(model.program, (0, 1, 1), (2, 1, 1))
    assert found is not None and found.atoms == model.loss((0, 1, 1), (2, 1, 1)).atoms


def test_totals_are_reached_by_the_values_that_are_given() -> None:
    kinds = [(((0, 0), (1, 0), (0, 2)), 5), (((-1, 1), (3, 3)), 2)]
    reach = Reach(kinds, 2)
    totals = list(reach.totals())
    sums = {(0, 0)}
    for added, count in kinds:
        for _ in range(count):
            sums = {(a + p, b + q) for a, b in sums for p, q in added}
    assert sorted(totals) == sorted(sums) and reach.middle() in sums
    for total in totals:
        chosen = [kinds[kind][0][number] for kind, row in enumerate(reach.choice(total)) for number in row]
        assert tuple(map(sum, zip(*chosen, strict=True))) == total
    assert (0, 99) not in reach


@mechanism
def observing(x: Any) -> Any:
    observe(flip("1/2") == x[0])
    return [bit ^ flip("1/3") for bit in x]


@mechanism
def mixed(x: Any) -> Any:
    return sum(bit * flip("1/3") for bit in x), max(x) + flip("1/5")


def test_what_does_not_decompose_is_left_alone() -> None:
    model = observing(bits(2))
    with pytest.raises(TooLarge):
        Decomposition().solve(model._problem(model.neighbors(None), LargestRatio()), Budget())
    assert model.privacy().max_ratio == model.privacy(method="exhaustive").max_ratio


def test_sums_with_coins_and_a_maximum() -> None:
    """The first item needs all entries, since coins are inside its sum; the second one their maximum."""
    model = mixed(bits(3))
    found = Decomposition().solve(model._problem(model.neighbors(None), LargestRatio()), Budget())
    assert found.upper == model.privacy(method="exhaustive").max_ratio


def by_sum(x: Any) -> Any:
    return sum(x)


def by_generator(x: Any) -> Any:
    return sum(bit == 1 for bit in x)


@helper
def by_loop(x: Any) -> Any:
    total = 0
    for bit in x:
        if bit:
            total += 1
    return total


def by_count(x: Any) -> Any:
    return x.count(1)


def by_difference(x: Any) -> Any:
    return len(x) - x.count(0)


def by_index(x: Any) -> Any:
    total = 0
    for place in range(len(x)):
        total = x[place] + total
    return total


def by_halves(x: Any) -> Any:
    return sum(x[: len(x) // 2]) + sum(x[len(x) // 2 :])


@helper
def by_conditions(x: Any) -> Any:
    return sum([1 if bit else 0 for bit in x])


WAYS = (by_sum, by_generator, by_loop, by_count, by_difference, by_index, by_halves, by_conditions)


@mechanism
def counted(x: Any, way: Any) -> Any:
    return geometric(way(x), "1/2", 0, len(x))


@pytest.mark.parametrize("way", WAYS)
def test_how_a_count_is_written_does_not_matter(way: Any) -> None:
    bound = counted(bits(200), way=way).privacy()
    assert (bound.max_ratio, bound.method, bound.stats["statistics"]) == (2, "decomposition", 1)
    assert bound.stats["why"] == counted(bits(200), way=by_sum).privacy().stats["why"]


@mechanism
def clipped_sum(x: Any, top: int) -> Any:
    return geometric(sum(min(value, top) for value in x), "1/2", 0, top * len(x))


def test_a_clipped_sum_of_wide_entries() -> None:
    bound = clipped_sum(ints(60, 0, 55), top=50).privacy()
    assert (bound.max_ratio, bound.method) == (2**50, "decomposition") and "any number" in bound.stats["why"]
    assert check(clipped_sum(ints(2, 0, 4), top=3), "one_differ") == len(MEASURES)
