"""Items that add up draws of other items: their differences tell as much, as looking at everything shows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.synthesis.decompose.test_laws import MEASURES, check, draw
from tests.synthesis.search.test_engine import THOROUGH

from taut import bits, discrete, flip, geometric, ints, mechanism
from taut.mechanisms import binary_tree_counter
from taut.synthesis.decompose.cells import cells_of


@mechanism
def mixed(x: Any, rows: Any, matrix: Any, counted: Any, kind: Any) -> Any:
    """Each item is a sum of draws that several items share, and of a function of all entries."""
    statistic = (x.count(1), len(set(x)), max(x) - min(x), int(sum(x) > 1) - len(set(x)))[kind]
    draws = [discrete(rows[(value + place) % 4]) for place, value in enumerate(x)] + [flip("1/3")]
    return [
        sum(factor * one for factor, one in zip(factors, draws, strict=False)) + times * statistic
        for factors, times in zip(matrix, counted, strict=True)
    ]


FACTORS = st.lists(st.integers(-1, 2), min_size=4, max_size=4)
SHARES = st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any)


@THOROUGH
@given(
    n=st.integers(1, 3),
    rows=st.lists(SHARES, min_size=4, max_size=4),
    matrix=st.lists(FACTORS, min_size=1, max_size=4),
    counted=st.lists(st.sampled_from([0, 0, 1]), min_size=4, max_size=4),
    kind=st.integers(0, 3),
)
def test_sums_of_shared_draws_are_exact(n: int, rows: Any, matrix: Any, counted: Any, kind: int) -> None:
    rows = [draw(row) for row in rows]
    model = mixed(ints(n, 0, 1), rows=rows, matrix=matrix, counted=counted[: len(matrix)], kind=kind)
    check(model, "one_differ", MEASURES[:3])


@pytest.mark.parametrize("n", [2, 3, 4])
def test_trees_of_counts_by_every_measure(n: int) -> None:
    assert check(binary_tree_counter(bits(n), ratio="1/2"), "one_differ") == len(MEASURES)


def test_a_tree_is_as_many_cells_as_blocks() -> None:
    model = binary_tree_counter(bits(64), ratio="1/2")
    cells = cells_of(model.program)
    assert cells is not None and len(cells.cells) == 64
    bound = model.privacy()
    assert bound.max_ratio == 2**7 and bound.method == "decomposition" and bound.verify()


@mechanism
def prefixes(x: Any) -> Any:
    """Running sums of noisy entries, the last one first, and one of them twice."""
    total, found = 0, []
    for value in x:
        total += geometric(value, "1/2", 0, 1)
        found.append(total)
    return (*reversed(found), (found[0], 1 - found[0]))


def test_running_sums_are_as_many_reports() -> None:
    assert check(prefixes(bits(3)), "one_differ") == len(MEASURES)
    bound = prefixes(bits(30)).privacy()
    assert bound.max_ratio == Fraction(2) and bound.verify()
