"""A weighed program says yes as often as its output weighs, by the plain enumerator."""

from fractions import Fraction
from typing import Any

import pytest

from taut import flip, ints, mechanism, observe, uniform
from taut.program import enumerate_outcomes, replay_distribution, weighed


@mechanism
def noisy(x: Any) -> Any:
    noise = uniform(0, 3)
    observe(noise != 1 or x[1] == 0)
    return x[0] + x[1] * noise - (4 if flip("1/5") else 0)


@pytest.mark.parametrize("scale", [1, 2, 7])
def test_probability_of_yes_is_the_expected_weight(scale: int) -> None:
    program = noisy(ints(2, 0, 2)).program
    rows = {x: enumerate_outcomes(program, x) for x in noisy(ints(2, 0, 2)).domain}
    values = sorted({y for row in rows.values() for y in row})
    weights = {y: Fraction(7 * place % len(values), scale * len(values)) for place, y in enumerate(values)}
    yes = weighed(program, weights)
    for x, row in rows.items():
        expected = sum(mass * weights[y] for y, mass in row.items())
        assert enumerate_outcomes(yes, x).get(True, 0) == expected
        assert replay_distribution(program, x)[0] == row


def test_distributions_are_replayed_without_listing_outcomes() -> None:
    @mechanism
    def many(x: Any) -> Any:
        total = sum(bit ^ flip("1/3") for bit in [*x, *[0] * 12])
        observe(total != 2)
        return total

    program = many(ints(2, 0, 1)).program
    distribution, how = replay_distribution(program, (0, 1))
    assert how == "memoised evaluation" and distribution == enumerate_outcomes(program, (0, 1))
