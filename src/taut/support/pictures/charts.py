"""Curves: lines with markers, curves with a shaded interval, intervals that close, rules, dots and infinite values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from taut.support.pictures.style import (
    COLORS,
    OURS,
    QUIET,
    THEIRS,
    drawable,
    dress,
    logarithmic,
    one_panel,
    panels,
    unequal,
)

__all__ = [
    "closing_interval",
    "dot",
    "lines",
    "mark_infinite",
    "note",
    "panel_and_history",
    "powers_of_ten",
    "rule",
    "shade",
]

_MARKERS = ("o", "s", "^", "D")
_FEWEST = 3
"""Number of different intervals from which a plot of the search is worth drawing."""


def lines(
    axes: Axes,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    title: str,
    x: str,
    y: str,
    log: bool = False,
    hollow: Sequence[str] = (),
    colors: Mapping[str, str] | None = None,
    dashes: Mapping[str, str] | None = None,
    legend: bool = True,
) -> None:
    """Draw lines with markers; those named ``hollow`` are dashed and not filled. Infinite values are marked on top."""
    for position, (name, (xs, ys)) in enumerate(series.items()):
        color = (colors or {}).get(name, COLORS[position % len(COLORS)])
        finite = [(a, b) for a, b in zip(xs, ys, strict=True) if math.isfinite(b)]
        axes.plot(
            [a for a, _ in finite],
            [b for _, b in finite],
            label=name,
            color=color,
            linewidth=1.6,
            linestyle=(dashes or {}).get(name, "--" if name in hollow else "-"),
            marker=_MARKERS[position % len(_MARKERS)],
            markersize=5 if name not in hollow else 7,
            markerfacecolor="none" if name in hollow else color,
        )
        for a in (a for a, b in zip(xs, ys, strict=True) if not math.isfinite(b)):
            mark_infinite(axes, a, color)
    if any(not math.isfinite(b) for _, ys in series.values() for b in ys):
        axes.margins(y=0.16)  # the signs at the top have room of their own
    everywhere = [a for xs, _ in series.values() for a in xs]
    margin = 0.04 * (max(everywhere) - min(everywhere)) or 0.5
    axes.set_xlim(min(everywhere) - margin, max(everywhere) + margin)
    dress(axes, title, x, y)
    if log:
        axes.set_yscale("log")
    if legend and len(series) > 1:
        axes.legend(frameon=False, fontsize=8.5)


def shade(axes: Axes, xs: Sequence[float], lows: Sequence[float], highs: Sequence[float], **look: Any) -> None:
    """Shade what lies between two curves, such as the ends of a certified interval."""
    axes.fill_between(xs, lows, highs, **{"color": OURS, "alpha": 0.2, "linewidth": 0, **look})


def rule(axes: Axes, *, x: float | None = None, y: float | None = None, **look: Any) -> None:
    """Draw a thin dashed line across the panel, at ``x`` or at ``y``."""
    look = {"color": QUIET, "linewidth": 1.2, "linestyle": (0, (4, 3)), **look}
    if x is not None:
        axes.axvline(x, **look)
    if y is not None:
        axes.axhline(y, **look)


def dot(axes: Axes, x: float, y: float, color: str, label: str | None = None, size: float = 7) -> None:
    """Draw a dot in front of everything, also where it stands on the border."""
    axes.plot([x], [y], "o", color=color, markersize=size, zorder=5, clip_on=False, label=label)


def note(axes: Axes, words: str, at: tuple[float, float], offset: tuple[float, float], **look: Any) -> None:
    """Write words beside a point, ``offset`` points away from it."""
    axes.annotate(words, at, **{"xytext": offset, "textcoords": "offset points", "fontsize": 8.5, **look})


def mark_infinite(axes: Axes, x: float, color: str) -> None:
    """Write the sign of infinity at the top of a panel, where a finite value would have a dot."""
    note(axes, "∞", (x, 1), (0, -12), xycoords=("data", "axes fraction"), ha="center", color=color, fontsize=13)


def powers_of_ten(axes: Axes, low: int, high: int) -> None:
    """End a logarithmic axis at two powers of ten, with plain numbers at those between."""
    ticks = [10.0**power for power in range(low, high + 1)]
    axes.set_ylim(ticks[0], ticks[-1])
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_formatter(FixedFormatter([f"{tick:g}" for tick in ticks]))
    axes.yaxis.set_minor_locator(NullLocator())


def panel_and_history(history: Sequence[tuple[float, Any, Any]], height: float) -> tuple[Figure, Axes, Axes | None]:
    """Return a figure with a panel, and a second panel for a search's interval if ``history`` shows it closing."""
    if len({(lower, upper) for _, lower, upper in history}) >= _FEWEST:
        figure, (left, right) = panels(2, 11.4, height)
        return figure, left, right
    return *one_panel(6.8, height), None


def closing_interval(axes: Axes, history: Sequence[tuple[float, Any, Any]], name: str) -> None:
    """Draw both ends of an interval against time; an end that is None or infinite is left out."""
    dress(axes, "Certified interval of the search", "seconds", name)
    moments = [(seconds, _end(lower), _end(upper)) for seconds, lower, upper in history]
    drawn: list[float] = []
    for place, color, word in ((1, OURS, "lower end, attained"), (2, THEIRS, "upper end")):
        known = [(moment[0], moment[place]) for moment in moments if math.isfinite(moment[place])]
        if known:
            marker = "o" if len(known) <= 40 else None
            axes.step(*zip(*known, strict=True), color=color, where="post", marker=marker, markersize=3.5, label=word)
            drawn += [value for _, value in known]
    both = [moment for moment in moments if math.isfinite(moment[1] + moment[2])]
    if both:
        shade(axes, *zip(*both, strict=True), step="post", alpha=0.14)
    if unequal(drawn):
        logarithmic(axes)
        axes.yaxis.set_major_locator(LogLocator(subs=(1,) if unequal(drawn, 1000) else (1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.legend(frameon=False, fontsize=8.5)


def _end(value: Any) -> float:
    return math.inf if value is None else drawable(value)
