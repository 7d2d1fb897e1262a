"""The paper's figures, and ours beside them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.interfaces.paper.measurements import AboveThreshold, Timed
from taut.interfaces.paper.published import ABOVE_THRESHOLD_BDD, RR_ROWS
from taut.support.pictures.charts import lines, note, powers_of_ten
from taut.support.pictures.style import COLORS, EDGE, OTHER, OURS, THEIRS, legend_below, one_panel, panels

__all__ = [
    "above_threshold_figure",
    "above_threshold_privacy_figure",
    "bounds_figure",
    "rr_count_figure",
    "rr_times_figure",
]

Curve = tuple[Sequence[float], Sequence[float]]


def rr_times_figure(exhaustive: Sequence[Timed], restricted: Sequence[Timed], one_input: Sequence[Timed]) -> Figure:
    """Draw seconds for randomized response: published for Storm and Dice, measured for taut."""
    figure, (left, right) = panels(2, height=4.2)
    for axes, ours, title, wanted, ends in (
        (left, exhaustive, "All inputs and outputs", "all", (1, 13)),
        (right, one_input, "One input, all outputs", "one", (4, 21)),
    ):
        series: dict[str, Curve] = {"taut, measured here": _curve(ours, "seconds")}
        for tool in ("Dice", "Storm"):
            rows = [row for row in RR_ROWS if row.tool == tool and row.sets.startswith(wanted)]
            known = [(row.n, row.seconds) for row in rows if row.seconds is not None]
            series[f"{tool}, published"] = [float(n) for n, _ in known], [seconds for _, seconds in known]
            for row in rows:
                if row.timed_out:
                    words = f"{tool}, n = {row.n}:\ntime-out"
                    note(axes, words, (row.n, 900), (0, 0), ha="center", va="top", fontsize=8, color=OTHER)
        if axes is right:
            series[_SETS] = _curve([timed for timed in restricted if timed.n <= 20], "seconds")
        look: dict[str, Any] = {"log": True, "colors": _TOOLS, "hollow": [_SETS], "legend": False}
        lines(axes, series, title=title, x="clients n", y="seconds", **look)
        powers_of_ten(axes, -3, 3)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlim(*ends)
    legend_below(figure, right, 4)
    return figure


def above_threshold_figure(measured: Sequence[AboveThreshold]) -> Figure:
    """Draw BDD sizes of above-threshold: ours, filled, on top of Dice's, hollow."""
    figure, axes = one_panel()
    series = {f"k = {k}": _curve([one for one in measured if one.k == k], "bdd") for k in _thresholds(measured)}
    title = "Above-threshold on lists of n integers in 0..k"
    lines(axes, series, title=title, x="list length n", y="BDD nodes", legend=False)
    for (name, (xs, ys)), k, color in zip(series.items(), _thresholds(measured), COLORS, strict=False):
        dice = ABOVE_THRESHOLD_BDD[k]
        axes.scatter(range(2, 2 + len(dice)), dice, s=90, facecolors="none", edgecolors=EDGE, linewidths=0.9)
        note(axes, name, (xs[-1], ys[-1]), (9, 0), va="center", color=color, fontsize=10)
    ours = axes.plot([], [], "o", color="#777777", label="taut")
    dices = axes.plot([], [], "o", markersize=9, markerfacecolor="none", markeredgecolor=EDGE, label="Dice")
    axes.legend(handles=[*ours, *dices], frameon=False, loc="upper left")
    axes.set(xlim=(1.7, 6.6), ylim=(0, 100))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def above_threshold_privacy_figure(measured: Sequence[AboveThreshold]) -> Figure:
    """Draw e^eps of above-threshold against the length of the list, for both relations."""
    figure, (left, right) = panels(2)
    for axes, relation, title in (
        (left, "one_differ", "one entry changes freely"),
        (right, "one_step", "one entry moves by at most 1"),
    ):
        series: dict[str, Curve] = {}
        for k in _thresholds(measured):
            mine = [one for one in measured if one.k == k]
            ratios = [float(getattr(one, relation).max_ratio) for one in mine]
            series[f"k = {k}"] = [float(one.n) for one in mine], ratios
        lines(axes, series, title=title, x="list length n", y="$e^{\\varepsilon}$", legend=False)
        axes.set_ylim(0, 8.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    note(right, "all three curves: 2", (4, 2), (0, 10), ha="center", fontsize=9)
    left.legend(frameon=False, fontsize=9, loc="upper left", ncols=3)
    return figure


def rr_count_figure(measured: Sequence[Timed]) -> Figure:
    """Draw sizes and seconds of the accuracy of the count."""
    figure, (left, right) = panels(2)
    sizes = {"BDD at one input": _curve(measured, "bdd"), "relation, all inputs": _curve(measured, "relation")}
    times = {"total": _curve(measured, "seconds"), "inference": _curve(measured, "inference")}
    lines(left, sizes, title="Diagram size", x="clients n", y="nodes")
    lines(right, times, title="Time", x="clients n", y="seconds", hollow=["inference"])
    for axes in (left, right):
        axes.set_ylim(bottom=0)
    return figure


def bounds_figure(lambdas: Sequence[Fraction], ratios: Sequence[Fraction], accuracies: Sequence[Fraction]) -> Figure:
    """Draw privacy and accuracy against lambda, for eight clients."""
    figure, (left, right) = panels(2)
    for axes, values, title, y, color, top in (
        (left, ratios, "Privacy of RR", "$e^{\\varepsilon}$", OURS, 20),
        (right, accuracies, "Accuracy of RRcount, $\\alpha$ = 3", "$1-\\beta$", OTHER, 1.04),
    ):
        series = {"": ([float(value) for value in lambdas], [float(value) for value in values])}
        lines(axes, series, title=title, x="flip probability $\\lambda$", y=y, colors={"": color})
        axes.set_ylim(0, top)
    return figure


_SETS = "taut, I_RR and C_RR"
_TOOLS = {"taut, measured here": OURS, "Dice, published": THEIRS, "Storm, published": OTHER, _SETS: OURS}


def _curve(measured: Sequence[Any], what: str) -> Curve:
    return [float(one.n) for one in measured], [float(getattr(one, what)) for one in measured]


def _thresholds(measured: Sequence[AboveThreshold]) -> list[int]:
    return sorted({one.k for one in measured})
