"""Calibrations: which values of a parameter meet a budget, with exact ends, and a short one that certainly does."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.parameters.piecewise import FreeParameter, PiecewiseBound, place_dict
from taut.questions.drawn import Drawn, Unsaved
from taut.questions.text import text_of
from taut.support.algebra.envelope import raw, value_at
from taut.support.algebra.rational import RationalFunction
from taut.support.algebra.roots import Place, Root, between, real_roots, sign_at, simplest_inside, sorted_places

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Calibration", "Feasible", "Requirement", "Tried", "feasible_set", "short_fraction"]

_NEAR = 1000
"""The short fraction lies within 1/1000 of the parameter's interval from the end that it is chosen for."""
_LONG = 10**6


@dataclass(frozen=True)
class Requirement:
    """A condition on the parameter: a bound is at most (or, if ``least``, at least) a limit.

    ``stand_in`` is the limit itself, or for an irrational limit a rational number just on its strict side.
    """

    text: str
    bound: PiecewiseBound
    limit: Any
    stand_in: Fraction
    least: bool = False

    @property
    def label(self) -> str:
        """Name of the bounded quantity."""
        return self.bound.label

    @property
    def private(self) -> bool:
        """True if it is about privacy, and not about accuracy."""
        return not self.least

    def at(self, value: Any) -> Any:
        """Return the bound at a value of the parameter."""
        return self.bound.at(value)

    def holds(self, value: Any) -> bool:
        """Return True if a value of the parameter meets it; decided exactly, for the limit itself."""
        return meets(self.bound.at(value), self.limit, least=self.least)

    def holds_at(self, place: Place) -> bool:
        """Return True if the bound at a place meets ``stand_in``."""
        if not isinstance(place, Root):
            return meets(self.bound.at(place), self.stand_in, least=self.least)
        value = self.bound.part_at(place).value
        if value == math.inf or sign_at(raw(value.denominator), place) == 0:
            return self.least
        difference = value - self.stand_in
        sign = sign_at(raw(difference.numerator), place) * sign_at(raw(difference.denominator), place)
        return sign >= 0 if self.least else sign <= 0

    def borders(self) -> list[Place]:
        """Return all places at which it may begin or cease to hold."""
        found: list[Place] = [single.place for single in self.bound.special]
        for piece in self.bound.pieces:
            found += [piece.low, piece.high, *piece.poles]
            if isinstance(piece.value, RationalFunction):
                difference = piece.value - self.stand_in
                left = piece.low.low if isinstance(piece.low, Root) else piece.low
                right = piece.high.high if isinstance(piece.high, Root) else piece.high
                if difference:
                    roots = real_roots(raw(difference.numerator), left, right)
                    found += [root for root in roots if piece.low <= root <= piece.high]
        return found


@dataclass(frozen=True)
class Tried:
    """A requirement without a closed form: the bound was computed at single values of the parameter only."""

    text: str
    label: str
    """Name of the bounded quantity: e^eps, 1-beta, delta, a moment."""
    limit: Any
    ends: Mapping[Fraction, tuple[Any, Any]]
    """The certified lower and upper end of the bound at every value that was asked for."""
    least: bool = False

    def at(self, value: Fraction) -> Any:
        """Return the end that decides at a value: the lower one if the bound must be at least the limit."""
        low, high = self.ends[value]
        return low if self.least else high


def meets(value: Any, limit: Any, *, least: bool) -> bool:
    """Return True if a bound is at most (or at least) a limit; infinity is above every limit."""
    if value == math.inf:
        return least
    return bool(value >= limit if least else value <= limit)


@dataclass(frozen=True)
class Feasible:
    """An interval of values of the parameter; ``low`` and ``high`` say whether they belong to it."""

    low: Place
    high: Place
    includes_low: bool = True
    includes_high: bool = True

    def text(self, name: str) -> str:
        """Return the interval as an inequality."""
        if self.low == self.high:
            return f"{name} = {shown_place(self.low)}"
        left, right = "<=" if self.includes_low else "<", "<=" if self.includes_high else "<"
        return f"{shown_place(self.low)} {left} {name} {right} {shown_place(self.high)}"


def feasible_set(parameter: FreeParameter, requirements: Sequence[Requirement]) -> tuple[Feasible, ...]:
    """Return the values of the parameter that meet all requirements, as intervals in their order.

    Between two neighbouring borders of all requirements none of them changes, so one value decides for all.
    """
    ends: list[Place] = [parameter.low, parameter.high]
    borders = sorted_places([*ends, *[place for one in requirements for place in one.borders()]])
    marks: list[tuple[Place, Place, bool]] = []
    for number, place in enumerate(borders):
        marks.append((place, place, all(one.holds_at(place) for one in requirements)))
        if number + 1 < len(borders):
            middle = between(place, borders[number + 1])
            marks.append((place, borders[number + 1], all(one.holds_at(middle) for one in requirements)))
    found: list[Feasible] = []
    run: list[tuple[Place, Place, bool]] = []
    for mark in [*marks, (parameter.high, parameter.high, False)]:
        if mark[2]:
            run.append(mark)
        elif run:
            first, last = run[0], run[-1]
            found.append(Feasible(first[0], last[1], first[0] == first[1], last[0] == last[1]))
            run = []
    return tuple(found)


def short_fraction(interval: Feasible, at_low: bool, parameter: FreeParameter) -> Fraction | None:
    """Return the fraction with the smallest denominator inside an interval and near one of its ends."""
    if interval.low == interval.high:
        return None if isinstance(interval.low, Root) else interval.low
    near = (parameter.high - parameter.low) / _NEAR
    end, included = (interval.low, interval.includes_low) if at_low else (interval.high, interval.includes_high)
    if isinstance(end, Root):
        around = end.interval(near / 1000)
        start = around[1] if at_low else around[0]
    else:
        start = end
    if at_low:
        stop = _inner(min(start + near, interval.high))
        found = simplest_inside(start, stop)
    else:
        stop = _inner(max(start - near, interval.low))
        found = simplest_inside(stop, start)
    if included and not isinstance(end, Root) and end.denominator <= found.denominator:
        return end
    return found


def _inner(place: Place) -> Fraction:
    return place.interval(Fraction(1, 10**30))[0] if isinstance(place, Root) else place


@dataclass(frozen=True)
class Calibration(Drawn, Unsaved):
    """The values of a parameter that meet a budget.

    Guarantee:
        Every value in ``intervals`` meets all requirements. If ``exact``, no other value does, up to the rounding of an
        irrational limit such as e^1 to a rational number on its strict side (by less than 2^-99 relatively). If not,
        bounds were computed at single values, and ``relied_on`` says what was taken for granted between them.
    """

    parameter: FreeParameter
    requirements: tuple[Requirement, ...]
    intervals: tuple[Feasible, ...]
    best: Fraction | None
    """A short fraction inside, next to the end at which most of the budget is used; None if there is none."""
    texts: tuple[str, ...]
    exact: bool = True
    relied_on: tuple[str, ...] = ()
    tried: tuple[Tried, ...] = ()
    """The requirements as a bisection found them, in place of ``requirements``."""
    shown: tuple[PiecewiseBound, ...] = ()
    """Bounds that are only drawn."""
    mechanism: str = ""
    decide: Callable[[Fraction], bool] | None = field(default=None, repr=False, compare=False)

    @property
    def seen(self) -> Mapping[Fraction, Any]:
        """The values that a bisection asked for, with the upper end of the first bound there."""
        return {value: high for value, (_, high) in self.tried[0].ends.items()} if self.tried else {}

    def contains(self, value: Any) -> bool:
        """Return True if a value of the parameter meets the budget; decided for the value itself."""
        point = self.parameter.value(value)
        if self.decide is not None:
            return self.decide(point)
        return all(one.holds(point) for one in self.requirements)

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def __str__(self) -> str:
        name, wanted = self.parameter.name, " and ".join(self.texts)
        if not self.intervals and self.exact:
            return f"no value of {name} in {self.parameter.low}..{self.parameter.high} gives {wanted}"
        if not self.intervals:
            return f"no value of {name} that gives {wanted} was found by bisection, at {len(self.seen)} values"
        text = f"{wanted} if " + " or ".join(interval.text(name) for interval in self.intervals)
        if self.best is not None:
            text += f"; take {name} = {self.best}"
        if not self.exact:
            text += f". Found by bisection, relying on: {'; '.join(self.relied_on)}"
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>{self._inline_picture()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as plain data."""
        return {
            "parameter": self.parameter.name,
            "low": str(self.parameter.low),
            "high": str(self.parameter.high),
            "requirements": list(self.texts),
            "feasible": bool(self.intervals),
            "intervals": [
                {
                    "low": place_dict(one.low),
                    "high": place_dict(one.high),
                    "low_decimal": float(one.low),
                    "high_decimal": float(one.high),
                    "includes_low": one.includes_low,
                    "includes_high": one.includes_high,
                }
                for one in self.intervals
            ],
            "best": None if self.best is None else str(self.best),
            "exact": self.exact,
            "relied_on": list(self.relied_on),
            "seen": {str(value): text_of(found) for value, found in self.seen.items()},
        }

    _pictured = "calibration"

    def _figure(self, title: str | None) -> Figure:
        from taut.parameters.figures import calibration_figure

        return calibration_figure(self, title)


def shown_place(place: Place) -> str:
    """Return a place for people: fractions if they are short, else decimals."""
    if isinstance(place, Fraction) and place.denominator < _LONG:
        return str(place)
    return f"{float(place):.10g}..."


def preferred(requirements: Sequence[Requirement], intervals: Sequence[Feasible], parameter: FreeParameter) -> Any:
    """Return the short fraction near the end at which the first requirement is only just met."""
    first = next((one for one in requirements if one.private), requirements[0])

    def slack(interval: Feasible, at_low: bool) -> float:
        place = interval.low if at_low else interval.high
        value = value_at(first.bound.part_at(place).value, place)
        if value == math.inf:
            return math.inf
        return abs(float(first.stand_in) - float(value))

    choices = [(interval, at_low) for interval in intervals for at_low in (True, False)]
    for interval, at_low in sorted(choices, key=lambda choice: slack(*choice)):
        found = short_fraction(interval, at_low, parameter)
        if found is not None and all(one.holds(found) for one in requirements):
            return found
    return None
