"""Rational functions: a field, in which equal functions are equal values, whose text Python reads back."""

import math
import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.support.algebra.rational import RationalFunction
from taut.support.errors import InvalidNumber

QUICK = settings(max_examples=36, deadline=None)
NUMBERS = st.fractions(min_value=-4, max_value=4, max_denominator=9)
LAM, MU = RationalFunction.unknown("lam"), RationalFunction.unknown("mu")


@st.composite
def functions(draw: Any, names: tuple[str, ...] = ("lam",)) -> RationalFunction:
    """A quotient of two small polynomials."""

    def polynomial() -> Any:
        total: Any = draw(NUMBERS)
        for name in names:
            for power in (1, 2):
                total = total + draw(NUMBERS) * RationalFunction.unknown(name) ** power
        return total

    bottom = polynomial()
    return (polynomial() + 0 * LAM) / (bottom if bottom != 0 else 1 + 0 * LAM)


@pytest.mark.parametrize("names", [("lam",), ("lam", "mu")])
@QUICK
@given(data=st.data())
def test_arithmetic_is_that_of_the_values(names: tuple[str, ...], data: Any) -> None:
    f, g = data.draw(functions(names)), data.draw(functions(names))
    point = {"lam": data.draw(NUMBERS), "mu": data.draw(NUMBERS)}
    if not f.denominator(point) or not g.denominator(point):
        return
    a, b = f.at(point), g.at(point)
    assert (f + g).at(point) == a + b and (f - g).at(point) == a - b and (f * g).at(point) == a * b
    assert (2 - f).at(point) == 2 - a and (f**3).at(point) == a**3 and (-f).at(point) == -a
    if b:
        assert (f / g).at(point) == a / b and (1 / g).at(point) == 1 / b


@QUICK
@given(f=functions(("lam", "mu")), g=functions(("lam", "mu")))
def test_equal_functions_are_equal_values(f: RationalFunction, g: RationalFunction) -> None:
    same = f + g - g
    assert same == f and hash(same) == hash(f) and pickle.loads(pickle.dumps(f)) == f
    if g:
        assert f * g / g == f


@QUICK
@given(f=functions(("lam", "mu")), lam=NUMBERS, mu=NUMBERS)
def test_the_text_is_the_function(f: RationalFunction, lam: Fraction, mu: Fraction) -> None:
    if f.denominator({"lam": lam, "mu": mu}):
        assert eval(str(f), {"lam": lam, "mu": mu}) == f(lam=lam, mu=mu)


def test_constants_are_numbers() -> None:
    half = LAM * 0 + Fraction(1, 2)
    assert half == Fraction(1, 2) and hash(half) == hash(Fraction(1, 2)) and half.constant() == Fraction(1, 2)
    assert LAM - LAM == 0 and not LAM - LAM and LAM.constant() is None


def test_text_and_latex() -> None:
    assert str((1 - LAM) / LAM) == "(1 - lam)/lam" and str((1 - LAM) ** 3 / LAM**2) == "(1 - lam)**3/lam**2"
    assert str(LAM / (1 - LAM)) == "lam/(1 - lam)" and str(LAM / (2 * MU)) == "lam/(2*mu)"
    assert ((1 - LAM) / LAM).latex() == r"\frac{1 - \lambda}{\lambda}"
    assert (LAM * 0).latex() == "0" and str(1 / (1 + LAM)) == "1/(1 + lam)"


def test_a_pole_is_infinite_and_names_are_needed() -> None:
    assert ((1 - LAM) / LAM)(0) == math.inf and ((1 - LAM) / LAM)("0.2") == 4
    for wrong in (lambda: LAM("x"), lambda: (LAM + MU)("1/2"), lambda: (LAM + MU)(lam=1)):
        with pytest.raises(InvalidNumber):
            wrong()
    with pytest.raises(ZeroDivisionError):
        1 / (LAM - LAM)
