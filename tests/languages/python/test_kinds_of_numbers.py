"""Floats, Fractions, integers and Booleans: what is compared, computed, printed and returned is what Python has."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import taut
from taut import Misreading, RoundedFloat, bits, flip, mechanism, uniform
from taut.diagrams.compile import compile_program
from taut.languages.python.floats import Float
from taut.program import Program, Terms, enumerate_outcomes
from taut.support.options import active

_NUMBERS: tuple[Any, ...] = (
    *(0.1, 0.3, 0.5, 1.0, 2.5, 1 / 3, 0.1 + 0.2, 2.0**53),
    *(Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(1, 3), Fraction(1), Fraction(2**53 + 1)),
    *(True, 1, 2, 2**53, 2**53 + 1),
)
_QUESTIONS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a >= b,
    lambda a, b: a in [b],
    lambda a, b: [b, a].index(a),
    lambda a, b: (b, a).count(a),
    lambda a, b: repr(sorted([a, b])),
    lambda a, b: repr(max(a, b)),
    lambda a, b: {a: "found"}.get(b, "none"),
    lambda a, b: repr({a, b}),
)


def answer(function: Callable[..., Any], *args: Any) -> Any:
    """The one output of a function of constants, as taut reads it and without its validation."""

    def asked(x: Any) -> Any:
        return function(*args) if x[0] else "other"

    with taut.options(validate="off"):
        (output,) = mechanism(asked)(bits(1)).distribution((1,))
    return output


@pytest.mark.parametrize("question", range(len(_QUESTIONS)))
def test_comparisons_of_all_kinds_are_those_of_python_or_refused(question: int) -> None:
    asked, answered = _QUESTIONS[question], 0
    pairs = list(itertools.product(_NUMBERS, repeat=2))
    for a, b in pairs[question % 9 :: 9]:
        try:
            got = answer(asked, a, b)
        except RoundedFloat:
            continue
        assert got == asked(a, b), (a, b)
        answered += 1
    assert answered > 20


@pytest.mark.parametrize("more", [0, 1, 2, 3])
def test_large_integers_are_not_compared_with_the_floats_they_are_rounded_to(more: int) -> None:
    @mechanism
    def large(x: Any) -> Any:
        return float(2**53 + more * x[0]) == 2**53

    try:
        got = large(bits(1)).distribution((1,))
    except RoundedFloat:
        assert more % 2 == 1 or more == 0
    else:
        assert got == {float(2**53 + more) == 2**53: 1}


@pytest.mark.parametrize("digits", [-1, 0, 1, 2])
@pytest.mark.parametrize("scale", [0.5, 1.5, 10.0, 1])
def test_rounded_and_parsed_floats_are_floats(digits: int, scale: Any) -> None:
    def rounded(x: Any) -> Any:
        number = uniform(0, 2) * scale / 2
        return round(number, digits), float(str(number)), "%s" % (round(number, digits),), [float(str(uniform(3, 4)))]

    distribution = mechanism(rounded)(bits(1)).distribution((0,))
    numbers = [place * scale / 2 for place in range(3)]
    expected = [
        (round(number, digits), number, str(round(number, digits)), (last,))
        for number in numbers
        for last in (3.0, 4.0)
    ]
    assert sorted(map(repr, distribution)) == sorted(map(repr, expected))
    assert set(distribution.values()) == {Fraction(1, 6)}


@pytest.mark.parametrize("hidden", [Float(0.5), (1, Float(0.5)), ((Float(2.0),),)])
def test_objects_of_the_reading_are_no_outputs(hidden: Any) -> None:
    terms = Terms()
    program = Program("leak", (), (), (), terms.const(hidden), terms.true, terms)
    for compute in (lambda: enumerate_outcomes(program, ()), lambda: compile_program(program, active())):
        with pytest.raises(Misreading, match="fault of taut"):
            compute()


_OUTPUTS: tuple[Any, ...] = (
    *(1.5, 0.1 + 0.2, 1.0, -0.0, Fraction(1, 2), Fraction(3), 2, True, "a", 1 / 3),
    *((0, 1.5), (1.0, (0.5, Fraction(1, 2))), (True, 1, 1.0)),
)


@pytest.mark.parametrize("place", range(len(_OUTPUTS)))
def test_distances_and_targets_print_outputs_as_python_does(place: int) -> None:
    first, second = _OUTPUTS[place], _OUTPUTS[place - 1]

    @mechanism
    def either(x: Any) -> Any:
        return (x[0], first) if flip("1/3") else (x[0], second)

    bound = either(bits(1)).error(lambda x: len(str((0.5, x[0] / 2))), distance=lambda y, t: len(f"{y}") + 100 * t).mean
    lengths = [
        (len(str((x, first))) + 2 * len(str((x, second)))) * Fraction(1, 3) + 100 * len(str((0.5, x / 2)))
        for x in (0, 1)
    ]
    assert bound.value == max(lengths)
    assert bound.verify()


def test_distances_stay_exact() -> None:
    @mechanism
    def tenths(x: Any) -> Any:
        return 0.1 + 0.2 if flip("1/2") else 0.3

    model = tenths(bits(1))
    assert model.error(lambda x: 0.3, distance=lambda y, t: abs(y - t) * 10**20).mean.value == 0
    assert model.error(lambda x: 1, distance=lambda y, t: (t - y) / 7).mean.value == Fraction(1, 10)
    assert model.error(lambda x: 0.3, distance=lambda y, t: int(y == t)).mean.value == 1


@pytest.mark.parametrize("exponent", [1.0, 2.0, -1.0, 0.5, 2, -2, Fraction(2), Fraction(1, 2), 0.0, True])
@pytest.mark.parametrize("base", [math.e, 2.0, 4.0, 2, 3, Fraction(1, 2), 0.1])
def test_powers_of_constants_are_those_of_python(base: Any, exponent: Any) -> None:
    assert repr(answer(lambda: base**exponent)) == repr(base**exponent)
    assert repr(answer(lambda: pow(base, exponent))) == repr(base**exponent)


def test_whole_powers_of_floats_are_exact() -> None:
    @mechanism
    def power(x: Any) -> Any:
        return flip(0.1**2.0)

    assert power(bits(1)).distribution((0,))[True] == Fraction(1, 100)


@pytest.mark.parametrize("epsilon", [1.0, 0.5, "1/2", 1, "0.1"])
@pytest.mark.parametrize("function", [np.exp, np.sqrt, np.log1p, math.exp, math.sqrt])
def test_functions_of_numpy_take_parameters(function: Any, epsilon: Any) -> None:
    @mechanism
    def computed(x: Any, epsilon: Any) -> Any:
        return float(function(epsilon)), float(function(1 + 2 * epsilon)), epsilon

    number = Fraction(epsilon) if isinstance(epsilon, str) else epsilon
    (output,) = computed(bits(1), epsilon=epsilon).distribution((0,))
    assert output == (float(function(float(number))), float(function(float(1 + 2 * number))), number)
    assert type(output[2]) in (int, Fraction)
