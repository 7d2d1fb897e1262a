"""Pieces of all cases: how cases are divided, and how one piece is looked at."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams.compile import Relation
from taut.inference.table import ExactTable, conditioned_table, exact_table
from taut.neighbors import PairAutomaton
from taut.neighbors.blocks import Block, blocks
from taut.questions.measure import OutputMeasure
from taut.support.limits import checkpoints
from taut.support.process import cached_property
from taut.synthesis.exhaustive.tally import Found, Tally, merge, tally
from taut.synthesis.walk import CaseOrder

__all__ = ["AllCases", "AllInputs", "Cut", "Piece", "look_at", "look_at_inputs"]


Piece = tuple[tuple[int, ...], tuple[int, ...]]
"""The positions of the fixed entries, and of the outputs that are fixed for this piece."""
CELLS = 1 << 20
"""Probabilities of one piece: enough to be worth sending, few enough for the processor's cache."""
TABLE = 1 << 22
"""Inputs of one table if pairs are compared, so large that x and x' are mostly in the same table."""


@dataclass(frozen=True)
class Cut:
    """The first ``entries`` entries are fixed, and the ``spread`` outputs; beside those in ``watched``."""

    sizes: tuple[int, ...]
    outputs: tuple[int, ...]
    watched: Mapping[int, int]
    entries: int
    spread: tuple[int, ...]

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        outputs: Sequence[int],
        watched: Mapping[int, int],
        runs: int,
        most: int | None = None,
    ) -> Cut:
        """Return pieces of bounded size, with at most ``most`` probabilities each if that is given.

        They depend on the problem alone, not on the workers.
        """
        together = CELLS if most is None else min(CELLS, most)
        table = CELLS if runs == 1 else TABLE
        table = table if most is None else min(table, most)
        entries, inputs = 0, math.prod(sizes)
        while inputs > table and entries < len(sizes):
            inputs //= sizes[entries]
            entries += 1
        free = {place: size for place, size in enumerate(outputs) if place not in watched}
        spread, cells = 0, inputs * math.prod(free.values())
        while cells > together and spread < len(free):
            cells //= list(free.values())[spread]
            spread += 1
        return cls(tuple(sizes), tuple(outputs), dict(watched), entries, tuple(free)[:spread])

    @property
    def count(self) -> int:
        """Number of pieces; it may be larger than Python can count in a list."""
        return math.prod(self.sizes[: self.entries]) * math.prod(self.outputs[place] for place in self.spread)

    def __iter__(self) -> Iterator[Piece]:
        for prefix in itertools.product(*map(range, self.sizes[: self.entries])):
            for chosen in itertools.product(*(range(self.outputs[place]) for place in self.spread)):
                yield prefix, chosen

    def fixed(self, chosen: Sequence[int]) -> dict[int, int]:
        """Return all outputs that are fixed in a piece."""
        return {**self.watched, **dict(zip(self.spread, chosen, strict=True))}


_CELLS = 1 << 22


@dataclass(frozen=True)
class AllInputs:
    """State that all pieces share: a relation in positions; a piece is the values of the first ``entries`` entries."""

    relation: Relation
    conditioned: bool
    max_beliefs: int

    @cached_property
    def sizes(self) -> list[int]:
        return [len(one.values) for one in self.relation.inputs]

    @cached_property
    def entries(self) -> int:
        """Number of entries that are fixed in a piece, so that it is not too large."""
        fixed, cells = 0, math.prod(self.sizes) * math.prod(len(one.values) for one in self.relation.outputs)
        while cells > _CELLS and fixed < len(self.sizes):
            cells //= self.sizes[fixed]
            fixed += 1
        return fixed

    @property
    def count(self) -> int:
        """Number of pieces; it may be larger than Python can count in a list."""
        return math.prod(self.sizes[: self.entries])

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(*map(range, self.sizes[: self.entries]))

    def look_at(self, prefix: Sequence[int]) -> list[tuple[tuple[Any, ...], int, int]]:
        """Return the different rows of probabilities, each with its number of inputs and the first of them."""
        entries = dict(enumerate(prefix))
        table = exact_table(self.relation, self.max_beliefs, inputs=entries)
        if self.conditioned:
            evidence = exact_table(self.relation, self.max_beliefs, inputs=entries, sum_outputs=True)
            table = conditioned_table(table, evidence)
        inputs = math.prod(self.sizes[len(prefix) :])
        before = 0
        for position, size in zip(prefix, self.sizes, strict=False):
            before = before * size + position
        before *= inputs
        rows = table.numbers.reshape(inputs, -1)
        _, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        found = []
        for position, count in checkpoints(zip(first.tolist(), counts.tolist(), strict=True)):
            masses = tuple(table.values[number] for number in rows[position].tolist())
            found.append((masses, count, before + position))
        return found


def look_at_inputs(inputs: AllInputs, prefix: Sequence[int]) -> list[tuple[tuple[Any, ...], int, int]]:
    """Evaluate a piece of all inputs; a function of a module, so that workers can run it."""
    return inputs.look_at(prefix)


_KEPT = 4
_FEW = 16
"""Values up to this number are compared exactly, which is quicker than floats first."""
_SURELY = 1e-12
"""A bound of the error of ratios of floats; three roundings are less than a thousandth of it."""
_LEAST = 1e-280


@dataclass(frozen=True)
class Looked:
    """Result of a piece, and the seconds that its tables and its comparisons took."""

    found: tuple[tuple[Any, tuple[int, int]], ...]
    tables: float
    comparisons: float


@dataclass(frozen=True)
class AllCases:
    """State that all pieces share: a relation in positions, pairs, a measure, and the number of worst values."""

    relation: Relation
    conditioned: bool
    automaton: PairAutomaton
    measure: OutputMeasure
    cut: Cut
    order: CaseOrder
    max_beliefs: int
    top: int | None

    def look_at(self, piece: Piece) -> Looked:
        """Return the values of the cases in a piece, given by the beginnings of x and y."""
        prefix, chosen = piece
        tables = comparisons = 0.0
        found: Found = {}
        start = time.perf_counter()
        own = self._table(prefix, chosen)
        for partner, state in self._partners(prefix):
            other = own if partner == prefix else self._table(partner, chosen)
            tables, start = tables + time.perf_counter() - start, time.perf_counter()
            found = merge(found, self._compared(prefix, chosen, own, partner, other, state), self.measure, self.top)
            comparisons, start = comparisons + time.perf_counter() - start, time.perf_counter()
        return Looked(tuple(found.items()), tables, comparisons)

    def _compared(
        self,
        prefix: Sequence[int],
        chosen: Sequence[int],
        own: ExactTable,
        partner: Sequence[int],
        other: ExactTable,
        state: int,
    ) -> Iterator[tuple[Any, tuple[int, int]]]:
        """Yield the values of all pairs that begin with these entries, each with its count and the first pair."""
        pair = self.measure.runs == 2
        grid = _with_outputs_flat(own)
        rest, listed = self._rest(state)
        columns = grid.shape[-1]
        local = CaseOrder(self.order.sizes[self.cut.entries :], (columns,), self.order.listed)
        average = rest.count_pairs() * columns / max(1, len(listed)) if isinstance(listed, tuple) else CELLS
        counted = tally(
            grid,
            (grid if other is own else _with_outputs_flat(other)) if pair else None,
            len(other.values),
            listed if isinstance(listed, tuple) else blocks(rest, max(1, CELLS // columns), listed=True),
            local,
            average,
        )
        masses = [own.values, other.values] if pair else [own.values]
        if self.top == 1 and len(counted.keys) > _FEW:
            counted = _likely(counted, masses, self.measure)
        number = _Numbered(self.order, self.cut, prefix, partner, chosen, columns)
        values = len(other.values)
        rows = zip(counted.keys.tolist(), counted.counts.tolist(), counted.first.tolist(), strict=True)
        for key, count, first in rows:
            probabilities = (own.values[key // values], other.values[key % values]) if pair else (own.values[key],)
            yield self.measure.value(*probabilities), (count, number.of(first))

    def _table(self, prefix: Sequence[int], chosen: Sequence[int]) -> ExactTable:
        entries = dict(enumerate(prefix))
        table = exact_table(self.relation, self.max_beliefs, self.cut.fixed(chosen), inputs=entries)
        return conditioned_table(table, self._evidence(tuple(prefix))) if self.conditioned else table

    def _evidence(self, prefix: tuple[int, ...]) -> ExactTable:
        known = self._evidence_tables
        if prefix not in known:
            while len(known) >= _KEPT:
                known.pop(next(iter(known)), None)
            entries = dict(enumerate(prefix))
            known[prefix] = exact_table(self.relation, self.max_beliefs, inputs=entries, sum_outputs=True)
        return known[prefix]

    @cached_property
    def _evidence_tables(self) -> dict[tuple[int, ...], ExactTable]:
        return {}

    @cached_property
    def _rests(self) -> dict[int, tuple[PairAutomaton, tuple[Block, ...] | None]]:
        return {}

    def _rest(self, state: int) -> tuple[PairAutomaton, tuple[Block, ...] | None]:
        """Return the pairs that go on from a state after the fixed entries, and their blocks unless they are listed."""
        if state not in self._rests:
            rest, fixed = self.automaton, self.cut.entries
            if fixed:
                layers = rest.transitions[fixed:]
                rest = PairAutomaton.of(range(len(layers)), layers, state, set(rest.states[-1]), rest.sides)
            self._rests[state] = (rest, None if self.order.listed else tuple(blocks(rest, listed=False)))
        return self._rests[state]

    def _partners(self, prefix: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
        """Return the prefixes of neighbours of inputs with this prefix, and the states they lead to; itself first."""
        automaton = self.automaton
        stack: list[tuple[tuple[int, ...], int]] = [((), state) for state in reversed(automaton.states[0])]
        found: list[tuple[tuple[int, ...], int]] = []
        while stack:
            partner, state = stack.pop()
            if len(partner) == len(prefix):
                found.append((partner, state))
                continue
            value = prefix[len(partner)]
            ways = automaton.transitions[len(partner)][state].of_value(value)
            stack += [((*partner, one.other), one.state) for one in reversed(ways)]
        return iter(sorted(found, key=lambda one: one[0] != tuple(prefix)))


def look_at(cases: AllCases, piece: Piece) -> Looked:
    """Evaluate a piece of all cases; a function of a module, so that workers can run it."""
    return cases.look_at(piece)


class _Numbered:
    """The numbers of cases among all, by their numbers in the tables of a piece."""

    def __init__(
        self,
        order: CaseOrder,
        cut: Cut,
        prefix: Sequence[int],
        partner: Sequence[int],
        chosen: Sequence[int],
        columns: int,
    ) -> None:
        self.order, self.columns = order, columns
        fixed = cut.fixed(chosen)
        assert sorted(fixed) == list(range(len(fixed))), "the outputs that are fixed count more than those in columns"
        self.base = sum(order.output(place, value) for place, value in fixed.items())
        self.base += sum(order.entry(entry, *pair) for entry, pair in enumerate(zip(prefix, partner, strict=True)))
        self.inputs = math.prod(order.sizes[cut.entries :])
        self.step = math.prod(order.radix[: cut.entries]) * order.inputs

    def of(self, number: int) -> int:
        rest, column = divmod(number, self.columns)
        if not self.order.listed:
            steps, x = divmod(rest, self.inputs)
            rest = steps * self.step + x
        return self.base + rest * self.order.all_outputs + column


def _with_outputs_flat(table: ExactTable) -> npt.NDArray[np.int32]:
    """Return the table with one axis for all outputs."""
    return table.numbers.reshape((*table.numbers.shape[: table.inputs], -1))


def _likely(counted: Tally, masses: Sequence[Sequence[Any]], measure: OutputMeasure) -> Tally:
    """Return the keys that may have the worst value, compared as floats; all keys if floats are inaccurate."""
    rough = [_floats(values) for values in masses]
    if any(floats is None for floats in rough):
        return counted
    keys, factors = counted.keys, []
    for floats, exponent in zip(reversed(rough), reversed(measure.exponents), strict=True):
        assert floats is not None
        factors.append((floats[keys % len(floats)], exponent))
        keys = keys // len(floats)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.prod([factor ** float(exponent) for factor, exponent in factors], axis=0)
    possible = ~np.isnan(values)  # 0 / 0 is not a value
    if not possible.any():
        return counted
    worst = values[possible].max() if measure.largest else values[possible].min()
    near = values >= worst * (1 - _SURELY) if measure.largest else values <= worst * (1 + _SURELY)
    kept = possible & near
    return Tally(counted.keys[kept], counted.counts[kept], counted.first[kept])


def _floats(values: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    """Return probabilities as floats, all accurate; None if they are not numbers or too small for that."""
    if not all(isinstance(value, (Fraction, int)) for value in values):
        return None
    try:
        floats = np.array([float(value) for value in values])
    except OverflowError:  # weights of a formula need not be probabilities
        return None
    rough = ((floats < _LEAST) & (floats != 0)) | (floats > 1 / _LEAST)
    return None if np.any(rough) or _hidden(values, floats) else floats


def _hidden(values: Sequence[Any], floats: npt.NDArray[np.float64]) -> bool:
    """Return True if a value that is not zero is rounded to zero."""
    return any(values[place] != 0 for place in np.flatnonzero(floats == 0).tolist())
