"""One piece of all cases: tables of the probabilities of its inputs and their neighbours, compared block by block."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
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
from taut.support.process import cached_property
from taut.synthesis.case_order import CaseOrder
from taut.synthesis.exhaustive.classes import Found, merge
from taut.synthesis.exhaustive.cut import CELLS, Cut, Piece
from taut.synthesis.exhaustive.tally import Tally, tally

__all__ = ["AllCases", "look_at"]

_KEPT = 4
_FEW = 16
"""Up to so many values are sooner compared exactly than as floats."""
_SURELY = 1e-12
"""By how much ratios of floats are off at most: three roundings are less than a thousandth of it."""
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
        """The values of the cases in a piece, given by the beginnings of x and y."""
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
        """The values of all pairs that begin with these entries, with how many there are and the first of each."""
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
        """The pairs that go on from a state after the fixed entries, and their blocks unless they are listed."""
        if state not in self._rests:
            rest, fixed = self.automaton, self.cut.entries
            if fixed:
                layers = rest.transitions[fixed:]
                rest = PairAutomaton.of(range(len(layers)), layers, state, set(rest.states[-1]), rest.sides)
            self._rests[state] = (rest, None if self.order.listed else tuple(blocks(rest, listed=False)))
        return self._rests[state]

    def _partners(self, prefix: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
        """The prefixes of neighbours of inputs with this prefix, and the states they lead to; itself first."""
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
    """The table with one axis for all outputs."""
    return table.numbers.reshape((*table.numbers.shape[: table.inputs], -1))


def _likely(counted: Tally, masses: Sequence[Sequence[Any]], measure: OutputMeasure) -> Tally:
    """The keys that may have the worst value, as far as floats can tell; all of them where they tell nothing."""
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
    """Probabilities as floats, all accurate; None if they are not numbers or too small for that."""
    if not all(isinstance(value, (Fraction, int)) for value in values):
        return None
    try:
        floats = np.array([float(value) for value in values])
    except OverflowError:  # weights of a formula need not be probabilities
        return None
    rough = ((floats < _LEAST) & (floats != 0)) | (floats > 1 / _LEAST)
    return None if np.any(rough) or _hidden(values, floats) else floats


def _hidden(values: Sequence[Any], floats: npt.NDArray[np.float64]) -> bool:
    """Return True if something that is not zero looks so."""
    return any(values[place] != 0 for place in np.flatnonzero(floats == 0).tolist())
