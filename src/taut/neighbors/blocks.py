"""Related pairs in blocks, as slices of an array with one axis per entry, for vectorised evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from taut.neighbors.automaton import Layer, PairAutomaton

__all__ = ["Block", "ListedBlock", "SlicedBlock", "are_listed", "blocks"]

_FEW_BLOCKS = 1 << 10
_WORTHWHILE = 64
"""Average number of pairs per block above which slices are faster than lists of pairs."""


@dataclass(frozen=True)
class SlicedBlock:
    """Pairs whose entries lie in slices of equal length: ``array[own]`` has x where ``array[other]`` has x'."""

    own: tuple[slice, ...]
    other: tuple[slice, ...]

    def pair(self, number: int) -> tuple[list[int], list[int]]:
        """Return the positions of x and of x' in one pair; pairs are numbered as in the flattened ``array[own]``."""
        steps = [int(step) for step in np.unravel_index(number, [part.stop - part.start for part in self.own])]
        x, x_prime = (
            [p.start + step for p, step in zip(parts, steps, strict=True)] for parts in (self.own, self.other)
        )
        return x, x_prime


@dataclass(frozen=True)
class ListedBlock:
    """Pairs listed one by one: for each entry the positions of all x, and of all x'."""

    own: tuple[npt.NDArray[np.int64], ...]
    other: tuple[npt.NDArray[np.int64], ...]

    def pair(self, number: int) -> tuple[list[int], list[int]]:
        """Return the positions of x and of x' in one of the pairs."""
        return [int(column[number]) for column in self.own], [int(column[number]) for column in self.other]


Block = SlicedBlock | ListedBlock


def are_listed(automaton: PairAutomaton) -> bool:
    """Return True if pairs are listed one by one, since slices would be many and small."""
    pairs = automaton.count_pairs()
    if pairs <= _FEW_BLOCKS:  # there are no more blocks than pairs
        return False
    count = _count(automaton, automaton.by_layer(_runs))
    return count > _FEW_BLOCKS and count * _WORTHWHILE > pairs


def blocks(automaton: PairAutomaton, rows: int = 1 << 16, *, listed: bool | None = None) -> Iterator[Block]:
    """Yield all related pairs, each in exactly one block.

    Values that move alike, by as many positions, are one slice; where that makes many small blocks, pairs are listed:
    entry after entry, equal values before different ones, and those by their positions.

    Parameters
    ----------
    automaton
        The pairs.
    rows
        The most pairs that are listed in one block.
    listed
        Whether to list them; left out, ``are_listed`` decides.

    Examples
    --------
    >>> from taut.program.domains import InputSpace, ints
    >>> from taut.neighbors import neighbors_of
    >>> steps = neighbors_of("one_step").automaton(InputSpace((ints(2, 0, 9),)))
    >>> steps.count_pairs(), len(list(blocks(steps)))
    (360, 4)
    """
    if are_listed(automaton) if listed is None else listed:
        yield from _listed(automaton, rows)
    else:
        yield from _sliced(automaton, automaton.by_layer(_runs))


class _SliceRun(NamedTuple):
    """A run of transitions between two states that maps a slice of values to another slice."""

    state: int
    own: slice
    other: slice


_Runs = dict[int, list[_SliceRun]]
"""The runs into every state after a layer, those that change nothing first."""


def _runs(layer: Layer) -> _Runs:
    diagonals = [(state, run) for state, ways in layer.items() for run in ways.diagonals()]
    runs: _Runs = {}
    for state, (shift, start, stop, reached) in sorted(diagonals, key=lambda item: (abs(item[1][0]), -item[1][0])):
        run = _SliceRun(state, slice(start, stop), slice(start + shift, stop + shift))
        runs.setdefault(reached, []).append(run)
    return runs


def _count(automaton: PairAutomaton, runs: Sequence[_Runs]) -> int:
    """Return the number of sliced blocks."""
    ways = dict.fromkeys(automaton.states[0], 1)
    for layer, states in zip(runs, automaton.states[1:], strict=True):
        ways = {state: sum(ways.get(run.state, 0) for run in layer[state]) for state in states}
    return sum(ways.values())


def _sliced(automaton: PairAutomaton, runs: Sequence[_Runs]) -> Iterator[SlicedBlock]:
    """Yield one block per path through the automaton, built from the last entry on: late entries vary slowest."""
    stack: list[tuple[int, tuple[_SliceRun, ...]]] = [(state, ()) for state in reversed(automaton.states[-1])]
    depth = len(automaton.order)
    while stack:
        state, chosen = stack.pop()
        level = depth - len(chosen)
        if level:
            ways = [run for run in runs[level - 1][state] if run.state in automaton.states[level - 1]]
            stack += [(run.state, (*chosen, run)) for run in reversed(ways)]
        else:
            by_entry = dict(zip(reversed(automaton.order), chosen, strict=True))
            ordered = [by_entry[entry] for entry in sorted(by_entry)]
            yield SlicedBlock(tuple(run.own for run in ordered), tuple(run.other for run in ordered))


class _LayerRows(NamedTuple):
    """The transitions of a layer as rows sorted by state, with the offset and the number of rows of each state."""

    ways: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]


def _table(layer: Layer) -> _LayerRows:
    tables = [_in_order(layer[state].table()) for state in range(len(layer))]
    counts = np.array([len(table) for table in tables], dtype=np.int64)
    return _LayerRows(np.concatenate([np.empty((0, 3), dtype=np.int64), *tables]), np.cumsum(counts) - counts, counts)


def _in_order(ways: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sort transitions by equal values before the others."""
    same = ways[:, 0] == ways[:, 1]
    return np.concatenate([ways[same], ways[~same]])


def _listed(automaton: PairAutomaton, rows: int) -> Iterator[ListedBlock]:
    """Follow paths one by one until few enough pairs remain to list them together."""
    tables = automaton.by_layer(_table)
    stack: list[tuple[int, tuple[tuple[int, int], ...]]] = [(state, ()) for state in automaton.states[0]]
    while stack:
        state, chosen = stack.pop()
        level = len(chosen)
        if automaton.pairs_from[level][state] > rows:
            first, count = tables[level].first[state], tables[level].counts[state]
            ways = tables[level].ways[first : first + count][::-1].tolist()
            stack += [(reached, (*chosen, (value, other))) for value, other, reached in ways]
        else:
            yield _completed(automaton, tables[level:], state, chosen)


def _completed(
    automaton: PairAutomaton, tables: Sequence[_LayerRows], state: int, chosen: Sequence[tuple[int, int]]
) -> ListedBlock:
    """Return all pairs that begin with the chosen entries."""
    states = np.array([state], dtype=np.int64)
    columns = [np.array([pair], dtype=np.int64) for pair in chosen]
    for table in tables:
        counts = table.counts[states]
        columns = [np.repeat(column, counts, axis=0) for column in columns]
        ways = table.ways[np.repeat(table.first[states] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
        columns.append(ways[:, :2])
        states = ways[:, 2]
    by_entry = dict(zip(automaton.order, columns, strict=True))
    ordered = [by_entry[entry] for entry in sorted(by_entry)]
    return ListedBlock(tuple(column[:, 0] for column in ordered), tuple(column[:, 1] for column in ordered))
