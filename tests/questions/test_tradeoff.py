"""Trade-off functions of single pairs, also where masses were rounded up and sum to more than one."""

from fractions import Fraction

import pytest

from taut.questions.tradeoff import tests_of as best_tests

ATOMS = [(Fraction(2), Fraction(4, 5), Fraction(2, 5)), (Fraction(1, 2), Fraction(2, 5), Fraction(4, 5))]
"""The masses of each side sum to 6/5."""


def test_beyond_all_mass_the_last_chord_is_cut_off() -> None:
    found = best_tests(ATOMS, ("x", "z"))
    chord = {Fraction(0): 1, Fraction(1, 5): Fraction(3, 5), Fraction(2, 5): Fraction(1, 5)}
    chord |= {Fraction(7, 10): Fraction(1, 8), Fraction(1): Fraction(1, 20)}
    assert {alpha: found(alpha) for alpha in chord} == chord
    assert found.corners[-1].alpha == 1


@pytest.mark.parametrize("short", [Fraction(1, 10), Fraction(1, 3)])
def test_mass_that_is_missing_rejects_nothing(short: Fraction) -> None:
    found = best_tests([(Fraction(2), 1 - short, (1 - short) / 2)], ("x", "z"))
    assert found(1 - short) == 1 - (1 - short) / 2
    assert found(Fraction(1)) == 0
