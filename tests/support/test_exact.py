"""Numbers are read exactly or refused, and balls keep their promise."""

import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import INFINITY, Ball, InvalidNumber, InvalidProbability, exp
from taut.support.exact import (
    decimal,
    ends,
    exact,
    exact_text,
    fraction_of_text,
    in_groups,
    is_number,
    largest,
    number,
    probability,
    smallest,
)

QUICK = settings(max_examples=60, deadline=None)
RATIONALS = st.fractions(min_value=-20, max_value=20, max_denominator=1000)


@pytest.mark.parametrize(
    ("given_value", "value"),
    [
        ("1/5", Fraction(1, 5)),
        ("0.2", Fraction(1, 5)),
        (" 7 ", Fraction(7)),
        ("2e-3", Fraction(1, 500)),
        ("-1/4", Fraction(-1, 4)),
        (0.2, Fraction(1, 5)),
        (0.1 + 0.2, Fraction("0.30000000000000004")),
        (3, Fraction(3)),
        (True, Fraction(1)),
        (Fraction(2, 6), Fraction(1, 3)),
    ],
)
def test_numbers_are_read_exactly(given_value: Any, value: Fraction) -> None:
    found = number(given_value, "here")
    assert found == value and isinstance(found, Fraction)


@pytest.mark.parametrize("text", ["", "a", "1/0", "1//2", "nan", "inf", "-inf", "1e999999999", "1/2/3", "0x1"])
def test_text_that_is_no_number_is_refused(text: str) -> None:
    assert fraction_of_text(text) is None
    with pytest.raises(InvalidNumber, match="flip"):
        number(text, "flip")


@pytest.mark.parametrize("value", [None, [], {}, object(), 1j, math.nan, math.inf, -math.inf, b"1"])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(InvalidNumber, match="here") as caught:
        number(value, "here")
    assert isinstance(caught.value, ValueError)


@QUICK
@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_decimal_that_was_typed(value: float) -> None:
    assert exact(value) == Fraction(Decimal(repr(value)))
    assert float(exact(value)) == value


@pytest.mark.parametrize("value", [-0.1, 1.5, "6/5", -1, 2, exp("1")])
def test_a_probability_lies_between_zero_and_one(value: Any) -> None:
    with pytest.raises(InvalidProbability, match=r"\[0, 1\]") as caught:
        probability(value, "flip")
    assert caught.value.value == value


def test_probabilities_at_the_ends_are_fine() -> None:
    assert [probability(value, "flip") for value in (0, 1, "0", 1.0, Fraction(1, 2))] == [0, 1, 0, 1, Fraction(1, 2)]
    assert is_number(1) and is_number(Fraction(1)) and is_number(0.5) and not is_number("1")
    assert math.inf == INFINITY


OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
]


@pytest.mark.parametrize("operation", OPERATIONS)
@QUICK
@given(a=RATIONALS, b=RATIONALS)
def test_balls_hold_the_exact_result(operation: Callable[[Any, Any], Any], a: Fraction, b: Fraction) -> None:
    b = b or Fraction(1)
    exact_result = operation(a, b)
    for result in (operation(Ball(a), Ball(b)), operation(Ball(a), b), operation(a, Ball(b))):
        assert isinstance(result, Ball)
        assert result.contains(exact_result)
        assert result.lower <= result.mid <= result.upper
        assert result.radius <= Fraction(1, 10**60)


@QUICK
@given(a=RATIONALS, power=st.integers(-4, 4))
def test_powers_of_balls(a: Fraction, power: int) -> None:
    if a or power >= 0:
        assert (Ball(a) ** power).contains(a**power)


@QUICK
@given(power=st.fractions(min_value=-50, max_value=50, max_denominator=50))
def test_exponentials(power: Fraction) -> None:
    value = exp(power)
    assert math.isclose(float(value), math.exp(power), rel_tol=1e-13)
    assert value.radius < value.mid * Fraction(1, 10**70)
    assert (value * exp(-power)).contains(1)


def test_comparisons_of_balls_are_decided_or_refused() -> None:
    third = Ball(Fraction(1, 3))
    assert exp(0) <= 1 and exp(-1) < 1 and exp(1) > 2 and Ball(2) >= 2 and not Ball(2) < 2
    assert third <= Fraction(1, 3) and not third < Fraction(1, 3)
    nested = exp(exp(-1))
    with pytest.raises(InvalidNumber, match="undecided"):
        _ = nested < exp(exp(-1))
    with pytest.raises(TypeError):
        _ = third < "1"


def test_equality_of_balls_is_that_of_balls() -> None:
    third = Ball(Fraction(1, 3))
    assert third == Ball(Fraction(1, 3)) and hash(third) == hash(Ball(Fraction(1, 3)))
    assert third != Fraction(1, 3) and Ball(2) == 2 and hash(Ball(2)) == hash(2)
    assert third != "a"


@QUICK
@given(RATIONALS, st.integers(-40, 40), st.sampled_from(["0", "-1", "1/3"]))
def test_equal_balls_are_those_with_the_same_centre_and_radius(value: Fraction, power: int, exponent: str) -> None:
    balls = [Ball(value) * Fraction(2) ** power, value * exp(exponent), exp(exponent) * value - 1 + 1, Ball(value)]
    for ball in balls:
        assert ends(ball) == (ball.mid - ball.radius, ball.mid + ball.radius)
        assert (ball.radius == 0) == ball.arb.is_exact()
        for other in balls:
            same = ball.mid == other.mid and ball.radius == other.radius
            assert (ball == other) == same
            assert not same or hash(ball) == hash(other)


def test_a_ball_prints_its_radius() -> None:
    assert repr(Ball(2)).startswith("Ball(2") and repr(Ball(2)).endswith("± 0)")
    assert repr(exp("-5")).startswith("Ball(0.0067379469990854") and "±" in repr(exp("-5"))


def test_division_by_what_may_be_zero_is_refused() -> None:
    for divide in (lambda: 1 / Ball(0), lambda: Ball(1) / (exp(1) - exp(1))):
        with pytest.raises(InvalidNumber, match="contains 0"):
            divide()


@pytest.mark.parametrize("power", ["x", 10**7, "-1e9", "1e400", exp(20), None])
def test_exponents_are_bounded(power: Any) -> None:
    with pytest.raises(InvalidNumber, match="exp"):
        exp(power)


def test_a_power_of_e_is_one_object_per_power_and_may_be_a_ball_itself() -> None:
    assert exp("-1/2") is exp(-0.5) and exp(-1) is not exp(-2)
    assert exp(exp(0)).arb.overlaps(exp(1).arb) and exp(exp(-1)).lower > 1


# -- extremes, groups and texts --------------------------------------------------------------------------------------

BALLS = st.builds(lambda mid, radius: Ball(flint.arb(mid, radius)), st.integers(-9, 9), st.integers(0, 6))
VALUES = st.lists(st.one_of(BALLS, RATIONALS, st.just(INFINITY)), min_size=1, max_size=6)


@QUICK
@given(values=VALUES)
def test_extremes_enclose_wherever_the_numbers_lie(values: list[Any]) -> None:
    for extreme, choose in ((largest, max), (smallest, min)):
        lower, upper = ends(extreme(values))
        lowest, highest = (choose(end) for end in zip(*map(ends, values), strict=True))
        assert lower <= lowest and highest <= upper
        if lowest != INFINITY:
            assert upper - lower <= (highest - lowest) * (1 + Fraction(1, 10**6)) + Fraction(1, 10**60)


@QUICK
@given(values=VALUES)
def test_groups_are_those_that_overlap_or_are_linked(values: list[Any]) -> None:
    groups = in_groups(values)
    assert sorted(position for group in groups for position in group) == list(range(len(values)))
    spans = [(min(ends(values[p])[0] for p in group), max(ends(values[p])[1] for p in group)) for group in groups]
    assert all(upper < lower for (_, upper), (lower, _) in itertools.pairwise(spans))
    for group in groups:
        reached, rest = {group[0]}, set(group[1:])
        while near := {p for p in rest if any(overlap(values[p], values[q]) for q in reached)}:
            reached, rest = reached | near, rest - near
        assert not rest


def overlap(a: Any, b: Any) -> bool:
    return bool(ends(a)[0] <= ends(b)[1] and ends(b)[0] <= ends(a)[1])


@pytest.mark.parametrize("power", [0, 3, 307, 308, 309, 400, 5000, -5000])
def test_numbers_of_any_size_are_shown(power: int) -> None:
    value = Fraction(10) ** power
    assert fraction_of_text(exact_text(value)) == value if abs(power) < 4000 else len(exact_text(value)) > 5000
    for sign in (1, -1):
        assert float(decimal(sign * value, 5)) == float(decimal(Ball(sign * value), 5))
        assert "e" in decimal(sign * value) or 0 <= power < 10
        assert repr(Ball(sign * value)) and float(Ball(sign * value)) * sign >= 0


@pytest.mark.parametrize("centre", ["0", "1e-80", "-1e-80"])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 8])
def test_powers_of_balls_around_zero(centre: str, exponent: int) -> None:
    """Differences of equal numbers are such balls, and divergences square them."""
    ball = Ball(flint.arb(centre, "1e-70"))
    power = ball**exponent
    for share in (-1, 0, Fraction(1, 3), 1):
        assert power.contains((ball.mid + share * ball.radius) ** exponent)
    assert power.radius <= (2 * ball.radius) ** max(1, exponent) * 2
    assert exponent % 2 or power.upper >= 0
