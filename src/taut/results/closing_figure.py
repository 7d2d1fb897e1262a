"""How the certified interval of a search closed: its two ends against time, as a panel beside the worst case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from taut.numbers import INFINITY
from taut.pictures import OURS, THEIRS, dress, one_panel, two_panels
from taut.results.bound import Bound
from taut.results.view import Moment

__all__ = ["interval_panel", "with_room_for_history"]

_FEWEST = 3
"""Different intervals from which a picture of their closing says something."""


def with_room_for_history(history: Sequence[Moment], height: float) -> tuple[Figure, Axes, Axes | None]:
    """A figure with a panel for the worst case, and one for a search's interval if that was seen closing."""
    if len({(moment.lower, moment.upper) for moment in history}) >= _FEWEST:
        figure, left, right = two_panels(11.4, height)
        return figure, left, right
    figure, axes = one_panel(6.8, height)
    return figure, axes, None


def interval_panel(axes: Axes, bound: Bound, name: str) -> None:
    """The ends of the interval against time; an end that is not known yet, or infinite, is not drawn."""
    moments = [*bound.history, Moment(bound.history[-1].seconds, bound.lower, bound.upper)]
    ends: list[list[tuple[float, float]]] = [
        [(moment.seconds, value) for moment in moments if (value := _float(getattr(moment, end))) is not None]
        for end in ("lower", "upper")
    ]
    for points, color, word in zip(ends, (OURS, THEIRS), ("lower end, attained", "upper end"), strict=True):
        if points:
            xs, ys = zip(*points, strict=True)
            marker = "o" if len(points) <= 40 else None
            axes.plot(
                xs, ys, color=color, drawstyle="steps-post", linewidth=1.7, marker=marker, markersize=3.5, label=word
            )
    values = [value for points in ends for _, value in points]
    log = bool(values) and min(values) > 0 and max(values) > 30 * min(values)
    both = [moment for moment in moments if None not in (_float(moment.lower), _float(moment.upper))]
    if both:
        times = [moment.seconds for moment in both]
        lows, highs = [_float(m.lower) or 0.0 for m in both], [_float(m.upper) or 0.0 for m in both]
        axes.fill_between(times, lows, highs, step="post", color=OURS, alpha=0.14, linewidth=0)
    if log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if max(values) < 1000 * min(values) else (1,)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    dress(axes, "Certified interval of the search", "seconds", name + (", logarithmic" if log else ""))
    axes.legend(frameon=False, fontsize=8.5)


def _float(value: Any) -> float | None:
    """An end as a float, None where it cannot be drawn."""
    if value is None or value == INFINITY:
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
