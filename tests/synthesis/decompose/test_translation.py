"""Noise around a centre, functions of it, and noise that is added to a centre with many values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.native import native_distribution
from tests.synthesis.decompose.test_laws import MEASURES, check

from taut import Domain, InvalidNeighbors, bits, categories, geometric, ints, mechanism
from taut.languages.python import draws
from taut.mechanisms import geometric_count
from taut.program import enumerate_outcomes

IMAGES = st.sampled_from([0, 1, 2, 3, True, False, Fraction(1), None])


@given(st.lists(IMAGES, min_size=7, max_size=7), st.sampled_from(["1/2", "1/3"]), st.integers(1, 2))
@settings(max_examples=20, deadline=None)
def test_functions_of_noise_are_exact(images: list[Any], ratio: str, slope: int) -> None:
    """Values may be joined on one side of both centres, between them, or on both sides; 1 and True are equal."""
    made = mechanism(lambda x: images[geometric(slope * sum(x), ratio, 0, 6)])
    assert check(made(bits(3)), "one_differ") == len(MEASURES)
    assert check(made(ints(1, 0, 3)), "one_differ") == len(MEASURES)


@pytest.mark.parametrize("images", ["abcdbea", "abcdcba", "aabbaab", "abacada", "bacdefa", "abcdaef", "aaabaaa"])
def test_values_that_an_end_shares_are_told_apart_from_the_other_end(images: str) -> None:
    made = mechanism(lambda x: images[geometric(sum(x), "1/2", 0, 6)])
    assert check(made(ints(2, 0, 3)), "one_differ") == len(MEASURES)


@pytest.mark.parametrize("images", [[6, 1, 2, 3, 5, 5, 6], [0, 1, 2, 2, 4, 5, 0], [3, 1, 2, 3, 4, 4, 1]])
@pytest.mark.parametrize("low", [0, 1, 2])
def test_outcomes_that_are_joined_with_an_end_are_told_apart(images: list[int], low: int) -> None:
    """What is clamped to an end weighs less the farther the end is, also where that end alone is joined with others."""
    made = mechanism(lambda x: images[geometric(sum(x) + low, "1/2", 0, 6)])
    assert check(made(bits(4)), "one_differ", MEASURES[1:3]) == 2


RELATED = (
    (ints(2, 0, 3), "one_differ"),
    (ints(2, 0, 3), "one_step"),
    (ints(2, 0, 3), "all_step"),
    (ints(1, 0, 2).optional(), "one_differ"),
    (ints(1, 0, 2).optional(), "add_remove"),
    (categories(2, ["a", "b", "c", 7]), "one_differ"),
)


@pytest.mark.parametrize(("domain", "neighbors"), RELATED)
@given(st.lists(st.integers(0, 6), min_size=4, max_size=4))
@settings(max_examples=8, deadline=None)
def test_centres_are_any_functions_of_entries(domain: Domain, neighbors: str, centers: list[int]) -> None:
    """Centres do not follow the order of the values of an entry, nor lie at equal distances."""
    chosen = dict(zip(domain.values, centers, strict=True))
    model = mechanism(lambda x: [geometric(chosen[value], "1/2", 0, 6) for value in x])(domain)
    assert check(model, neighbors) == len(MEASURES)


@pytest.mark.parametrize(("low", "high"), [(1, 4), (0, 2), (1, 3), (3, 3)])
def test_centres_beyond_the_ends_are_told_apart_by_less(low: int, high: int) -> None:
    model = mechanism(lambda x: [geometric(value, "1/2", low, high) for value in x])(ints(2, 0, 4))
    for neighbors in ("one_differ", "all_step"):
        assert check(model, neighbors) == len(MEASURES)


def test_an_absent_entry_is_as_far_as_its_centre_says() -> None:
    model = mechanism(lambda x: [geometric(0 if v is None else v, "1/3", 0, 4) for v in x])(ints(30, 1, 3).optional())
    assert (model.privacy().max_ratio, model.delta(ratio=1).delta, model.renyi(2).moment) == (
        27,
        Fraction(5, 6),
        Fraction(5047, 243),
    )


def test_a_bar_on_a_noisy_count_costs_little() -> None:
    model = mechanism(lambda x: geometric(sum(x), "1/2", 0, len(x)) >= 500)(bits(1000))
    bound = model.privacy()
    assert (bound.max_ratio, bound.method, bound.witness.y) == (2, "decomposition", False)
    assert bound.verify()
    assert model.delta(ratio="3/2").delta == Fraction(1, 6)


def test_equal_values_of_several_types_are_one_output() -> None:
    made = mechanism(lambda x: True if geometric(sum(x), "1/2", 0, len(x)) >= 50 else 1)
    assert made(bits(3)).privacy(method="exhaustive").max_ratio == 1
    assert made(bits(100)).privacy().max_ratio == 1


def test_a_sum_is_released_above_a_bar() -> None:
    @mechanism
    def released(x: Any, bar: int) -> Any:
        noisy = geometric(sum(x), "1/2", 0, 3 * len(x))
        return noisy if noisy >= bar else None

    model = released(ints(120, 0, 3), bar=40)
    bound = model.privacy()
    assert (bound.max_ratio, bound.method) == (8, "decomposition")
    assert bound.verify()
    assert model.delta(ratio="3/2").delta == Fraction(7, 12)
    small = released(ints(2, 0, 3), bar=3)
    assert check(small, "one_differ") == len(MEASURES)


@pytest.mark.parametrize("slope", [1, 3, -2])
def test_noise_that_is_added_to_its_centre_is_the_same(slope: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = mechanism(lambda x: geometric(slope * sum(x) + 4, "1/2", -2, 9))
    usual = made(bits(3))
    monkeypatch.setattr(draws, "_MOST_CENTERS", 2)
    model = made(bits(3))
    assert (len(usual.program.coins), len(model.program.coins)) == (4, 1)
    for x in model.domain:
        assert enumerate_outcomes(model.program, x) == native_distribution(made, {"x": x})
    assert check(model, "one_differ") == len(MEASURES)
    assert model.privacy(method="search").max_ratio == usual.privacy(method="exhaustive").max_ratio


def test_a_count_of_very_many_people_is_that_of_any_number() -> None:
    bound = geometric_count(bits(100_001), ratio="1/2").privacy()
    assert (bound.max_ratio, bound.method) == (2, "decomposition")
    assert "the answer is the same for any number" in bound.stats["why"]
    assert abs(sum(bound.witness.x) - sum(bound.witness.x_prime)) == 1


def test_relations_that_do_not_apply_are_refused_at_any_size() -> None:
    for n in (3, 1000):
        with pytest.raises(InvalidNeighbors, match="absent"):
            geometric_count(bits(n), ratio="1/2").privacy("add_remove")


def test_many_counts_of_the_same_people_need_no_totals() -> None:
    made = mechanism(lambda x: [geometric(sum(1 for value in x if value <= bar), "1/2", 0, len(x)) for bar in range(5)])
    bound = made(ints(300, 0, 5)).privacy()
    assert (bound.max_ratio, bound.method) == (32, "decomposition")
    assert bound.verify()
    assert made(ints(2, 0, 5)).privacy(method="exhaustive").max_ratio == 32


@pytest.mark.parametrize("centre", [lambda v: v, lambda v: -v, lambda v: 3 - v, lambda v: (2 * v) % 5, lambda v: 2 * v])
def test_noise_is_added_to_values_in_any_order(centre: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values of one entry are in the order of the entry, also where noise is added to a centre."""
    monkeypatch.setattr(draws, "_MOST_CENTERS", 2)
    model = mechanism(lambda x: [geometric(centre(value), "1/2", -8, 8) for value in x])(ints(2, 0, 4))
    for neighbors in ("one_differ", "one_step"):
        assert check(model, neighbors) == len(MEASURES)
