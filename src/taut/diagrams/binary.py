"""A thin adapter over OxiDD: Boolean diagrams made within a limit, and their export as level arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from oxidd.bdd import BDDFunction, BDDManager
from oxidd.util import BooleanOperator, DDMemoryError

from taut.diagrams.levels import Kind, Level, LevelArrays
from taut.diagrams.partitions import Partition
from taut.support.errors import DiagramTooLarge
from taut.support.process import ForkSafeLock

__all__ = ["BDDFunction", "BDDManager", "BooleanOperator", "export_binary", "within_limit"]

_CAPACITY = 100_000_000
"""OxiDD reserves the space of all its nodes at once, and aborts the process if there is no such space."""
_CACHE = 1 << 20
_SHALLOW = 1_000
_STACK = 16 << 20
_STACK_PER_LEVEL = 1 << 10

T = TypeVar("T")


def within_limit(levels: int, max_nodes: int, name: str, work: Callable[[BDDManager], T]) -> T:
    """Return the result of ``work`` on a manager whose variables 0, 1, ... stand on levels 0, 1, ...

    All nodes are released afterwards, so ``work`` must return none of them. OxiDD recurses once per level, which
    is why work on deep diagrams runs in a thread of its own, with a stack that holds them.

    Raises:
        DiagramTooLarge: more than ``max_nodes`` nodes were needed at a time.
    """
    capacity = min(max_nodes, _CAPACITY)

    def run() -> list[T]:
        manager = BDDManager(capacity, min(capacity, _CACHE), 1)
        manager.add_vars(levels)
        try:
            return [work(manager)]
        except DDMemoryError:
            return []

    results = run() if levels <= _SHALLOW else _in_thread(run, _STACK + levels * _STACK_PER_LEVEL)
    if not results:
        limit = f"max_nodes={max_nodes}" if capacity == max_nodes else f"the {capacity} nodes that OxiDD can hold"
        raise DiagramTooLarge(
            f"'{name}' passed {limit}. Try taut.options(order='search'), or raise max_nodes.", value=max_nodes
        )
    return results[0]


def export_binary(root: BDDFunction, kinds: Sequence[tuple[Kind, int, int] | None]) -> LevelArrays:
    """Return the diagram as arrays; ``kinds`` gives for each level its kind, number and arity, or None if nothing is
    there.

    The first value of every variable is false, the second true.
    """
    level, low, high = _walk(root)
    inner = np.flatnonzero(level >= 0)
    order = inner[np.argsort(level[inner], kind="stable")]
    number = np.empty(len(level), dtype=np.int64)
    number[level == _FALSE] = len(order)
    number[level == _TRUE] = len(order) + 1
    number[order] = np.arange(len(order))
    counts = np.bincount(level[inner], minlength=len(kinds))
    levels, start = [], 0
    for kind, count in zip(kinds, counts.tolist(), strict=True):
        if kind is not None:
            levels.append(Level(*kind, start, start + count))
            start += count
    assert start == len(order), "a node on a level that is said to be empty"
    return LevelArrays(
        levels=tuple(levels),
        root=int(number[0]),
        partition=np.zeros(len(order), dtype=np.int64),
        first=2 * np.arange(len(order) + 1, dtype=np.int64),
        child=np.stack([number[low[order]], number[high[order]]], axis=1).reshape(-1),
        partitions=(Partition((1, 2), (0, 1)),) if len(order) else (),
    )


_FALSE, _TRUE = -2, -1


def _walk(root: BDDFunction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return level, low and high child of every node below the root, the root first."""
    number: dict[BDDFunction, int] = {root: 0}
    nodes = [root]
    level, low, high = [], [], []
    for node in nodes:  # which grows while it is read
        parts, top = node.cofactors(), node.node_level()
        if parts is None or top is None:
            level.append(_TRUE if node.satisfiable() else _FALSE)
            low.append(0)
            high.append(0)
            continue
        level.append(top)
        for part, children in zip(parts, (high, low), strict=True):
            child = number.get(part)
            if child is None:
                child = number[part] = len(nodes)
                nodes.append(part)
            children.append(child)
    return np.array(level, dtype=np.int64), np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)


_starting = ForkSafeLock()


def _in_thread(run: Callable[[], T], stack: int) -> T:
    """Call ``run`` in a thread with a stack of ``stack`` bytes; return or raise what it does."""
    results: list[T] = []
    problems: list[BaseException] = []

    def body() -> None:
        try:
            results.append(run())
        except BaseException as problem:
            problems.append(problem)

    thread = threading.Thread(target=body, daemon=True)
    with _starting.held():
        usual = threading.stack_size(stack)
        try:
            thread.start()
        finally:
            threading.stack_size(usual)
    thread.join()
    if problems:
        raise problems[0]
    return results[0]
