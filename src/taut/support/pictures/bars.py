"""Bars, vertical or horizontal, one or more per row, with a label on one side and text at their ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from taut.support.pictures.curves import note
from taut.support.pictures.style import EDGE, drawable, logarithmic, unequal

__all__ = ["Bar", "Row", "bars"]

_UNEQUAL = 100
_PALE = 0.42
_HATCH = "////"


@dataclass(frozen=True)
class Bar:
    """A value with its look; an infinite value is hatched."""

    value: Any
    color: str
    words: str = ""
    """Text at the end of the bar."""
    outlined: bool = False
    pale: bool = False
    usual: Any = None
    """Value above which the bar is hatched."""


@dataclass(frozen=True)
class Row:
    """A label and the bars beside it."""

    label: str
    bars: Sequence[Bar]


def bars(axes: Axes, rows: Sequence[Row], *, lying: bool = True, log: bool | None = None) -> None:
    """Draw rows of bars, the first on top or on the left; ``log`` is found from the values if it is None."""
    every = [bar for row in rows for bar in row.bars]
    values = [drawable(bar.value) for bar in every]
    finite = [value for value in values if math.isfinite(value)]
    positive = [value for value in finite if value > 0]
    log = unequal(positive, _UNEQUAL) if log is None else log
    low = min(positive) / 3 if log else 0.0
    top = max(finite, default=1.0) or 1.0

    def above(share: float) -> float:
        return float(top * (top / low) ** share if log else (1 + share) * top)

    beyond = above(0.12) if len(finite) < len(values) else top
    for place, row in enumerate(rows):
        for number, bar in enumerate(row.bars):
            spot = place + 0.4 * number - 0.2 * (len(row.bars) - 1)
            _draw(axes, bar, spot, 0.64 if len(row.bars) == 1 else 0.38, (low, beyond), lying)
    alone = 0.5 * (len(rows) == 1)
    ends, labels = (-0.6 - alone, len(rows) - 0.4 + alone), [row.label for row in rows]
    room = above(0.12 * (beyond > top) + (0.4 if any(len(bar.words) > 5 for bar in every) else 0.14))
    if lying:
        axes.set_yticks(range(len(rows)), labels, fontsize=8.5)
        axes.set(ylim=ends[::-1], xlim=(low, room))
        axes.grid(visible=False, axis="y")
        axes.grid(axis="x", color="#dddddd", linewidth=0.7)
    else:
        axes.set_xticks(range(len(rows)), labels)
        axes.set(xlim=ends, ylim=(low, room))
    if log:
        logarithmic(axes, "x" if lying else "y")


def _draw(axes: Axes, bar: Bar, spot: float, thick: float, ends: tuple[float, float], lying: bool) -> None:
    """Draw a bar between the ends of its axis."""
    low, beyond = ends
    value = drawable(bar.value)
    end = max(low, min(value, beyond))

    def block(start: float, **look: Any) -> None:
        if lying:
            axes.barh(spot, end - start, thick, left=start, **look)
        else:
            axes.bar(spot, end - start, thick, bottom=start, **look)

    outline = {"edgecolor": EDGE, "linewidth": 1.2} if bar.outlined else {"edgecolor": "white", "linewidth": 0}
    hatch = None if math.isfinite(value) else _HATCH
    block(low, color=bar.color, alpha=_PALE if bar.pale else 1.0, hatch=hatch, **outline)
    if bar.usual is not None:
        block(max(low, drawable(bar.usual)), color="#ffffff", edgecolor=bar.color, hatch=_HATCH, linewidth=0)
        block(low, color="none", **outline)
    if bar.words:
        at, offset = ((end, spot), (5, 0)) if lying else ((spot, end), (0, 3))
        across, up = ("left", "center") if lying else ("center", "bottom")
        note(axes, bar.words, at, offset, ha=across, va=up, color=EDGE)
