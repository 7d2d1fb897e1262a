"""Counts of the different values of cases: found in blocks of two tables, and merged from pieces."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.neighbors.blocks import Block, ListedBlock, SlicedBlock
from taut.questions.measure import Measure
from taut.support.exact import INFINITY
from taut.support.limits import checkpoint
from taut.synthesis.walk import CaseOrder

__all__ = ["Found", "Tally", "add", "merge", "tally", "worst_first", "worst_value"]


Found = dict[Any, tuple[int, int]]
"""For every value how many cases have it, and the number of the first of them."""


def add(found: Found, value: Any, count: int, first: int) -> None:
    """Note more cases of a value; cases without a value (None) do not count."""
    if value is None:
        return
    known = found.get(value)
    found[value] = (count, first) if known is None else (known[0] + count, min(known[1], first))


def merge(found: Found, more: Iterable[tuple[Any, tuple[int, int]]], measure: Measure, top: int | None) -> Found:
    """Merge two lots of cases; keep only the ``top`` worst values if that is asked for and values are exact.

    A value that is among the worst of all cases is among the worst wherever it occurs, so nothing is miscounted.
    """
    for value, (count, first) in more:
        add(found, value, count, first)
    if top is None or len(found) <= top or not all(map(_comparable, found)):
        return found
    worst = sorted(found, reverse=measure.largest)[:top]
    return {value: found[value] for value in worst}


def worst_value(found: Found, measure: Measure) -> Any:
    """Return the worst value; None if there is none yet, or if overlapping balls leave it undecided."""
    if not found or not all(map(_comparable, found)):
        return None
    return max(found) if measure.largest else min(found)


def worst_first(found: Found, measure: Measure, locate: Callable[[int], Any]) -> list[Any]:
    """Return the classes of values as results show them, each with its first case."""
    ordered = sorted(found.items(), key=lambda item: item[1][1])
    return measure.classes((value, count, functools.partial(locate, first)) for value, (count, first) in ordered)


def _comparable(value: Any) -> bool:
    return isinstance(value, (Fraction, int)) or (isinstance(value, float) and value == INFINITY)


Array = npt.NDArray[np.int64]
_MOST_KEYS = 1 << 22
_FEW_KEYS = 1 << 12
_PENDING = 1 << 22
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Tally:
    """Different keys, how often each occurs, and the least number, within the two tables, of a case that has it."""

    keys: Array
    counts: Array
    first: Array


def tally(
    own: npt.NDArray[np.int32],
    other: npt.NDArray[np.int32] | None,
    values: int,
    blocks: Sequence[Block] | Iterable[Block],
    order: CaseOrder,
    average: float,
) -> Tally:
    """Count ``own[x] * values + other[x']`` over blocks of pairs (``own[x]`` alone, without another table).

    Tables have one axis per entry, and one for all outputs. ``order`` is that of these entries, and tells which case
    comes first: numbered by it, with positions of the last axis in place of outputs. ``average`` is about how many
    cases a block has.
    """
    scaled = own.astype(np.int64)
    if other is not None:
        scaled *= values
    keys = int(scaled.max()) + values if scaled.size else 0
    dense = keys <= _FEW_KEYS or keys <= min(_MOST_KEYS, 4 * average)
    counter: _Dense | _Sparse = _Dense(keys) if dense else _Sparse()
    room = _Room()
    for block in blocks:
        checkpoint()
        joint = scaled[block.own]
        if other is None:
            joint = np.ascontiguousarray(joint).ravel()
        else:
            joint = np.add(joint, other[block.other], out=room.like(joint.shape)).ravel()
        if len(joint):
            counter.add(joint, _Places(block, order, own.shape[-1]))
    return counter.result()


class _Room:
    """One array that blocks are written into, one after the other.

    Where the system takes memory back at once, as it does for Dask's workers, an array of its own for every block costs
    more than the addition.
    """

    def __init__(self) -> None:
        self.cells = np.empty(0, dtype=np.int64)

    def like(self, shape: tuple[int, ...]) -> Array:
        """Return a scratch array of a shape with arbitrary content; it replaces the previous one."""
        size = math.prod(shape)
        if size > len(self.cells):
            self.cells = np.empty(size, dtype=np.int64)
        return self.cells[:size].reshape(shape)


class _Places:
    """Positions of the cases of a block among all cases; ``floor`` is at most the smallest of their numbers."""

    def __init__(self, block: Block, order: CaseOrder, columns: int) -> None:
        self.block, self.order, self.columns = block, order, columns
        if isinstance(block, SlicedBlock):
            pairs = [(own.start, other.start) for own, other in zip(block.own, block.other, strict=True)]
            digits = [order.digit(entry, *pair) for entry, pair in enumerate(pairs)]
            steps = sum(digit * weight for digit, weight in zip(digits, order.difference_weights, strict=True))
            self.floor = steps * order.inputs * columns
        else:
            self.codes = _codes(block, order)
            self.floor = int(self.codes[0]) * columns

    def numbers(self, positions: Array) -> Array:
        """Return the numbers of cases, given by their positions in the flattened block."""
        rows, columns = np.divmod(positions, self.columns)
        if isinstance(self.block, ListedBlock):
            return self.codes[rows] * self.columns + columns
        inputs = np.zeros_like(rows)
        for part, weight in zip(reversed(self.block.own), reversed(self.order.weights), strict=True):
            rows, step = np.divmod(rows, part.stop - part.start)
            inputs += (step + part.start) * weight
        return self.floor + inputs * self.columns + columns


def _codes(block: ListedBlock, order: CaseOrder) -> Array:
    """Return the weights of the pairs of a list, in increasing order."""
    codes = np.zeros(len(block.own[0]) if block.own else 1, dtype=np.int64)
    columns = zip(block.own, block.other, order.sizes, order.difference_weights, strict=True)
    for own, other, size, weight in columns:
        codes += np.where(own == other, own, size + own * size + other) * weight
    return codes


class _Dense:
    """A table of counts with a place for every key."""

    def __init__(self, keys: int) -> None:
        self.counts = np.zeros(keys, dtype=np.int64)
        self.first = np.full(keys, _NEVER, dtype=np.int64)
        self.scratch = np.zeros(keys, dtype=np.int64)

    def add(self, joint: Array, places: _Places) -> None:
        counts = np.bincount(joint, minlength=len(self.counts))
        self.counts += counts
        earlier = (counts > 0) & (self.first >= places.floor)  # most keys were met before, in a block that comes first
        if earlier.any():
            positions = np.flatnonzero(earlier[joint])[::-1]
            self.scratch[joint[positions]] = positions
            keys = np.flatnonzero(earlier)
            self.first[keys] = np.minimum(self.first[keys], places.numbers(self.scratch[keys]))

    def result(self) -> Tally:
        keys = np.flatnonzero(self.counts)
        return Tally(keys, self.counts[keys], self.first[keys])


@dataclass
class _Sparse:
    """Sorted keys, where a table with a place for each would be too large."""

    parts: list[Tally] = field(default_factory=list)

    def add(self, joint: Array, places: _Places) -> None:
        keys, positions, counts = np.unique(joint, return_index=True, return_counts=True)
        self.parts.append(Tally(keys, counts, places.numbers(positions)))
        if sum(len(part.keys) for part in self.parts) > max(_PENDING, 2 * len(self.parts[0].keys)):
            self.parts = [self.result()]

    def result(self) -> Tally:
        if not self.parts:
            return Tally(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
        keys, counts, first = (
            np.concatenate([getattr(part, name) for part in self.parts]) for name in ("keys", "counts", "first")
        )
        by_key = np.lexsort((first, keys))
        keys, counts, first = keys[by_key], counts[by_key], first[by_key]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        return Tally(keys[starts], np.add.reduceat(counts, starts), first[starts])
