"""Folded operations mean what Python means: the first of equal values, signs of differences, Booleans as numbers."""

from typing import Any

import pytest

from taut import Model, bits, flip, ints, mechanism, uniform
from taut.program import enumerate_outcomes


@mechanism
def first_of_equals(x):
    a = 0 if flip("1/3") else False
    b = False if flip("1/4") else 0
    return f"{min(a, b)} {min(b, a)} {max(b, a)} {max(x[0], a, b)}"


@mechanism
def differences(x):
    noisy = sum(bit ^ flip("1/3") for bit in x)
    return noisy - sum(x) - (x[0] - uniform(0, 2)) + (flip("1/2") - True)


@mechanism
def negatives(x):
    return -(x[0] - (uniform(0, 1) - x[1])) - -flip("1/5")


@pytest.mark.parametrize(
    "model",
    [first_of_equals(bits(1)), differences(bits(3)), negatives(ints(2, -1, 1))],
    ids=lambda model: model.name,
)
def test_folds_mean_what_the_enumerator_says(model: Model) -> None:
    for x in model.domain:
        expected: dict[Any, Any] = enumerate_outcomes(model.program, x)
        assert model.distribution(x) == expected
        assert {y: model.probability(x, y) for y in expected} == expected
