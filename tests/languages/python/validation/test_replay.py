"""Witnesses replayed by the user's function: exact, independent of what was read, and honest about the method."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.languages.python.validation.reading import read
from tests.oracle.native import native_distribution
from tests.oracle.test_corpus import CASES

import taut
from taut import Ball, Misreading, bits, flip, ints, mechanism, observe, uniform
from taut.languages.python.validation import FunctionReplay, TargetDistance


def replayed(function: Any, *args: Any, **keywords: Any) -> FunctionReplay:
    reading = read(function, *args, **keywords)
    return FunctionReplay(function, reading.arguments, reading.program, reading.draws)


@pytest.mark.parametrize("case", CASES[::9], ids=lambda case: case.name)
def test_probabilities_are_those_of_plain_python(case: Any) -> None:
    reading = read(case.mechanism.function, **case.databases, **case.parameters)
    function = FunctionReplay(case.mechanism.function, reading.arguments, reading.program, reading.draws)
    for x, arguments in list(case.inputs())[:3]:
        for y, expected in list(native_distribution(case.mechanism, arguments).items())[:4]:
            found, method = function.probability(x, y)
            assert found == expected and method in ("function", "function, sampled")


def conditioned(x: Any) -> Any:
    heads = sum(flip("1/3") for _ in x)
    observe(heads >= x[0])
    return heads


def test_evidence_is_conditioned_on() -> None:
    assert replayed(conditioned, bits(2)).probability((1, 0), 2) == (Fraction(1, 5), "function")
    assert replayed(conditioned, bits(2)).probability((1, 0), 0) == (0, "function")


def test_floats_are_decimals_also_where_python_rounds() -> None:
    def tenths(x: Any) -> Any:
        return flip(0.1 * (1 + x[0] + x[1]))

    assert replayed(tenths, bits(2)).probability((1, 1), True) == (Fraction(3, 10), "function")


def test_balls() -> None:
    found, method = replayed(lambda x: x[0] ^ flip(taut.exp(-1)), bits(1)).probability((0,), 1)
    assert method == "function" and isinstance(found, Ball) and abs(float(found) - 0.36787944117144233) < 1e-15


def noisy_count(x: Any) -> Any:
    return sum(bit ^ flip("1/5") for bit in x)


def test_what_was_read_takes_no_part_where_all_runs_are_made() -> None:
    reading = read(noisy_count, bits(2))
    wrong = replace(reading.program, output=reading.program.terms.const(0))
    function = FunctionReplay(noisy_count, reading.arguments, wrong, reading.draws)
    assert function.probability((0, 0), 1) == (Fraction(8, 25), "function")


def test_a_bound_of_a_misread_program_is_not_verified() -> None:
    model = mechanism(noisy_count)(bits(2))
    bound = model.privacy()
    assert bound.verify() and bound.verify().method == "function"
    terms = model.program.terms
    with taut.options(validate="off"):
        other = mechanism(noisy_count)(bits(2))
    other.program = replace(model.program, output=terms.apply("add", model.program.output, terms.const(10)))
    wrong = other.privacy()
    assert not wrong.verify(), "the function never returns 10"


def many(x: Any) -> Any:
    return sum(bit ^ flip("1/5") for bit in x) + uniform(0, 1)


def test_samples_where_there_are_too_many_runs() -> None:
    reading = read(many, bits(16))
    x = (0,) * 16
    function = FunctionReplay(many, reading.arguments, reading.program, reading.draws)
    assert function.probability(x, 0) == (Fraction(4, 5) ** 16 / 2, "function, sampled")
    wrong = replace(reading.program, output=reading.program.terms.const(0))
    with pytest.raises(Misreading):
        FunctionReplay(many, reading.arguments, wrong, reading.draws).probability(x, 0)


def test_closeness() -> None:
    reading = read(noisy_count, bits(3))
    function = FunctionReplay(noisy_count, reading.arguments, reading.program, reading.draws)
    third = Fraction(1, 3)

    def target(x: Any) -> Any:
        return sum(x) / 3

    found = function.closeness(
        (1, 1, 1), TargetDistance(target, None, third * 2), lambda: reading.event(target, None, third * 2)
    )
    assert found == (Fraction(12, 125), "function"), "1 is close to 1, at a distance of 0; 0 and 2 are not"


def test_accuracy_is_replayed_by_the_function() -> None:
    bound = mechanism(noisy_count)(bits(3)).accuracy(sum, 1)
    assert bound.verify() and bound.verify().method == "function"
    assert not replace(bound, lower=Fraction(1, 2), upper=Fraction(1, 2)).verify()


def test_several_databases_and_single_numbers() -> None:
    def two(x: Any, y: Any) -> Any:
        return x[0] + y + flip("1/4")

    function = replayed(two, bits(1), taut.integer(0, 2))
    assert function.probability(((1,), 2), 4) == (Fraction(1, 4), "function")
    assert replayed(lambda x: max(x), ints(2, 0, 2)).probability((0, 2), 2) == (1, "function")
