"""Products and sums of tables against plain loops, and the order of elimination against what it counts."""

from __future__ import annotations

import itertools
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from taut.inference.elimination.masses import elimination_order
from taut.inference.elimination.network import FactorTable, product, summed_product

SIZES = [2, 3, 1, 4]


@st.composite
def tables(draw: st.DrawFn) -> FactorTable:
    scope = tuple(draw(st.permutations(draw(st.sampled_from([(), (0,), (1, 2), (0, 3), (0, 1, 2)])))))
    total = math.prod(SIZES[variable] for variable in scope)
    return FactorTable(scope, draw(st.lists(st.integers(0, 6), min_size=total, max_size=total)))


def at(table: FactorTable, values: dict[int, int]) -> int:
    place = 0
    for variable in table.scope:
        place = place * SIZES[variable] + values[variable]
    return table.entries[place]


def combinations(scope: tuple[int, ...]) -> list[dict[int, int]]:
    rows = itertools.product(*[range(SIZES[variable]) for variable in scope])
    return [dict(zip(scope, row, strict=True)) for row in rows]


@settings(max_examples=100, deadline=None)
@given(given_tables=st.lists(tables(), max_size=3), scope=st.permutations(range(4)))
def test_a_product_has_the_products(given_tables: list[FactorTable], scope: list[int]) -> None:
    found = product(given_tables, tuple(scope), SIZES)
    assert found.scope == tuple(scope)
    for values in combinations(tuple(scope)):
        assert at(found, values) == math.prod(at(table, values) for table in given_tables)


@settings(max_examples=100, deadline=None)
@given(given_tables=st.lists(tables(), max_size=3), scope=st.permutations(range(1, 4)), factor=st.sampled_from([1, 6]))
def test_a_sum_has_the_sums(given_tables: list[FactorTable], scope: list[int], factor: int) -> None:
    given_tables = [*given_tables, FactorTable((0,), [factor, 2 * factor])]
    found, common = summed_product(given_tables, 0, tuple(scope), SIZES)
    assert found.scope == tuple(scope)
    assert not any(found.entries) or common % factor == 0
    for values in combinations(found.scope):
        both = [math.prod(at(table, {**values, 0: value}) for table in given_tables) for value in (0, 1)]
        assert at(found, values) * common == sum(both)


@settings(max_examples=100, deadline=None)
@given(
    scopes=st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=3, unique=True), max_size=8),
    keep=st.sets(st.integers(0, 7), max_size=2),
)
def test_an_order_counts_what_it_takes(scopes: list[list[int]], keep: set[int]) -> None:
    sizes = [2, 3, 2, 4, 2, 3, 2, 5]
    order, entries = elimination_order(sizes, scopes, sorted(keep), 10**9)
    assert sorted([*order, *keep]) == list(range(8))
    left = [set(scope) for scope in scopes]
    total = math.prod(sizes[variable] for variable in keep)
    for variable in order:
        near = set().union({variable}, *[scope for scope in left if variable in scope])
        left = [scope for scope in left if variable not in scope] + [near - {variable}]
        total += math.prod(sizes[other] for other in near)
    assert total == entries


def test_a_chain_is_summed_from_its_start() -> None:
    scopes = [(0,), *[(place, place + 1) for place in range(99)]]
    assert elimination_order([3] * 100, scopes, [99], 10**6) == (list(range(99)), 99 * 9 + 3)


def test_an_order_ends_where_it_takes_too_much() -> None:
    every_pair = list(itertools.combinations(range(30), 2))
    order, entries = elimination_order([2] * 30, every_pair, [0], 1000)
    assert entries > 1000 and len(order) < 29
