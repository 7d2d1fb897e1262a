"""Parameters left free: arithmetic, and comparisons that are decided for all values or refused."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import InvalidNumber, WrongArguments, parameter
from taut.support.algebra.expression import Undecided
from taut.support.algebra.roots import signs_on

lam, mu = parameter("lam", 0, "1/2"), parameter("mu", "1/10", "0.5")


def test_arithmetic() -> None:
    assert str(1 - lam) == "1 - lam" and str(lam / 2) == "lam/2" and str(0.5 * lam) == "lam/2"
    assert str(lam**2) == "lam**2" and str((lam + 1) ** -1) == "1/(1 + lam)" and str(+lam - lam) == "0"
    assert str(abs(lam - 1)) == "1 - lam" and str(Fraction(1, 3) * mu - lam) == "(-3*lam + mu)/3"
    assert repr(lam) == "<lam for 0 <= lam <= 1/2>"


@pytest.mark.parametrize(
    "decided",
    [
        lam < 1,
        lam >= 0,
        lam <= Fraction(1, 2),
        lam != 2,
        not lam > 1,
        lam == 1 - (1 - lam),
        lam + mu <= 1,
        bool(mu),
        mu * lam < 1,
        lam != "text",
    ],
)
def test_comparisons_that_are_certain(decided: bool) -> None:
    assert decided is True


@pytest.mark.parametrize(
    "undecided",
    [
        lambda: lam < Fraction(1, 4),
        lambda: lam == 0,
        lambda: lam != Fraction(1, 2),
        lambda: bool(lam),
        lambda: lam == mu,
        lambda: lam < mu,
        lambda: abs(lam - Fraction(1, 4)),
        lambda: max(lam, Fraction(1, 4)),
        lambda: int(lam),
        lambda: float(lam),
        lambda: lam // 1,
        lambda: range(lam),
    ],
)
def test_comparisons_that_are_not_are_refused(undecided: Callable[[], Any]) -> None:
    with pytest.raises(Undecided, match=r"lam|mu"):
        undecided()


def test_where_a_comparison_changes_is_said() -> None:
    with pytest.raises(Undecided, match="true at lam = 0 and false at lam = 1/4"):
        lam < Fraction(1, 4)  # noqa: B015
    with pytest.raises(ZeroDivisionError, match="0 at lam = 0"):
        1 / lam
    with pytest.raises(ZeroDivisionError):
        1 / (lam**2 - Fraction(1, 8))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("a b", 0, 1),
        ("", 0, 1),
        ("if", 0, 1),
        (3, 0, 1),
        ("lam", 1, 0),
        ("lam", 1, 1),
        ("lam", True, 2),
        ("lam", 0, lam),
    ],
)
def test_parameters_that_are_refused(name: Any, low: Any, high: Any) -> None:
    with pytest.raises(WrongArguments):
        parameter(name, low, high)


def test_numbers_that_are_refused() -> None:
    for wrong in (
        lambda: parameter("lam", "x", 1),
        lambda: 2**lam,
        lambda: lam**0.5,
        lambda: lam + parameter("lam", 0, 1),
    ):
        with pytest.raises(InvalidNumber):
            wrong()


@settings(max_examples=36, deadline=None)
@given(data=st.data())
def test_signs_on_a_box_are_those_of_its_points(data: Any) -> None:
    number = st.integers(-3, 3)
    expression = data.draw(number) + data.draw(number) * lam + data.draw(number) * mu + data.draw(number) * lam * mu
    expression = expression + data.draw(number) * lam**2
    found, decided = signs_on(expression.function.numerator, expression.box)
    share = st.fractions(min_value=0, max_value=1, max_denominator=30)
    for _ in range(10):
        point = {"lam": data.draw(share) / 2, "mu": Fraction(1, 10) + data.draw(share) * Fraction(4, 10)}
        value = expression.function.numerator(point)
        assert not decided or (value > 0) - (value < 0) in found
    for sign, point in found.items():
        value = expression.function.numerator(point)
        assert sign == 0 or (value > 0) - (value < 0) == sign
