"""The parts of sums: whatever is shared, they add up to the sum, and no sum is opened twice."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from taut.diagrams.compile.linear import all_parts, is_linear
from taut.program import Apply, Term, Terms
from taut.program.enumerator import evaluate
from taut.program.values import IntegerRange


def _grown(source: random.Random, steps: int) -> tuple[Apply, list[int]]:
    """Return a sum that uses earlier sums again, and values of the entries."""
    terms = Terms()
    known: list[Term] = [terms.input(place, IntegerRange(0, 3)) for place in range(3)]
    known.append(terms.const(2))
    for _ in range(steps):
        one, other = source.choices(known[-4:], k=2)
        kind = source.choice(("add", "sub", "mul"))
        known.append(
            terms.apply("mul", terms.const(source.randint(-2, 3)), one)
            if kind == "mul"
            else terms.apply(kind, one, other)
        )
    root = terms.apply("add", known[-1], known[0])
    assert isinstance(root, Apply)
    return root, [source.randint(0, 3) for _ in range(3)]


@pytest.mark.parametrize("seed", range(40))
def test_parts_add_up_to_the_sum(seed: int) -> None:
    root, entries = _grown(random.Random(seed), 12)
    parts = all_parts(root)
    assert not any(is_linear(part) for _, part in parts)
    assert sum(factor * Fraction(evaluate(part, entries, {})) for factor, part in parts) == evaluate(root, entries, {})


def test_a_sum_that_is_doubled_again_and_again_has_few_parts() -> None:
    terms = Terms()
    one, other = (terms.input(place, IntegerRange(0, 1)) for place in range(2))
    total = terms.apply("add", one, other)
    for _ in range(200):
        total = terms.apply("add", total, total)
    assert isinstance(total, Apply)
    assert sorted((factor, part.serial) for factor, part in all_parts(total)) == [
        (2**200, one.serial),
        (2**200, other.serial),
    ]
