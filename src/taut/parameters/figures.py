"""Pictures of closed forms and of calibrations."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.parameters.calibration import Calibration, Requirement, Tried
from taut.parameters.piecewise import PiecewiseBound
from taut.questions.ratio import RATIO, epsilon_of
from taut.support.algebra.envelope import value_at
from taut.support.pictures.charts import dot, mark_infinite, note, rule, shade
from taut.support.pictures.style import (
    COLORS,
    OTHER,
    OURS,
    QUIET,
    THEIRS,
    chart,
    dress,
    finish,
    literal,
    one_panel,
    panels,
)

__all__ = ["axis_label", "bound_figure", "calibration_figure", "draw_bound", "drawn", "scale"]


_STEPS = 200
_INFINITE = 10**15
_STEEP = 20
"""Bounds that are not probabilities are drawn on a logarithmic scale if they reach this."""
_FORMULA = 48
"""Letters of a formula that fits into the legend."""


def bound_figure(bound: PiecewiseBound, title: str | None = None) -> Figure:
    """Draw a bound against its parameter; every piece has its colour, and single values that stand apart are dots."""
    name, label = literal(bound.parameter.name), literal(axis_label(bound.label))
    proved = "" if bound.exact else " (attained; not proved everywhere)"
    figure, axes = chart(f"{label} as a function of {name}{proved}", name, label)
    draw_bound(axes, bound)
    return finish(figure, axes, bound.mechanism if title is None else title)


def draw_bound(axes: Axes, bound: PiecewiseBound, *, formulas: bool = True) -> None:
    """Draw the curve of a bound; the legend has the formulas if wanted."""
    tall = 0.0
    for number, piece in enumerate(bound.pieces):
        low, high = float(piece.low), float(piece.high)
        if piece.value == math.inf:
            axes.axvspan(low, high, color=THEIRS, alpha=0.15, linewidth=0, label="infinite")
            continue
        xs = [low + (high - low) * step / _STEPS for step in range(_STEPS + 1)]
        values = [value_at(piece.value, Fraction(x)) for x in xs]
        ys = [drawn(bound.label, value) if abs(value) < _INFINITE else math.nan for value in values]  # without poles
        tall = max([tall, *[y for y in ys if math.isfinite(y)]])
        formula = bound.said(str(piece.value))
        label = literal(formula, _FORMULA) if len(formula) <= _FORMULA else f"piece {number + 1}"
        axes.plot(xs, ys, color=COLORS[number % len(COLORS)], linewidth=1.8, label=label if formulas else None)
        if number:
            rule(axes, x=low, linestyle=":", linewidth=1)
    for single in bound.points:
        value = value_at(single.value, single.place)
        if value != math.inf:
            dot(axes, float(single.place), drawn(bound.label, value), THEIRS, size=5)
    axes.set_xlim(float(bound.parameter.low), float(bound.parameter.high))
    scale(axes, bound.label, tall)


def axis_label(label: str) -> str:
    """Return the label of the axis of a bound: epsilon for e^epsilon."""
    return "eps" if label == RATIO else label


def drawn(label: str, value: Any) -> float:
    """Return the coordinate of a value on its axis: for e^epsilon, the logarithm."""
    if label != RATIO or value == math.inf:
        return float(value)
    return epsilon_of(value)


def scale(axes: Axes, label: str, tall: float) -> None:
    """Show probabilities between 0 and 1; other numbers on a logarithmic scale if they are steep, but not epsilon."""
    if label.startswith(("delta", "1-beta")):
        axes.set_ylim(-0.02, 1.02)
    elif tall > _STEEP and label != RATIO:
        axes.set_yscale("log")


_BUDGETS = 3
"""The axis of epsilon ends at this multiple of the budget, if the budget is narrow."""
_SHADED: dict[str, Any] = {"color": OTHER, "alpha": 0.18, "linewidth": 0}


def calibration_figure(calibration: Calibration, title: str | None = None) -> Figure:
    """Draw privacy against accuracy where both are known as functions; else each requirement against the parameter."""
    bounds = [one.bound for one in calibration.requirements] + list(calibration.shown)
    private = next((bound for bound in bounds if bound.label != "1-beta"), None)
    accurate = next((bound for bound in bounds if bound.label == "1-beta"), None)
    points = [] if private is None or accurate is None else _points(private, accurate, _STEPS)
    if private is not None and accurate is not None and points:
        figure, first = one_panel(height=4.6)
        _draw_tradeoff(first, calibration, private, accurate, points)
    else:
        asked: list[Requirement | Tried] = [*calibration.requirements, *calibration.tried]
        figure, places = panels(len(asked))
        first = places[0]
        for axes, one in zip(places, asked, strict=False):
            _draw_requirement(axes, calibration, one, formulas=len(asked) == 1)
        for axes in places[len(asked) :]:
            axes.set_visible(False)
    return finish(figure, first, calibration.mechanism if title is None else title)


# -- one requirement against the parameter ----------------------------------------------------------------------------


def _draw_requirement(axes: Axes, calibration: Calibration, one: Requirement | Tried, *, formulas: bool) -> None:
    """Draw the bound as a curve or as the values tried, its limit, and the values that meet the budget."""
    name = literal(calibration.parameter.name)
    dress(axes, literal(one.text), name, literal(axis_label(one.label)))
    for number, interval in enumerate(calibration.intervals):
        label = None if number else "meets the budget"
        axes.axvspan(float(interval.low), float(interval.high), label=label, **_SHADED)
    if isinstance(one, Tried):
        _draw_tried(axes, float(calibration.parameter.low), float(calibration.parameter.high), one)
    else:
        draw_bound(axes, one.bound, formulas=formulas)
    rule(axes, y=drawn(one.label, one.limit), color=THEIRS, linestyle="--", label="the limit")
    if calibration.best is not None:
        value = drawn(one.label, one.at(calibration.best))
        if math.isfinite(value):
            dot(axes, float(calibration.best), value, OTHER, f"{name} = {calibration.best}")


def _draw_tried(axes: Axes, low: float, high: float, tried: Tried) -> None:
    """Draw a dot for each value of the parameter that was tried; nothing is known in between.

    Where the answer is an interval, it has a bar.
    """
    found = sorted((float(value), *(drawn(tried.label, end) for end in ends)) for value, ends in tried.ends.items())
    finite = [one for one in found if math.isfinite(one[2])]
    for x in (one[0] for one in found if not math.isfinite(one[2])):
        mark_infinite(axes, x, OURS)
    xs, lows, highs = ([one[part] for one in finite] for part in range(3))
    axes.plot(xs, highs, "o", color=OURS, markersize=4, label=f"computed, at {len(found)} values")
    axes.vlines(xs, lows, highs, color=OURS)
    axes.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    scale(axes, tried.label, max(highs, default=0))


# -- privacy against accuracy -----------------------------------------------------------------------------------------


def _points(private: PiecewiseBound, accurate: PiecewiseBound, steps: int) -> list[tuple[Fraction, float, float]]:
    """Return evenly spaced values of the parameter with privacy and accuracy there, where both are finite."""
    low, high = private.parameter.low, private.parameter.high
    values = [low + (high - low) * step / steps for step in range(steps + 1)]
    found = [(value, drawn(private.label, private.at(value)), float(accurate.at(value))) for value in values]
    return [one for one in found if math.isfinite(one[1])]


def _draw_tradeoff(
    axes: Axes,
    calibration: Calibration,
    private: PiecewiseBound,
    accurate: PiecewiseBound,
    points: list[tuple[Fraction, float, float]],
) -> None:
    """Draw (privacy, accuracy) over the parameter; the part that meets the budget is thick, the budget shaded."""
    name, limits = (
        literal(calibration.parameter.name),
        {id(one.bound): one.stand_in for one in calibration.requirements},
    )
    across = literal(axis_label(private.label))
    head = literal(" and ".join(calibration.texts), 70)
    dress(axes, head, across, f"1 - beta (numbers at the curve: {name})")
    edge = drawn(private.label, limits[id(private)]) if id(private) in limits else None
    right = max(x for _, x, _ in points)
    if edge is not None and any(x <= _BUDGETS * edge for _, x, _ in points):
        right = min(right, _BUDGETS * edge)
    right = 1.02 * right or 1.0
    least = float(limits.get(id(accurate), 0))
    shade(axes, [0, right if edge is None else edge], [least] * 2, [1.0] * 2, label="the budget", **_SHADED)
    axes.plot([x for _, x, _ in points], [y for _, _, y in points], color=QUIET, linewidth=1.2)
    for number, interval in enumerate(calibration.intervals):
        inside = [(x, y) for value, x, y in points if interval.low <= value <= interval.high]
        label = None if number else "meets the budget"
        axes.plot(*([one[part] for one in inside] for part in range(2)), color=OURS, linewidth=2.8, label=label)
    beside = (-math.inf, -math.inf)
    for value, x, y in _points(private, accurate, 10):
        apart = abs(x - beside[0]) > right / 12 or abs(y - beside[1]) > 0.08
        if 0.02 * right < x <= right and apart and value not in (private.parameter.low, private.parameter.high):
            dot(axes, x, y, QUIET, size=3)
            note(axes, f"{float(value):.3g}", (x, y), (5, -10), fontsize=7, color=QUIET)
            beside = (x, y)
    if calibration.best is not None:
        x, y = drawn(private.label, private.at(calibration.best)), float(accurate.at(calibration.best))
        dot(axes, x, y, THEIRS, f"{name} = {calibration.best}")
    axes.set(xlim=(0, right), ylim=(min(y for _, x, y in points if x <= right) - 0.06, 1.02))
