"""Questions about sums of independent parts: a search gives what looking at all cases gives."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.search.test_engine import THOROUGH

from taut import Model, category, discrete, flip, integer, ints, measures, mechanism

ROWS = (
    st.lists(st.integers(0, 3), min_size=3, max_size=3)
    .filter(any)
    .map(lambda shares: {place - 1: Fraction(share, sum(shares)) for place, share in enumerate(shares)})
)
"""What is added to the sum, with zeros: ratios can be infinite."""
WRAPPED = ("the sum", "its remainder", "whether it is large", "how far it is from 2")


@mechanism
def noisy_sum(x: Any, rows: Any, kinds: Any, wrapped: str) -> Any:
    """Each entry adds a draw from its row, an entry of kind 2 nothing at all; a draw for nobody is added."""
    total = flip("1/3") - flip("1/4")
    for value, kind in zip(x, kinds, strict=True):
        if kind == 2:
            continue
        total += discrete(rows[kind][value]) - value * kind
    if wrapped == "its remainder":
        return total % 3
    if wrapped == "whether it is large":
        return total >= 1
    return abs(total - 2) if wrapped == "how far it is from 2" else total


SUMS = st.builds(
    lambda rows, kinds, wrapped, high: noisy_sum(
        ints(len(kinds), 0, high), rows=[rows[:3], rows[3:]], kinds=kinds, wrapped=wrapped
    ),
    rows=st.lists(ROWS, min_size=6, max_size=6),
    kinds=st.lists(st.integers(0, 2), min_size=2, max_size=3),
    wrapped=st.sampled_from(WRAPPED),
    high=st.integers(1, 2),
)


@THOROUGH
@given(model=SUMS, neighbors=st.sampled_from(["one_differ", "one_step"]), ratio=st.sampled_from([1, "3/2", 3]))
def test_divergences_are_those_of_all_pairs(model: Model, neighbors: str, ratio: Any) -> None:
    asked = [
        lambda method: model.delta(neighbors=neighbors, ratio=ratio, method=method),
        lambda method: model.renyi(2, neighbors=neighbors, method=method),
    ]
    for ask in asked:
        expected, found = ask("exhaustive"), ask("search")
        assert found.exact
        assert found.attained == expected.attained and found.verify()


@THOROUGH
@given(model=SUMS, neighbors=st.sampled_from(["one_differ", "one_step"]))
def test_quotients_are_those_of_all_triples(model: Model, neighbors: str) -> None:
    expected, found = (model.privacy(neighbors, method=method) for method in ("exhaustive", "search"))
    assert found.exact
    assert found.max_ratio == expected.max_ratio and found.verify()


@settings(max_examples=12)
@given(
    model=SUMS, neighbors=st.sampled_from(["all_step", lambda x, other: x != other, lambda x, other: x[0] < other[0]])
)
def test_neighbors_that_differ_in_more_than_an_entry_are_all_looked_at(model: Model, neighbors: Any) -> None:
    expected, found = (model.privacy(neighbors, method=method) for method in ("exhaustive", "search"))
    assert found.max_ratio == expected.max_ratio
    expected, found = (model.delta(neighbors=neighbors, ratio=1, method=method) for method in ("exhaustive", "search"))
    assert found.delta == expected.delta


@THOROUGH
@given(model=SUMS, alpha=st.integers(0, 2))
def test_accuracies_are_those_of_all_inputs(model: Model, alpha: int) -> None:
    for best in (False, True):
        found, expected = (
            model.accuracy(lambda x: 1, alpha, method=method, best=best) for method in ("search", "exhaustive")
        )
        assert found.probability == expected.probability and found.verify()


def test_equal_parts_of_entries_with_other_values_have_other_neighbors() -> None:
    @mechanism
    def apart(x: Any, y: Any) -> Any:
        return (x[0] == 0) * flip("1/3") + (x[1] == 0) * flip("1/3") + (y == 0) * flip("1/3")

    model = apart(ints(2, 0, 1), integer(0, 5))
    for neighbors in ("one_step", "one_differ"):
        found, expected = (model.delta(neighbors=neighbors, ratio=1, method=m) for m in ("search", "exhaustive"))
        assert found.delta == expected.delta


@pytest.mark.parametrize("first", [[0, 2], [0, 1]])
def test_equal_parts_of_values_that_are_further_apart_have_other_neighbors(first: list[int]) -> None:
    @mechanism
    def apart(x: Any, y: Any, z: Any) -> Any:
        return sum((value == 0) * flip("1/3") for value in (x, y, z))

    model = apart(category(first), category([0, 2]), category([0, 3 - max(first)]))
    found = model.divergence(measures.TotalVariation(), neighbors="one_step", method="search")
    assert (found.lower, found.upper) == (Fraction(1, 3), Fraction(1, 3))
    assert model._problem(model.neighbors("one_step"), None).related(found.witness.x, found.witness.x_prime)
