"""Data from which pictures of a model's bounds are drawn, and the history of the interval of a search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from taut.questions.bound import Interval, Moment, View
from taut.questions.loss import LossDistribution
from taut.support.limits import grace, limits
from taut.support.options import options

if TYPE_CHECKING:
    from taut.model.base import ModelBase

__all__ = ["History", "view_of"]

_MOST_OUTPUTS = 4096
_SECONDS, _GRACE = 20.0, 2.0
"""Seconds for drawing, and seconds for drawing where all time is used up."""
_MOST_MOMENTS = 1000


def view_of(
    model: ModelBase,
    distances: Callable[[Any], Mapping[Any, Any]] | None = None,
    aim: Callable[[Any], Any] | None = None,
) -> View:
    """Return the distributions behind a bound, computed when they are drawn, with a time limit of their own."""

    def distribution(x: Any) -> Mapping[Any, Any]:
        with grace(_GRACE), limits(seconds=_SECONDS), options(max_outcomes=_MOST_OUTPUTS):
            return model.distribution(x)

    def loss(x: Any, x_prime: Any) -> LossDistribution:
        with grace(_GRACE), limits(seconds=_SECONDS):
            return model.loss(x, x_prime)

    return View(distribution, loss, distances, aim)


class History:
    """Records the intervals that a solver reports with their times, thinned out if many, and forwards them.

    Parameters:
        tell: a function that receives each interval, or True to record only.
        start: when the work began, by ``time.perf_counter``.
        measure: the measure that the ends are numbers of.
    """

    def __init__(self, tell: Callable[[Interval], None] | bool, start: float, measure: Any) -> None:
        self._tell = None if isinstance(tell, bool) else tell
        self._start, self._measure = start, measure
        self._every, self._told = 1, 0
        self.moments: list[Moment] = []

    def __call__(self, now: Interval) -> None:
        if self._tell is not None:
            self._tell(replace(now, measure=self._measure))
        self._told += 1
        same = self.moments and self.moments[-1][1:] == (now.lower, now.upper)
        if same or self._told % self._every or (now.lower is None and now.upper is None):
            return
        self.moments.append(Moment(time.perf_counter() - self._start, now.lower, now.upper))
        if len(self.moments) > _MOST_MOMENTS:
            self.moments, self._every = self.moments[::2], 2 * self._every

    def until(self, lower: Any, upper: Any) -> tuple[Moment, ...]:
        """Return the recorded intervals and the final one; nothing if there was no search."""
        if not self.moments:
            return ()
        return (*self.moments, Moment(time.perf_counter() - self._start, lower, upper))
