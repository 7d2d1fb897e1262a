"""The OxiDD adapter: exported arrays mean what the diagram means, sizes are Dice's, limits are refusals."""

from __future__ import annotations

import itertools

import pytest

from taut.diagrams import LevelArrays
from taut.diagrams.binary import BDDManager, export_binary, within_limit
from taut.support.errors import DiagramTooLarge


def value(arrays: LevelArrays, assignment: tuple[bool, ...]) -> bool:
    """Follow one path through the arrays."""
    _, children, depth = arrays.lists
    node = arrays.root
    while node < arrays.nodes:
        node = children[node][assignment[depth[node]]]
    return node == arrays.true


def test_exported_arrays_are_the_function() -> None:
    def work(manager: BDDManager) -> LevelArrays:
        a, b, c, d = (manager.var(i) for i in range(4))
        return export_binary((a & b) | (c ^ d), [("coin", i, 2) for i in range(4)])

    arrays = within_limit(4, 1000, "test", work)
    for a, b, c, d in itertools.product((False, True), repeat=4):
        assert value(arrays, (a, b, c, d)) == ((a and b) or (c != d))
    assert arrays.root == 0
    assert arrays.size == 7
    assert [level.stop - level.start for level in arrays.levels] == [1, 1, 1, 2]


@pytest.mark.parametrize("constant", [False, True])
def test_a_leaf_has_no_nodes_but_all_levels(constant: bool) -> None:
    def work(manager: BDDManager) -> LevelArrays:
        root = manager.true() if constant else manager.false()
        return export_binary(root, [("input", 0, 2), ("coin", 0, 2)])

    arrays = within_limit(2, 1000, "test", work)
    assert arrays.root == (arrays.true if constant else arrays.false)
    assert (arrays.nodes, len(arrays.levels)) == (0, 2)


def test_levels_of_nothing_are_left_out() -> None:
    def work(manager: BDDManager) -> LevelArrays:
        return export_binary(manager.var(0) ^ manager.var(2), [("coin", 0, 2), None, ("coin", 1, 2)])

    arrays = within_limit(3, 1000, "test", work)
    assert [(level.index, level.start, level.stop) for level in arrays.levels] == [(0, 0, 1), (1, 1, 3)]


def test_passing_max_nodes_is_a_refusal_that_names_it() -> None:
    def work(manager: BDDManager) -> int:
        total = manager.false()
        for i in range(16):
            total = total | (manager.var(i) & manager.var(i + 16))
        return total.node_count()

    with pytest.raises(DiagramTooLarge, match=r"'big' passed max_nodes=5000") as caught:
        within_limit(32, 5000, "big", work)
    assert caught.value.value == 5000
    assert within_limit(32, 5_000_000, "big", work) == 2**17


def test_deep_diagrams_do_not_overflow_the_stack() -> None:
    def work(manager: BDDManager) -> int:
        levels = 50_000
        parity, odd = manager.false(), manager.true()
        for i in reversed(range(levels)):
            parity = manager.var(i) ^ parity
            odd = manager.var(i) & odd if i % 2 else odd
        return parity.exists(odd).node_count() + (parity & odd).node_count()

    assert within_limit(50_000, 1_000_000, "deep", work) > 50_000


def test_errors_cross_the_thread() -> None:
    def work(manager: BDDManager) -> int:
        raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        within_limit(5_000, 100_000, "deep", work)
