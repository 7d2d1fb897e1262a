"""The figure of a bound as a function of a parameter: a curve per piece, borders dotted."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.parameters.piecewise import PiecewiseBound
from taut.questions.ratio import RATIO, epsilon_of
from taut.support.algebra.envelope import value_at
from taut.support.pictures.curves import dot, rule
from taut.support.pictures.style import COLORS, THEIRS, chart, finish, literal

__all__ = ["axis_label", "bound_figure", "draw_bound", "drawn", "scale"]

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
    """Return the place of a value on its axis: of e^epsilon the logarithm."""
    if label != RATIO or value == math.inf:
        return float(value)
    return epsilon_of(value)


def scale(axes: Axes, label: str, tall: float) -> None:
    """Show probabilities between 0 and 1; other numbers on a logarithmic scale if they are steep, but not epsilon."""
    if label.startswith(("delta", "1-beta")):
        axes.set_ylim(-0.02, 1.02)
    elif tall > _STEEP and label != RATIO:
        axes.set_yscale("log")
