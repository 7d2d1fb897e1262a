"""Positions, counts and lengths are whole numbers, as in Python: True is 1 there, and 1.0 is refused."""

from fractions import Fraction

import pytest
from tests.oracle.generator import GeneratedProgram
from tests.oracle.judge import judge

import taut
from taut import bits, flip, mechanism

HEADER = """\
import itertools
import math
from collections import Counter, deque
from fractions import Fraction

from taut import mechanism


@mechanism
def generated(x):
    items, row = [1, 2, 3], (1, 2, 3)
"""
VALUES = ["True", "False", "-1", "0", "2", "1.0", "-0.0", "2.5", "Fraction(1)", "Fraction(1, 2)", "'1'", "None", "[1]"]
USES = [
    "list(enumerate(items, v))",
    "list(range(v)), list(range(v, 3)), list(range(3, 0, v or 1))",
    "items[v]",
    "row[v]",
    "'abc'[v]",
    "items[v:], items[:v], row[v:], 'abc'[:v]",
    "items * v",
    "'ab' * v",
    "items.insert(v, 9), items",
    "items.pop(v), items",
    "items.index(2, v)",
    "items.index(2, 0, v)",
    "row.index(2, v)",
    "round(2.5, v)",
    "'ab'.zfill(v)",
    "'a,b,c'.split(',', v)",
    "'abab'.find('b', v)",
    "list(itertools.islice(items, v))",
    "list(itertools.repeat(7, v))",
    "list(itertools.combinations(items, v))",
    "list(itertools.permutations(items, v))",
    "list(itertools.product([0, 1], repeat=v))",
    "Counter(items).most_common(v)",
    "list(itertools.islice(itertools.count(v), 2))",
    "list(itertools.islice(itertools.count(v, 2), 2))",
    "list(itertools.islice(itertools.count(1, v), 2))",
    "sorted(items, reverse=v)",
    "items.sort(reverse=v), items",
    "deque(items).rotate(v)",
    "chr(v)",
    "math.comb(3, v)",
    "Fraction(1, v)",
    "1 << v",
]


@pytest.mark.parametrize("use", USES)
def test_whole_numbers_are_taken_as_python_takes_them(use: str) -> None:
    kinds = []
    for value in VALUES:
        for chosen in (value, f"{value} if x[0] else 1", f"1 if x[0] else {value}"):
            text = HEADER + f"    v = {chosen}\n    return repr(({use}))\n"
            verdict = judge(GeneratedProgram(text, {"x": bits(1)}))
            assert verdict.good, f"{verdict}\n{text}"
            kinds.append(verdict.kind)
    assert "right" in kinds, "a reader that refuses everything is never wrong"


@pytest.mark.parametrize("given", ["2", 2.0, "4/2", 2])
def test_parameters_that_are_whole_may_be_places_and_counts(given: object) -> None:
    @mechanism
    def counting(x, k):  # type: ignore[no-untyped-def]
        return [flip("1/3") for _ in range(k)], [1, 2, 3][k], [0] * k, "abc"[:k], list(enumerate("a", k))

    model = counting(bits(1), k=given)
    assert model.validation.conclusive
    assert model.probability((0,), ((True, True), 3, (0, 0), "ab", ((2, "a"),))) == Fraction(1, 9)


def test_parameters_that_are_not_whole_are_no_places() -> None:
    choosing = mechanism(lambda x, k: [1, 2, 3][k])
    with pytest.raises(taut.TautError, match="is not a whole number"):
        choosing(bits(1), k="1/2")
