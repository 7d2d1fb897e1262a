"""Plots of sweeps: bounds against a parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.interfaces.sweeps.sweep import Sweep
from taut.support.pictures.curves import lines
from taut.support.pictures.style import COLORS, drawable, entitle, logarithmic, panels, unequal

__all__ = ["sweep_figure"]


def sweep_figure(sweep: Sweep) -> Figure:
    """Draw the bounds of a sweep side by side, with a logarithmic axis where they are of very different size."""
    figure, places = panels(len(sweep.questions))
    xs, words = _positions([point.value for point in sweep.points])
    for axes, question in zip(places, sweep.questions, strict=True):
        curve = [question.swept(point.bounds[question.name]) for point in sweep.points]
        ys = [drawable(one.value) for one in curve]
        finite = [value for value in ys if math.isfinite(value)]
        title, colors = _in_letters(curve[0].title), {"": COLORS[question.color]}
        lines(axes, {"": (xs, ys)}, title=title, x=sweep.parameter, y=curve[0].label, colors=colors)
        if not finite:
            axes.set_yticks([])
        elif not question.about_target and unequal(finite):
            logarithmic(axes)
        elif not question.about_target:
            axes.set_ylim(bottom=0)
        if words is not None:
            axes.set_xticks(xs, words)
        elif all(value.is_integer() for value in xs):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return entitle(figure, sweep.title)


def _in_letters(title: str) -> str:
    return re.sub(r"\b(e\^)?eps\b", lambda name: "$e^{\\varepsilon}$" if name[1] else "$\\varepsilon$", title)


def _positions(values: Sequence[Any]) -> tuple[list[float], list[str] | None]:
    """Return the places of a parameter's values: as numbers, or else one after the other with their words."""
    if all(isinstance(value, (int, Fraction)) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], None
    return [float(position) for position in range(len(values))], [str(value) for value in values]
