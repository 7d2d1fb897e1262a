"""Plots of sweeps: bounds against a parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.numbers import INFINITY
from taut.parametric.sweep import Sweep
from taut.pictures import COLORS, OTHER, OURS, THEIRS, entitle, lines, panels

__all__ = ["sweep_figure"]

_Drawn = Callable[[Axes, list[float], Sweep], None]


def sweep_figure(sweep: Sweep) -> Figure:
    """The bounds of a sweep, side by side: e^eps, delta, the Rényi divergence, 1-beta, whichever were asked for."""
    drawn = [draw for name, draw in _PANELS.items() if getattr(sweep.points[0], name) is not None]
    figure, axes = panels(len(drawn))
    xs, words = _positions([point.value for point in sweep.points])
    for panel, draw in zip(axes, drawn, strict=True):
        draw(panel, xs, sweep)
        if words is not None:
            panel.set_xticks(xs, words)
        elif all(float(value).is_integer() for value in xs):
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    entitle(figure, sweep.title)
    return figure


def _privacy(axes: Axes, xs: list[float], sweep: Sweep) -> None:
    ratios = [_float(point.privacy.max_ratio) for point in sweep.points if point.privacy is not None]
    _magnitudes(axes, xs, ratios, f"Privacy, {sweep.neighbors} neighbours", sweep.parameter, "$e^{\\varepsilon}$", OURS)


def _delta(axes: Axes, xs: list[float], sweep: Sweep) -> None:
    bounds = [point.delta for point in sweep.points if point.delta is not None]
    deltas = [_float(bound.delta) for bound in bounds]
    place = re.sub("^(e\\^)?eps", lambda name: "$e^{\\varepsilon}$" if name[1] else "$\\varepsilon$", bounds[0].place)
    _magnitudes(axes, xs, deltas, f"Delta at {place}", sweep.parameter, "$\\delta$", THEIRS)


def _renyi(axes: Axes, xs: list[float], sweep: Sweep) -> None:
    bounds = [point.renyi for point in sweep.points if point.renyi is not None]
    title = f"Rényi divergence of order {bounds[0].order}"
    _magnitudes(axes, xs, [bound.divergence for bound in bounds], title, sweep.parameter, "divergence", COLORS[3])


def _accuracy(axes: Axes, xs: list[float], sweep: Sweep) -> None:
    bounds = [point.accuracy for point in sweep.points if point.accuracy is not None]
    series = {"1-beta": (xs, [_float(bound.probability) for bound in bounds])}
    title = f"Accuracy, $\\alpha$ = {bounds[0].alpha}"
    lines(axes, series, title=title, x=sweep.parameter, y="$1-\\beta$", colors={"1-beta": OTHER})


_PANELS: dict[str, _Drawn] = {"privacy": _privacy, "delta": _delta, "renyi": _renyi, "accuracy": _accuracy}


def _magnitudes(axes: Axes, xs: list[float], ys: list[float], title: str, x: str, y: str, color: str) -> None:
    """A curve of numbers of at least 0, on a logarithmic axis if they are of very different size."""
    finite = [value for value in ys if math.isfinite(value)]
    log = bool(finite) and min(finite) > 0 and max(finite) > 30 * min(finite)
    lines(axes, {y: (xs, ys)}, title=title, x=x, y=y + (", logarithmic" if log else ""), log=log, colors={y: color})
    if not finite:
        axes.set_yticks([])
    elif not log:
        axes.set_ylim(bottom=0)


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
