"""Screens by logarithms drop no worst pair, however far apart the masses are."""

from fractions import Fraction
from typing import Any

import pytest
from tests.synthesis.decompose.test_laws import check

from taut import bits, flip, measures, mechanism
from taut.questions.epsilon import SmallestEpsilon
from taut.questions.measure import Measure
from taut.questions.privacy import LargestRatio
from taut.questions.profile import WholeProfile
from taut.synthesis.decompose import screens

HUGE = 10**400
"""Masses that differ by more than a float holds."""
RATIOS = (Fraction(1), Fraction(3, 2), Fraction(198, 100), Fraction(HUGE, 2), Fraction(33 * HUGE, 100))
SHARES = (Fraction(0), Fraction(1, 10), Fraction(1, HUGE), Fraction(1, HUGE**2), Fraction(1, HUGE**4))
MEASURES: tuple[Measure, ...] = (
    *map(measures.HockeyStick, RATIOS),
    *map(SmallestEpsilon, SHARES),
    *map(measures.RenyiMoment, (2, 5)),
    LargestRatio(),
    WholeProfile(),
)


@mechanism
def count(x: Any, ones: Fraction, zeros: Fraction) -> Any:
    return sum(flip(ones) if bit else flip(zeros) for bit in x)


@pytest.mark.parametrize(
    ("ones", "zeros"), [(4, 3), (HUGE, 3), (HUGE, 2 * HUGE), (HUGE, HUGE**2)], ids=["near", "one", "both", "far"]
)
def test_masses_far_apart_are_compared(ones: int, zeros: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "_FEW", 0)
    model = count(bits(3), Fraction(1, ones), Fraction(1, zeros))
    assert check(model, "one_differ", MEASURES) == len(MEASURES)
