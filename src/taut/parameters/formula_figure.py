"""The figure of a bound as a function of a parameter: a curve per piece, borders dotted."""

from __future__ import annotations

import math
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.parameters.piecewise import PiecewiseBound
from taut.support.algebra.envelope import value_at
from taut.support.pictures.curves import dot, rule
from taut.support.pictures.style import COLORS, THEIRS, chart, finish, literal

__all__ = ["bound_figure", "draw_bound", "scale"]

_STEPS = 200
_INFINITE = 10**15
_STEEP = 20
"""Bounds that are not probabilities are drawn on a logarithmic scale if they reach this."""
_FORMULA = 48
"""Letters of a formula that fits into the legend."""


def bound_figure(bound: PiecewiseBound, title: str | None = None) -> Figure:
    """Draw a bound against its parameter; every piece has its colour, and single values that stand apart are dots."""
    name, label = literal(bound.parameter.name), literal(bound.label)
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
        ys = [float(value) if abs(value) < _INFINITE else math.nan for value in values]  # poles are left out
        tall = max([tall, *[y for y in ys if math.isfinite(y)]])
        formula = str(piece.value)
        label = literal(formula, _FORMULA) if len(formula) <= _FORMULA else f"piece {number + 1}"
        axes.plot(xs, ys, color=COLORS[number % len(COLORS)], linewidth=1.8, label=label if formulas else None)
        if number:
            rule(axes, x=low, linestyle=":", linewidth=1)
    for single in bound.points:
        value = value_at(single.value, single.place)
        if value != math.inf:
            dot(axes, float(single.place), float(value), THEIRS, size=5)
    axes.set_xlim(float(bound.parameter.low), float(bound.parameter.high))
    scale(axes, bound.label, tall)


def scale(axes: Axes, label: str, tall: float) -> None:
    """Show probabilities between 0 and 1; what can be infinite, such as e^eps, on a logarithmic scale if steep."""
    if label.startswith(("delta", "1-beta")):
        axes.set_ylim(-0.02, 1.02)
    elif tall > _STEEP:
        axes.set_yscale("log")
