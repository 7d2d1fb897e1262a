"""The picture of a comparison: CPU seconds against the size, on a logarithmic scale, read from records."""

from __future__ import annotations

import itertools
import math

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.interfaces.compare.comparison import Comparison
from taut.interfaces.compare.measurement import TOOLS
from taut.interfaces.compare.records import Record
from taut.support.pictures.curves import lines, note, powers_of_ten
from taut.support.pictures.style import COLORS, legend_below, one_panel

__all__ = ["comparison_figure"]

_COLORS = dict(zip(TOOLS, itertools.cycle(COLORS), strict=False))
_DASHES = {"exhaustive": "-", "restricted": "--", "search": ":"}
_WRONG = "#b00020"


def comparison_figure(comparison: Comparison, title: str) -> Figure:
    """Draw a curve for each tool and method; time-outs lie on their limit, wrong answers are crossed out."""
    figure, axes = one_panel(7.2, 4.6)
    series: dict[str, tuple[list[float], list[float]]] = {}
    colors, dashes = {}, {}
    for record in comparison.records:
        if record["status"] in ("answer", "interval"):
            name = f"{record['tool']}, {record['method']}"
            xs, ys = series.setdefault(name, ([], []))
            xs.append(float(record["n"]))
            ys.append(_cost(record))
            colors[name], dashes[name] = _COLORS[record["tool"]], _DASHES[record["method"]]
    if series:
        y = "CPU seconds of the tool, logarithmic"
        lines(axes, series, title=title, x="n", y=y, log=True, colors=colors, dashes=dashes, legend=False)
    late = [record for record in comparison.records if record["status"] == "time-out"]
    for record in late:
        color = _COLORS[record["tool"]]
        axes.plot([record["n"]], [record["seconds"]], "v", color=color, markerfacecolor="none", markersize=8)
        note(axes, "time-out", (record["n"], _cost(record)), (0, 6), ha="center", fontsize=8)
    for record in comparison.wrong:
        axes.plot([record["n"]], [_cost(record)], "x", color=_WRONG, markersize=12, markeredgewidth=2)
        note(axes, "wrong", (record["n"], _cost(record)), (8, -3), color=_WRONG, fontsize=8)
    every = [y for _, ys in series.values() for y in ys] + [float(record["seconds"]) for record in late]
    if every:
        axes.set_yscale("log")
        powers_of_ten(axes, math.floor(math.log10(min(every))), math.ceil(math.log10(max(every) * 1.5)))
    sizes = [record["n"] for record in comparison.records]
    if sizes:
        axes.set_xlim(min(sizes) - 0.5, max(sizes) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(figure, axes, min(4, max(1, len(series))))
    return figure


def _cost(record: Record) -> float:
    """Return the CPU seconds of the tool itself; of one that was stopped, its limit."""
    return max(float(record["cpu_seconds" if "cpu_seconds" in record else "seconds"]), 1e-4)
