"""The paper's sets for randomized response and its count: their sizes, that they are valid, and large databases."""

from fractions import Fraction
from typing import Any

import pytest

from taut import bits
from taut.mechanisms import randomized_response, rr_count
from taut.synthesis.sets import (
    rr_count_accuracy_set,
    rr_count_inference_set,
    rr_inference_set,
    rr_privacy_set,
    rr_single_input_set,
)

FIFTH = Fraction(1, 5)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("lam", ["1/5", "1/2", "3/4", 0])
def test_the_sets_of_randomized_response_are_valid(n: int, lam: Any) -> None:
    model, triples, pairs = randomized_response(bits(n), lam=lam), rr_privacy_set(n), rr_inference_set(n)
    assert triples.verify(model) and triples.verify(model).uncovered is None
    restricted = model.privacy(privacy_set=triples, inference_set=pairs)
    exhaustive = model.privacy()
    assert restricted.max_ratio == exhaustive.max_ratio and restricted.epsilon == exhaustive.epsilon
    assert restricted.method == "restricted" and restricted.count is None and restricted.verify()
    assert restricted.stats["probabilities"] == n + 1 and restricted.stats["triples"] == 2 * n


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("alpha", [0, 1, 3])
def test_the_sets_of_the_count_are_valid(n: int, alpha: int) -> None:
    model, inputs = rr_count(bits(n), lam="1/5"), rr_count_accuracy_set(n)
    assert inputs.verify(model, sum, alpha)
    restricted = model.accuracy(sum, alpha, accuracy_set=inputs, inference_set=rr_count_inference_set(n, alpha))
    exhaustive = model.accuracy(sum, alpha)
    assert restricted.probability == exhaustive.probability and restricted.method == "restricted"
    assert restricted.verify() and restricted.count is None
    assert restricted.probability == model.accuracy(sum, alpha, accuracy_set=inputs).probability


@pytest.mark.parametrize("n", range(7))
def test_the_size_of_the_sets(n: int) -> None:
    assert len(rr_inference_set(n)) == n + 1 and len(rr_privacy_set(n)) == 2 * n
    assert len(rr_single_input_set(n)) == 2**n and len(rr_count_accuracy_set(n)) == n + 1
    assert all(abs(sum(x) - y) <= 1 for x, y in rr_count_inference_set(n, 1))
    assert set(rr_privacy_set(n).pairs) <= set(rr_inference_set(n))


def test_large_databases_with_the_sets() -> None:
    bound = randomized_response(bits(200), lam="1/5").privacy(privacy_set=rr_privacy_set(200))
    assert bound.max_ratio == 4
    counted = rr_count(bits(40), lam="1/5").accuracy(sum, 4, accuracy_set=rr_count_accuracy_set(40))
    law = [Fraction(0)] * 5
    for flips in range(5):
        law[flips] = Fraction(_binomial(40, flips)) * FIFTH**flips * (1 - FIFTH) ** (40 - flips)
    assert counted.probability == sum(law) and counted.witness.x in ((0,) * 40, (1,) * 40)


def _binomial(n: int, k: int) -> int:
    return 1 if k == 0 else _binomial(n - 1, k - 1) * n // k
