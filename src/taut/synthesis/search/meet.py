"""Meeting: the best of all prefixes with all suffixes at one cut (Theorem 9).

All of them are compared in floats: every number is a sum or product of positive ones, so a float is off by at most a
few rounding errors per node. Combinations that close to the best are compared in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.support.exact import INFINITY
from taut.support.process import cached_property, product
from taut.synthesis.search.frontier import TINY, Group, Layer, Pool, log_of
from taut.synthesis.search.moves import objects
from taut.synthesis.search.question import SearchBudget, SearchQuestion

__all__ = ["Combinations", "Meeting", "meet"]

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Objects = npt.NDArray[np.object_]
_CELLS = 1 << 21
_MANY = 100_000
_TOGETHER = 4096
_PRODUCTS = 1 << 23
"""Products of vectors that are kept in one array."""
_WORTH = 1 << 16
"""Number of combinations from which a product of matrices preselects the best."""
_GATHERED = 32
"""Cost of the look-up and the logarithm of one combination, in multiplications."""
_SPARSE = 8
"""The share of combinations, as a divisor, up to which they are looked at one by one."""
_FAR = 200.0
"""Logarithms of factors that floats can be multiplied by."""
_BAND = 1e-9
"""A margin far above the rounding of any sum that fits in memory."""


@dataclass(frozen=True)
class Meeting:
    """The best value, and the items above and below that attain it.

    The items are None if no combination was better, and only the ball of the old value had to be widened.
    """

    value: Any
    items: tuple[int, int] | None


def meet(question: SearchQuestion, above: Layer, below: Layer, bar: Any, budget: SearchBudget) -> Meeting | None:
    """Return the best combination of an item above and an item below, if any is better than ``bar`` (None: any at all).

    If the budget is exhausted, the best of those that were looked at: real, but others may be better.
    """
    best: Meeting | None = None
    for key, group in above.groups.items():
        other = below.groups.get(key)
        if other is None:
            continue
        up, down = above.pools[key[1]], below.pools[key[1]]
        met = Combinations(question, group, up, other, down).best(bar, budget)
        if met is not None:
            best = met if best is None or met.items is not None else replace(met, items=best.items)
            bar = met.value
            if bar in (INFINITY, 0):
                return best
    return best


class _Candidates:
    """Combinations of an item above with one below that floats cannot tell from the best."""

    def __init__(self) -> None:
        self.count = 0
        self._parts: list[tuple[Floats, Ids, Ids]] = []

    def add(self, values: Floats, rows: Ids, columns: Ids) -> None:
        """Combinations of items above and items below, with their values."""
        self._parts.append((values, rows, columns))
        self.count += len(rows)

    def above(self, least: float) -> tuple[Ids, Ids]:
        """Return the items of those that are not below a value, the best first."""
        if not self._parts:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        values, rows, columns = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        order = np.lexsort((columns, rows, values))[::-1]
        order = order[values[order] >= least]
        return rows[order], columns[order]


class Combinations:
    """All combinations of two groups."""

    def __init__(self, question: SearchQuestion, above: Group, up: Pool, below: Group, down: Pool) -> None:
        self.question, self.above, self.below, self.up, self.down = question, above, below, up, down
        self.sign = 1.0 if question.largest else -1.0
        self.band = np.inf if question.blurred else _BAND
        self.full = bool(up.support.all() and down.support.all())
        self._masses: dict[tuple[int, int], Any] = {}
        self._products: Objects | None = None
        self._multiplied = np.zeros(0, dtype=bool)

    @cached_property
    def linear(self) -> _Linear | None:
        """Return the combinations that may be the best, by a product of matrices, where that is worth it."""
        return _Linear.of(self.question, self.above, self.up, self.below, self.down)

    def best(self, bar: Any, budget: SearchBudget) -> Meeting | None:
        """Return the best combination that is better than ``bar``; of those looked at, if the budget is exhausted."""
        met: Meeting | None = None if bar is None else Meeting(bar, None)
        start_of_search = met
        top = -np.inf if bar is None else self.sign * log_of(bar)
        candidates = _Candidates()
        rows = max(1, _CELLS // max(1, len(self.below), len(self.down)))
        for start in range(0, len(self.above), rows):
            if budget.exhausted():
                break
            values, own, other = self._block(start, min(start + rows, len(self.above)), top)
            here = float(values.max(initial=-np.inf))
            if here == np.inf:
                place = int(values.argmax())
                return self._meeting(
                    INFINITY if self.question.largest else self._zero, int(own[place]), int(other[place])
                )
            if here > -np.inf and here >= top - self.band:  # at -inf all is 0 / 0: no outcome at all
                top = max(top, here)
                near = (values >= top - self.band) & (values > -np.inf)
                candidates.add(values[near], own[near], other[near])
            if candidates.count > _MANY:
                met = self._decided(candidates, top, met, budget)
                candidates = _Candidates()
        met = self._decided(candidates, top, met, budget)
        return None if met is start_of_search else met

    def _block(self, start: int, stop: int, top: float) -> tuple[Floats, Ids, Ids]:
        """Return the values of items above with all below, and the items; those far below ``top`` may be left out."""
        if self.linear is not None and np.isfinite(top):
            near = self.linear.near(start, stop, top)
            if near is not None and len(near[0]) * _SPARSE <= (stop - start) * len(self.below):
                return self._values_of(start + near[0], near[1]), start + near[0], near[1]
        values = self._values(start, stop)
        rows, columns = np.divmod(np.arange(values.size), values.shape[1])
        return values.ravel(), start + rows, columns

    def scores(self) -> tuple[Floats, Floats]:
        """For every item above, and for every item below, how good its best combination is."""
        values = self._values(0, len(self.above))
        return values.max(axis=1, initial=-np.inf), values.max(axis=0, initial=-np.inf)

    @property
    def _zero(self) -> Any:
        return self.question.arithmetic.unit * 0

    def _decided(
        self, candidates: _Candidates, top: float, met: Meeting | None, budget: SearchBudget
    ) -> Meeting | None:
        """Decide exactly between candidates that floats cannot separate; return the best if it improves."""
        rows, columns = candidates.above(top - self.band)
        start = 0
        while start < len(rows) and not budget.exhausted():
            # Most are ties: once one of them is the best, the others are compared with it all together.
            if met is not None and not self.question.plan.balls:
                some = slice(start, start + _TOGETHER)
                better = self._which_beat(met.value, rows[some], columns[some])
                if not len(better):
                    start += _TOGETHER
                    continue
                start += int(better[0])
            row, column = int(rows[start]), int(columns[start])
            value = self._exact(row, column)
            if met is None:
                met = self._meeting(value, row, column)
            elif self.question.beats(value, met.value):
                met = self._meeting(self.question.better(met.value, value), row, column)
            elif self.question.plan.balls:  # a value that may be the better one widens the best
                met = replace(met, value=self.question.better(met.value, value))
            start += 1
        return met

    def _which_beat(self, value: Any, rows: Ids, columns: Ids) -> Ids:
        """Return the combinations that are strictly better than a value, decided exactly without any division."""
        if value == INFINITY:
            return np.zeros(0, dtype=np.int64)
        over = self.above.scales[rows] * self.below.scales[columns]
        under = objects([value] * len(rows))
        for number, track in enumerate(self.question.tracks):
            masses = self._together(self.above.ids[number, rows], self.below.ids[number, columns])
            over, under = (over * masses, under) if track.sign > 0 else (over, under * masses)
        better: npt.NDArray[np.bool_] = (over > under) if self.question.largest else (over < under)
        return np.flatnonzero(better)

    def _together(self, own: Ids, other: Ids) -> Objects:
        """Return the exact products of vectors above with vectors below, each pair multiplied once."""
        width = len(self.down)
        if len(self.up) * width > _PRODUCTS:
            return objects([self._mass(*pair) for pair in zip(own.tolist(), other.tolist(), strict=True)])
        if self._products is None:
            self._products = np.empty(len(self.up) * width, dtype=object)
            self._multiplied = np.zeros(len(self.up) * width, dtype=bool)
        places = own * width + other
        missing = np.unique(places[~self._multiplied[places]])
        rows, starts = np.unique(missing // width, return_index=True)
        for row, start, stop in zip(rows.tolist(), starts.tolist(), [*starts[1:].tolist(), None], strict=False):
            some, parts = missing[start:stop], self.up.parts(row)
            part = np.ix_(some % width, np.array([node for node, _ in parts], dtype=np.int64))
            self._products[some] = self.down.matrix[part] @ objects([mass for _, mass in parts]) if parts else 0
        self._multiplied[places] = True
        found: Objects = self._products[places]
        return found

    def _meeting(self, value: Any, row: int, column: int) -> Meeting:
        return Meeting(value, (self.above.start + row, self.below.start + column))

    def _dots(self, used: npt.NDArray[np.int64]) -> Floats:
        """Return logarithms of the products of vectors above with all below; where supports do not meet, -inf exactly.

        What is too small to be relied on is nan.
        """
        dots: Floats = product(self.up.floats[used], self.down.floats.T)
        dots[dots < TINY] = np.nan
        if not self.full:
            first, second = self.up.support[used].astype(np.float32), self.down.support.astype(np.float32)
            dots[product(first, second.T) == 0] = 0.0
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(dots) + self.up.tops[used][:, None] + self.down.tops[None, :]
        return logs

    def _values(self, start: int, stop: int) -> Floats:
        """Return the logarithms of the values, to be maximised; -inf for 0 / 0, which is no outcome at all."""
        used, flat = np.unique(self.above.ids[:, start:stop], return_inverse=True)
        dots = self._dots(used)
        ids, others = flat.reshape(len(self.above.ids), -1), self.below.ids
        parts = (dots[ids[number][:, None], others[number][None, :]] for number in range(len(ids)))
        values = self._combined(self.above.logs[start:stop, None] + self.below.logs[None, :], parts)
        unsure = np.isnan(values)
        if unsure.any():
            exact = [self._exact(start + row, column) for row, column in np.argwhere(unsure).tolist()]
            values[unsure] = [np.inf if value == INFINITY else log_of(value) for value in exact]
        return values * self.sign

    def _values_of(self, rows: Ids, columns: Ids) -> Floats:
        """Return the same for some combinations only."""
        values = np.empty(len(rows))
        step = max(1, _CELLS // (8 * self.up.width))
        for first in range(0, len(rows), step):
            some = slice(first, first + step)
            values[some] = self._values_of_some(rows[some], columns[some])
        return values

    def _values_of_some(self, rows: Ids, columns: Ids) -> Floats:
        def parts() -> Iterator[Floats]:
            for own, other in zip(self.above.ids[:, rows], self.below.ids[:, columns], strict=True):
                dots: Floats = np.einsum("ij,ij->i", self.up.floats[own], self.down.floats[other])
                dots[dots < TINY] = np.nan
                if not self.full:
                    dots[~(self.up.support[own] & self.down.support[other]).any(axis=1)] = 0.0
                with np.errstate(divide="ignore"):
                    yield np.log(dots) + self.up.tops[own] + self.down.tops[other]

        values = self._combined(self.above.logs[rows] + self.below.logs[columns], parts())
        for place in np.flatnonzero(np.isnan(values)).tolist():
            exact = self._exact(int(rows[place]), int(columns[place]))
            values[place] = np.inf if exact == INFINITY else log_of(exact)
        return values * self.sign

    def _combined(self, values: Floats, parts: Iterable[Floats]) -> Floats:
        """Combine the logarithms of scales and of the masses of all tracks, with their exponents."""
        nothing = None
        for track, part in zip(self.question.tracks, parts, strict=True):
            if nothing is None:
                nothing = part == -np.inf
                part = np.where(nothing, 0.0, part)
            values = values + part if track.sign > 0 else values - part
        if nothing is not None and nothing.any():
            values[nothing] = -np.inf
        return values

    def _exact(self, row: int, column: int) -> Any:
        """Return the exact value of one combination."""
        masses = map(self._mass, self.above.ids[:, row].tolist(), self.below.ids[:, column].tolist())
        return self.question.value(self.above.scales[row] * self.below.scales[column], masses)

    def _mass(self, own: int, other: int) -> Any:
        """Return the exact product of a vector above with one below; ties ask for the same ones again and again."""
        key = (own, other)
        if key not in self._masses:
            above, below = self.up.parts(own), self.down.parts(other)
            vector, parts = (self.down.rows[other], above) if len(above) <= len(below) else (self.up.rows[own], below)
            self._masses[key] = sum(mass * vector[node] for node, mass in parts)
        return self._masses[key]


class _Linear:
    """Combinations that may have a ratio of about e^top or more, found by one product of matrices.

    Let vectors be divided by their largest entries. A ratio s (b f) / (b' f') is at least e^top exactly if the
    product of (s e^-top b, -b') with (f, f') is at least 0, and b' f' is at most the width w. If the logarithm of the
    ratio is above top - 10^-9, the product is above -10^-9 w; computed in floats it is above -3 10^-9 w, for the
    factors are right to 3 10^-10 and the roundings of sums of positive terms smaller still.
    """

    def __init__(self, above: Group, up: Pool, below: Group, down: Pool) -> None:
        self.own = above.logs + up.tops[above.ids[0]] - up.tops[above.ids[1]]
        self.other = below.logs + down.tops[below.ids[0]] - down.tops[below.ids[1]]
        self.most = float(self.own.max())
        first = up.floats[above.ids[0]] * np.exp(self.own - self.most)[:, None]
        self.above = np.concatenate([first, -up.floats[above.ids[1]]], axis=1)
        self.first, self.second = down.floats[below.ids[0]].T, down.floats[below.ids[1]].T
        self.slack = 3.0 * _BAND * up.width
        self._top = np.nan
        self._below: Floats = np.zeros((0, 0))

    @classmethod
    def of(cls, question: SearchQuestion, above: Group, up: Pool, below: Group, down: Pool) -> _Linear | None:
        """Return None unless the value is a ratio, there is much to multiply, and floats are accurate enough."""
        if len(question.tracks) != 2 or not question.largest or question.blurred:
            return None
        cells = len(above) * len(below)
        if cells < _WORTH or up.width * (2 * cells - len(up) * len(down)) > _GATHERED * cells:
            return None  # over many nodes it is less work to multiply each two different vectors once
        made = cls(above, up, below, down)
        return made if np.ptp(made.own) < _FAR else None

    def near(self, start: int, stop: int, top: float) -> tuple[Ids, Ids] | None:
        """Of some items above the combinations with items below that may be as good; None if numbers are too large."""
        if top != self._top:
            exponents = self.other + (self.most - top)
            if not exponents.max() < _FAR:
                return None
            self._top, self._below = top, np.concatenate([self.first * np.exp(exponents), self.second])
        products = product(self.above[start:stop], self._below)
        if products.max() < -self.slack:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        rows, columns = np.nonzero(products >= -self.slack)
        return rows.astype(np.int64, copy=False), columns.astype(np.int64, copy=False)
