"""Plots of bounds, drawn without a display."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullLocator

from taut.errors import InvalidInput
from taut.numbers import INFINITY
from taut.parametric.sweep import Sweep

__all__ = [
    "COLORS",
    "FORMATS",
    "OTHER",
    "OURS",
    "THEIRS",
    "check_plot",
    "lines",
    "one_panel",
    "picture",
    "powers_of_ten",
    "sweep_figure",
    "two_panels",
]

FORMATS = (".png", ".svg", ".pdf")
COLORS = OURS, THEIRS, OTHER, _ = "#1b6ca8", "#d1495b", "#4f8a5b", "#8d6a9f"
_MARKERS = ("o", "s", "^", "D")


def picture(figure: Figure, suffix: str = ".png") -> bytes:
    """The figure as the content of a file."""
    if suffix not in FORMATS:
        raise InvalidInput(f"a plot ends with {', '.join(FORMATS)}; got '{suffix}'.", value=suffix)
    file = io.BytesIO()
    stamp = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
    figure.savefig(file, format=suffix[1:], dpi=150, metadata=stamp)
    return file.getvalue()


def two_panels(width: float = 9.6, height: float = 3.9) -> tuple[Figure, Axes, Axes]:
    """A figure with two panels side by side."""
    figure = _figure(width, height)
    left, right = figure.subplots(1, 2)
    return figure, left, right


def one_panel(width: float = 6.4, height: float = 4.2) -> tuple[Figure, Axes]:
    figure = _figure(width, height)
    return figure, figure.subplots()


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
    legend: bool = True,
) -> None:
    """Lines with markers; those named ``hollow`` are dashed and not filled. Infinite values are marked at the top."""
    for position, (name, (xs, ys)) in enumerate(series.items()):
        color = (colors or {}).get(name, COLORS[position % len(COLORS)])
        finite = [(a, b) for a, b in zip(xs, ys, strict=True) if math.isfinite(b)]
        axes.plot(
            [a for a, _ in finite],
            [b for _, b in finite],
            label=name,
            color=color,
            linewidth=1.6,
            linestyle="--" if name in hollow else "-",
            marker=_MARKERS[position % len(_MARKERS)],
            markersize=5 if name not in hollow else 7,
            markerfacecolor="none" if name in hollow else color,
        )
        for a in (a for a, b in zip(xs, ys, strict=True) if not math.isfinite(b)):
            axes.annotate(
                "∞",
                (a, 1),
                xycoords=("data", "axes fraction"),
                xytext=(0, -12),
                textcoords="offset points",
                ha="center",
                color=color,
                fontsize=13,
            )
    everywhere = [a for xs, _ in series.values() for a in xs]
    margin = 0.04 * (max(everywhere) - min(everywhere)) or 0.5
    axes.set_xlim(min(everywhere) - margin, max(everywhere) + margin)
    _dress(axes, title, x, y, log)
    if legend and len(series) > 1:
        axes.legend(frameon=False, fontsize=8.5)


def sweep_figure(sweep: Sweep) -> Figure:
    """The bounds of a sweep: e^eps, 1-beta, or both side by side."""
    private = all(point.privacy is not None for point in sweep.points)
    accurate = all(point.accuracy is not None for point in sweep.points)
    if private and accurate:
        figure, left, right = two_panels()
        panels = [left, right]
    else:
        figure, only = one_panel()
        panels = [only]
    xs, words = _positions([point.value for point in sweep.points])
    if private:
        ratios = [_float(point.privacy.max_ratio) for point in sweep.points if point.privacy is not None]
        finite = [ratio for ratio in ratios if math.isfinite(ratio)]
        log = bool(finite) and max(finite) > 30 * min(finite)
        y = "$e^{\\varepsilon}$" + (", logarithmic" if log else "")
        lines(
            panels[0],
            {"e^eps": (xs, ratios)},
            title=f"Privacy, {sweep.neighbors} neighbours",
            x=sweep.parameter,
            y=y,
            log=log,
        )
        if not finite:
            panels[0].set_yticks([])
        elif not log:
            panels[0].set_ylim(bottom=0)
    if accurate:
        first = sweep.points[0].accuracy
        assert first is not None
        title = f"Accuracy, $\\alpha$ = {first.alpha}"
        probabilities = [_float(point.accuracy.probability) for point in sweep.points if point.accuracy is not None]
        series = {"1-beta": (xs, probabilities)}
        lines(panels[-1], series, title=title, x=sweep.parameter, y="$1-\\beta$", colors={"1-beta": OTHER})
    for panel in panels:
        if words is not None:
            panel.set_xticks(xs, words)
        elif all(float(value).is_integer() for value in xs):
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    name = sweep.title.replace("$", r"\$")
    figure.suptitle(name if len(name) <= 100 else name[:97] + "...", fontsize=10, color="#444444")
    return figure


def check_plot(path: str | os.PathLike[str]) -> str:
    """The suffix of a plot's path, or a refusal before any work."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in FORMATS:
        raise InvalidInput(f"cannot plot to '{os.fspath(path)}': allowed are {', '.join(FORMATS)}.", value=path)
    return suffix


def powers_of_ten(axes: Axes, low: int, high: int) -> None:
    """Seconds on a logarithmic axis, with plain numbers at the powers of ten."""
    ticks = [10.0**power for power in range(low, high + 1)]
    axes.set_ylim(ticks[0], ticks[-1])
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_formatter(FixedFormatter([f"{tick:g}" for tick in ticks]))
    axes.yaxis.set_minor_locator(NullLocator())


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def _dress(axes: Axes, title: str, x: str, y: str, log: bool) -> None:
    axes.set_title(title, fontsize=11, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if log:
        axes.set_yscale("log")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)


def _positions(values: Sequence[Any]) -> tuple[list[float], list[str] | None]:
    """Where the values of a parameter stand: as numbers, or else one after the other with their words."""
    if all(isinstance(value, (int, Fraction)) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], None
    return [float(position) for position in range(len(values))], [str(value) for value in values]


def _float(value: Any) -> float:
    if value == INFINITY:
        return INFINITY
    try:
        return float(value)
    except OverflowError:
        return INFINITY
