"""Charts: curves with markers and shaded intervals, bars and histograms, rules, dots and infinite values."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FixedFormatter,
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from taut.support.pictures.style import (
    COLORS,
    EDGE,
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
    "Bar",
    "Row",
    "bars",
    "closing_interval",
    "dot",
    "histogram",
    "lines",
    "mark_infinite",
    "note",
    "panel_and_history",
    "powers_of_ten",
    "rule",
    "shade",
    "without_tails",
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


_UNEQUAL = 100
_PALE = 0.42
_HATCH = "////"


@dataclass(frozen=True)
class Bar:
    """A value with its look; an infinite value is hatched."""

    value: Any
    color: str
    words: str = ""
    """Text at the end of the bar."""
    outlined: bool = False
    pale: bool = False
    usual: Any = None
    """Value above which the bar is hatched."""


@dataclass(frozen=True)
class Row:
    """A label and the bars beside it."""

    label: str
    bars: Sequence[Bar]


def bars(axes: Axes, rows: Sequence[Row], *, lying: bool = True, log: bool | None = None) -> None:
    """Draw rows of bars, the first on top or on the left; ``log`` is found from the values if it is None."""
    every = [bar for row in rows for bar in row.bars]
    values = [drawable(bar.value) for bar in every]
    finite = [value for value in values if math.isfinite(value)]
    positive = [value for value in finite if value > 0]
    log = unequal(positive, _UNEQUAL) if log is None else log
    low = min(positive) / 3 if log else 0.0
    top = max(finite, default=1.0) or 1.0

    def above(share: float) -> float:
        return float(top * (top / low) ** share if log else (1 + share) * top)

    beyond = above(0.12) if len(finite) < len(values) else top
    for place, row in enumerate(rows):
        for number, bar in enumerate(row.bars):
            spot = place + 0.4 * number - 0.2 * (len(row.bars) - 1)
            _draw(axes, bar, spot, 0.64 if len(row.bars) == 1 else 0.38, (low, beyond), lying)
    alone = 0.5 * (len(rows) == 1)
    ends, labels = (-0.6 - alone, len(rows) - 0.4 + alone), [row.label for row in rows]
    room = above(0.12 * (beyond > top) + (0.4 if any(len(bar.words) > 5 for bar in every) else 0.14))
    if lying:
        axes.set_yticks(range(len(rows)), labels, fontsize=8.5)
        axes.set(ylim=ends[::-1], xlim=(low, room))
        axes.grid(visible=False, axis="y")
        axes.grid(axis="x", color="#dddddd", linewidth=0.7)
    else:
        axes.set_xticks(range(len(rows)), labels)
        axes.set(xlim=ends, ylim=(low, room))
    if log:
        logarithmic(axes, "x" if lying else "y")


def _draw(axes: Axes, bar: Bar, spot: float, thick: float, ends: tuple[float, float], lying: bool) -> None:
    """Draw a bar between the ends of its axis."""
    low, beyond = ends
    value = drawable(bar.value)
    end = max(low, min(value, beyond))

    def block(start: float, **look: Any) -> None:
        if lying:
            axes.barh(spot, end - start, thick, left=start, **look)
        else:
            axes.bar(spot, end - start, thick, bottom=start, **look)

    outline = {"edgecolor": EDGE, "linewidth": 1.2} if bar.outlined else {"edgecolor": "white", "linewidth": 0}
    hatch = None if math.isfinite(value) else _HATCH
    block(low, color=bar.color, alpha=_PALE if bar.pale else 1.0, hatch=hatch, **outline)
    if bar.usual is not None:
        block(max(low, drawable(bar.usual)), color="#ffffff", edgecolor=bar.color, hatch=_HATCH, linewidth=0)
        block(low, color="none", **outline)
    if bar.words:
        at, offset = ((end, spot), (5, 0)) if lying else ((spot, end), (0, 3))
        across, up = ("left", "center") if lying else ("center", "bottom")
        note(axes, bar.words, at, offset, ha=across, va=up, color=EDGE)


_FEW = 32
"""Largest number of values that get a bar each."""
_MOST_BINS, _BINS = 400, 80
_MANY, _FAINT = 24, 1000
_SIGNS = {-math.inf: r"$-\infty$", math.inf: r"$+\infty$"}


def without_tails(series: Mapping[str, Mapping[Any, Any]]) -> tuple[dict[str, dict[Any, Any]], str]:
    """Drop the unlikely numbers at both ends if there are more than 24; labels tell how many were dropped."""
    every = sorted({place for masses in series.values() for place in masses})
    top = max(float(mass) for masses in series.values() for mass in masses.values())
    likely = {place for masses in series.values() for place, mass in masses.items() if float(mass) >= top / _FAINT}
    low, high = (min(likely), max(likely)) if len(every) > _MANY else (every[0], every[-1])
    kept = {
        color: {place: mass for place, mass in masses.items() if low <= place <= high}
        for color, masses in series.items()
    }
    dropped = sum(not low <= place <= high for place in every)
    return kept, f"; {dropped} others are less likely than 1/{_FAINT} of the highest" if dropped else ""


def histogram(axes: Axes, series: Mapping[str, Mapping[Any, Any]], *, areas: bool = False) -> float:
    """Draw the masses of each colour and return the width of a bar; ``areas`` asks for bins also where they are few.

    Bars of colours that share numbers stand side by side, bins of theirs are areas that can be seen through.
    """
    masses = {color: _as_floats(one) for color, one in series.items()}
    every = sorted({place for one in masses.values() for place in one})
    finite = [place for place in every if math.isfinite(place)]
    shared = len(every) < sum(map(len, masses.values()))
    low, high = (finite[0], finite[-1]) if finite else (-0.5, 0.5)
    span = (high - low) or (6.0 if shared else 2.0)
    gap = min((b - a for a, b in pairwise(finite)), default=span)
    thick = 0.84 * min(max(gap, span / 90), span / 6 if shared else span / 2)
    away = max(0.2 * span, 1.6 * thick)
    edges = {place: (low - away if place < 0 else high + away) for place in every if math.isinf(place)}
    few = len(finite) <= _FEW and not areas
    gap = span / _BINS if gap < span / _MOST_BINS else gap
    sides = low + gap * (np.arange(math.floor(span / gap + 0.5) + 2) - 0.5)
    width = thick / 2 if shared else thick
    for number, (color, one) in enumerate(masses.items()):
        shift = (number - 0.5) * width * shared
        spots = {place: edges.get(place, place) + shift for place in one if few or place in edges}
        for place, spot in spots.items():
            hatch = "////" if place in edges else None
            axes.bar(spot, one[place], width, color=color, hatch=hatch, edgecolor="white", linewidth=0)
            if hatch and one[place]:
                note(axes, f"{one[place]:.3g}", (spot, one[place]), (0, 2), ha="center")
        if not few:
            inner = {place: mass for place, mass in one.items() if place not in edges}
            heights, _ = np.histogram(list(inner), sides, weights=list(inner.values()))
            axes.stairs(heights, sides, color=color, fill=True, alpha=0.25 if shared else 1.0, linewidth=0)
            axes.stairs(heights, sides, color=color, linewidth=1.3 * shared)
    margin = thick + 0.05 * span * shared if few else gap
    axes.set_xlim(min([low, *edges.values()]) - margin, max([high, *edges.values()]) + margin)
    axes.set_ylim(bottom=0)
    if edges:
        _name_the_edges(axes, edges, finite)
    elif all(place.is_integer() for place in finite):
        axes.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    return thick if few else gap


def _as_floats(masses: Mapping[Any, Any]) -> dict[float, float]:
    """Return masses at floats; numbers that are the same float add up."""
    found: dict[float, float] = defaultdict(float)
    for place, mass in masses.items():
        found[float(place)] += float(mass)
    return found


def _name_the_edges(axes: Axes, edges: Mapping[float, float], finite: Sequence[float]) -> None:
    """Put ticks at the infinite numbers, which a dotted line parts from the others."""
    ticks = {spot: _SIGNS[place] for place, spot in edges.items()}
    if finite:
        low, high = finite[0], finite[-1]
        inner = [tick for tick in MaxNLocator(6).tick_values(low, high) if low - 1e-9 <= tick <= high + 1e-9]
        ticks |= {tick: f"{tick:g}" for tick in (inner if low < high else [low])}
        for place, spot in edges.items():
            rule(axes, x=(spot + (low if place < 0 else high)) / 2, linewidth=0.9, linestyle=(0, (2, 3)))
    axes.xaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.xaxis.set_major_formatter(FixedFormatter([ticks[tick] for tick in sorted(ticks)]))
