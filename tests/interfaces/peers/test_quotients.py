"""The largest ratio of a table, beside the plain loop; what rounding leaves open."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from taut.interfaces.peers.peer import largest_ratio
from taut.support.exact import INFINITY, quotient


def by_loop(rows: dict[Any, dict[Any, Fraction]], pairs: list[tuple[Any, Any]]) -> Any:
    outputs = {y for row in rows.values() for y in row}
    ratios = [
        quotient(rows[x].get(y, Fraction(0)), rows[other].get(y, Fraction(0))) for x, other in pairs for y in outputs
    ]
    return max((ratio for ratio in ratios if ratio is not None), default=None)


@pytest.mark.parametrize("scale", [1, 10**15, 10**320])
def test_the_plain_loop_agrees(scale: int) -> None:
    """With probabilities that doubles cannot tell apart, and with some that are too small for them."""
    source = random.Random(7)
    for _ in range(60):
        rows = {
            x: {
                y: Fraction(source.choice([0, 1, 2, 3, scale, scale + 1]), 5 * scale)
                for y in "abcd"[: source.randint(1, 4)]
            }
            for x in range(4)
        }
        pairs = [(x, other) for x in range(4) for other in range(4) if x != other and source.random() < 0.5]
        found = largest_ratio(rows, pairs, {})
        truth = by_loop(rows, pairs)
        assert (None if found is None else found.value) == truth
        assert found is None or found.low == found.value == found.high


def test_rounding_moves_both_ends() -> None:
    half = Fraction(1, 2000)
    rows = {"x": {0: Fraction(1, 4), 1: Fraction(3, 4)}, "z": {0: Fraction(1, 2), 1: Fraction(1, 2)}}
    found = largest_ratio(rows, [("x", "z"), ("z", "x")], {"x": half, "z": half})
    assert found is not None and found.value == 2
    assert found.low == (Fraction(1, 2) - half) / (Fraction(1, 4) + half)
    assert found.high == (Fraction(1, 2) + half) / (Fraction(1, 4) - half)


def test_a_printed_zero_leaves_everything_open() -> None:
    rows = {"x": {0: Fraction(1)}, "z": {0: Fraction(1, 2), 1: Fraction(1, 2)}, "w": {0: Fraction(1)}}
    exact = largest_ratio(rows, [("x", "w")], {})
    assert exact is not None and exact.value == 1
    rounded = largest_ratio(rows, [("x", "w")], dict.fromkeys(rows, Fraction(1, 1000)))
    assert rounded is not None and (rounded.value, rounded.high) == (1, INFINITY)
    assert rounded.low == Fraction(999, 1001)


def test_triples_are_those_given() -> None:
    rows = {"x": {0: Fraction(1, 4), 1: Fraction(3, 4)}, "z": {0: Fraction(1, 2), 1: Fraction(1, 2)}}
    found = largest_ratio(rows, [("x", "z", 0)], {})
    assert found is not None and found.value == Fraction(1, 2)
    assert largest_ratio(rows, [("x", "z", "never")], {}) is None
    assert largest_ratio(rows, [], {}) is None
