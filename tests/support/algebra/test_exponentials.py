"""Numbers made of powers of e: their forms agree with balls of many digits, and equal numbers are known to be equal."""

import operator
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from taut import Ball, InvalidNumber, bits, discrete_laplace, exp, flip, ints, mechanism
from taut.support.algebra.exponentials import Exponential
from taut.support.exact import largest, may_be_equal, smallest, surely_above, surely_at_most

POWERS = st.fractions(-2, 2, max_denominator=6)
NUMBERS = st.builds(exp, POWERS) | st.builds(lambda value: Ball(value), st.fractions(-3, 3, max_denominator=4))
OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv]


def applied(operation: Any, a: Ball, b: Ball) -> Ball:
    try:
        made = operation(a, b)
    except InvalidNumber:  # division by zero
        assume(False)
    assert isinstance(made, Ball)
    return made


EXPRESSIONS = st.recursive(
    NUMBERS, lambda part: st.builds(applied, st.sampled_from(OPERATIONS), part, part), max_leaves=6
)


def finely(form: Exponential) -> Any:
    with flint.ctx.workprec(2000):
        return form._ball()


@settings(max_examples=150)
@given(EXPRESSIONS)
def test_the_form_of_a_ball_is_a_number_in_the_ball(ball: Ball) -> None:
    if ball.form is not None:
        with flint.ctx.workprec(2000):
            assert finely(ball.form).overlaps(ball.arb)


@settings(max_examples=150)
@given(EXPRESSIONS, EXPRESSIONS)
def test_forms_are_the_same_where_many_digits_are(a: Ball, b: Ball) -> None:
    if a.form is None or b.form is None:
        return
    with flint.ctx.workprec(2000):
        gap = finely(a.form) - finely(b.form)
        assert a.form.same(b.form) in (None, gap.contains(0))
        assert surely_above(a, b) in (None, bool(gap > 0))


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
@settings(max_examples=100)
def test_laws_of_fields_hold_for_forms(a: Ball, b: Ball, c: Ball) -> None:
    for one, other in ((a * (b + c), a * b + a * c), ((a + b) - b, a), (a * b, b * a)):
        assert one.form is None or other.form is None or one.form.same(other.form) is not False


def test_numbers_that_are_one_are_compared_as_such() -> None:
    one, other = exp("1/3") ** 3, exp(2) / exp(1)
    assert one <= other <= one and not one < other and may_be_equal(one, other)
    assert surely_above(one, other) is False and surely_at_most(one, other)
    keep = exp(1) / (1 + exp(1))
    assert keep / (1 - keep) <= exp(1) and surely_above(keep / (1 - keep), exp("1000000001/1000000000")) is False
    with pytest.raises(InvalidNumber, match="undecided"):
        assert sum([exp(Fraction(1, n)) for n in range(1, 9)], Ball(0)) < sum(
            [exp(Fraction(1, n)) for n in range(8, 0, -1)]
        )
    assert largest([one, other]).form is not None and smallest([one, other]).form is not None


def test_numbers_nearer_than_balls_can_tell_are_compared_by_more_digits() -> None:
    far = exp(1) * (1 + exp(-300))
    assert far > exp(1) and may_be_equal(far, exp(1)) is False


@mechanism
def noisy_sum(x: Any, scale: Any) -> Any:
    return discrete_laplace(sum(x), scale)


@mechanism
def response(x: Any, epsilon: Any) -> Any:
    keep = exp(epsilon) / (1 + exp(epsilon))
    return [bit if flip(keep) else 1 - bit for bit in x]


@pytest.mark.parametrize("method", ["auto", "exhaustive"])
def test_a_mechanism_made_for_an_epsilon_certainly_has_it(method: str) -> None:
    for model, epsilon in ((noisy_sum(ints(2, 0, 5), scale=5), "1"), (response(bits(2), epsilon="1/3"), "1/3")):
        bound = model.privacy(method=method)
        assert bound.holds(epsilon) is True and bound.holds(ratio=exp(epsilon)) is True
        assert bound.holds(Fraction(epsilon) - Fraction(1, 10**80)) is not True
