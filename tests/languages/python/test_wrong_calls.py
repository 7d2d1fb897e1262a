"""Calls that Python refuses are refused, and calls that it takes in another shape are taken as it takes them."""

import pytest
from tests.oracle.generator import GeneratedProgram
from tests.oracle.judge import judge

from taut import bits

HEADER = """\
import heapq
import itertools
from collections import defaultdict, deque
from fractions import Fraction

from taut import flip, mechanism


@mechanism
def generated(x):
    items, table, queue = [2, 1, 3], {1: 2}, deque([1, 2])
    a = True if flip("1/3") else 1.0
    b = 1.5 if x[0] else 2
"""
CALLS = [
    "min(items, reverse=True)",
    "max(1, 2, default=3)",
    "min([], default=a)",
    "max(items, key=None)",
    "table.pop(1, 2, 3)",
    "table.pop(5, default=3)",
    "table.pop(5, a)",
    "itertools.permutations()",
    "list(itertools.permutations(items, strict=True))",
    "list(itertools.permutations(items, r=2))",
    "itertools.combinations(items)",
    "list(itertools.product(items, strict=True))",
    "heapq.heappush(queue, 1)",
    "heapq.heapify(queue)",
    "heapq.heappop(queue)",
    "heapq.heappop(items), items",
    "Fraction()",
    "defaultdict(table)",
    "defaultdict([1])",
    "str(defaultdict(int, {1: 2}))",
    "str(defaultdict(None, {1: 2}))",
    "repr(defaultdict(list))",
    "Fraction(1, 1.0)",
    "round(Fraction(1, 3), 1.0)",
    "round(b, True)",
    "isinstance(a, type(b))",
    "isinstance(a, (str, type(b)))",
    "isinstance(a, 5)",
    "isinstance(x[0], (int, (str, float)))",
    "[] * 10**30",
    "(1,) * 10**30",
]


@pytest.mark.parametrize("call", CALLS)
def test_calls_are_taken_as_python_takes_them(call: str) -> None:
    text = HEADER + f"    return repr(({call}))\n"
    verdict = judge(GeneratedProgram(text, {"x": bits(1)}))
    assert verdict.kind in ("right", "fails"), f"{verdict}\n{text}"


def test_a_deque_is_no_output() -> None:
    verdict = judge(GeneratedProgram(HEADER + "    return queue\n", {"x": bits(1)}))
    assert verdict.good, verdict
