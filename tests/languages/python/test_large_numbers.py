"""Numbers that no memory could hold are refused at once; numbers that are only far away are computed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import taut
from taut import bits, flip, geometric, mechanism
from taut.languages.python.distributions import DISTRIBUTIONS

HUGE = 10**400


@pytest.mark.parametrize("base", [2, -3, Fraction(1, 2), Fraction(3, 7)])
@pytest.mark.parametrize("exponent", [10**10, -(10**10), HUGE, Fraction(10**10)])
def test_a_power_of_too_many_bits_is_an_error(base: Any, exponent: Any) -> None:
    @mechanism
    def power(x: Any) -> Any:
        return flip("1/2") and base**exponent > 0

    with pytest.raises(OverflowError, match=r"test_large_numbers\.py:\d+:\d+: .* more than a million bits"):
        power(bits(1))


@pytest.mark.parametrize("base", [0, 1, -1, Fraction(1)])
def test_powers_of_one_stay_small(base: Any) -> None:
    @mechanism
    def power(x: Any) -> Any:
        return base**HUGE

    assert power(bits(1)).distribution((0,)) == {base**2: 1}


@pytest.mark.parametrize("ratio", [Fraction(0), Fraction(1, 2), Fraction(2, 3)])
@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 1), (-1, 3)])
def test_a_centre_far_away_has_the_same_law(ratio: Fraction, low: int, high: int) -> None:
    def beyond(distance: int) -> Fraction:
        return ratio**distance / (1 + ratio) if distance >= 0 else 1 - ratio ** (1 - distance) / (1 + ratio)

    for center in [*range(-30, 30), -997, 1003]:
        weights = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z - center) for z in range(low + 1, high)}
        weights.update({low: beyond(center - low), high: beyond(high - center)} if low < high else {low: Fraction(1)})
        outcomes, found = DISTRIBUTIONS["geometric"](center, ratio, low, high)
        assert dict(zip(outcomes, found, strict=True)) == {z: weight for z, weight in weights.items() if weight}


@pytest.mark.parametrize("center", [10**7, -(10**7), HUGE])
def test_a_centre_beyond_all_measure_is_refused(center: int) -> None:
    @mechanism
    def far(x: Any) -> Any:
        return geometric(center, "1/2", 0, 3)

    with pytest.raises(taut.InvalidDistribution, match=r"is too far from 0\.\.3"):
        far(bits(1))
