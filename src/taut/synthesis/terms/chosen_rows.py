"""The worst pair of inputs by the rows that they choose to draw from, found entry by entry; inputs are never listed.

What an input chooses at a *site*, a place at which something is drawn, is a diagram over the entries whose leaves are
rows: distributions. All related pairs go down these diagrams together. After some entries, the future of a pair depends
on the state of the neighbour relation and on its two nodes in every site that is *open*, read in part; of closed sites,
only the product of the ratios of their two rows matters. Of all pairs with the same state and nodes one with the
largest product is kept, since they have the same future.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import Diagrams
from taut.diagrams.compile.compiler import Compiler
from taut.neighbors import Layer, PairAutomaton, Ways
from taut.program import Coin, Input, Program, Term
from taut.program.operations import typed
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property

__all__ = ["SLACK", "Choice", "Numbers", "Pair", "Quotients", "Row", "Site", "Toss", "worst_choice"]


Row = tuple[Sequence[Any], Sequence[Any]]
"""Outcomes and their weights."""
Numbers = npt.NDArray[Any]
SLACK = 1e-9
"""Margin above the rounding errors of a difference of logarithms."""
_CELLS = 1 << 22
"""Logarithms that are compared at once."""
_MOST_CELLS = 1 << 28


class Quotients:
    """The largest ratios of pairs of rows: floats find outcomes near the top, fractions decide."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._known: dict[int, tuple[int, Any]] = {}
        self._numbers: dict[Any, int] = {}

    @property
    def values(self) -> list[Any]:
        """The different ratios so far; they are numbered in this order."""
        return list(self._numbers)

    def numbers(self, own: Numbers, other: Numbers) -> Numbers:
        """Return the number of the largest ratio of an outcome's probabilities, for each two rows."""
        used, which = np.unique(own.astype(np.int64) * len(self._rows) + other, return_inverse=True)
        found: Numbers = np.array([self._of(code)[0] for code in checkpoints(used.tolist())], dtype=np.int64)[which]
        return found

    def logs(self, own: Numbers, other: Numbers) -> npt.NDArray[np.float64]:
        """Return the approximate logarithm of that ratio for each two rows."""
        used, which = np.unique(own.astype(np.int64) * len(self._rows) + other, return_inverse=True)
        logs, found = self._table.logs, np.empty(len(used))
        if len(used) * logs.shape[1] > _MOST_CELLS:
            raise TooLarge("too many pairs of rows are chosen.", value=len(used))
        step = max(1, _CELLS // logs.shape[1])
        for start in range(0, len(used), step):
            checkpoint()
            mine, theirs = (logs[row] for row in divmod(used[start : start + step], len(self._rows)))
            with np.errstate(invalid="ignore"):
                found[start : start + step] = np.where(mine == -math.inf, -math.inf, mine - theirs).max(axis=1)
        result: npt.NDArray[np.float64] = found[which]
        return result

    def outcome(self, own: int, other: int) -> Any:
        """Return an outcome that has the largest ratio of two rows."""
        return self._of(own * len(self._rows) + other)[1]

    def _of(self, code: int) -> tuple[int, Any]:
        found = self._known.get(code)
        if found is None:
            quotient, outcome = self._computed(*divmod(code, len(self._rows)))
            found = self._known[code] = (self._numbers.setdefault(quotient, len(self._numbers)), outcome)
        return found

    def _computed(self, own: int, other: int) -> tuple[Any, Any]:
        if own == other:
            return Fraction(1), self._rows[own][0][0]
        table = self._table
        mine = np.flatnonzero(table.logs[own] > -math.inf)
        differences = table.logs[own, mine] - table.logs[other, mine]
        top = differences.max()
        if math.isinf(top):
            return INFINITY, table.outcomes[mine[int(differences.argmax())]]
        one, two, best = 0, 1, -1
        for place in mine[differences >= top - SLACK].tolist():
            a, b = table.weights[own][place], table.weights[other][place]
            if a * two > one * b:
                one, two, best = a, b, place
        return Fraction(one * table.scales[other], two * table.scales[own]), table.outcomes[best]

    @cached_property
    def _table(self) -> _Table:
        columns: dict[Any, int] = {}
        for outcomes, _ in self._rows:
            for outcome in outcomes:
                columns.setdefault(typed(outcome), len(columns))
        table = _Table([None] * len(columns), [], [], np.full((len(self._rows), len(columns)), -math.inf))
        for number, (outcomes, shares) in enumerate(self._rows):
            checkpoint()
            scale = math.lcm(*[share.denominator for share in shares])
            row = [0] * len(columns)
            for outcome, share in zip(outcomes, shares, strict=True):
                place = columns[typed(outcome)]
                table.outcomes[place], row[place] = outcome, share.numerator * (scale // share.denominator)
                if share:
                    table.logs[number, place] = math.log(row[place]) - math.log(scale)
            table.weights.append(row)
            table.scales.append(scale)
        return table


@dataclass(frozen=True)
class _Table:
    """Rows over the same outcomes: whole weights, with a scale for each row by which they are divided; logarithms."""

    outcomes: list[Any]
    weights: list[list[int]]
    scales: list[int]
    logs: npt.NDArray[np.float64]


Pair = tuple[list[int], list[int]]
"""Two inputs, by the positions of the values of their entries."""
_MOST_NODES = 1 << 18
_MOST_STEPS = 1 << 26
"""Limit for all pairs of nodes that are made; beyond it, other solvers are quicker."""
_MOST_PRODUCTS = 1 << 18
_MOST_CODES = 1 << 62
_MOST_WEIGHTS = 1 << 19


@dataclass(frozen=True)
class Toss:
    """A coin, as the value of a site before it is tossed."""

    index: int


@dataclass(frozen=True, eq=False)
class Site:
    """A place at which a value is drawn: ``term`` is one of the leaves, each a toss or a value, with its row."""

    term: Term
    leaves: Mapping[Any, int]
    """The number of the row, by type and value of the leaf."""
    rows: Sequence[Row]


@dataclass(frozen=True)
class Choice:
    """The largest product of ratios over related pairs, a pair that has it, and the outcomes that its first input
    draws.

    ``drawn`` has the outcomes, by coin, whose ratios are the largest.
    """

    product: Any
    pair: Pair
    drawn: Mapping[int, Any]


def worst_choice(program: Program, sites: Sequence[Site], automaton: PairAutomaton) -> Choice | None:
    """Return the related pair of inputs whose rows have the largest product of ratios; None if a product is infinite.

    Guarantee:
        No related pair has a larger product, over the sites, of the largest ratio of an outcome in its two rows.

    Raises
    ------
    TooLarge
        Too many pairs of nodes have to be told apart, or the diagrams are too large.
    """
    if max(sum([len(outcomes) for outcomes, _ in site.rows]) for site in sites) > _MOST_WEIGHTS:
        raise TooLarge("a site has too many rows and outcomes.", value=sites)
    choices = _Choices(program, automaton.order)
    read = [choices.read(site) for site in sites]
    walk = _Walk([one for one in read if one.levels])
    pair = walk.run(automaton)
    if pair is None:
        return None
    positions, product = pair
    drawn: dict[int, Any] = {}
    for one in read:
        own, other = (choices.row(one, side) for side in positions)
        leaf = next(leaf for leaf, row in one.site.leaves.items() if row == own)[1]
        if isinstance(leaf, Toss):
            drawn[leaf.index] = one.quotients.outcome(own, other)
    return Choice(product, positions, drawn)


class _Choices(Compiler):
    """Diagrams over the entries alone, in the order in which pairs are read; a coin is a leaf."""

    def __init__(self, program: Program, order: Sequence[int]) -> None:
        super().__init__(Diagrams(_MOST_NODES))
        self._program, self._order = program, order
        self._level_of = {entry: level for level, entry in enumerate(order)}
        self._quotients: dict[Any, Quotients] = {}

    def variable(self, term: Input | Coin) -> int:
        if isinstance(term, Coin):
            return self.diagrams.leaf(Toss(term.index))
        return self.diagrams.variable(self._level_of[term.index], self._program.inputs[term.index].values)

    def read(self, site: Site) -> _Read:
        """Return the reading of a site, entry by entry."""
        diagrams = self.diagrams
        (root,) = self.compile([site.term])
        used = {diagrams.level[node] for node in diagrams.reachable([root]) if not diagrams.is_leaf(node)}
        cut, tables = [root], {}
        for level in sorted(used):
            checkpoint()
            values = range(len(self._program.inputs[self._order[level]].values))
            places: dict[int, int] = {}
            table = [[places.setdefault(diagrams.child(node, level, v), len(places)) for v in values] for node in cut]
            tables[level], cut = np.array(table, dtype=np.int32), list(places)
        leaves = [typed(diagrams.value(node)) for node in cut]
        if any(leaf not in site.leaves for leaf in leaves):  # only where no run gets to
            raise TooLarge("an index has no row.", value=site)
        key = tuple([(typed(tuple(outcomes)), tuple(weights)) for outcomes, weights in site.rows])
        quotients = self._quotients.setdefault(key, Quotients(site.rows))  # in a loop, all draws have the same rows
        rows = np.array([site.leaves[leaf] for leaf in leaves], dtype=np.int64)
        return _Read(site, root, sorted(used), tables, rows, quotients)

    def row(self, read: _Read, positions: Sequence[int]) -> int:
        """Return the row that an input chooses at a site."""
        node = read.root
        while not self.diagrams.is_leaf(node):
            level = self.diagrams.level[node]
            node = self.diagrams.child(node, level, positions[self._order[level]])
        return read.site.leaves[typed(self.diagrams.value(node))]


@dataclass(frozen=True, eq=False)
class _Read:
    """A site as an automaton: the levels that it reads, and the transitions of its cut's nodes there."""

    site: Site
    root: int
    levels: Sequence[int]
    tables: Mapping[int, Numbers]
    rows: Numbers
    """The rows at the nodes behind the last level."""
    quotients: Quotients

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

    def logs(self) -> npt.NDArray[np.float64]:
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

    ``nodes`` has two rows for every open site, the numbers of both nodes in its cut; ``products`` are numbers of
    products; a pair was made by the move ``moves`` of pair ``places`` of the state from which that leads.
    """

    nodes: Numbers
    products: Numbers
    moves: Numbers
    places: Numbers


_STATE, _VALUE, _OTHER, _REACHED = range(4)
_Moves = Numbers
"""Transitions: from a state by two values to another."""


class _Infinite(Exception):
    """Raised where one row of a pair rules an outcome out, so that the ratio is infinite."""


class _Walk:
    """All related pairs, entry by entry."""

    def __init__(self, sites: Sequence[_Read]) -> None:
        self._opening: dict[int, list[_Read]] = {}
        self._closing: dict[int, set[_Read]] = {}
        for site in sites:
            self._opening.setdefault(site.levels[0], []).append(site)
            self._closing.setdefault(site.levels[-1], set()).add(site)
        self._open: list[_Read] = []
        self._products = _Products()
        self._steps = 0

    def run(self, automaton: PairAutomaton) -> tuple[Pair, Any] | None:
        """Return a pair with the largest product, and that product; None if one is infinite, or nothing is related."""
        if automaton.empty:
            return None
        none = np.zeros(1, dtype=np.int32)
        here = {automaton.states[0][0]: _Pairs(np.zeros((0, 1), dtype=np.int32), none, none, none)}
        past: list[tuple[_Moves, dict[int, tuple[Numbers, Numbers]]]] = []
        try:
            for level, layer in enumerate(automaton.transitions):
                checkpoint()
                moves, here = self._step(level, layer, here)
                past.append((moves, {state: (pairs.moves, pairs.places) for state, pairs in here.items()}))
        except _Infinite:
            return None
        ((state, pairs),) = here.items()  # related pairs end in one state of the smallest automaton
        (product,) = pairs.products
        x, x_prime, place = [0] * len(automaton.order), [0] * len(automaton.order), 0
        for entry, (moves, came) in zip(reversed(automaton.order), reversed(past), strict=True):
            made, places = came[state]
            (state, x[entry], x_prime[entry], _), place = moves[made[place]].tolist(), places[place]
        return (x, x_prime), self._products.values[product]

    def _step(self, level: int, layer: Layer, before: Mapping[int, _Pairs]) -> tuple[_Moves, dict[int, _Pairs]]:
        """Return all pairs one entry further, and the moves by which they got there."""
        width = 2 * len(self._open)
        self._open = [*self._open, *self._opening.get(level, [])]
        active = [(place, site.tables[level]) for place, site in enumerate(self._open) if level in site.tables]
        classes = _value_classes([table for _, table in active])
        moves: list[Numbers] = []
        parts: dict[int, list[_Pairs]] = {}
        for state, pairs in before.items():
            different = _different_moves(state, layer[state], classes)
            for reached in np.unique(different[:, _REACHED]).tolist():
                by = different[different[:, _REACHED] == reached]
                count = len(pairs.products)
                self._count(count * len(by))
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
        self._open = [site for site in self._open if site not in closing]
        sizes = [site.cut_behind(level) for site in self._open]
        ranks = self._products.ranks()
        return np.concatenate(moves), {state: _merged(pairs, sizes, ranks) for state, pairs in after.items()}

    def _count(self, steps: int) -> None:
        checkpoint()
        self._steps += steps
        if self._steps > _MOST_STEPS:
            raise TooLarge("too many pairs of inputs differ in what they may still choose.", value=self._steps)

    def _closed(self, level: int, pairs: _Pairs) -> _Pairs:
        """Multiply in the ratios of finished sites and drop their columns.

        Of those with the same nodes left, floats find the ones near the top; the others are dropped.
        """
        closing = [(place, site) for place, site in enumerate(self._open) if site in self._closing.get(level, ())]
        if not closing:
            return pairs
        staying = [(place, site) for place, site in enumerate(self._open) if site not in self._closing[level]]
        kept = [2 * place + side for place, _ in staying for side in (0, 1)]
        about = self._products.logs()[pairs.products]
        for place, site in closing:
            about += site.quotients.logs(*[site.rows[pairs.nodes[2 * place + side]] for side in (0, 1)])
        if math.isinf(about.max()):
            raise _Infinite
        codes = _codes(pairs.nodes[kept], [site.cut_behind(level) for _, site in staying])
        near = np.flatnonzero(about >= _largest_of_each(codes, about) - SLACK * (1 + np.abs(about).max()))
        products = pairs.products[near]
        for place, site in closing:
            own, other = (site.rows[pairs.nodes[2 * place + side, near]] for side in (0, 1))
            products = self._times(products, site, own, other)
        return _Pairs(pairs.nodes[kept][:, near], products, pairs.moves[near], pairs.places[near])

    def _times(self, products: Numbers, site: _Read, own: Numbers, other: Numbers) -> Numbers:
        numbers, factors = site.quotients.numbers(own, other), site.quotients.values
        used, which = np.unique(products.astype(np.int64) * len(factors) + numbers, return_inverse=True)
        made = [
            self._products.number(self._products.values[code // len(factors)] * factors[code % len(factors)])
            for code in checkpoints(used.tolist())
        ]
        result: Numbers = np.array(made, dtype=np.int32)[which]
        return result


def _value_classes(tables: Sequence[Numbers]) -> Numbers | None:
    """Return the class of every value, those that lead to the same nodes everywhere being one; None if nothing is
    read.
    """
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
    """Return a number for every column, equal where the columns are; rows 2i and 2i + 1 have values below
    ``sizes[i]``.
    """
    codes, most = np.zeros(nodes.shape[1], dtype=np.int64), 1
    for row, values in enumerate(nodes):
        size = sizes[row // 2]
        if most * size >= _MOST_CODES:
            used, codes = np.unique(codes, return_inverse=True)
            most = len(used)
        codes, most = codes * size + values, most * size
    return codes


def _largest_of_each(codes: Numbers, values: npt.NDArray[np.float64]) -> Any:
    """For every place the largest value among those with the same code."""
    if not codes.any():
        return values.max()
    used, which = np.unique(codes, return_inverse=True)
    most = np.full(len(used), -math.inf)
    np.maximum.at(most, which, values)
    return most[which]
