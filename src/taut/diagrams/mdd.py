"""Multi-valued, multi-terminal decision diagrams: interned nodes, memoised operations, no recursion."""

from __future__ import annotations

import itertools
import math
import operator
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from taut.diagrams.partitions import Partitions
from taut.program.operations import typed
from taut.support.errors import DiagramTooLarge
from taut.support.limits import checkpoint

__all__ = ["BinaryOperation", "Diagrams", "UnaryOperation"]

LEAF = sys.maxsize
_SHIFT = 40
_MASK = (1 << _SHIFT) - 1
_OPEN = -1
_OFTEN = 0xFFF
"""Mask of the steps and node numbers at which the limits of time and memory are checked."""


_WIDE = 8
"""Number of children from which a node above leaves is processed at once instead of leaf by leaf."""

_Pending = list[tuple[int, Any, int, list[Any]]]
"""Nodes that an operation has found to be needed: level, key, partition, and the keys of the children."""


class UnaryOperation:
    """A unary operation with its memo table of nodes."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.memo: dict[int, int] = {}


class BinaryOperation:
    """A binary operation with its memo table of pairs of nodes.

    ``absorbing`` is a value that decides the result alone, as False does a conjunction; ``neutral`` one that leaves
    the other argument as it is. ``on_integers`` is the same for two integers, where that is a comparison, which the
    sign of their difference decides: values that only rise or fall are then compared by looking for two places.
    """

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        absorbing: Any = None,
        neutral: Any = None,
        on_integers: Callable[[int, int], Any] | None = None,
    ) -> None:
        self.function = function
        self.absorbing = absorbing
        self.neutral = neutral
        self.on_integers = on_integers
        self.memo: dict[int, int] = {}
        self.rows: dict[tuple[int, int, bool], tuple[int, tuple[int, ...]]] = {}


@dataclass(frozen=True, slots=True)
class _Row:
    """Data shared by all nodes with the same leaves and partition, at any level."""

    number: int
    partition: int
    leaves: tuple[int, ...]
    values: list[Any]
    integers: bool
    rising: list[int] | None
    """The values from the smallest to the largest, if they are integers that rise or fall from run to run."""


class Diagrams:
    """A table of nodes over levels 0, 1, 2, ... whose leaves are values.

    A node is a number. Equal functions are equal numbers: no node has one child only, none stands there twice.
    """

    def __init__(self, max_nodes: int, describe: Callable[[int], str] | None = None) -> None:
        self.level: list[int] = []
        self.partition: list[int] = []
        self.children: list[tuple[int, ...]] = []
        self.partitions = Partitions()
        self.max_nodes = max_nodes
        self.max_steps: float = math.inf
        """Limit for the steps of one operation; the number of new nodes is known only afterwards."""
        self._describe = describe or (lambda level: f"level {level}")
        self._leaves: dict[Hashable, int] = {}
        self._values: dict[int, Any] = {}
        self._unique: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._rows: dict[int, _Row | None] = {}
        self._known_rows: dict[tuple[int, tuple[int, ...]], _Row] = {}
        self._spans: dict[int, tuple[int, list[Any]]] = {}
        self._below: tuple[int, list[int]] | None = None
        self._ite_memo: dict[tuple[int, int, int], int] = {}
        self.false = self.leaf(False)
        self.true = self.leaf(True)

    def __len__(self) -> int:
        return len(self.level)

    def leaf(self, value: Any) -> int:
        """Return the leaf of a value; 1, True and Fraction(1) are different values."""
        key = typed(value)
        found = self._leaves.get(key)
        if found is None:
            found = self._leaves[key] = self._new(LEAF, -1, ())
            self._values[found] = value
        return found

    def value(self, leaf: int) -> Any:
        return self._values[leaf]

    def is_leaf(self, node: int) -> bool:
        return self.level[node] == LEAF

    def variable(self, level: int, values: Iterable[Any]) -> int:
        """Return the diagram whose value is that of the level's variable."""
        leaves = tuple(self.leaf(value) for value in values)
        return self.node(level, self.partitions.full(len(leaves)), leaves)

    def node(self, level: int, partition: int, children: tuple[int, ...]) -> int:
        """Return the node with these children, one for each class of the partition."""
        if len(children) == 2:
            if children[0] == children[1]:
                return children[0]
        else:
            distinct = len(set(children))
            if distinct == 1:
                return children[0]
            if distinct < len(children):
                partition, children = self.partitions.merge(partition, children)
        key = (level, partition, children)
        found = self._unique.get(key)
        if found is None:
            found = self._unique[key] = self._new(level, partition, children)
        return found

    def child(self, node: int, level: int, value: int) -> int:
        """Return the child of ``node`` for the value at a position; ``node`` itself, if it does not test ``level``."""
        if self.level[node] != level:
            return node
        return self.children[node][self.partitions[self.partition[node]].place(value)]

    def runs(self, node: int, level: int, arity: int) -> Iterator[tuple[int, int, int]]:
        """Yield (start, stop, child) for each run of values of a level that leads to one child."""
        if self.level[node] != level:
            yield 0, arity, node
            return
        for start, stop, place in self.partitions[self.partition[node]].runs():
            yield start, stop, self.children[node][place]

    def map(self, operation: UnaryOperation, root: int) -> int:
        """Return the function applied to every value."""
        memo, level, children = operation.memo, self.level, self.children
        if root in memo:
            return memo[root]
        found = self.reachable([root], known=memo)
        for node in found:
            if level[node] == LEAF:
                memo[node] = self.leaf(operation.function(self._values[node]))
            else:
                memo[node] = self.node(level[node], self.partition[node], tuple([memo[c] for c in children[node]]))
        return memo[root]

    def graft(self, root: int, replacement: dict[int, int]) -> int:
        """Return the diagram with every leaf replaced by a diagram that lies below all its levels."""
        return self.graft_all([root], replacement)[0]

    def graft_all(self, roots: Sequence[int], replacement: dict[int, int]) -> list[int]:
        """Return several diagrams with the same leaves replaced; what they share is made once."""
        memo = dict(replacement)
        for node in self.reachable(roots, known=memo):
            memo[node] = self.node(
                self.level[node], self.partition[node], tuple([memo[c] for c in self.children[node]])
            )
        return [memo[root] for root in roots]

    def apply(self, operation: BinaryOperation, f: int, g: int) -> int:
        """Return the function applied to every pair of values."""
        memo, level, children, partition, values = (
            operation.memo,
            self.level,
            self.children,
            self.partition,
            self._values,
        )
        root = f << _SHIFT | g
        if root in memo:
            return memo[root]
        absorbing = None if operation.absorbing is None else self.leaf(operation.absorbing)
        neutral = None if operation.neutral is None else self.leaf(operation.neutral)
        todo, pending = [root], _Pending()
        try:
            while todo:
                key = todo.pop()
                if len(pending) & _OFTEN == _OFTEN:
                    self.look(len(pending))
                if key in memo:
                    continue
                f, g = key >> _SHIFT, key & _MASK
                level_f, level_g = level[f], level[g]
                if absorbing is not None and (f == absorbing or g == absorbing):
                    memo[key] = absorbing
                elif neutral is not None and f == neutral:
                    memo[key] = g
                elif neutral is not None and g == neutral:
                    memo[key] = f
                elif level_g == LEAF and level_f != LEAF and (row := self._row(f)) is not None:
                    memo[key] = self._on_row(operation, row, level_f, g, leaf_first=False)
                elif (
                    level_f == LEAF
                    and level_g != LEAF
                    and len(children[g]) > _WIDE
                    and (row := self._row(g)) is not None
                ):
                    memo[key] = self._on_row(operation, row, level_g, f, leaf_first=True)
                elif level_f < level_g:
                    keys = [child << _SHIFT | g for child in children[f]]
                    memo[key] = _OPEN
                    pending.append((level_f, key, partition[f], keys))
                    todo += keys
                elif level_g < level_f:
                    high = f << _SHIFT
                    keys = [high | child for child in children[g]]
                    memo[key] = _OPEN
                    pending.append((level_g, key, partition[g], keys))
                    todo += keys
                elif level_f == LEAF:
                    memo[key] = self.leaf(operation.function(values[f], values[g]))
                else:
                    joined, pairs = self.partitions.join(partition[f], partition[g])
                    of_f, of_g = children[f], children[g]
                    keys = [of_f[a] << _SHIFT | of_g[b] for a, b in pairs]
                    memo[key] = _OPEN
                    pending.append((level_f, key, joined, keys))
                    todo += keys
            self._build(pending, memo)
        except BaseException:
            for _, key, _, _ in pending:
                if memo.get(key) == _OPEN:
                    del memo[key]
            raise
        return memo[root]

    def _build(self, pending: _Pending, memo: dict[Any, int]) -> None:
        """Make the nodes that an operation has found to be needed, the lowest first."""
        unique, new = self._unique, self._new
        pending.sort(key=_by_level, reverse=True)
        for top, key, number, keys in pending:
            if len(keys) != 2:
                memo[key] = self.node(top, number, tuple([memo[k] for k in keys]))
                continue
            low, high = memo[keys[0]], memo[keys[1]]  # the same as node(), without its calls: half of all time is here
            if low == high:
                memo[key] = low
                continue
            name = (top, number, (low, high))
            found = unique.get(name)
            if found is None:
                found = unique[name] = new(top, number, (low, high))
            memo[key] = found

    def _row(self, node: int) -> _Row | None:
        """Return the row of a node whose children are all leaves; None for other nodes."""
        try:
            return self._rows[node]
        except KeyError:
            pass
        level, leaves, found = self.level, self.children[node], None
        if all(level[child] == LEAF for child in leaves):
            name = (self.partition[node], leaves)
            found = self._known_rows.get(name)
            if found is None:
                found = self._known_rows[name] = self._new_row(*name)
        self._rows[node] = found
        return found

    def rising(self, node: int) -> list[int] | None:
        """Return the values of a node above leaves, smallest first, if they are integers, monotone run by run."""
        row = self._row(node)
        return None if row is None else row.rising

    def falls(self, node: int) -> bool:
        """Return True if the leaves below ``node`` are integers that fall from run to run."""
        row = self._row(node)
        return row is not None and row.rising is not None and row.rising is not row.values

    def _new_row(self, partition: int, leaves: tuple[int, ...]) -> _Row:
        values = list(map(self._values.__getitem__, leaves))
        integers, rising = set(map(type, values)) == {int}, None
        if integers and len(self.partitions[partition].ends) == len(leaves):
            falls = values[0] > values[-1]
            sorted_values = values[::-1] if falls else values
            if all(map(operator.lt, sorted_values, itertools.islice(sorted_values, 1, None))):
                rising = sorted_values
        return _Row(len(self._known_rows), partition, leaves, values, integers, rising)

    def _on_row(self, operation: BinaryOperation, row: _Row, level: int, leaf: int, *, leaf_first: bool) -> int:
        """Apply the operation to a row and a leaf; nodes with the same row share the result."""
        key = (row.number, leaf, leaf_first)
        found = operation.rows.get(key)
        if found is None:
            found = operation.rows[key] = self._made_row(operation, row, self._values[leaf], leaf_first)
        return self.node(level, *found)

    def _made_row(
        self, operation: BinaryOperation, row: _Row, other: Any, leaf_first: bool
    ) -> tuple[int, tuple[int, ...]]:
        compare = operation.on_integers if row.integers and type(other) is int else None
        if compare is not None and row.rising is not None:
            return self._cut_row(compare, row, row.rising, other, leaf_first)
        if len(row.leaves) > _OFTEN:
            checkpoint()
        function, same = compare or operation.function, itertools.repeat(other)
        results = map(function, same, row.values) if leaf_first else map(function, row.values, same)
        leaves = (self.false, self.true).__getitem__ if compare is not None else self.leaf
        return self.partitions.merge(row.partition, tuple(map(leaves, results)))

    def _cut_row(
        self, compare: Callable[[int, int], Any], row: _Row, rising: list[int], other: int, leaf_first: bool
    ) -> tuple[int, tuple[int, ...]]:
        """Split rising values by a comparison with an integer: those below it, those equal to it, and the rest."""
        ends = self.partitions[row.partition].ends
        places = (bisect_left(rising, other), bisect_right(rising, other), len(rising))
        truths = [compare(0, sign) if leaf_first else compare(sign, 0) for sign in (-1, 0, 1)]
        if row.values is not rising:
            places, truths = (places[2] - places[1], places[2] - places[0], places[2]), truths[::-1]
        leaves = [self.true if truth else self.false for truth in truths]
        return self.partitions.of_runs(
            (ends[place - 1] if place else 0, leaf) for place, leaf in zip(places, leaves, strict=True)
        )

    def ite(self, test: int, then: int, other: int) -> int:
        """``then`` where the test is true, ``other`` where it is not; where the test is neither, the test itself."""
        memo, level, children, partition = self._ite_memo, self.level, self.children, self.partition
        root = (test, then, other)
        if root in memo:
            return memo[root]
        todo, pending = [root], _Pending()
        try:
            while todo:
                key = todo.pop()
                if len(pending) & _OFTEN == _OFTEN:
                    self.look(len(pending))
                if key in memo:
                    continue
                f, g, h = key
                if g == h:
                    memo[key] = g
                    continue
                level_f, level_g, level_h = level[f], level[g], level[h]
                if level_f == LEAF:
                    value = self._values[f]
                    memo[key] = (g if value else h) if isinstance(value, int) else f
                    continue
                top = min(level_f, level_g, level_h)
                if level_f == top and level_g != top and level_h != top:
                    number = partition[f]
                    keys = [(child, g, h) for child in children[f]]
                else:
                    number, keys = self._split(key, top)
                memo[key] = _OPEN
                pending.append((top, key, number, keys))
                todo += keys
            self._build(pending, memo)
        except BaseException:
            for _, key, _, _ in pending:
                if memo.get(key) == _OPEN:
                    del memo[key]
            raise
        return memo[root]

    def reachable(self, roots: Iterable[int], known: dict[int, int] | None = None) -> list[int]:
        """Return all nodes below the roots, children first; those in ``known`` are neither listed nor entered."""
        seen: set[int] = set()
        skipped: Container[int] = () if known is None else known
        found, todo, children = [], list(roots), self.children
        while todo:
            node = todo.pop()
            if node not in seen and node not in skipped:
                seen.add(node)
                found.append(node)
                todo += children[node]
        found.sort()  # a node is made after its children, so its number is larger than theirs
        return found

    def below(self, root: int) -> list[int]:
        """Return all nodes of one diagram, children first; the last answer is kept, as it is often asked for twice."""
        if self._below is None or self._below[0] != root:
            self._below = (root, self.reachable([root]))
        return self._below[1]

    def span(self, root: int) -> tuple[int, list[Any]]:
        """Return the lowest level of a diagram, -1 if it is a leaf, and its values; the answer is kept."""
        found = self._spans.get(root)
        if found is None:
            nodes = self.reachable([root])
            lowest = max((self.level[node] for node in nodes if self.level[node] != LEAF), default=-1)
            found = self._spans[root] = (lowest, [self._values[node] for node in nodes if self.level[node] == LEAF])
        return found

    def leaves(self, root: int) -> list[Any]:
        """Return the values that the diagram can take."""
        return [self._values[node] for node in self.reachable([root]) if self.level[node] == LEAF]

    def _split(self, key: tuple[int, int, int], top: int) -> tuple[int, list[tuple[int, int, int]]]:
        """Return the children of three diagrams at a level that at least one of them tests."""
        looking = [node for node in key if self.level[node] == top]
        number = self.partition[looking[0]]
        for node in looking[1:]:
            number, _ = self.partitions.join(number, self.partition[node])
        columns = []
        for node in key:
            if self.level[node] == top:
                _, pairs = self.partitions.join(number, self.partition[node])
                columns.append([self.children[node][b] for _, b in pairs])
            else:
                columns.append([node] * (self.partitions[number].size))
        return number, list(zip(*columns, strict=True))

    def look(self, steps: int) -> None:
        """Raise an error if the operation has passed a limit."""
        checkpoint()
        if steps > self.max_steps:
            raise DiagramTooLarge(f"an operation on diagrams takes more than {self.max_steps} steps.", value=steps)

    def _new(self, level: int, partition: int, children: tuple[int, ...]) -> int:
        number = len(self.level)
        if number & _OFTEN == _OFTEN:
            checkpoint()
        if number >= self.max_nodes:
            if level == LEAF:  # a value: the variable whose nodes were made last is what led to it
                level = next((known for known in reversed(self.level) if known != LEAF), 0)
            raise DiagramTooLarge(
                f"the diagram passed max_nodes={self.max_nodes} at {self._describe(level)}. "
                "Try another order with taut.options(order=...), or raise max_nodes.",
                value=self.max_nodes,
            )
        self.level.append(level)
        self.partition.append(partition)
        self.children.append(children)
        return number


_by_level = itemgetter(0)
