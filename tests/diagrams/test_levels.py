"""Level arrays hold the same function as the diagram they were exported from."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.diagrams import BinaryOperation, Diagrams, LevelArrays, export_levels
from taut.diagrams.levels import Kind

QUICK = settings(max_examples=60, deadline=None)
ARITIES = (2, 3, 2, 4)
ROWS = tuple(itertools.product(*[range(arity) for arity in ARITIES]))
KINDS: list[tuple[Kind, int, int]] = [("input", 0, 2), ("coin", 0, 3), ("coin", 1, 2), ("output", 0, 4)]
truths = st.lists(st.booleans(), min_size=len(ROWS), max_size=len(ROWS))


def built(diagrams: Diagrams, table: Sequence[bool]) -> int:
    def below(level: int, rows: list[int]) -> int:
        if level == len(ARITIES):
            return diagrams.leaf(table[rows[0]])
        parts = [below(level + 1, [r for r in rows if ROWS[r][level] == value]) for value in range(ARITIES[level])]
        return diagrams.node(level, diagrams.partitions.full(ARITIES[level]), tuple(parts))

    return below(0, list(range(len(ROWS))))


def value_at(arrays: LevelArrays, row: Sequence[int]) -> bool:
    node = arrays.root
    while node < arrays.nodes:
        level = next(n for n, level in enumerate(arrays.levels) if level.start <= node < level.stop)
        place = arrays.partitions[arrays.partition[node]].place(row[level])
        assert arrays.kid(node, row[level]) == int(arrays.child[arrays.first[node] + place])
        node = arrays.kid(node, row[level])
    assert node in (arrays.false, arrays.true)
    return node == arrays.true


@QUICK
@given(table=truths)
def test_the_function_is_kept(table: list[bool]) -> None:
    diagrams = Diagrams(10**6)
    root = built(diagrams, table)
    arrays = export_levels(diagrams, root, KINDS)
    assert [value_at(arrays, row) for row in ROWS] == table
    inner = [node for node in diagrams.reachable([root]) if not diagrams.is_leaf(node)]
    assert arrays.nodes == len(inner) and arrays.size == len(inner) + 2


@QUICK
@given(table=truths)
def test_numbers_run_from_the_top(table: list[bool]) -> None:
    diagrams = Diagrams(10**6)
    arrays = export_levels(diagrams, built(diagrams, table), KINDS)
    partition, children, depth = arrays.lists
    assert arrays.root == (0 if arrays.nodes else arrays.root)
    assert [(level.kind, level.index, level.arity) for level in arrays.levels] == KINDS
    assert arrays.levels[0].start == 0 and arrays.levels[-1].stop == arrays.nodes
    for upper, lower in itertools.pairwise(arrays.levels):
        assert upper.stop == lower.start
    for node in range(arrays.nodes):
        assert all(kid > node and depth[kid] > depth[node] for kid in children[node])
        assert len(children[node]) == arrays.partitions[partition[node]].size
        assert arrays.partitions[partition[node]].arity == ARITIES[depth[node]]
    assert depth[arrays.false] == depth[arrays.true] == len(ARITIES)


@pytest.mark.parametrize("value", [False, True])
def test_a_leaf_alone(value: bool) -> None:
    diagrams = Diagrams(100)
    arrays = export_levels(diagrams, diagrams.leaf(value), KINDS)
    assert arrays.nodes == 0 and arrays.size == 2
    assert arrays.root == (arrays.true if value else arrays.false)
    assert all(level.start == level.stop for level in arrays.levels)


def test_unreachable_nodes_are_left_behind() -> None:
    diagrams = Diagrams(10**4)
    diagrams.variable(1, ["a", "b", "c"])
    root = diagrams.variable(2, [False, True])
    assert export_levels(diagrams, root, KINDS).nodes == 1


def test_leaves_may_be_replaced_on_the_way_out() -> None:
    """Grafting while exporting gives what grafting first gives."""
    diagrams = Diagrams(10**4)
    add = BinaryOperation(lambda a, b: a + b)
    total = diagrams.apply(add, diagrams.variable(0, [5, 6]), diagrams.variable(1, [0, 1, 2]))
    single = diagrams.partitions.single
    pair = (diagrams.true, diagrams.false)
    grafts = {
        diagrams.leaf(5 + place): diagrams.node(3, single(4, place), pair if place == 0 else pair[::-1])
        for place in range(4)
    }
    quick = export_levels(diagrams, total, KINDS, grafts)
    slow = export_levels(diagrams, diagrams.graft(total, grafts), KINDS)
    expected = [row[0] + row[1] == row[3] for row in ROWS]
    assert [value_at(quick, row) for row in ROWS] == [value_at(slow, row) for row in ROWS] == expected
    assert quick.size == slow.size
