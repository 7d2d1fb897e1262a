"""The figure of an accuracy or an error: the output around its target, or its distance, on the worst input.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.errors import InvalidInput, TooLarge
from taut.numbers import decimal, is_number, number
from taut.pictures import OTHER, QUIET, THEIRS, dress, entitle, legend_below, literal
from taut.results.accuracy import AccuracyBound
from taut.results.closing_figure import interval_panel, with_room_for_history
from taut.results.error import ErrorBound
from taut.results.text import brief_interval, short_text, text_of
from taut.results.view import View

__all__ = ["accuracy_figure", "error_figure"]

_BINS = 80
_MOST_BARS = 400
_MANY, _FAINT = 24, 1000


def accuracy_figure(bound: AccuracyBound, view: View, title: str | None = None) -> Figure:
    """Where the output lies on the worst input; within alpha of the target is shaded."""
    x, alpha = bound.witness.x, number(bound.alpha, "alpha")
    figure, axes, closing = with_room_for_history(bound.history, 4.2)
    around = _around_target(view, x)
    if around is not None:
        aim, masses = around
        low, high, across = aim - alpha, aim + alpha, "output"
        close = {y: abs(y - aim) <= alpha for y in masses}
        axes.axvline(
            float(aim), color=QUIET, linewidth=1.2, linestyle=(0, (4, 3)), label=f"target: {literal(text_of(aim))}"
        )
    else:
        masses = _distances(view, x)
        low, high, across = Fraction(0), alpha, "distance to the target"
        close = {d: bool(d <= alpha) for d in masses}
    width, hidden = _masses(axes, masses, close)
    edge = width / 2  # the bars at alpha count, so they stand on the shade as a whole
    left, right = axes.get_xlim()
    if around is not None:
        reach = min(float(alpha) + 2 * edge, max(right - left, 2 * edge))
        left, right = min(left, float(aim) - reach), max(right, float(aim) + reach)
    start, end = max(float(low) - edge, left), min(float(high) + edge, right)
    axes.axvspan(start, end, color=OTHER, alpha=0.13, linewidth=0, zorder=0)
    axes.set_xlim(left, right)
    case = "Best" if bound.best else "Worst"
    dress(axes, f"{case} input: $1-\\beta$ {brief_interval(bound.lower, bound.upper)}", across + hidden, "probability")
    inside, outside = (_sum(masses, close, flag) for flag in (True, False))
    axes.plot([], [], "s", color=OTHER, label=f"within alpha = {literal(text_of(alpha))}: {decimal(inside, 6)}")
    axes.plot([], [], "s", color=THEIRS, label=f"further off: {decimal(outside, 6)}")
    return _finished(figure, axes, closing, bound, "$1-\\beta$", title)


def error_figure(bound: ErrorBound, view: View, title: str | None = None) -> Figure:
    """The distance to the target on the worst input, with the statistic on its axis where it is a distance."""
    masses = _distances(view, bound.witness.x)
    figure, axes, closing = with_room_for_history(bound.history, 4.2)
    is_distance = bound.statistic == "mean" or bound.statistic.startswith("quantile")
    far = {d: bool(is_distance and d > bound.attained) for d in masses}
    _, hidden = _masses(axes, masses, {d: not far[d] for d in masses})
    if is_distance:
        name = f"{bound.statistic}: {decimal(bound.attained, 6)}"
        axes.axvline(float(bound.attained), color=QUIET, linewidth=1.4, linestyle=(0, (4, 3)), label=literal(name))
    head = f"Worst input: {bound.statistic} {brief_interval(bound.lower, bound.upper)}"
    dress(axes, head, "distance to the target" + hidden, "probability")
    if is_distance and any(far.values()):
        axes.plot([], [], "s", color=THEIRS, label="further off")
    return _finished(figure, axes, closing, bound, bound.statistic, title)


def _finished(
    figure: Figure, axes: Axes, closing: Axes | None, bound: AccuracyBound | ErrorBound, name: str, title: str | None
) -> Figure:
    axes.plot([], [], " ", label=f"x = {short_text(bound.witness.x)}")
    if closing is not None:
        interval_panel(closing, bound, name)
    legend_below(figure, axes)
    if title is not None:
        entitle(figure, title)
    return figure


def _around_target(view: View, x: Any) -> tuple[Any, Mapping[Any, Any]] | None:
    """The target and the distribution of the output, if both are numbers that are compared by their difference."""
    if view.aim is None:
        return None
    aim = view.aim(x)
    if not is_number(aim):
        return None
    try:
        masses = view.distribution(x)
    except TooLarge:
        return None
    return (aim, masses) if all(map(is_number, masses)) else None


def _distances(view: View, x: Any) -> Mapping[Any, Any]:
    if view.distances is None:
        raise InvalidInput("plot: the distances of this bound are not known.", value=x)
    return view.distances(x)


def _masses(axes: Axes, masses: Mapping[Any, Any], close: Mapping[Any, bool]) -> tuple[float, str]:
    """A bar per number, or bins where they are too close, in the colours of near and far.

    Of many numbers the unlikely ones at both ends are left out. Returns the width of a bar, and what is said of those.
    """
    every = sorted(masses)
    top = max(float(mass) for mass in masses.values())
    likely = [place for place in every if float(masses[place]) >= top / _FAINT]
    places = [y for y in every if likely[0] <= y <= likely[-1]] if len(every) > _MANY else every
    left_out = len(every) - len(places)
    words = f"; {left_out} others are less likely than 1/{_FAINT} of the highest" if left_out else ""
    xs = [float(place) for place in places]
    span = (xs[-1] - xs[0]) or 1.0
    gap = min((b - a for a, b in pairwise(xs)), default=span)
    binned = gap < span / _MOST_BARS
    width = span / _BINS if binned else 0.84 * min(gap, span / 2 if len(xs) > 1 else 1.0)
    for flag, color in ((True, OTHER), (False, THEIRS)):
        chosen = [place for place in places if close[place] == flag]
        heights = [float(masses[place]) for place in chosen]
        if binned and chosen:
            counts, sides = np.histogram([float(y) for y in chosen], _BINS, (xs[0], xs[-1]), weights=heights)
            axes.bar((sides[:-1] + sides[1:]) / 2, counts, width, color=color)
        elif chosen:
            axes.bar([float(y) for y in chosen], heights, width, color=color, linewidth=0)
    margin = width if len(xs) > 1 else 1.2
    axes.set_xlim(xs[0] - margin, xs[-1] + margin)
    if all(place == int(place) for place in places):
        axes.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    axes.set_ylim(bottom=0)
    return width, words


def _sum(masses: Mapping[Any, Any], close: Mapping[Any, bool], flag: bool) -> Any:
    return sum((mass for place, mass in masses.items() if close[place] == flag), start=Fraction(0))
