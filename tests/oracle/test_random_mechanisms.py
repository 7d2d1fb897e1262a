"""Random mechanisms: running them as plain Python, enumerating their terms and folding their diagrams all agree."""

import os
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.oracle.native import native_distribution

import taut
from taut import ImpossibleEvidence, Model, bits
from taut.ir import enumerate_outcomes

EXAMPLES = int(os.environ.get("TAUT_EXAMPLES", "120"))
THOROUGH = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
NEVER = "what no mechanism returns"


def check_program(program: GeneratedProgram, order: str = "auto") -> None:
    """Compare every way to a distribution, on every input; a failure shows the program."""
    with loaded(program) as case, taut.options(order=order):
        try:
            model = case.mechanism(**case.databases, **case.parameters)
            free = case.mechanism(**case.databases, **case.parameters)
            assert free.relation.arrays.size == free.size
            expected = {}
            for x, arguments in case.inputs():
                try:
                    expected[x] = native_distribution(case.mechanism, arguments)
                except ZeroDivisionError:
                    check_impossible(model, free, x)
                    continue
                check_input(model, free, x, expected[x])
            check_pairs(free, expected)
        except Exception as problem:
            problem.add_note(f"order={order}\n{program!r}")
            raise


def check_input(model: Model, free: Model, x: Any, expected: dict[Any, Fraction]) -> None:
    assert enumerate_outcomes(model.program, x) == expected, f"enumerated, at x={x!r}"
    assert model.distribution(x) == expected, f"input fixed, at x={x!r}"
    assert free.distribution(x) == expected, f"inputs free, at x={x!r}"
    for one in (model, free):
        assert {y: one.probability(x, y) for y in expected} == expected, f"probability, at x={x!r}"
        assert sum(one.probability(x, y) for y in expected) == 1
        assert one.probability(x, NEVER) == 0
        floats = one.distribution(x, semiring="float64")
        assert floats.keys() == expected.keys()
        assert all(abs(floats[y] - expected[y]) < 1e-9 for y in expected), f"float64, at x={x!r}"
        assert set(one.sample(x, 8, seed=1)) <= expected.keys(), f"sample, at x={x!r}"


def check_impossible(model: Model, free: Model, x: Any) -> None:
    for one in (model, free):
        with pytest.raises(ImpossibleEvidence):
            one.distribution(x)
        with pytest.raises(ImpossibleEvidence):
            one.probability(x, NEVER)
        with pytest.raises(ImpossibleEvidence):
            one.sample(x)
    with pytest.raises(ImpossibleEvidence):
        enumerate_outcomes(model.program, x)


def check_pairs(free: Model, expected: dict[Any, dict[Any, Fraction]]) -> None:
    """All inputs against all outputs at once."""
    outputs = list(dict.fromkeys(y for row in expected.values() for y in row)) + [NEVER]
    pairs = [(x, y) for x in expected for y in outputs]
    if not pairs:
        return
    matrix = free.inference(pairs)
    assert all(matrix[x, y] == expected[x].get(y, 0) for x, y in pairs)
    floats = free.batch(pairs)
    assert all(abs(found - expected[x].get(y, 0)) < 1e-9 for (x, y), found in zip(pairs, floats, strict=True))


@THOROUGH
@given(program=programs())
def test_every_way_to_a_distribution_agrees(program: GeneratedProgram) -> None:
    check_program(program)


@pytest.mark.parametrize("order", ["program", "interleaved", "search"])
@settings(parent=THOROUGH, max_examples=max(1, EXAMPLES // 4))
@given(program=programs())
def test_no_order_changes_an_answer(order: str, program: GeneratedProgram) -> None:
    check_program(program, order)
