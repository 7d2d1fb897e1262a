"""Neighbours by any relation, statistics of any kind: all related pairs go down diagrams of the statistics together.

The statistics of a cell are one diagram over the entries, whose leaves are their values. After some entries the future
of a pair depends on the state of the neighbour relation, and on its two nodes in every cell that is *open*, read in
part; of closed cells, only the product of the largest ratios between their values matters. Of all pairs with the same
state and nodes one with the largest product is kept, since they have the same future.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import BinaryOperation, Diagrams
from taut.diagrams.compile.compiler import Compiler
from taut.neighbors import Layer, PairAutomaton, Ways
from taut.program import UNDEFINED, Coin, Input, Program
from taut.program.operations import typed
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property
from taut.synthesis.decompose.cells import Cell, Cells
from taut.synthesis.decompose.changes import Case, Finder
from taut.synthesis.decompose.kernel import Kernel

__all__ = ["Together"]

Numbers = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
_SLACK = 1e-9
"""Margin above the rounding errors of a difference of logarithms."""
_CELLS, _MOST_CELLS = 1 << 22, 1 << 28
"""Numbers of logarithms that are compared at once, and in all."""
_MOST_NODES = 1 << 18
_MOST_STEPS = 1 << 26
"""Limit for all pairs of nodes that are made; beyond it, other solvers are quicker."""
_MOST_PAIRS = 1 << 22
"""Limit for the pairs of prefixes that are made of one state at a time; each takes about a hundred bytes."""
_MOST_APART = 1 << 18
"""Limit for all pairs where a cell tells every entry, so that none merge: a search drops most of them."""
_MOST_PRODUCTS = 1 << 18
_MOST_CODES = 1 << 62
_MOST_WEIGHTS = 1 << 19


class Together(Finder):
    """The related pair with the largest ratio, found entry by entry."""

    changing = "them"

    def __init__(self, program: Program, cells: Cells, automaton: PairAutomaton, *, largest: bool) -> None:
        if not largest or not program.exact or not all(isinstance(cell.kernel, Kernel) for cell in cells.cells):
            raise TooLarge("several entries may change, and not only the largest ratio is needed.", value=program)
        super().__init__(program, cells, largest=largest)
        self.automaton = automaton
        self.related = not automaton.empty
        self.different = len(program.inputs)

    def cases(self) -> Iterator[Case]:
        """Yield the case with the largest product of ratios.

        Raises:
            TooLarge: too many pairs of nodes have to be told apart, the diagrams are too large, or a ratio is
                infinite.
        """
        if not self.related:
            return
        self._require_merging()
        made = _StatisticDiagrams(self.program, self.automaton.order)
        read = [made.read(cell) for cell in self.cells.cells if cell.statistics]
        walk = _PairWalk([one for one in read if one.levels])
        x, x_prime = walk.run(self.automaton)
        self.looked_at = walk.steps
        parts = []
        for one in read:
            own, primed = (made.values(one, side) for side in (x, x_prime))
            if own != primed:
                parts.append((one.cell, one.kernel.best(own, primed)))
        yield Case(tuple(parts), lambda: (x, x_prime), ())

    def _require_merging(self) -> None:
        """Refuse many pairs of which no two have the same future."""
        for cell in self.cells.cells:
            entries = {one.term.index for one in cell.statistics if isinstance(one.term, Input)}
            if len(entries) == len(self.program.inputs) and self.automaton.count_pairs() > _MOST_APART:
                raise TooLarge("a cell tells every entry, so that no pairs of inputs merge.", value=cell)

    def told(self) -> str:
        return "all related pairs go through the entries together, and of those with the same future the worst is kept"


class _StatisticDiagrams(Compiler):
    """Diagrams over the entries alone, in the order in which pairs are read."""

    def __init__(self, program: Program, order: Sequence[int]) -> None:
        super().__init__(Diagrams(_MOST_NODES))
        self._program, self._order = program, order
        self._level_of = {entry: level for level, entry in enumerate(order)}
        self._rows: list[tuple[Any, ...]] = [()]
        """The values of statistics by their numbers, which are the values of leaves."""
        self._numbers: dict[tuple[int, Hashable], int] = {}
        self._pair = BinaryOperation(self._extended)
        self._ratios: dict[Any, _LargestRatios] = {}

    def variable(self, term: Input | Coin) -> int:
        assert isinstance(term, Input)
        return self.diagrams.variable(self._level_of[term.index], self._program.inputs[term.index].values)

    def _extended(self, row: Any, value: Any) -> Any:
        """Return the number of a row with one value more."""
        if row is UNDEFINED or value is UNDEFINED:
            return UNDEFINED
        number = self._numbers.setdefault((row, typed(value)), len(self._rows))
        if number == len(self._rows):
            self._rows.append((*self._rows[row], value))
        return number

    def _row(self, leaf: int) -> Any:
        """Return the values of statistics at a leaf."""
        number = self.diagrams.value(leaf)
        return number if number is UNDEFINED else self._rows[number]

    def read(self, cell: Cell) -> _ReadCell:
        """Return the statistics of a cell as an automaton, entry by entry."""
        diagrams = self.diagrams
        assert isinstance(cell.kernel, Kernel)
        root = diagrams.leaf(0)
        for node in self.compile([one.term for one in cell.statistics]):
            root = diagrams.apply(self._pair, root, node)
            cell.kernel.require_few(sum(map(diagrams.is_leaf, diagrams.reachable([root]))))
        used = {diagrams.level[node] for node in diagrams.reachable([root]) if not diagrams.is_leaf(node)}
        cut, tables = [root], {}
        for level in sorted(used):
            checkpoint()
            values = range(len(self._program.inputs[self._order[level]].values))
            places: dict[int, int] = {}
            table = [[places.setdefault(diagrams.child(node, level, v), len(places)) for v in values] for node in cut]
            tables[level], cut = np.array(table, dtype=np.int32), list(places)
        key = (cell.kernel.number, tuple(map(diagrams.value, cut)))
        ratios = self._ratios.get(key)
        if ratios is None:
            ratios = self._ratios[key] = _LargestRatios(cell.kernel, tuple(map(self._row, cut)))
        return _ReadCell(cell, cell.kernel, root, sorted(used), tables, ratios)

    def values(self, read: _ReadCell, positions: Sequence[int]) -> tuple[Any, ...]:
        """Return the values of the statistics of a cell at an input."""
        node = read.root
        while not self.diagrams.is_leaf(node):
            level = self.diagrams.level[node]
            node = self.diagrams.child(node, level, positions[self._order[level]])
        found: tuple[Any, ...] = self._row(node)
        return found


class _LargestRatios:
    """The largest ratios of a kernel between values of its statistics; floats find them, fractions decide."""

    def __init__(self, kernel: Kernel, leaves: Sequence[Any]) -> None:
        if any(leaf is UNDEFINED for leaf in leaves):  # only where no run gets to
            raise TooLarge("a statistic has a value at which nothing is defined.", value=leaves)
        self.kernel, self.leaves = kernel, leaves
        self.values: list[Any] = []
        """The different ratios so far."""
        self._numbers: dict[Any, int] = {}

    def numbers(self, own: Numbers, other: Numbers) -> Numbers:
        """Return the number of the ratio between leaves, for each two."""
        used, which = np.unique(own.astype(np.int64) * len(self.leaves) + other, return_inverse=True)
        found = []
        for code in checkpoints(used.tolist()):
            one, two = divmod(code, len(self.leaves))
            ratio = Fraction(1) if one == two else self.kernel.best(self.leaves[one], self.leaves[two]).ratio
            number = self._numbers.setdefault(ratio, len(self.values))
            if number == len(self.values):
                self.values.append(ratio)
            found.append(number)
        result: Numbers = np.array(found, dtype=np.int64)[which]
        return result

    def logs(self, own: Numbers, other: Numbers) -> Floats:
        """Return the approximate logarithm of that ratio for each two leaves."""
        used, which = np.unique(own.astype(np.int64) * len(self.leaves) + other, return_inverse=True)
        logs, found = self._logs, np.empty(len(used))
        if len(used) * logs.shape[1] > _MOST_CELLS:
            raise TooLarge("too many pairs of values are compared.", value=len(used))
        step = max(1, _CELLS // logs.shape[1])
        for start in range(0, len(used), step):
            checkpoint()
            mine, theirs = (logs[row] for row in divmod(used[start : start + step], len(self.leaves)))
            with np.errstate(invalid="ignore"):
                found[start : start + step] = np.where(mine == -math.inf, -math.inf, mine - theirs).max(axis=1)
        result: Floats = found[which]
        return result

    @cached_property
    def _logs(self) -> Floats:
        """The logarithms of the weights of all outcomes at each leaf."""
        rows = [self.kernel.row(leaf) for leaf in self.leaves]
        if sum([len(row.outcomes) for row in rows]) > _MOST_WEIGHTS:
            raise TooLarge("a cell has too many rows and outcomes.", value=len(rows))
        columns: dict[Any, int] = {}
        for row in rows:
            for outcome in row.outcomes:
                columns.setdefault(typed(outcome), len(columns))
        logs = np.full((len(rows), len(columns)), -math.inf)
        for number, row in enumerate(rows):
            checkpoint()
            for outcome, weight in zip(row.outcomes, row.weights, strict=True):
                if weight:
                    logs[number, columns[typed(outcome)]] = math.log(weight.numerator) - math.log(weight.denominator)
        return logs


@dataclass(frozen=True, eq=False)
class _ReadCell:
    """A cell as an automaton: the levels that it reads, and the transitions of its cut's nodes there.

    The nodes behind the last level are its leaves.
    """

    cell: Cell
    kernel: Kernel
    root: int
    levels: Sequence[int]
    tables: Mapping[int, Numbers]
    ratios: _LargestRatios

    def cut_behind(self, level: int) -> int:
        """Return the number of nodes of the cut behind a level that is not the last."""
        return len(next(self.tables[later] for later in self.levels if later > level))


class _Products:
    """Products of ratios, numbered; equal ones are one number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._ranks: Numbers = np.zeros(0, dtype=np.int64)
        self._logs: list[float] = []
        self.number(Fraction(1))

    def number(self, value: Any) -> int:
        found = self._numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
            if found > _MOST_PRODUCTS:
                raise TooLarge("there are too many different products of quotients.", value=found)
        return found

    def logs(self) -> Floats:
        """Return the approximate logarithms of all products."""
        known = len(self._logs)
        self._logs += [math.log(value.numerator) - math.log(value.denominator) for value in self.values[known:]]
        return np.array(self._logs)

    def ranks(self) -> Numbers:
        """Return the place of every product among all of them in ascending order."""
        if len(self._ranks) != len(self.values):
            self._ranks = np.empty(len(self.values), dtype=np.int64)
            self._ranks[sorted(range(len(self.values)), key=self.values.__getitem__)] = np.arange(len(self.values))
        return self._ranks


@dataclass(frozen=True)
class _Pairs:
    """Pairs of prefixes in one state of the neighbour relation, a column each.

    ``nodes`` has two rows for every open cell, the numbers of both nodes in its cut; ``products`` are numbers of
    products; a pair was made by the move ``moves`` of pair ``places`` of the state from which that leads.
    """

    nodes: Numbers
    products: Numbers
    moves: Numbers
    places: Numbers


_STATE, _VALUE, _OTHER, _REACHED = range(4)
_Moves = Numbers
"""Transitions: from a state by two values to another."""


class _PairWalk:
    """All related pairs, entry by entry."""

    def __init__(self, cells: Sequence[_ReadCell]) -> None:
        self._opening: dict[int, list[_ReadCell]] = {}
        self._closing: dict[int, set[_ReadCell]] = {}
        for cell in cells:
            self._opening.setdefault(cell.levels[0], []).append(cell)
            self._closing.setdefault(cell.levels[-1], set()).add(cell)
        self._open: list[_ReadCell] = []
        self._products = _Products()
        self.steps = 0

    def run(self, automaton: PairAutomaton) -> tuple[list[int], list[int]]:
        """Return a pair with the largest product, by the positions of the values of both inputs."""
        none = np.zeros(1, dtype=np.int32)
        here = {automaton.states[0][0]: _Pairs(np.zeros((0, 1), dtype=np.int32), none, none, none)}
        past: list[tuple[_Moves, dict[int, tuple[Numbers, Numbers]]]] = []
        for level, layer in enumerate(automaton.transitions):
            checkpoint()
            moves, here = self._step(level, layer, here)
            past.append((moves, {state: (pairs.moves, pairs.places) for state, pairs in here.items()}))
        (state,) = here  # related pairs end in one state of the smallest automaton
        x, x_prime, place = [0] * len(automaton.order), [0] * len(automaton.order), 0
        for entry, (moves, came) in zip(reversed(automaton.order), reversed(past), strict=True):
            made, places = came[state]
            (state, x[entry], x_prime[entry], _), place = moves[made[place]].tolist(), places[place]
        return x, x_prime

    def _step(self, level: int, layer: Layer, before: Mapping[int, _Pairs]) -> tuple[_Moves, dict[int, _Pairs]]:
        """Return all pairs one entry further, and the moves by which they got there."""
        width = 2 * len(self._open)
        self._open = [*self._open, *self._opening.get(level, [])]
        active = [(place, cell.tables[level]) for place, cell in enumerate(self._open) if level in cell.tables]
        classes = _value_classes([table for _, table in active])
        moves: list[Numbers] = []
        parts: dict[int, list[_Pairs]] = {}
        for state, pairs in before.items():
            different = _different_moves(state, layer[state], classes)
            for reached in np.unique(different[:, _REACHED]).tolist():
                by = different[different[:, _REACHED] == reached]
                count = len(pairs.products)
                self._count(count * len(by))
                if count * len(by) > _MOST_PAIRS:
                    raise TooLarge("too many pairs of inputs differ in what they have read.", value=count * len(by))
                nodes = np.zeros((2 * len(self._open), count, len(by)), dtype=np.int32)
                nodes[:width] = pairs.nodes[:, :, None]
                for place, table in active:
                    for side, column in ((2 * place, _VALUE), (2 * place + 1, _OTHER)):
                        nodes[side] = table[nodes[side], by[:, column]]
                first = sum(map(len, moves))
                made = np.arange(first, first + len(by), dtype=np.int32)
                part = _Pairs(
                    nodes.reshape(len(nodes), count * len(by)),
                    np.repeat(pairs.products, len(by)),
                    np.tile(made, count),
                    np.repeat(np.arange(count, dtype=np.int32), len(by)),
                )
                parts.setdefault(reached, []).append(part)
                moves.append(by)
        after = {state: self._closed(level, _joined(found)) for state, found in parts.items()}
        closing = self._closing.get(level, set())
        self._open = [cell for cell in self._open if cell not in closing]
        sizes = [cell.cut_behind(level) for cell in self._open]
        ranks = self._products.ranks()
        return np.concatenate(moves), {state: _merged(pairs, sizes, ranks) for state, pairs in after.items()}

    def _count(self, steps: int) -> None:
        checkpoint()
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise TooLarge("too many pairs of inputs differ in what they may still choose.", value=self.steps)

    def _closed(self, level: int, pairs: _Pairs) -> _Pairs:
        """Multiply in the ratios of finished cells and drop their columns.

        Of those with the same nodes left, floats find the ones near the top; the others are dropped.
        """
        closing = [(place, cell) for place, cell in enumerate(self._open) if cell in self._closing.get(level, ())]
        if not closing:
            return pairs
        staying = [(place, cell) for place, cell in enumerate(self._open) if cell not in self._closing[level]]
        kept = [2 * place + side for place, _ in staying for side in (0, 1)]
        about = self._products.logs()[pairs.products]
        for place, cell in closing:
            about += cell.ratios.logs(*[pairs.nodes[2 * place + side] for side in (0, 1)])
        if math.isinf(about.max()):
            raise TooLarge("an output is impossible for one input of a pair.", value=level)
        codes = _codes(pairs.nodes[kept], [cell.cut_behind(level) for _, cell in staying])
        near = np.flatnonzero(about >= _largest_of_each(codes, about) - _SLACK * (1 + np.abs(about).max()))
        products = pairs.products[near]
        for place, cell in closing:
            own, other = (pairs.nodes[2 * place + side, near] for side in (0, 1))
            products = self._times(products, cell, own, other)
        return _Pairs(pairs.nodes[kept][:, near], products, pairs.moves[near], pairs.places[near])

    def _times(self, products: Numbers, cell: _ReadCell, own: Numbers, other: Numbers) -> Numbers:
        numbers, factors = cell.ratios.numbers(own, other), cell.ratios.values
        used, which = np.unique(products.astype(np.int64) * len(factors) + numbers, return_inverse=True)
        made = [
            self._products.number(self._products.values[code // len(factors)] * factors[code % len(factors)])
            for code in checkpoints(used.tolist())
        ]
        result: Numbers = np.array(made, dtype=np.int32)[which]
        return result


def _value_classes(tables: Sequence[Numbers]) -> Numbers | None:
    """Return the class of every value: one for all that lead to the same nodes; None if nothing is read."""
    if not tables:
        return None
    _, classes = np.unique(np.concatenate(tables), axis=1, return_inverse=True)
    result: Numbers = classes.reshape(-1)
    return result


def _different_moves(state: int, ways: Ways, classes: Numbers | None) -> _Moves:
    """Keep one transition per target state and pair of value classes."""
    moves: _Moves = np.empty((0, 4), dtype=np.int64)
    for table in ways.tables():
        checkpoint()
        moves = np.concatenate([moves, np.insert(table, 0, state, axis=1)])
        keys = moves[:, _REACHED]
        if classes is not None:
            count = int(classes.max()) + 1
            keys = (keys * count + classes[moves[:, _VALUE]]) * count + classes[moves[:, _OTHER]]
        _, first = np.unique(keys, return_index=True)
        moves = moves[first]
        if len(moves) > _MOST_STEPS:
            raise TooLarge("too many pairs of values lead to different choices.", value=len(moves))
    return moves


def _joined(parts: Sequence[_Pairs]) -> _Pairs:
    if len(parts) == 1:
        return parts[0]
    return _Pairs(
        np.concatenate([part.nodes for part in parts], axis=1),
        *[np.concatenate([getattr(part, name) for part in parts]) for name in ("products", "moves", "places")],
    )


def _merged(pairs: _Pairs, sizes: Sequence[int], ranks: Numbers) -> _Pairs:
    """Of all pairs with the same nodes, one with the largest product."""
    codes = _codes(pairs.nodes, sizes)
    order = np.lexsort((ranks[pairs.products], codes))
    kept = order[np.append(codes[order[1:]] != codes[order[:-1]], True)]
    return _Pairs(pairs.nodes[:, kept], pairs.products[kept], pairs.moves[kept], pairs.places[kept])


def _codes(nodes: Numbers, sizes: Sequence[int]) -> Numbers:
    """Return a number for every column, equal for equal ones; rows 2i and 2i + 1 are below ``sizes[i]``."""
    codes, most = np.zeros(nodes.shape[1], dtype=np.int64), 1
    for row, values in enumerate(nodes):
        size = sizes[row // 2]
        if most * size >= _MOST_CODES:
            used, codes = np.unique(codes, return_inverse=True)
            most = len(used)
        codes, most = codes * size + values, most * size
    return codes


def _largest_of_each(codes: Numbers, values: Floats) -> Any:
    """For every place the largest value among those with the same code."""
    if not codes.any():
        return values.max()
    used, which = np.unique(codes, return_inverse=True)
    most = np.full(len(used), -math.inf)
    np.maximum.at(most, which, values)
    return most[which]
