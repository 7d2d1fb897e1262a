"""Pictures of bounds as functions of a parameter."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from taut.errors import InvalidInput

if TYPE_CHECKING:
    from taut.results.calibration import Calibration
    from taut.results.piecewise import FreeParameter, PiecewiseBound

__all__ = ["COLORS", "curve_of", "new_figure", "plot_bound", "plot_calibration", "save"]

COLORS = "#1b6ca8", "#d1495b", "#4f8a5b", "#8d6a9f"
_FORMATS = (".png", ".svg", ".pdf")
_STEPS = 200


def plot_bound(bound: PiecewiseBound, path: str | os.PathLike[str]) -> None:
    """Draw a bound against its parameter; every piece has its colour, borders are dotted."""
    figure = new_figure(6.4, 4.2)
    axes = figure.subplots()
    draw_bound(axes, bound)
    save(figure, path)


def draw_bound(axes: Any, bound: PiecewiseBound) -> None:
    """The curve of a bound in some axes; steep ones, such as e^epsilon near infinity, on a logarithmic scale."""
    tall = 0.0
    for number, piece in enumerate(bound.pieces):
        if piece.value == math.inf:
            axes.axvspan(float(piece.low), float(piece.high), color=COLORS[1], alpha=0.12, label="infinite")
            continue
        xs, ys = curve_of(piece.value, float(piece.low), float(piece.high))
        tall = max(tall, *[y for y in ys if math.isfinite(y)])
        label = str(piece.value)
        axes.plot(
            xs, ys, color=COLORS[number % len(COLORS)], label=label if len(label) <= 48 else f"piece {number + 1}"
        )
        if number:
            axes.axvline(float(piece.low), color="0.6", linestyle=":", linewidth=1)
    for single in bound.points:
        value = bound.at(single.place) if not hasattr(single.place, "polynomial") else math.nan
        if value != math.inf:
            axes.plot([float(single.place)], [float(value)], "o", color=COLORS[1], markersize=5, clip_on=False)
    if bound.label.startswith(("e^eps", "Rényi")) and tall > 20:
        axes.set_yscale("log")
    elif not bound.label.startswith(("e^eps", "Rényi")):
        axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(float(bound.parameter.low), float(bound.parameter.high))
    axes.set_xlabel(bound.parameter.name)
    axes.set_ylabel(bound.label)
    axes.set_title(bound.mechanism if bound.exact else f"{bound.mechanism} (attained; not proved everywhere)")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)


def plot_calibration(calibration: Calibration, path: str | os.PathLike[str]) -> None:
    """Draw privacy against accuracy where both are known, else the first bound against the parameter."""
    bounds = [one.bound for one in calibration.requirements] + list(calibration.shown)
    if not bounds:
        raise InvalidInput(
            "plot: this calibration was found by bisection, without closed forms that could be drawn.", value=str(path)
        )
    private = next((bound for bound in bounds if bound.label != "1-beta"), None)
    accurate = next((bound for bound in bounds if bound.label == "1-beta"), None)
    figure = new_figure(6.4, 4.4)
    axes = figure.subplots()
    if private is None or accurate is None:
        draw_bound(axes, bounds[0])
        for number, interval in enumerate(calibration.intervals):
            low, high = float(interval.low), float(interval.high)
            label = "meets the budget" if number == 0 else None
            axes.axvspan(low, high, color=COLORS[2], alpha=0.18, label=label, linewidth=0)
        if calibration.best is not None:
            value = float(bounds[0].at(calibration.best))
            axes.plot([float(calibration.best)], [value], "o", color=COLORS[2], zorder=5)
        axes.legend(frameon=False, fontsize=8)
    else:
        _draw_tradeoff(axes, calibration, private, accurate)
    axes.set_title(f"{calibration.mechanism}: {' and '.join(calibration.texts)}", fontsize=10)
    save(figure, path)


def _draw_tradeoff(axes: Any, calibration: Calibration, private: PiecewiseBound, accurate: PiecewiseBound) -> None:
    """The curve of (privacy, accuracy) over the parameter; what meets the budget is thick, the budget shaded."""
    parameter = calibration.parameter
    low, high = float(parameter.low), float(parameter.high)
    values = [Fraction(low + (high - low) * step / _STEPS).limit_denominator(10**6) for step in range(_STEPS + 1)]
    values = [value for value in values if parameter.low <= value <= parameter.high]
    logarithm = private.label == "e^eps"

    def point(value: Fraction) -> tuple[float, float]:
        x = private.at(value)
        return (math.log(x) if logarithm and 0 < x < math.inf else float(x)), float(accurate.at(value))

    points = [(value, *point(value)) for value in values]
    finite = [one for one in points if math.isfinite(one[1])]
    limit = next((one for one in calibration.requirements if one.bound is private), None)
    edge = None if limit is None else math.log(limit.stand_in) if logarithm else float(limit.stand_in)
    least = next((float(one.stand_in) for one in calibration.requirements if one.bound is accurate), 0.0)
    most = max(x for _, x, _ in finite)
    right = most if edge is None else min(most, max(3 * edge, 1e-12)) * 1.02
    axes.fill_between(
        [0, right if edge is None else edge], least, 1.0, color=COLORS[2], alpha=0.15, linewidth=0, label="the budget"
    )
    axes.plot([x for _, x, _ in finite], [y for _, _, y in finite], color="0.55", linewidth=1.2)
    for interval in calibration.intervals:
        inside = [(x, y) for value, x, y in finite if interval.low <= value <= interval.high]
        axes.plot([x for x, _ in inside], [y for _, y in inside], color=COLORS[0], linewidth=2.8, solid_capstyle="butt")
    shown = [one for one in finite if one[1] <= right]
    for value, x, y in _marked(parameter, point, right):
        axes.plot([x], [y], "o", color="0.45", markersize=3)
        axes.annotate(
            f"{float(value):.3g}", (x, y), textcoords="offset points", xytext=(5, -10), fontsize=7, color="0.35"
        )
    if calibration.best is not None:
        x, y = point(calibration.best)
        label = f"{parameter.name} = {calibration.best}"
        axes.plot([x], [y], "o", color=COLORS[1], markersize=7, zorder=5, label=label)
    axes.set_xlim(0, right)
    axes.set_ylim(min(y for _, _, y in shown) - 0.06, 1.02)
    axes.set_xlabel("epsilon" if logarithm else private.label)
    axes.set_ylabel(f"1 - beta (numbers at the curve: {parameter.name})")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def _marked(
    parameter: FreeParameter, point: Callable[[Fraction], tuple[float, float]], right: float
) -> list[tuple[Fraction, float, float]]:
    """Round values of the parameter whose points do not crowd each other."""
    marked: list[tuple[Fraction, float, float]] = []
    for step in range(1, 10):
        value = parameter.low + (parameter.high - parameter.low) * step / 10
        x, y = point(value)
        apart = not marked or abs(x - marked[-1][1]) > right / 12 or abs(y - marked[-1][2]) > 0.08
        if 0.02 * right < x <= right and apart:
            marked.append((value, x, y))
    return marked


def curve_of(function: Any, low: float, high: float) -> tuple[list[float], list[float]]:
    """Points of a rational function in floats, for drawing only; poles are left out."""
    top = [int(c) for c in function.numerator.raw.coeffs()]
    bottom = [int(c) for c in function.denominator.raw.coeffs()]
    xs = [low + (high - low) * step / _STEPS for step in range(_STEPS + 1)]
    ys = []
    for x in xs:
        numerator, denominator = (math.fsum(c * x**k for k, c in enumerate(part)) for part in (top, bottom))
        ys.append(numerator / denominator if denominator and abs(numerator / denominator) < 1e15 else math.nan)
    return xs, ys


def new_figure(width: float, height: float) -> Figure:
    """A figure that needs no display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a .png, .svg or .pdf file in a folder that exists."""
    target = Path(path)
    if target.suffix not in _FORMATS:
        raise InvalidInput(f"a plot ends with {', '.join(_FORMATS)}; got '{target}'.", value=str(path))
    try:
        figure.savefig(target, dpi=150)
    except OSError as problem:
        raise InvalidInput(f"{target}: {problem.strerror or problem}.", value=str(path)) from None
