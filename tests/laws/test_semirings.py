"""The laws of a semiring, one suite for all: what a fold may rely on whatever its numbers are."""

import math
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from taut import Ball, InvalidNumber, exp
from taut.diagrams.semirings import (
    BALL,
    BARE_BALL,
    BOOLEAN,
    EXACT,
    FLOAT64,
    POLYNOMIAL,
    BitsetSemiring,
    FieldSemiring,
    ProjectiveSemiring,
    Row,
    Semiring,
)
from taut.support.algebra.rational import RationalFunction
from taut.support.exact import in_precision

QUICK = settings(max_examples=18, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
RATIONALS = st.fractions(min_value=0, max_value=4, max_denominator=60)
ROWS = st.lists(RATIONALS, min_size=1, max_size=5)
PRIME = 2**31 - 1
LAM = RationalFunction.unknown("lam")


class SemiringLaws:
    """Inherited by one class for each semiring, which says how numbers are made and what 'the same' means."""

    semiring: Semiring[Any]

    def made(self, value: Fraction) -> Any:
        """A rational as a number of the semiring."""
        raise NotImplementedError

    def same(self, a: Any, b: Any) -> bool:
        return bool(a == b)

    def stands_for(self, result: Any, value: Fraction) -> bool:
        """Return True if a value shown to users is the rational."""
        return bool(result == value)

    @QUICK
    @given(a=RATIONALS, b=RATIONALS, c=RATIONALS)
    def test_both_operations_are_associative_and_commutative(self, a: Fraction, b: Fraction, c: Fraction) -> None:
        p, q, r = self.made(a), self.made(b), self.made(c)
        for operation in (self.semiring.add, self.semiring.mul):
            assert self.same(operation(p, operation(q, r)), operation(operation(p, q), r))
            assert self.same(operation(p, q), operation(q, p))

    @QUICK
    @given(a=RATIONALS, b=RATIONALS, c=RATIONALS)
    def test_multiplication_distributes(self, a: Fraction, b: Fraction, c: Fraction) -> None:
        p, q, r = self.made(a), self.made(b), self.made(c)
        add, mul = self.semiring.add, self.semiring.mul
        assert self.same(mul(p, add(q, r)), add(mul(p, q), mul(p, r)))

    @QUICK
    @given(a=RATIONALS)
    def test_zero_and_one_are_neutral_and_zero_absorbs(self, a: Fraction) -> None:
        p, ring = self.made(a), self.semiring
        assert self.same(ring.add(p, ring.zero), p)
        assert self.same(ring.mul(p, ring.one), p)
        assert self.same(ring.mul(p, ring.zero), ring.zero)
        assert not self.same(ring.zero, ring.one)

    @QUICK
    @given(weights=ROWS)
    def test_a_row_gives_its_weights_back(self, weights: list[Fraction]) -> None:
        row = self.semiring.row(weights)
        assert len(row.weights) == len(weights)
        for given_weight, kept in zip(weights, row.weights, strict=True):
            assert self.stands_for(self.semiring.value(kept, row.scale), given_weight)

    @QUICK
    @given(weights=ROWS)
    def test_a_total_is_the_sum_of_the_weights(self, weights: list[Fraction]) -> None:
        row = self.semiring.row(weights)
        total = self.semiring.zero
        for weight in row.weights:
            total = self.semiring.add(total, weight)
        assert self.same(total, row.total)
        assert self.stands_for(self.semiring.value(row.total, row.scale), sum(weights, Fraction(0)))

    @QUICK
    @given(shares=st.lists(st.integers(1, 9), min_size=1, max_size=6))
    def test_the_total_of_a_distribution_is_its_scale(self, shares: list[int]) -> None:
        """So not looking at a coin costs nothing."""
        row = self.semiring.row([Fraction(share, sum(shares)) for share in shares])
        assert row.total == row.scale

    @QUICK
    @given(first=ROWS, second=ROWS)
    def test_scales_multiply_along_a_path(self, first: list[Fraction], second: list[Fraction]) -> None:
        ring = self.semiring
        a, b = ring.row(first), ring.row(second)
        mass, scale = ring.mul(a.weights[0], b.weights[-1]), ring.mul(a.scale, b.scale)
        assert self.stands_for(ring.value(mass, scale), first[0] * second[-1])

    def test_whole_numbers_are_weights_too(self) -> None:
        row = self.semiring.row([1, 0, Fraction(1, 2)])
        assert self.stands_for(self.semiring.value(row.weights[0], row.scale), Fraction(1))
        assert self.same(row.weights[1], self.semiring.zero)

    def test_it_has_a_name(self) -> None:
        assert self.semiring.name and isinstance(self.semiring.row([1]), Row)


class TestExact(SemiringLaws):
    semiring = EXACT

    def made(self, value: Fraction) -> int:
        return value.numerator

    @QUICK
    @given(weights=ROWS)
    def test_all_stays_integer(self, weights: list[Fraction]) -> None:
        row = EXACT.row(weights)
        assert all(type(number) is int for number in (*row.weights, row.total, row.scale))
        assert type(EXACT.value(row.total, row.scale)) is Fraction

    def test_what_is_not_rational_is_refused(self) -> None:
        with pytest.raises(InvalidNumber, match="not rational"):
            EXACT.row([exp("-1")])


class TestPolynomial(SemiringLaws):
    """A number stands for the polynomial value * lam + (1 - lam), which is that number at 1."""

    semiring = POLYNOMIAL

    def made(self, value: Fraction) -> Any:
        return (LAM * value.numerator + (1 - LAM)).numerator

    @QUICK
    @given(weights=ROWS, at=RATIONALS)
    def test_rows_of_functions_are_rows_of_numbers_at_every_point(self, weights: list[Fraction], at: Fraction) -> None:
        functions = [(weight + LAM) / (1 + LAM) for weight in weights]
        row, numbers = POLYNOMIAL.row(functions), EXACT.row([function(at) for function in functions])
        assert POLYNOMIAL.value(row.total, row.scale)(at) == EXACT.value(numbers.total, numbers.scale)
        assert [POLYNOMIAL.value(weight, row.scale)(at) for weight in row.weights] == [f(at) for f in functions]

    def test_what_is_not_rational_is_refused(self) -> None:
        with pytest.raises(InvalidNumber, match="cannot be mixed with a parameter"):
            POLYNOMIAL.row([exp("-1")])


class TestFloat64(SemiringLaws):
    semiring = FLOAT64

    def made(self, value: Fraction) -> float:
        return float(value)

    def same(self, a: float, b: float) -> bool:
        return math.isclose(a, b, rel_tol=1e-14, abs_tol=0.0) or a == b

    def stands_for(self, result: float, value: Fraction) -> bool:
        return math.isclose(result, value, rel_tol=1e-14) or result == value

    def test_balls_become_their_middles(self) -> None:
        row = FLOAT64.row([exp("-1"), 1 - exp("-1")])
        assert row.total == 1.0 and row.weights[0] == math.exp(-1)


class TestBall(SemiringLaws):
    semiring = BALL

    def made(self, value: Fraction) -> Ball:
        return Ball(value)

    def same(self, a: Ball, b: Ball) -> bool:
        """Two balls that may be the same number."""
        return a.lower <= b.upper and b.lower <= a.upper

    def stands_for(self, result: Ball, value: Fraction) -> bool:
        return result.contains(value) and result.radius <= Fraction(1, 10**60)

    @QUICK
    @given(a=RATIONALS, b=RATIONALS)
    def test_results_hold_the_true_number(self, a: Fraction, b: Fraction) -> None:
        assert BALL.add(Ball(a), Ball(b)).contains(a + b)
        assert BALL.mul(Ball(a), Ball(b)).contains(a * b)

    @QUICK
    @given(power=st.fractions(min_value=0, max_value=9, max_denominator=9))
    def test_exponentials_make_distributions(self, power: Fraction) -> None:
        share = exp(-power) / 2
        row = BALL.row([share, 1 - share])
        assert row.total == BALL.one
        assert abs(float(row.weights[0]) - math.exp(-power) / 2) < 1e-15


class TestField(SemiringLaws):
    semiring = FieldSemiring(PRIME)

    def made(self, value: Fraction) -> int:
        return FieldSemiring(PRIME).residue(value)

    def stands_for(self, result: int, value: Fraction) -> bool:
        return result == FieldSemiring(PRIME).residue(value)

    @QUICK
    @given(weights=ROWS)
    def test_it_is_the_image_of_the_exact_numbers(self, weights: list[Fraction]) -> None:
        field = FieldSemiring(PRIME)
        row, exact = field.row(weights), EXACT.row(weights)
        assert field.value(row.total, row.scale) == field.residue(EXACT.value(exact.total, exact.scale))

    def test_a_denominator_that_vanishes_is_refused(self) -> None:
        with pytest.raises(InvalidNumber, match="no residue modulo 7"):
            FieldSemiring(7).row([Fraction(1, 14)])


class TestBoolean(SemiringLaws):
    """A weight stands for whether it is positive."""

    semiring = BOOLEAN

    def made(self, value: Fraction) -> int:
        return int(value != 0)

    def stands_for(self, result: int, value: Fraction) -> bool:
        return result == int(value != 0)


class TestBitsets(SemiringLaws):
    semiring = BitsetSemiring(6)

    def made(self, value: Fraction) -> int:
        return hash(value) & 63

    def stands_for(self, result: int, value: Fraction) -> bool:
        return result == (63 if value else 0)


class TestBareBall(SemiringLaws):
    semiring = BARE_BALL

    def made(self, value: Fraction) -> Any:
        return Ball(value).arb

    def same(self, a: Any, b: Any) -> bool:
        return bool(flint.arb(a).overlaps(flint.arb(b)))

    def stands_for(self, result: Ball, value: Fraction) -> bool:
        return result.contains(value) and result.radius <= Fraction(1, 10**14)

    def test_in_precision_it_is_as_narrow_as_a_ball(self) -> None:
        row = BARE_BALL.row([exp("-1"), Fraction(1, 3)])
        with in_precision():
            result = BARE_BALL.value(BARE_BALL.mul(*row.weights), row.scale)
        assert self.same(result.arb, (exp("-1") / 3).arb) and result.radius < Fraction(1, 10**70)


VECTORS = st.lists(st.integers(0, 40), min_size=1, max_size=4).filter(any)


@pytest.mark.parametrize("semiring", [EXACT, BARE_BALL], ids=lambda semiring: semiring.name)
class TestProjective:
    """The search relies on one key for each ray, and on scales that give the vectors back."""

    @QUICK
    @given(vector=VECTORS, factor=st.integers(1, 50))
    def test_multiples_of_a_vector_share_its_key(
        self, semiring: ProjectiveSemiring[Any], vector: list[int], factor: int
    ) -> None:
        with in_precision():
            row, scale = semiring.primitive(semiring.plain(vector))
            other, larger = semiring.primitive(semiring.plain([factor * entry for entry in vector]))
            assert semiring.key(row) == semiring.key(other)
            assert semiring.unit * larger / scale == factor
            for kept, entry in zip(semiring.joined(row, other), vector, strict=True):
                assert Ball(flint.arb(kept) * flint.arb(scale)).contains(entry)

    @QUICK
    @given(one=VECTORS, two=VECTORS)
    def test_other_vectors_have_other_keys(
        self, semiring: ProjectiveSemiring[Any], one: list[int], two: list[int]
    ) -> None:
        assume(len(one) == len(two))
        proportional = all(one[i] * two[j] == one[j] * two[i] for i in range(len(one)) for j in range(len(one)))
        with in_precision():
            keys = [semiring.key(semiring.primitive(semiring.plain(vector))[0]) for vector in (one, two)]
        assert (keys[0] == keys[1]) == proportional

    @QUICK
    @given(a=st.integers(1, 99), b=st.integers(1, 99))
    def test_maximum_and_minimum_of_scales(self, semiring: ProjectiveSemiring[Any], a: int, b: int) -> None:
        p, q = semiring.unit * a, semiring.unit * b
        assert semiring.larger(p, q) == max(a, b) and semiring.smaller(p, q) == min(a, b)
        assert semiring.spread([0, 1]) == 1
