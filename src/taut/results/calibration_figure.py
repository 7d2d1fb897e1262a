"""The figure of a calibration: privacy against accuracy, or every requirement against the parameter.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.pictures import (
    OTHER,
    OURS,
    QUIET,
    THEIRS,
    dress,
    entitle,
    legend_below,
    literal,
    mark_infinite,
    one_panel,
    panels,
)
from taut.results.calibration import Calibration, Requirement, Tried
from taut.results.formula_figure import draw_bound, scale
from taut.results.piecewise import FreeParameter, PiecewiseBound

__all__ = ["calibration_figure"]

_STEPS = 200
_BUDGETS = 3
"""Where a budget is narrow, the axis of epsilon ends at so many of it."""


def calibration_figure(calibration: Calibration, title: str | None = None) -> Figure:
    """Privacy against accuracy where both are known as functions; else a panel per requirement, against the parameter.

    What a bisection tried is drawn value by value, since nothing is known in between.
    """
    bounds = [one.bound for one in calibration.requirements] + list(calibration.shown)
    private = next((bound for bound in bounds if bound.label != "1-beta"), None)
    accurate = next((bound for bound in bounds if bound.label == "1-beta"), None)
    points = [] if private is None or accurate is None else _tradeoff(calibration.parameter, private, accurate)
    if private is not None and accurate is not None and points:
        figure, axes = one_panel(height=4.6)
        dress(axes, literal(" and ".join(calibration.texts), 70), "", "")
        _draw_tradeoff(axes, calibration, private, accurate, points)
        legend_below(figure, axes)
    else:
        asked: list[Requirement | Tried] = [*calibration.requirements, *calibration.tried]
        figure, places = panels(len(asked))
        for axes, one in zip(places, asked, strict=False):
            _draw_requirement(axes, calibration, one, formulas=len(asked) == 1)
        for axes in places[len(asked) :]:
            axes.set_visible(False)
        legend_below(figure, places[0])
    entitle(figure, title if title is not None else calibration.mechanism)
    return figure


# -- one requirement against the parameter ----------------------------------------------------------------------------


def _draw_requirement(axes: Axes, calibration: Calibration, one: Requirement | Tried, *, formulas: bool) -> None:
    """The bound as a curve or as the values tried, its limit as a line, the values that meet the budget shaded."""
    name = literal(calibration.parameter.name)
    dress(axes, literal(one.text), name, literal(one.label))
    for number, interval in enumerate(calibration.intervals):
        label = "meets the budget" if number == 0 else None
        low, high = float(interval.low), float(interval.high)
        axes.axvspan(low, high, color=OTHER, alpha=0.18, linewidth=0, label=label)
    if isinstance(one, Tried):
        _draw_tried(axes, calibration.parameter, one)
    else:
        draw_bound(axes, one.bound, formulas=formulas)
    axes.axhline(float(one.limit), color=THEIRS, linewidth=1.2, linestyle="--", label="the limit")
    if calibration.best is not None:
        value = float(one.at(calibration.best))
        if math.isfinite(value):
            label = f"{name} = {calibration.best}"
            axes.plot(
                [float(calibration.best)], [value], "o", color=OTHER, markersize=7, zorder=5, clip_on=False, label=label
            )


def _draw_tried(axes: Axes, parameter: FreeParameter, tried: Tried) -> None:
    """A dot per value of the parameter that was asked for, as high as its answer; a bar where that is an interval."""
    found = sorted((float(value), float(low), float(high)) for value, (low, high) in tried.ends.items())
    finite = [(x, low, high) for x, low, high in found if math.isfinite(high)]
    label = f"computed, at {len(found)} values"
    axes.plot([x for x, _, _ in finite], [high for *_, high in finite], "o", color=OURS, markersize=4, label=label)
    axes.vlines([x for x, *_ in finite], [low for _, low, _ in finite], [high for *_, high in finite], color=OURS)
    for x in (x for x, _, high in found if not math.isfinite(high)):
        mark_infinite(axes, x, OURS)
    margin = 0.02 * float(parameter.high - parameter.low)
    axes.set_xlim(float(parameter.low) - margin, float(parameter.high) + margin)
    scale(axes, tried.label, max((high for *_, high in finite), default=0))


# -- privacy against accuracy -----------------------------------------------------------------------------------------


def _tradeoff(
    parameter: FreeParameter, private: PiecewiseBound, accurate: PiecewiseBound
) -> list[tuple[Fraction, float, float]]:
    """Values of the parameter with epsilon (or delta, or a moment) and 1 - beta there, where both are finite."""
    point = _point(private, accurate)
    steps = [parameter.low + (parameter.high - parameter.low) * step / _STEPS for step in range(_STEPS + 1)]
    return [one for one in ((value, *point(value)) for value in steps) if math.isfinite(one[1])]


def _point(private: PiecewiseBound, accurate: PiecewiseBound) -> Callable[[Fraction], tuple[float, float]]:
    return lambda value: (_drawn(private, private.at(value)), float(accurate.at(value)))


def _drawn(private: PiecewiseBound, value: Any) -> float:
    """Where a value of the private bound stands on its axis: e^eps by its logarithm."""
    return math.log(value) if private.label == "e^eps" and value < math.inf else float(value)


def _draw_tradeoff(
    axes: Axes,
    calibration: Calibration,
    private: PiecewiseBound,
    accurate: PiecewiseBound,
    points: list[tuple[Fraction, float, float]],
) -> None:
    """The curve of (privacy, accuracy) over the parameter; what meets the budget is thick, the budget shaded."""
    parameter, point = calibration.parameter, _point(private, accurate)
    limit = next((one for one in calibration.requirements if one.bound is private), None)
    edge = None if limit is None else _drawn(private, limit.stand_in)
    least = next((float(one.stand_in) for one in calibration.requirements if one.bound is accurate), 0.0)
    right = max(x for _, x, _ in points)
    if edge is not None and any(x <= _BUDGETS * edge for _, x, _ in points):
        right = min(right, _BUDGETS * edge)
    right = 1.02 * right or 1.0
    budget = right if edge is None else edge
    axes.fill_between([0, budget], least, 1.0, color=OTHER, alpha=0.18, linewidth=0, label="the budget")
    axes.plot([x for _, x, _ in points], [y for _, _, y in points], color=QUIET, linewidth=1.2)
    for number, interval in enumerate(calibration.intervals):
        inside = [(x, y) for value, x, y in points if interval.low <= value <= interval.high]
        label = "meets the budget" if number == 0 else None
        xs, ys = [x for x, _ in inside], [y for _, y in inside]
        axes.plot(xs, ys, color=OURS, linewidth=2.8, solid_capstyle="butt", label=label)
    for value, x, y in _marked(parameter, point, right):
        axes.plot([x], [y], "o", color=QUIET, markersize=3)
        text = f"{float(value):.3g}"
        axes.annotate(text, (x, y), (5, -10), textcoords="offset points", fontsize=7, color=QUIET)
    if calibration.best is not None:
        label = f"{literal(parameter.name)} = {calibration.best}"
        x, y = point(calibration.best)
        axes.plot([x], [y], "o", color=THEIRS, markersize=7, zorder=5, clip_on=False, label=label)
    axes.set_xlim(0, right)
    axes.set_ylim(min(y for _, x, y in points if x <= right) - 0.06, 1.02)
    axes.set_xlabel("epsilon" if private.label == "e^eps" else literal(private.label))
    axes.set_ylabel(f"1 - beta (numbers at the curve: {literal(parameter.name)})")


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
