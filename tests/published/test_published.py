"""The published numbers, exactly, and what is wrong in the paper."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

import taut
from taut import bits, ints
from taut.interfaces.paper.measurements import rounded_ratio
from taut.interfaces.paper.published import ABOVE_THRESHOLD_BDD, LOWEST_INPUTS, RR_ROWS
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.synthesis.sets import (
    rr_count_accuracy_set,
    rr_count_inference_set,
    rr_inference_set,
    rr_privacy_set,
    rr_single_input_set,
)

LAMBDA = Fraction(1, 5)


def test_inference_for_two_clients() -> None:
    matrix = randomized_response(bits(2), lam=LAMBDA).inference(rr_inference_set(2))
    assert matrix[(0, 0), (0, 0)] == (1 - LAMBDA) ** 2
    assert matrix[(1, 0), (0, 0)] == LAMBDA * (1 - LAMBDA)
    assert matrix[(1, 1), (0, 0)] == LAMBDA**2


@pytest.mark.parametrize("restricted", [False, True])
def test_privacy_for_two_clients(restricted: bool) -> None:
    sets = {"inference_set": rr_inference_set(2), "privacy_set": rr_privacy_set(2)} if restricted else {}
    bound = randomized_response(bits(2), lam=LAMBDA).privacy(**sets)
    assert bound.max_ratio == 4
    assert bound.witness == taut.Witness((0, 0), (1, 0), (0, 0))
    assert bound.verify()


def test_ten_clients_exhaustively() -> None:
    bound = randomized_response(bits(10), lam=LAMBDA).privacy(method="exhaustive")
    assert bound.max_ratio == 4
    assert bound.count == 10 * 2**10 * 2**9


@pytest.mark.parametrize("n", [10, 13, 20, 100])
def test_many_clients_with_the_papers_sets(n: int) -> None:
    bound = randomized_response(bits(n), lam=LAMBDA).privacy(
        inference_set=rr_inference_set(n), privacy_set=rr_privacy_set(n)
    )
    assert bound.max_ratio == 4


def test_rounding_to_nine_decimals_is_what_goes_wrong() -> None:
    assert f"{float(rounded_ratio(10)):.5g}" == "4.0196"
    assert f"{float(rounded_ratio(13)):.4g}" == "4.333"


@pytest.mark.parametrize("row", [row for row in RR_ROWS if row.bdd is not None], ids=lambda row: f"{row.sets}-{row.n}")
def test_bdd_sizes_of_randomized_response(row: object) -> None:
    n = row.n  # type: ignore[attr-defined]
    model = randomized_response(bits(n), lam=LAMBDA)
    for x in ((0,) * n, (1,) * n, (0, 1) * (n // 2) + (0,) * (n % 2)):
        assert model.fix(x).bdd_size == row.bdd == n + 2  # type: ignore[attr-defined]


def test_the_sets_have_their_published_sizes() -> None:
    for n in (1, 5, 10):
        assert len(rr_inference_set(n)) == n + 1
        assert len(rr_privacy_set(n)) == 2 * n
        assert len(rr_single_input_set(n)) == 2**n
        assert len(rr_count_accuracy_set(n)) == n + 1


def test_the_papers_sets_are_valid() -> None:
    assert rr_privacy_set(4).verify(randomized_response(bits(4), lam=LAMBDA))
    assert rr_count_accuracy_set(5).verify(rr_count(bits(5), lam=LAMBDA), sum, 1)


@pytest.mark.parametrize("restricted", [False, True])
def test_accuracy_of_the_count_for_two_clients(restricted: bool) -> None:
    model = rr_count(bits(2), lam=LAMBDA)
    sets = {"accuracy_set": rr_count_accuracy_set(2), "inference_set": rr_count_inference_set(2, 1)}
    bound = model.accuracy(sum, 1, **(sets if restricted else {}))
    assert bound.probability == Fraction("0.96")
    assert bound.witness.x in {(0, 0), (1, 1)}
    assert bound.verify()


def test_the_worst_inputs_for_two_clients_are_00_and_11() -> None:
    model = rr_count(bits(2), lam=LAMBDA)
    found = model.accuracies([(0, 0), (1, 1), (0, 1), (1, 0)], sum, 1)
    assert found == {(0, 0): Fraction(24, 25), (1, 1): Fraction(24, 25), (0, 1): 1, (1, 0): 1}


def test_lowest_inputs_of_the_count() -> None:
    model = rr_count(bits(8), lam=LAMBDA)
    for word, published in LOWEST_INPUTS:
        x = tuple(map(int, word))
        assert model.accuracies([x], sum, 3)[x] == Fraction(published)


def test_distinct_accuracies_of_the_count() -> None:
    found = rr_count(bits(8), lam=LAMBDA).worst_inputs(sum, 3, top=9)
    assert [(one.value, one.count) for one in found] == [
        (Fraction("0.9437184"), 2),
        (Fraction("0.9723904"), 16),
        (Fraction("0.98863104"), 56),
        (Fraction("0.99643648"), 112),
        (Fraction("0.99868928"), 70),
    ]
    assert sum(one.count for one in found) == 256
    assert sum(found[1].witness.x) in (1, 7)


@pytest.mark.parametrize("place", range(1, 11))
def test_bounds_against_lambda(place: int) -> None:
    lam = Fraction(place, 20)
    assert randomized_response(bits(8), lam=lam).privacy().max_ratio == (1 - lam) / lam
    exhaustive = rr_count(bits(8), lam=lam).accuracy(sum, 3)
    restricted = rr_count(bits(8), lam=lam).accuracy(sum, 3, accuracy_set=rr_count_accuracy_set(8))
    assert exhaustive.probability == restricted.probability


@pytest.mark.parametrize("k", [1, 2, 3])
def test_bdd_sizes_of_above_threshold(k: int) -> None:
    found = []
    for n in range(2, 7):
        model = above_threshold(ints(n, 0, k), threshold=k - 1, ratio=taut.exp("-5"), high=k, strict=True)
        found.append(model.fix((0,) * n).bdd_size)
    assert tuple(found) == ABOVE_THRESHOLD_BDD[k]


def test_lists_of_six_integers() -> None:
    assert ints(6, 0, 3).size == 4096


def test_a_privacy_set_with_an_unrelated_pair_is_refused() -> None:
    inputs = list(itertools.product((0, 1), repeat=2))
    everything = [(x, other, y) for x, other, y in itertools.product(inputs, repeat=3) if x != other]
    model = randomized_response(bits(2), lam=LAMBDA)
    with pytest.raises(taut.InvalidSet, match="not neighbours") as refused:
        model.privacy(privacy_set=everything)
    x, other, _ = refused.value.value
    assert sum(a != b for a, b in zip(x, other, strict=True)) == 2
    matrix = model.inference([(x, y) for x in inputs for y in inputs])
    assert max(matrix[x, y] / matrix[other, y] for x, other, y in everything) == 16


def test_the_printed_inference_set_of_the_count_is_refused() -> None:
    printed = [((0, 0), 0), ((1, 1), 0), ((0, 0), 1), ((1, 0), 1), ((1, 1), 1), ((1, 0), 2), ((1, 1), 2)]
    model = rr_count(bits(2), lam=LAMBDA)
    with pytest.raises(taut.InvalidSet, match=r"lacks the pair \(x=\(1, 0\), y=0\)"):
        model.accuracy(sum, 1, accuracy_set=rr_count_accuracy_set(2), inference_set=printed)
    matrix = model.inference(printed)
    assert matrix[(1, 0), 1] + matrix[(1, 0), 2] == Fraction(21, 25)


def test_zero_denominators() -> None:
    bound = randomized_response(bits(2), lam=0).privacy()
    assert bound.max_ratio == taut.INFINITY
    assert bound.verify()
