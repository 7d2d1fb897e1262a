"""Real roots: all of them, in order, told apart however near they are."""

import itertools
import pickle
from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.support.algebra.roots import Place, Root, between, real_roots, sign_after, sign_at, simplest_inside

QUICK = settings(max_examples=48, deadline=None)
NUMBERS = st.fractions(min_value=-3, max_value=3, max_denominator=12)


def with_roots(roots: list[Fraction]) -> flint.fmpz_poly:
    product = flint.fmpz_poly([1])
    for root in roots:
        product *= flint.fmpz_poly([-root.numerator, root.denominator])
    return product


@QUICK
@given(roots=st.lists(NUMBERS, min_size=1, max_size=6), low=NUMBERS, width=st.integers(1, 4), square=st.integers(2, 7))
def test_all_roots_are_found_in_order(roots: list[Fraction], low: Fraction, width: int, square: int) -> None:
    high = low + width
    polynomial = with_roots(roots) * flint.fmpz_poly([-square, 0, 1])
    found = real_roots(polynomial, low, high)
    rational = {root for root in roots if low <= root <= high}
    irrational = [sign for sign in (-1, 1) if square not in (4,) and low < sign * Fraction(square**0.5) < high]
    if square == 4:
        rational |= {Fraction(end) for end in (-2, 2) if low <= end <= high}
    assert [place for place in found if isinstance(place, Fraction)] == sorted(rational)
    assert len(found) == len(rational) + len(irrational)
    for a, b in itertools.pairwise(found):
        middle = between(a, b)
        assert a < middle < b and sign_at(polynomial, middle) != 0
    assert all(sign_at(polynomial, place) == 0 for place in found)


def root_of(*coefficients: int) -> Root:
    found: list[Place] = real_roots(flint.fmpz_poly(list(coefficients)), Fraction(0), Fraction(2))
    (root,) = found
    assert isinstance(root, Root)
    return root


def test_roots_that_are_near_are_told_apart() -> None:
    root, near = root_of(-2, 0, 1), root_of(-2 * 10**30 - 1, 0, 10**30)
    assert root < near and near > root and root != near and root == root_of(-2, 0, 1)
    assert between(root, near) ** 2 > 2 and root_of(-2, 0, 1) < Fraction(3, 2) < root_of(-3, 0, 1)
    low, high = root.interval(Fraction(1, 10**50))
    assert low**2 < 2 < high**2 and high - low <= Fraction(1, 10**50)
    assert pickle.loads(pickle.dumps(root)) == root and "1.41421356237" in str(root)


def test_signs_at_and_after_roots() -> None:
    root = root_of(-2, 0, 1)
    square = flint.fmpz_poly([-2, 0, 1])
    assert sign_at(square, root) == 0 and sign_after(square, root) == 1 and sign_after(-(square**3), root) == -1
    assert sign_after(square * square, root) == 1 and sign_at(flint.fmpz_poly([-3, 2]), root) == -1
    assert sign_after(flint.fmpz_poly([0]), root) == 0


@QUICK
@given(low=NUMBERS, width=st.fractions(min_value=Fraction(1, 90), max_value=2, max_denominator=90))
def test_the_simplest_fraction_is_the_simplest(low: Fraction, width: Fraction) -> None:
    found = simplest_inside(low, low + width)
    assert low < found < low + width
    for denominator in range(1, found.denominator):
        first = (low * denominator).__floor__() + 1
        assert not Fraction(first, denominator) < low + width


@pytest.mark.parametrize("polynomial", [[5], [1, 1], [1, 0, 1]])
def test_no_roots(polynomial: list[int]) -> None:
    assert real_roots(flint.fmpz_poly(polynomial), Fraction(0), Fraction(3)) == []
