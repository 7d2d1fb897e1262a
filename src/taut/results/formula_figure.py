"""The figure of a bound as a function of a parameter: a curve per piece, borders dotted.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

import math
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.algebra.envelope import value_at
from taut.algebra.rational import RationalFunction
from taut.pictures import COLORS, QUIET, THEIRS, dress, entitle, legend_below, literal, one_panel
from taut.results.piecewise import PiecewiseBound

__all__ = ["bound_figure", "draw_bound", "scale"]

_STEPS = 200
_INFINITE = 10**15
_STEEP = 20
"""Bounds that are not probabilities are drawn on a logarithmic scale if they reach this."""
_FORMULA = 48
"""Letters of a formula that fits into the legend."""


def bound_figure(bound: PiecewiseBound, title: str | None = None) -> Figure:
    """A bound against its parameter; every piece has its colour, and single values that stand apart are dots."""
    figure, axes = one_panel()
    proved = "" if bound.exact else " (attained; not proved everywhere)"
    dress(axes, f"{literal(bound.label)} as a function of {literal(bound.parameter.name)}{proved}", "", "")
    draw_bound(axes, bound)
    legend_below(figure, axes)
    entitle(figure, title if title is not None else bound.mechanism)
    return figure


def draw_bound(axes: Axes, bound: PiecewiseBound, *, formulas: bool = True) -> None:
    """The curve of a bound in some axes, with the names of both axes; the legend may have the formulas."""
    tall = 0.0
    for number, piece in enumerate(bound.pieces):
        if piece.value == math.inf:
            axes.axvspan(float(piece.low), float(piece.high), color=THEIRS, alpha=0.15, linewidth=0, label="infinite")
            continue
        xs, ys = _curve(piece.value, float(piece.low), float(piece.high))
        tall = max([tall, *[y for y in ys if math.isfinite(y)]])
        formula = str(piece.value)
        label = literal(formula, _FORMULA) if len(formula) <= _FORMULA else f"piece {number + 1}"
        axes.plot(xs, ys, color=COLORS[number % len(COLORS)], linewidth=1.8, label=label if formulas else None)
        if number:
            axes.axvline(float(piece.low), color=QUIET, linestyle=":", linewidth=1)
    for single in bound.points:
        value = value_at(single.value, single.place)
        if value != math.inf:
            axes.plot([float(single.place)], [float(value)], "o", color=THEIRS, markersize=5, clip_on=False)
    axes.set_xlim(float(bound.parameter.low), float(bound.parameter.high))
    axes.set_xlabel(literal(bound.parameter.name))
    axes.set_ylabel(literal(bound.label))
    scale(axes, bound.label, tall)


def scale(axes: Axes, label: str, tall: float) -> None:
    """Probabilities between 0 and 1; what can be infinite, such as e^eps, on a logarithmic scale if it is steep."""
    if not label.startswith(("e^eps", "Rényi")):
        axes.set_ylim(-0.02, 1.02)
    elif tall > _STEEP:
        axes.set_yscale("log")


def _curve(function: RationalFunction, low: float, high: float) -> tuple[list[float], list[float]]:
    """Points of a rational function, each value computed exactly and then rounded; poles are left out."""
    xs = [low + (high - low) * step / _STEPS for step in range(_STEPS + 1)]
    values = [value_at(function, Fraction(x)) for x in xs]
    return xs, [float(value) if abs(value) < _INFINITE else math.nan for value in values]
