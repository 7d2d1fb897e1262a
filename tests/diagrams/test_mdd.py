"""Diagrams against tables: every operation agrees with doing it row by row, and equal functions are one node."""

import functools
import gc
import itertools
import operator
import weakref
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.diagrams import BinaryOperation, Diagrams, UnaryOperation
from taut.diagrams.partitions import Partition, Partitions
from taut.diagrams.semirings import EXACT
from taut.diagrams.skipped import RangeSums
from taut.support.errors import DiagramTooLarge

QUICK = settings(max_examples=72, deadline=None)
ARITIES = (2, 3, 2, 4)
ROWS = tuple(itertools.product(*[range(arity) for arity in ARITIES]))
Table = tuple[Any, ...]
VALUES: tuple[Any, ...] = (0, 1, 2, True, False, "a", Fraction(1, 2), None, (1, True))
tables = st.lists(st.sampled_from(VALUES[:4]), min_size=len(ROWS), max_size=len(ROWS)).map(tuple)
mixed = st.lists(st.sampled_from(VALUES), min_size=len(ROWS), max_size=len(ROWS)).map(tuple)
truths = st.lists(st.booleans(), min_size=len(ROWS), max_size=len(ROWS)).map(tuple)


@st.composite
def partial_tables(draw: st.DrawFn, values: Sequence[Any] = VALUES) -> Table:
    """Functions of some of the variables only, so that edges pass over levels."""
    looked = draw(st.lists(st.sampled_from(range(len(ARITIES))), unique=True, max_size=3))
    seen: dict[tuple[int, ...], Any] = {}
    found = []
    for row in ROWS:
        key = tuple(row[place] for place in sorted(looked))
        if key not in seen:
            seen[key] = draw(st.sampled_from(values))
        found.append(seen[key])
    return tuple(found)


def built(diagrams: Diagrams, table: Table) -> int:
    """The diagram of a table, made from the leaves up."""

    def below(level: int, rows: list[int]) -> int:
        if level == len(ARITIES):
            return diagrams.leaf(table[rows[0]])
        parts = [below(level + 1, [r for r in rows if ROWS[r][level] == value]) for value in range(ARITIES[level])]
        return diagrams.node(level, diagrams.partitions.full(ARITIES[level]), tuple(parts))

    return below(0, list(range(len(ROWS))))


def value_at(diagrams: Diagrams, node: int, row: Sequence[int]) -> Any:
    while not diagrams.is_leaf(node):
        level = diagrams.level[node]
        node = diagrams.children[node][diagrams.partitions[diagrams.partition[node]].place(row[level])]
    return diagrams.value(node)


def tabulated(diagrams: Diagrams, node: int) -> Table:
    return tuple(value_at(diagrams, node, row) for row in ROWS)


def typed(table: Table) -> list[tuple[type, Any]]:
    return [(type(value), value) for value in table]


def assert_reduced(diagrams: Diagrams) -> None:
    """No node has a single child, none has equal children in two classes, none stands there twice."""
    seen = set()
    for node in range(len(diagrams)):
        if diagrams.is_leaf(node):
            continue
        key = (diagrams.level[node], diagrams.partition[node], diagrams.children[node])
        children = diagrams.children[node]
        assert key not in seen
        seen.add(key)
        assert len(set(children)) == len(children) > 1
        assert len(children) == diagrams.partitions[diagrams.partition[node]].size
        assert all(diagrams.level[child] > diagrams.level[node] for child in children)


@QUICK
@given(table=mixed)
def test_a_diagram_holds_its_table(table: Table) -> None:
    diagrams = Diagrams(10**6)
    assert typed(tabulated(diagrams, built(diagrams, table))) == typed(table)
    assert_reduced(diagrams)


@QUICK
@given(table=partial_tables())
def test_equal_functions_are_equal_numbers(table: Table) -> None:
    """However it is made: from the leaves up, or row by row with if-then-else."""
    diagrams = Diagrams(10**6)
    first = built(diagrams, table)
    same = [
        UnaryOperation(lambda value, wanted=wanted: value == wanted)
        for arity in [max(ARITIES)]
        for wanted in range(arity)
    ]
    conjunction = BinaryOperation(lambda a, b: a and b, absorbing=False, neutral=True)
    variables = [diagrams.variable(level, range(arity)) for level, arity in enumerate(ARITIES)]
    second = diagrams.leaf(table[-1])
    for row, value in zip(ROWS[:-1], table[:-1], strict=True):
        here = diagrams.true
        for variable, place in zip(variables, row, strict=True):
            here = diagrams.apply(conjunction, here, diagrams.map(same[place], variable))
        second = diagrams.ite(here, diagrams.leaf(value), second)
    assert first == second
    assert_reduced(diagrams)


@pytest.mark.parametrize(
    "function", [lambda a, b: a + b, lambda a, b: a - b, max, lambda a, b: (a, b), lambda a, b: a == b]
)
@QUICK
@given(f=partial_tables(VALUES[:5]), g=partial_tables(VALUES[:5]))
def test_apply_is_row_by_row(function: Callable[[Any, Any], Any], f: Table, g: Table) -> None:
    diagrams = Diagrams(10**6)
    operation = BinaryOperation(function)
    result = diagrams.apply(operation, built(diagrams, f), built(diagrams, g))
    expected = tuple(function(a, b) for a, b in zip(f, g, strict=True))
    assert typed(tabulated(diagrams, result)) == typed(expected)
    assert result == built(diagrams, expected) == diagrams.apply(operation, built(diagrams, f), built(diagrams, g))
    assert_reduced(diagrams)


@QUICK
@given(f=truths, g=partial_tables((False, True)))
def test_absorbing_and_neutral_values_are_short_cuts_only(f: Table, g: Table) -> None:
    diagrams = Diagrams(10**6)
    short = BinaryOperation(lambda a, b: a and b, absorbing=False, neutral=True)
    plain = BinaryOperation(lambda a, b: a and b)
    a, b = built(diagrams, f), built(diagrams, g)
    assert diagrams.apply(short, a, b) == diagrams.apply(plain, a, b) == diagrams.apply(short, b, a)


@QUICK
@given(test=partial_tables((False, True)), then=partial_tables(), other=partial_tables())
def test_ite_is_row_by_row(test: Table, then: Table, other: Table) -> None:
    diagrams = Diagrams(10**6)
    result = diagrams.ite(built(diagrams, test), built(diagrams, then), built(diagrams, other))
    expected = tuple(a if t else b for t, a, b in zip(test, then, other, strict=True))
    assert typed(tabulated(diagrams, result)) == typed(expected)
    assert result == built(diagrams, expected)


def test_ite_keeps_a_test_that_is_neither() -> None:
    diagrams = Diagrams(100)
    test = diagrams.variable(0, [True, None, False])
    result = diagrams.ite(test, diagrams.leaf("yes"), diagrams.leaf("no"))
    assert [value_at(diagrams, result, [place]) for place in range(3)] == ["yes", None, "no"]


@QUICK
@given(table=partial_tables())
def test_map_is_row_by_row(table: Table) -> None:
    diagrams = Diagrams(10**6)
    result = diagrams.map(UnaryOperation(lambda value: (value,)), built(diagrams, table))
    assert result == built(diagrams, tuple((value,) for value in table))
    assert diagrams.map(UnaryOperation(lambda value: 0), built(diagrams, table)) == diagrams.leaf(0)


@QUICK
@given(table=partial_tables((0, 1, 2)))
def test_graft_puts_diagrams_in_place_of_leaves(table: Table) -> None:
    diagrams = Diagrams(10**6)
    root = built(diagrams, table)
    below = {diagrams.leaf(value): diagrams.variable(len(ARITIES), [value, value + 1]) for value in (0, 1, 2)}
    grafted = diagrams.graft(root, below)
    for row, value in zip(ROWS, table, strict=True):
        assert [value_at(diagrams, grafted, [*row, last]) for last in (0, 1)] == [value, value + 1]


def test_types_of_leaves_are_told_apart() -> None:
    diagrams = Diagrams(100)
    leaves = [diagrams.leaf(value) for value in (1, True, Fraction(1), "1", (1,), (True,), None)]
    assert len(set(leaves)) == len(leaves)
    assert diagrams.leaf(True) == diagrams.true and diagrams.leaf(False) == diagrams.false


@QUICK
@given(table=partial_tables())
def test_reachable_lists_children_first(table: Table) -> None:
    diagrams = Diagrams(10**6)
    root = built(diagrams, table)
    found = diagrams.reachable([root])
    assert found[-1] == root and len(set(found)) == len(found)
    for place, node in enumerate(found):
        assert set(diagrams.children[node]) <= set(found[:place])
    assert {(type(v), v) for v in diagrams.leaves(root)} == {(type(v), v) for v in table}


@QUICK
@given(
    labels=st.lists(st.sampled_from("abc"), min_size=1, max_size=8),
    others=st.lists(st.sampled_from("xyz"), min_size=8, max_size=8),
)
def test_partitions(labels: list[str], others: list[str]) -> None:
    partitions = Partitions()
    a, names = partitions.of_runs(enumerate(labels, 1))
    b, _ = partitions.of_runs(enumerate(others[: len(labels)], 1))
    one, two = partitions[a], partitions[b]
    assert [names[one.place(value)] for value in range(len(labels))] == labels
    assert names == tuple(dict.fromkeys(labels)) and len(names) == one.size and one.arity == len(labels)
    assert all(p != q for p, q in itertools.pairwise(one.classes))
    assert [labels[one.first(number)] for number in range(one.size)] == list(names)
    assert one.members() == [[v for v, label in enumerate(labels) if label == name] for name in names]
    joined, pairs = partitions.join(a, b)
    assert joined == partitions.of_runs(enumerate(zip(labels, others, strict=False), 1))[0]
    for value in range(len(labels)):
        assert pairs[partitions[joined].place(value)] == (one.place(value), two.place(value))
    merged, children = partitions.merge(a, (7,) * len(names))
    assert children == (7,) and partitions[merged] == Partition((len(labels),), (0,))


@pytest.mark.parametrize("arity", [1, 2, 5, 255, 256, 257, 1000])
def test_partitions_of_any_arity(arity: int) -> None:
    partitions = Partitions()
    assert [partitions[partitions.full(arity)].place(value) for value in range(arity)] == list(range(arity))
    assert partitions.full(arity) == partitions.full(arity)
    for position in {0, arity // 2, arity - 1}:
        single = partitions[partitions.single(arity, position)]
        classes = [single.place(value) for value in range(arity)]
        assert classes[0] == 0 and [c == classes[position] for c in classes].count(True) == 1
        assert len(single.ends) <= 3


@QUICK
@given(weights=st.lists(st.integers(-9, 9), min_size=1, max_size=70), data=st.data())
def test_sums_of_ranges(weights: list[int], data: st.DataObject) -> None:
    sums = RangeSums(weights, EXACT)
    stop = data.draw(st.integers(0, len(weights)))
    start = data.draw(st.integers(0, stop))
    assert sums.between(start, stop) == sum(weights[start:stop])


def test_too_many_nodes_is_an_error_and_leaves_the_table_usable() -> None:
    diagrams = Diagrams(60, describe=lambda level: f"rung {level}")
    add = BinaryOperation(lambda a, b: a + b)
    small = diagrams.apply(add, diagrams.variable(0, range(3)), diagrams.variable(1, range(3)))
    parts = [diagrams.variable(level, [0, 2**level]) for level in range(2, 9)]
    with pytest.raises(DiagramTooLarge, match=r"max_nodes=60 at .") as caught:
        functools.reduce(lambda total, part: diagrams.apply(add, part, total), reversed(parts))
    assert isinstance(caught.value, MemoryError) and caught.value.value == 60
    assert len(diagrams) == 60
    assert_reduced(diagrams)
    again = diagrams.apply(add, diagrams.variable(0, range(3)), diagrams.variable(1, range(3)))
    assert again == small
    assert [value_at(diagrams, small, [a, b]) for a in range(3) for b in range(3)] == [0, 1, 2, 1, 2, 3, 2, 3, 4]
    with pytest.raises(DiagramTooLarge):
        functools.reduce(lambda total, part: diagrams.apply(add, part, total), reversed(parts))
    with pytest.raises(DiagramTooLarge):
        diagrams.ite(diagrams.variable(0, [False, True, True]), diagrams.leaf("new"), small)


def test_deep_diagrams_do_not_recurse() -> None:
    diagrams = Diagrams(10**6)
    xor = BinaryOperation(lambda a, b: a != b)
    parity = diagrams.false
    for level in reversed(range(20_000)):
        parity = diagrams.apply(xor, diagrams.variable(level, [False, True]), parity)
    flipped = diagrams.map(UnaryOperation(lambda value: not value), parity)
    assert diagrams.apply(xor, parity, flipped) == diagrams.true
    assert diagrams.ite(parity, diagrams.true, diagrams.false) == parity
    assert len(diagrams.reachable([parity])) == 2 * 20_000 + 1


def test_memory_goes_with_the_diagrams() -> None:
    diagrams = Diagrams(10**6)
    built(diagrams, tuple(range(len(ROWS))))
    gone = weakref.ref(diagrams)
    del diagrams
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("values", [(3, 1, 4, 1 - 3), (0, True, 2), (Fraction(1, 2), 1, 0), (False, True)], ids=str)
def test_comparisons_of_integers_are_those_of_all_numbers(name: str, values: tuple[Any, ...]) -> None:
    """Both ways round and for every pair of values, whether the quick way may be taken or not."""
    diagrams = Diagrams(10**6)
    compare = getattr(operator, name)
    for quick in (compare, None):
        known = BinaryOperation(compare, on_integers=quick)
        for above, below in ((0, 1), (1, 0)):
            root = diagrams.apply(known, diagrams.variable(above, values), diagrams.variable(below, (2, 1, 0, -2)))
            for i, left in enumerate(values):
                for j, right in enumerate((2, 1, 0, -2)):
                    places, node = {above: i, below: j}, root
                    while not diagrams.is_leaf(node):
                        partition = diagrams.partitions[diagrams.partition[node]]
                        node = diagrams.children[node][partition.place(places[diagrams.level[node]])]
                    assert diagrams.value(node) is compare(left, right)
