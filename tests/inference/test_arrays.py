"""Values computed with arrays are those of the enumerator, of the same types, or there are none."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut.inference.arrays import values_at
from taut.program import Terms
from taut.program.enumerator import evaluate
from taut.program.operations import operation, typed

UNARY, BINARY = (
    ["abs", "neg", "not"],
    ["add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "min", "max"],
)
NUMBERS = st.integers(-3, 3) | st.booleans() | st.sampled_from([1 << 40, -(1 << 61), 1 << 62, 1 << 70])
CONSTANTS = NUMBERS | st.sampled_from([Fraction(1), Fraction(1, 2), "a", None])


@st.composite
def terms(draw: Any) -> Any:
    """A term over two inputs, made step by step from those before."""
    made = Terms()
    parts = [made.input(0, [0, 1]), made.input(1, [0, 1]), made.const(draw(CONSTANTS)), made.const(draw(CONSTANTS))]
    for name in draw(st.lists(st.sampled_from([*UNARY, *BINARY, "if"]), min_size=1, max_size=6)):
        count = (
            1
            if name in UNARY
            else 3
            if name == "if"
            else draw(st.integers(2, 3))
            if name in ("add", "min", "max")
            else 2
        )
        chosen = [draw(st.sampled_from(parts)) for _ in range(count)]
        parts.append(made.ite(*chosen) if name == "if" else made.apply(operation(name), *chosen))
    return parts[-1]


@given(terms(), st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=4))
def test_values_are_those_of_the_enumerator(root: Any, entries: Any) -> None:
    found = values_at(root, list(zip(*entries, strict=True)))
    if found is not None:
        assert list(map(typed, found)) == [typed(evaluate(root, one, {})) for one in entries]


def test_distances_are_computed() -> None:
    made = Terms()
    noisy, true = (made.input(place, range(5)) for place in range(2))
    distance = made.apply(operation("abs"), made.apply(operation("sub"), noisy, true))
    close = made.apply(operation("le"), distance, made.const(Fraction(2)))
    assert values_at(close, [(0, 4, 3), (3, 2, 3)]) == [False, True, True]
    assert values_at(distance, [(0, 4, 1 << 80), (3, 2, 3)]) is None


@pytest.mark.parametrize("name", ["truediv", "pow", "floordiv"])
def test_other_operations_are_left_to_the_enumerator(name: str) -> None:
    made = Terms()
    assert values_at(made.apply(operation(name), made.input(0, [1, 2]), made.const(2)), [(1, 2)]) is None
