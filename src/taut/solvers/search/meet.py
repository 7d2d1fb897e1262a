"""Meeting: the best of all prefixes with all suffixes at one cut.

Floats look at all of them: every number is a sum or product of positive ones, so a float value is off by at most a few
roundings per node, and whatever lies that close to the best is decided in exact arithmetic.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.solvers.search.layer import NOWHERE, Group, Layer, Question
from taut.solvers.search.pool import TINY, Pool, log_of

__all__ = ["Combinations", "Meeting", "meet"]

Floats = npt.NDArray[np.float64]
_CELLS = 1 << 21
_MANY = 100_000
_BAND = 1e-9
"""Far more than the roundings of any sum that fits in memory."""


@dataclass(frozen=True)
class Meeting:
    """The best value (None for infinity), and which items attain it.

    They are ``NOWHERE`` where what was to be beaten was not: only its ball had to be made wider.
    """

    value: Any
    above: int
    below: int


def meet(question: Question, above: Layer, below: Layer, beats: Any, check: Callable[[], None]) -> Meeting | None:
    """The best combination of an item above and an item below, if any is better than ``beats`` (None: any at all)."""
    best: Meeting | None = None
    for state, group in above.groups.items():
        other = below.groups.get(state)
        if other is None:
            continue
        bar = best.value if best is not None else beats
        found = Combinations(question, group, above.pools[state[1]], other, below.pools[state[1]], bar, check).best()
        if found is not None:
            kept = best is not None and found.above == NOWHERE
            best = Meeting(found.value, best.above, best.below) if best is not None and kept else found
            if found.value is None or found.value == 0:
                return best
    return best


class Combinations:
    """All combinations of two groups."""

    def __init__(
        self, question: Question, above: Group, up: Pool, below: Group, down: Pool, bar: Any, check: Callable[[], None]
    ) -> None:
        self.question, self.above, self.below, self.up, self.down = question, above, below, up, down
        self.bar = bar
        self.check = check
        self.first, self.second = above.logs, below.logs
        self.sign = 1.0 if question.largest else -1.0
        self.found: Meeting | None = None
        self.full = bool(up.support.all() and down.support.all())
        self._masses: dict[tuple[int, int], Any] = {}

    def best(self) -> Meeting | None:
        bar = -np.inf if self.bar is None else self.sign * log_of(self.bar)
        candidates: list[tuple[float, int, int]] = []
        rows = max(1, _CELLS // max(1, len(self.below), len(self.down)))
        for start in range(0, len(self.above), rows):
            self.check()
            values = self._values(start, start + rows)
            if values.size == 0:
                continue
            top = float(values.max())
            if top == -np.inf:  # 0 / 0 throughout: no outcome at all
                continue
            if top == np.inf:
                place = int(values.argmax())
                row, column = divmod(place, values.shape[1])
                value = None if self.question.largest else self.question.arithmetic.unit * 0
                return self._meeting(value, start + row, column)
            if top >= bar - _BAND:
                bar = max(bar, top)
                near = np.argwhere(values >= bar - _BAND)
                candidates += [(float(values[row, col]), start + int(row), int(col)) for row, col in near]
            if len(candidates) > _MANY:
                self._decide(candidates, bar)
                candidates = []
        self._decide(candidates, bar)
        return self.found

    def scores(self) -> tuple[Floats, Floats]:
        """For every item above, and for every item below, how good its best combination is."""
        values = self._values(0, len(self.above))
        return values.max(axis=1, initial=-np.inf), values.max(axis=0, initial=-np.inf)

    def _decide(self, candidates: list[tuple[float, int, int]], near: float) -> None:
        """Find the best of those that floats cannot tell apart, if it is better than the bar, which it then becomes."""
        found, bar, question = self.found, self.bar, self.question
        for about, row, column in sorted(candidates, reverse=True):
            if about < near - _BAND:
                break
            self.check()
            value = self._exact(row, column)
            if bar is None or question.beats(value, bar):
                bar = value if bar is None else question.better(bar, value)
                found = self._meeting(bar, row, column)
            elif question.plan.balls:  # a value that may be the better one widens the best
                bar = question.better(bar, value)
                found = Meeting(bar, *((found.above, found.below) if found is not None else (NOWHERE, NOWHERE)))
        self.bar, self.found = bar, found

    def _meeting(self, value: Any, row: int, column: int) -> Meeting:
        return Meeting(value, self.above.start + row, self.below.start + column)

    def _dots(self, used: npt.NDArray[np.int64]) -> Floats:
        """Logarithms of the products of vectors above with all below; where supports do not meet, -inf exactly.

        What is too small to be relied on is nan.
        """
        dots: Floats = self.up.floats[used] @ self.down.floats.T
        dots[dots < TINY] = np.nan
        if not self.full:
            first, second = self.up.support[used].astype(np.float32), self.down.support.astype(np.float32)
            dots[first @ second.T == 0] = 0.0
        with np.errstate(divide="ignore"):
            found: Floats = np.log(dots) + self.up.tops[used][:, None] + self.down.tops[None, :]
        return found

    def _values(self, start: int, stop: int) -> Floats:
        """The logarithms of the values, to be maximised; -inf for 0 / 0, which is no outcome at all."""
        used, flat = np.unique(self.above.ids[:, start:stop], return_inverse=True)
        dots = self._dots(used)
        ids, others = flat.reshape(len(self.above.ids), -1), self.below.ids
        values = self.first[start:stop, None] + self.second[None, :]
        nothing = None
        for number, track in enumerate(self.question.tracks):
            part = dots[ids[number][:, None], others[number][None, :]]
            if number == 0:
                nothing = part == -np.inf
                part = np.where(nothing, 0.0, part)
            values = values + part if track.sign > 0 else values - part
        if nothing is not None and nothing.any():
            values[nothing] = -np.inf
        unsure = np.isnan(values)
        if unsure.any():
            values[unsure] = self._exactly(np.argwhere(unsure), start)
        return values * self.sign

    def _exactly(self, places: Any, start: int) -> list[float]:
        found = []
        for row, column in places.tolist():
            value = self._exact(start + row, column)
            found.append(np.inf if value is None else log_of(value))
        return found

    def _exact(self, row: int, column: int) -> Any:
        """The exact value of one combination; None if it is infinite."""
        value = self.above.scales[row] * self.below.scales[column]
        for track, own, other in zip(
            self.question.tracks, self.above.ids[:, row], self.below.ids[:, column], strict=True
        ):
            mass = self._mass(int(own), int(other))
            if track.sign > 0:
                value = value * mass
            elif mass == 0:
                return None
            else:
                value = value / mass
        return value

    def _mass(self, own: int, other: int) -> Any:
        """The exact product of a vector above with one below; ties ask for the same ones again and again."""
        if (own, other) not in self._masses:
            self._masses[own, other] = sum(map(operator.mul, self.up.rows[own], self.down.rows[other]))
        return self._masses[own, other]
