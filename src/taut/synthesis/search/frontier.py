"""The frontier of a search: the items at a cut, their vectors, and the trail of choices that led to them.

An item is a state of the automaton, a block, and one vector for each track: beliefs on the way down, functionals on
the way up; it stands for a real prefix, or a real suffix (Theorem 1). Items whose vectors are equal up to scale are
merged. Vectors are primitive and numbered, so they are equal up to scale exactly if their numbers are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import flint
import numpy as np
import numpy.typing as npt

from taut.diagrams.semirings import ProjectiveSemiring
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property
from taut.synthesis.search.question import Choice, SearchQuestion

__all__ = [
    "NO_PARENT",
    "TINY",
    "Group",
    "ItemFrontier",
    "Key",
    "Layer",
    "Pool",
    "bottom_layer",
    "log_of",
    "merged",
    "single",
    "top_layer",
]


Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Side = Literal["down", "up"]
Key = tuple[int, int]
"""Items with the same key can be compared: a state of the automaton, and a block."""
_FEW_RUNS = 16
"""Number of runs of equal items below which vectorised comparison does not pay."""
NO_PARENT = -1
"""The parent of an item that ends in a finished block, where nothing has to be chosen any more."""


@dataclass(frozen=True)
class Group:
    """Items in one state and block: a row of vector numbers for each track, their scales, where they came from."""

    ids: Ids
    scales: npt.NDArray[np.object_]
    parents: Ids
    choices: npt.NDArray[Any]
    """One row per item, its last choice: the column of x, and that of x'; behind a power one ``Way`` per item."""
    start: int
    """The number of the first item in the layer."""

    def __len__(self) -> int:
        return len(self.scales)

    @cached_property
    def logs(self) -> npt.NDArray[np.float64]:
        """The logarithms of the scales."""
        return np.array([log_of(scale) for scale in self.scales], dtype=np.float64)

    def only(self, keep: Mask, start: int) -> Group:
        return Group(self.ids[:, keep], self.scales[keep], self.parents[keep], self.choices[keep], start)


@dataclass(frozen=True)
class Layer:
    """All items at a cut; items are numbered through the groups."""

    cut: int
    pools: Mapping[int, Pool]
    groups: Mapping[Key, Group]
    made: int = 0
    """Number of items before merging."""
    merged: int = 0
    """Number of items after merging, before pruning."""
    bound: float | None = None
    """Upper bound of the logarithm of all completions of an item, where known."""

    @property
    def size(self) -> int:
        return sum(len(group) for group in self.groups.values())

    @property
    def beliefs(self) -> int:
        return sum(len(pool) for pool in self.pools.values())

    def kept(self, choose: Callable[[Key, Group], Mask]) -> Layer:
        """Return a layer with the chosen items only."""
        groups, start = {}, 0
        for key, group in self.groups.items():
            keep = choose(key, group)
            if keep.all() and group.start == start:
                groups[key] = group
            elif keep.any():
                groups[key] = group.only(keep, start)
            start += int(keep.sum())
        return replace(self, groups=groups).compact()

    def compact(self) -> Layer:
        """Return the layer with only those vectors that some item has."""
        used: dict[int, Ids] = {}
        for block, pool in self.pools.items():
            mine = [group.ids.ravel() for (_, own), group in self.groups.items() if own == block]
            numbers = np.unique(np.concatenate(mine)) if mine else np.zeros(0, dtype=np.int64)
            if len(numbers) < len(pool):
                used[block] = numbers
        if not used:
            return self
        pools = {block: pool.only(used[block]) if block in used else pool for block, pool in self.pools.items()}
        groups = {
            (state, block): replace(group, ids=np.searchsorted(used[block], group.ids)) if block in used else group
            for (state, block), group in self.groups.items()
        }
        return replace(self, pools=pools, groups=groups)


def top_layer(question: SearchQuestion) -> Layer:
    """Return the root, in the first state."""
    return _unit_layer(question, 0)


def bottom_layer(question: SearchQuestion) -> Layer:
    """TRUE, in every last state."""
    return _unit_layer(question, len(question.plan.steps))


def _unit_layer(question: SearchQuestion, cut: int) -> Layer:
    pools: dict[int, Pool] = {}
    groups: dict[Key, Group] = {}
    for block, nodes in enumerate(question.plan.cuts[cut]):
        pools[block] = Pool(question.arithmetic, len(nodes))
        for state in question.states(cut):
            if nodes:
                groups[state, block] = single(question, pools[block], len(groups))
    return Layer(cut, pools, groups)


def single(question: SearchQuestion, pool: Pool, start: int) -> Group:
    """Return one item whose vectors are 1 everywhere."""
    ids, _ = pool.intern([[1] * pool.width])
    scales = np.empty(1, dtype=object)
    scales[0] = question.arithmetic.unit
    nothing = np.zeros(1, dtype=np.int64)
    return Group(np.tile(ids, (len(question.tracks), 1)), scales, nothing, np.zeros((1, 2), dtype=np.int32), start)


def merged(question: SearchQuestion, parts: Sequence[Group], vectors: int, start: int) -> Group:
    """Return one group from several, each combination of vectors once, with the best of its scales (Theorem 2).

    ``vectors`` is how many different ones there are. With balls the scale encloses the best of all that were merged;
    which of them is traced back is decided by their middles.
    """
    ids = np.concatenate([part.ids for part in parts], axis=1)
    scales = np.concatenate([part.scales for part in parts])
    parents = np.concatenate([part.parents for part in parts])
    choices = np.concatenate([part.choices for part in parts])
    code = _codes(ids, vectors)
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    fresh = np.ones(len(ordered), dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    if fresh.all():
        return Group(ids, scales, parents, choices, start)
    if not question.plan.balls:
        kept = _best_of_runs(scales, order, np.flatnonzero(fresh), largest=question.largest)
        return Group(ids[:, kept], scales[kept], parents[kept], choices[kept], start)
    chosen, best = [], []
    for item, new in checkpoints(zip(order.tolist(), fresh.tolist(), strict=True), 4096):
        scale = scales[item]
        if new:
            chosen.append(item)
            best.append(scale)
            continue
        if question.beats(scale, best[-1]):
            chosen[-1] = item
        best[-1] = question.better(best[-1], scale)
    scales = np.empty(len(best), dtype=object)
    scales[:] = best
    return Group(ids[:, chosen], scales, parents[chosen], choices[chosen], start)


def _best_of_runs(scales: npt.NDArray[np.object_], order: Ids, starts: Ids, *, largest: bool) -> Ids:
    """Return, for every run in an order, the first item with the best of its exact scales.

    The second items of all runs are compared with their first ones at once, then the third ones with what was better,
    and so on, until few runs are left.
    """
    kept = order[starts]
    lengths = np.diff(np.append(starts, len(order)))
    place = 1
    runs = np.flatnonzero(lengths > place)
    while len(runs) > _FEW_RUNS:
        checkpoint()
        items = order[starts[runs] + place]
        own, other = scales[items], scales[kept[runs]]
        better = (own > other if largest else own < other).astype(bool)
        kept[runs[better]] = items[better]
        place += 1
        runs = runs[lengths[runs] > place]
    for run in runs.tolist():
        best = int(kept[run])
        for item in checkpoints(order[starts[run] + place : starts[run] + lengths[run]].tolist(), 4096):
            if scales[item] > scales[best] if largest else scales[item] < scales[best]:
                best = item
        kept[run] = best
    return kept


def _codes(ids: Ids, vectors: int) -> Ids:
    """Return a number for each combination of vectors."""
    code: Ids = ids[0]
    most = vectors
    for row in ids[1:]:
        if most * vectors > 1 << 62:
            code = np.unique(code, return_inverse=True)[1]
            most = len(code)
        code = code * vectors + row
        most *= vectors
    return code


class ItemFrontier:
    """The last layer from one side, and the parts of earlier layers that are needed to trace an item back."""

    def __init__(self, side: Side, layer: Layer) -> None:
        self.side = side
        self.layer = layer
        self._trail: list[tuple[Ids, npt.NDArray[Any]]] = []

    @property
    def down(self) -> bool:
        return self.side == "down"

    def extend(self, layer: Layer) -> None:
        """Go on to the next layer."""
        self._trail.append(_origins(layer))
        self.layer = layer

    def prune(self, layer: Layer) -> None:
        """Go on with some of the items of the last layer."""
        if layer is not self.layer:
            self._trail[-1] = _origins(layer)
            self.layer = layer

    def path(self, item: int, steps: int | None = None) -> list[Choice]:
        """Return the choices that led to an item of the last layer, or of that after ``steps``, from the top."""
        choices_made: list[Choice] = []
        for parents, choices in reversed(self._trail[:steps]):
            if item == NO_PARENT:
                break
            chosen = choices[item]
            if isinstance(chosen, np.ndarray):
                choices_made.append(Choice(*chosen.tolist()))
            else:
                choices_made.extend(reversed(list(chosen.choices())))
            item = int(parents[item])
        return choices_made[::-1] if self.down else choices_made


def _origins(layer: Layer) -> tuple[Ids, npt.NDArray[Any]]:
    groups = sorted(layer.groups.values(), key=lambda group: group.start)
    if not groups:
        return np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int32)
    return np.concatenate([group.parents for group in groups]), np.concatenate([group.choices for group in groups])


Objects = npt.NDArray[np.object_]
TINY = 1e-290
"""The smallest float of a positive entry; below it, floats decide nothing."""


class Pool:
    """Different primitive vectors over the nodes of a block; 0 is one of them, with any scale."""

    def __init__(self, semiring: ProjectiveSemiring[Any], width: int) -> None:
        self.semiring = semiring
        self.width = width
        self.rows: list[list[Any]] = []
        self.index: dict[Any, int] = {}
        self._matrix: Objects | None = None
        self._floats: npt.NDArray[np.float64] | None = None
        self._zero: npt.NDArray[np.bool_] | None = None
        self._tops: npt.NDArray[np.float64] | None = None
        self._parts: dict[int, list[tuple[int, Any]]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def intern(self, vectors: Sequence[list[Any]]) -> tuple[Ids, list[Any]]:
        """Return the numbers of given vectors, and the scales divided out of them."""
        ids = np.empty(len(vectors), dtype=np.int64)
        scales: list[Any] = []
        semiring, index, rows = self.semiring, self.index, self.rows
        for position, vector in enumerate(checkpoints(map(semiring.plain, vectors))):
            row, scale = semiring.primitive(vector) if any(vector) else (vector, 1)
            key = semiring.key(row)
            number = index.get(key)
            if number is None:
                number = index[key] = len(rows)
                rows.append(row)
            else:
                rows[number] = semiring.joined(rows[number], row)
            ids[position] = number
            scales.append(scale)
        self._matrix = self._floats = self._zero = None
        self._parts = {}
        return ids, scales

    def parts(self, number: int) -> list[tuple[int, Any]]:
        """Return the entries of a row that are not 0, with their places: of beliefs often one among hundreds."""
        parts = self._parts.get(number)
        if parts is None:
            parts = self._parts[number] = [(node, mass) for node, mass in enumerate(self.rows[number]) if mass]
        return parts

    @property
    def matrix(self) -> Objects:
        if self._matrix is None:
            self._matrix = np.empty((len(self.rows), self.width), dtype=object)
            for number, row in enumerate(self.rows):
                self._matrix[number] = row
        return self._matrix

    def only(self, used: Ids) -> Pool:
        """Return a pool of some of the rows, in their order."""
        pool = Pool(self.semiring, self.width)
        pool.rows = [self.rows[number] for number in used.tolist()]
        return pool

    @property
    def zero(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows that are 0."""
        if self._zero is None:
            self._zero = np.array([not any(row) for row in self.rows], dtype=bool)
        return self._zero

    @property
    def support(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the entries that are not 0, exactly: the floats of positive entries are positive."""
        return self.floats > 0

    @property
    def floats(self) -> npt.NDArray[np.float64]:
        """The rows divided by their largest entries, to within two rounding errors."""
        self._measure()
        assert self._floats is not None
        return self._floats

    @property
    def tops(self) -> npt.NDArray[np.float64]:
        """The logarithms of the rows' largest entries."""
        self._measure()
        assert self._tops is not None
        return self._tops

    def _measure(self) -> None:
        if self._floats is not None:
            return
        try:
            floats = self.matrix.astype(np.float64)
            most = floats.max(axis=1, initial=0.0)
            most[most == 0] = 1.0
            tops = np.log(most)
            floats /= most[:, None]
        except OverflowError:
            floats, tops = np.zeros((len(self.rows), self.width)), np.zeros(len(self.rows))
            for number, row in enumerate(self.rows):
                if any(row):
                    largest = max(row, key=_magnitude)
                    floats[number] = [_float(entry, largest) if entry else 0.0 for entry in row]
                    tops[number] = log_of(largest)
        positive = self.matrix != 0
        floats[positive] = np.maximum(floats[positive], TINY / 1e16)
        self._floats, self._tops = floats, tops


def log_of(number: Any) -> float:
    """Return the logarithm of a positive exact number, or of the middle of a ball, however large; -inf for 0."""
    if isinstance(number, flint.fmpq):
        return _log_quotient(int(number.p), int(number.q))
    if isinstance(number, (int, Fraction)):
        return _log_quotient(number.numerator, number.denominator)
    return float(number.mid().log().mid())


def _log_quotient(p: int, q: int) -> float:
    if p == 0:
        return -math.inf
    shift = p.bit_length() - q.bit_length()
    if -900 < shift < 900:
        return math.log(p / q)
    return math.log(p / (q << shift) if shift > 0 else (p << -shift) / q) + shift * math.log(2.0)


def _magnitude(entry: Any) -> Any:
    return entry if isinstance(entry, int) else entry.mid()


def _float(entry: Any, most: Any) -> float:
    return entry / most if isinstance(entry, int) and isinstance(most, int) else float((entry / most).mid())
