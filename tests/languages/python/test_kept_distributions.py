"""Distributions that are kept for other models: none of them is that of a parameter with another interval."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

from taut import Mechanism, bits, geometric, mechanism, parameter

INTERVALS = [("0", "9/10"), ("0", "1/2"), ("1/10", "1/2"), ("0", "9/10")]


@mechanism
def noisy(x: Any, p: Any) -> Any:
    return geometric(x[0], p, 0, 2)


@mechanism
def noisy_of_a_term(x: Any, p: Any) -> Any:
    return geometric(x[0], p / 2, 0, 3)


@pytest.mark.parametrize("made", [noisy, noisy_of_a_term])
def test_a_parameter_may_have_another_interval_in_another_model(made: Mechanism) -> None:
    for low, high in INTERVALS:
        model = made(bits(1), p=parameter("p", low, high))
        at = (Fraction(low) + Fraction(high)) / 2
        plain = made(bits(1), p=at)
        for x, y in itertools.product((0, 1), range(3)):
            assert model.probability((x,), y).at({"p": at}) == plain.probability((x,), y)
