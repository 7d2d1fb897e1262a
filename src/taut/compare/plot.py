"""The picture of a comparison: CPU seconds against the size, on a logarithmic scale, read from records."""

from __future__ import annotations

import itertools
import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.compare.comparison import Comparison
from taut.compare.measurement import TOOLS
from taut.compare.records import Record
from taut.pictures import COLORS, lines, one_panel, powers_of_ten

__all__ = ["comparison_figure"]

_COLORS = dict(zip(TOOLS, itertools.cycle(COLORS), strict=False))
_DASHES: dict[str, Any] = {"exhaustive": "-", "restricted": "--", "search": ":"}


def comparison_figure(comparison: Comparison, title: str) -> Figure:
    """A curve for each tool and method; time-outs lie on their limit, wrong answers are crossed out."""
    figure, axes = one_panel(7.2, 4.6)
    series: dict[str, tuple[list[float], list[float]]] = {}
    colors, dashes = {}, {}
    for record in comparison.records:
        if record["status"] not in ("answer", "interval"):
            continue
        name = f"{record['tool']}, {record['method']}"
        xs, ys = series.setdefault(name, ([], []))
        xs.append(float(record["n"]))
        ys.append(_cost(record))
        colors[name], dashes[name] = _COLORS[record["tool"]], _DASHES[record["method"]]
    late = [record for record in comparison.records if record["status"] == "time-out"]
    every = [y for _, ys in series.values() for y in ys] + [float(record["seconds"]) for record in late]
    if series:
        lines(
            axes,
            series,
            title=title,
            x="n",
            y="CPU seconds of the tool, logarithmic",
            log=True,
            colors=colors,
            legend=False,
        )
        for line, name in zip(axes.get_lines(), series, strict=False):
            line.set_linestyle(dashes[name])
    for record in late:
        color = _COLORS[record["tool"]]
        axes.plot([record["n"]], [record["seconds"]], "v", color=color, markerfacecolor="none", markersize=8)
        _annotate(axes, record, "time-out", (0, 6), ha="center")
    for record in comparison.wrong:
        axes.plot([record["n"]], [_cost(record)], "x", color="#b00020", markersize=12, markeredgewidth=2)
        _annotate(axes, record, "wrong", (8, -3), color="#b00020")
    if every:
        powers_of_ten(axes, math.floor(math.log10(min(every))), math.ceil(math.log10(max(every) * 1.5)))
        axes.set_yscale("log")
        powers_of_ten(axes, math.floor(math.log10(min(every))), math.ceil(math.log10(max(every) * 1.5)))
    sizes = sorted({record["n"] for record in comparison.records})
    if sizes:
        axes.set_xlim(sizes[0] - 0.5, sizes[-1] + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)), frameon=False, fontsize=9)
    return figure


def _cost(record: Record) -> float:
    """CPU seconds of the tool itself; of one that was stopped, its limit."""
    return max(float(record["cpu_seconds" if "cpu_seconds" in record else "seconds"]), 1e-4)


def _annotate(axes: Axes, record: Record, word: str, offset: tuple[int, int], **style: Any) -> None:
    spot = (record["n"], _cost(record))
    axes.annotate(word, spot, xytext=offset, textcoords="offset points", fontsize=8, **style)
