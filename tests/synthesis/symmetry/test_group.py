"""Groups of large mechanisms: their orbits, and the bounds and sets that follow."""

import math
from fractions import Fraction
from typing import Any

import pytest
from tests.synthesis.symmetry.small import SMALL, planted

from taut import bits, ints
from taut.mechanisms import exponential_mechanism, randomized_response, rr_count


def test_randomized_response_with_many_clients() -> None:
    n = 200
    model = randomized_response(bits(n), lam="1/5")
    group = model.symmetries()
    assert group.exact and group.cost("one_differ").representatives == 2 * n and group.input_orbits().count == 1
    assert len(model.privacy_set()) == 2 * n and len(model.inference_set()) == n + 1
    bound = model.privacy(method="restricted")
    assert bound.max_ratio == 4 and bound.count == n * 2 ** (2 * n - 1) and bound.verify()
    ratios = [(one.value, one.count) for one in model.worst_pairs()]
    assert ratios == [(4, n * 2 ** (2 * n - 1)), (Fraction(1, 4), n * 2 ** (2 * n - 1))]


def test_one_different_client_among_many() -> None:
    n = 60
    model = planted(bits(n), "1/5", "1/4", 30)
    group = model.symmetries()
    assert group.exact and sorted(one.size for one in group.classes) == [1, n - 1]
    ratios = [(one.value, one.count) for one in model.worst_pairs(top=2)]
    assert ratios == [(4, (n - 1) * 2 ** (2 * n - 1)), (3, 2 ** (2 * n - 1))]
    assert not model.check_symmetry(entries={29: 30, 30: 29}, outputs={29: 30, 30: 29})
    assert model.check_symmetry(entries={29: 31, 31: 29}, outputs={29: 31, 31: 29}).exact


def test_the_count_has_one_input_for_each_number_of_ones() -> None:
    n = 60
    model = rr_count(bits(n), lam="1/5")
    group = model.symmetries()
    assert group.exact and [count for _, count in group.inputs()] == [math.comb(n, i) for i in range(n + 1)]
    assert len(model.accuracy_set(sum)) == n + 1


def test_worst_inputs_beyond_what_can_be_listed() -> None:
    n = 30
    model = rr_count(bits(n), lam="1/5")
    worst = model.worst_inputs(sum, 3, top=3)
    assert [one.count for one in worst] == [2, 2 * n, 2 * math.comb(n, 2)]
    restricted = model.accuracy(sum, 3, method="restricted")
    assert restricted.probability == worst[0].value and restricted.verify() and restricted.count == 2
    assert model.accuracy_set(sum).verify(model, sum, 3)
    assert sum(one.count for one in model.input_classes(sum, 3)) == 2**n
    pairs = model.worst_pairs(top=2)
    assert pairs[0].value == 4 and pairs[0].count == n * 2**n and len(pairs) == 2
    assert model.privacy_set().verify(model)


@pytest.mark.parametrize("name", ["rr_count", "mixed", "noisy_max", "exponential", "products"])
def test_accuracy_with_symmetries_is_accuracy(name: str) -> None:
    model = SMALL[name]
    several = isinstance(model.domain, tuple)
    target: Any = (lambda x: sum(x[0]) + x[1][0]) if several else (lambda x: x[0])
    for aim in (target, (lambda x: 0)):
        found = model.accuracy_set(aim)
        assert found.verify(model, aim, 0) and found.verify(model, aim, 1)
        restricted, exhaustive = model.accuracy(aim, 1, method="restricted"), model.accuracy(aim, 1)
        assert restricted.probability == exhaustive.probability and restricted.count == exhaustive.count


def test_a_target_that_tells_entries_apart_is_not_taken_for_symmetric() -> None:
    model = rr_count(bits(5), lam="1/5")
    assert len(model.accuracy_set(sum)) == 6
    assert len(model.accuracy_set(lambda x: x[0] + sum(x[1:]) * 2)) > 6
    assert model.accuracy_set(lambda x: 3 * x[0]).verify(model, lambda x: 3 * x[0], 1)


def test_an_output_that_moves_with_the_entries_is_followed() -> None:
    model = exponential_mechanism(ints(3, 0, 2), base=2)
    best = lambda x: x.index(max(x))  # noqa: E731
    assert model.accuracy_set(best).verify(model, best, 0)
