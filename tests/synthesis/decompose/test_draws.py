"""The rows of a cell with one draw, made with arrays, are those of enumerating its program."""

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import bits, discrete, discrete_gaussian, flip, geometric, mechanism
from taut.program.enumerator import enumerate_outcomes
from taut.program.operations import typed
from taut.support.exact import may_be_equal
from taut.synthesis.decompose.draws import one_draw

DATABASES = list(itertools.product((0, 1), repeat=4))


@mechanism
def drawn(x: Any, draw: str, low: int, high: int, function: str, alpha: int) -> Any:
    total = 3 * x[0] + 2 * x[1] + x[2] + x[3]
    if draw == "geometric":
        noisy = geometric(total, "2/3", low, high)
    elif draw == "gaussian":
        noisy = discrete_gaussian(total, 2, low, high)
    elif draw == "table":
        noisy = discrete([["1/6", "1/3", "1/2", 0], [0, "1/2", "1/4", "1/4"], [1, 0, 0, 0]][total % 3])
    else:
        noisy = flip("1/3")
    if function == "near":
        return abs(noisy - total) <= alpha
    if function == "several intervals":
        return abs(abs(noisy - alpha) - 2) <= 1 or noisy == total
    if function == "between":
        return min(max(noisy, alpha), total + 1)
    if function == "not always":
        return noisy + alpha if total > 2 else total
    return alpha * noisy - total


@settings(max_examples=60)
@given(
    st.sampled_from(["geometric", "gaussian", "table", "coin"]),
    st.integers(-3, 5),
    st.integers(0, 9),
    st.sampled_from(["near", "several intervals", "between", "not always", "distance"]),
    st.integers(0, 4),
)
def test_rows_are_those_of_enumeration(draw: str, low: int, width: int, function: str, alpha: int) -> None:
    program = drawn(bits(4), draw=draw, low=low, high=low + width, function=function, alpha=alpha).program
    found = one_draw(program)
    if found is None:
        return
    for x in DATABASES:
        row = found.row(x)
        if row is None:
            continue
        expected = enumerate_outcomes(program, x)
        assert {typed(value) for value, mass in row.items() if mass != 0} == {typed(value) for value in expected}
        for value, mass in expected.items():
            exact = isinstance(mass, Fraction) and isinstance(row[value], Fraction)
            assert row[value] == mass if exact else may_be_equal(row[value], mass)


@pytest.mark.parametrize("draw", ["geometric", "gaussian"])
@pytest.mark.parametrize("function", ["near", "several intervals", "between", "not always", "distance"])
def test_noise_around_a_count_is_one_draw(draw: str, function: str) -> None:
    program = drawn(bits(4), draw=draw, low=0, high=9, function=function, alpha=2).program
    found = one_draw(program)
    assert found is not None and all(found.row(x) is not None for x in DATABASES)
