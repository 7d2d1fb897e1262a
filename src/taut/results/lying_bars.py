"""Bars that lie: a row for each value, what it belongs to on the left, the value in words at its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from taut.numbers import INFINITY
from taut.pictures import dress

__all__ = ["lying_bars"]

_UNEQUAL = 100
"""How many times one value has to be another for the axis to be logarithmic."""


def lying_bars(
    axes: Axes, rows: Sequence[tuple[str, Any, str]], colors: Sequence[str], *, title: str, across: str
) -> None:
    """Draw rows of a label, a value and its words, the first on top; a value too large for a bar is hatched."""
    values = [_float(value) for _, value, _ in rows]
    finite = [number for number in values if math.isfinite(number)]
    positive = [number for number in finite if number > 0]
    log = bool(positive) and max(positive) > _UNEQUAL * min(positive)
    low = min(positive) / 3 if log else 0.0
    top = max(finite, default=1.0) or 1.0
    beyond = (top * (top / low) ** 0.12 if log else 1.12 * top) if len(finite) < len(values) else top
    for place, (number, (_, _, words), color) in enumerate(zip(values, rows, colors, strict=True)):
        infinite = not math.isfinite(number)
        end = beyond if infinite else number
        hatch = "////" if infinite else None
        axes.barh(place, end - low, 0.62, left=low, color=color, hatch=hatch, edgecolor="white", linewidth=0)
        axes.annotate(
            words, (max(end, low), place), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8.5
        )
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    alone = 0.5 if len(rows) == 1 else 0.0
    axes.set_ylim(len(rows) - 0.5 + alone, -0.5 - alone)
    dress(axes, title, across + (", logarithmic" if log else ""), "")
    axes.tick_params(axis="y", labelsize=8.5)
    if log:
        axes.set_xscale("log")
        axes.set_xlim(low, beyond * (beyond / low) ** 0.35)
    else:
        axes.set_xlim(0, 1.4 * beyond)
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", color="#dddddd", linewidth=0.7)


def _float(value: Any) -> float:
    if value == INFINITY:
        return math.inf
    try:
        return float(value)
    except OverflowError:
        return math.inf
