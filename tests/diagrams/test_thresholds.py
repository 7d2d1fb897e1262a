"""Sums compared part by part: the very node that comparing the diagram of the sum gives."""

import functools
import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.diagrams import BinaryOperation, Diagrams, UnaryOperation, sum_compared
from taut.support.errors import DiagramTooLarge

numbers = st.integers(-9, 9)
factors = st.sampled_from([1, -1, 2, -4, 8, 100])


@st.composite
def sums(draw: st.DrawFn) -> tuple[Diagrams, list[int]]:
    """Parts one below the other: variables whose values rise, fall or do neither, and products of two of them."""
    diagrams, parts, level = Diagrams(10**6), list[int](), 0
    for _ in range(draw(st.integers(1, 4))):
        values = draw(st.lists(numbers, min_size=2, max_size=6))
        arranged = draw(st.sampled_from([list, sorted, lambda v: sorted(v, reverse=True)]))
        part = diagrams.variable(level, arranged(values))
        if draw(st.booleans()):
            level += 1
            other = diagrams.variable(level, draw(st.lists(st.integers(-3, 3), min_size=2, max_size=3)))
            part = diagrams.apply(BinaryOperation(operator.mul), part, other)
        level += 1
        factor = draw(factors)
        part = diagrams.map(UnaryOperation(functools.partial(operator.mul, factor)), part)
        if not diagrams.is_leaf(part):
            parts.append(part)
    return diagrams, parts


@settings(max_examples=300, deadline=None)
@given(case=sums(), number=st.integers(-40, 40), equal=st.booleans(), negated=st.booleans())
def test_it_is_the_comparison_of_the_sum(
    case: tuple[Diagrams, list[int]], number: int, equal: bool, negated: bool
) -> None:
    diagrams, parts = case
    if not parts:
        return
    total = functools.reduce(
        lambda below, part: diagrams.apply(BinaryOperation(operator.add), part, below), parts[::-1]
    )
    compare = operator.eq if equal else operator.lt
    expected = diagrams.map(UnaryOperation(lambda value: compare(value, number) != negated), total)
    assert sum_compared(diagrams, parts, number, equal=equal, negated=negated) == expected


@pytest.mark.parametrize("bits", [2, 16, 64, 2000])
def test_numbers_of_many_bits_take_three_nodes_a_bit(bits: int) -> None:
    """Two of them bit by bit, the highest first: equal, below; also where numbers are far beyond floats."""
    diagrams = Diagrams(10**5)
    parts = [
        diagrams.variable(2 * place + side, [0, sign << (bits - 1 - place)])
        for place in range(bits)
        for side, sign in enumerate((1, -1))
    ]
    for equal in (True, False):
        root = sum_compared(diagrams, parts, 0, equal=equal, negated=False)
        assert len(diagrams.reachable([root])) <= 3 * bits + 2
    assert sum_compared(diagrams, parts, 1 << bits, equal=True, negated=False) == diagrams.false
    assert sum_compared(diagrams, parts, 1 << bits, equal=False, negated=False) == diagrams.true


def test_limits_hold() -> None:
    diagrams = Diagrams(100)
    parts = [diagrams.variable(level, [0, level + 1]) for level in range(40)]
    with pytest.raises(DiagramTooLarge):
        sum_compared(diagrams, parts, 400, equal=True, negated=False)
