"""The paper's figures, and ours beside them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.paper.measurements import AboveThreshold, Timed
from taut.paper.published import ABOVE_THRESHOLD_BDD, RR_ROWS
from taut.pictures import OTHER, OURS, THEIRS, lines, one_panel, powers_of_ten, two_panels

__all__ = [
    "above_threshold_figure",
    "above_threshold_privacy_figure",
    "bounds_figure",
    "rr_count_figure",
    "rr_times_figure",
]

Curve = tuple[Sequence[float], Sequence[float]]


def rr_times_figure(exhaustive: Sequence[Timed], restricted: Sequence[Timed], one_input: Sequence[Timed]) -> Figure:
    """Seconds for randomized response: published for Storm and Dice, measured for taut."""
    figure, left, right = two_panels(height=4.2)
    panels = ((left, exhaustive, "All inputs and outputs", "all"), (right, one_input, "One input, all outputs", "one"))
    for axes, ours, title, wanted in panels:
        series: dict[str, Curve] = {"taut, measured here": _curve(ours)}
        for tool in ("Dice", "Storm"):
            rows = [row for row in RR_ROWS if row.tool == tool and row.sets.startswith(wanted)]
            known = [(row.n, row.seconds) for row in rows if row.seconds is not None]
            series[f"{tool}, published"] = [float(n) for n, _ in known], [seconds for _, seconds in known]
            for row in rows:
                if row.timed_out:
                    words = f"{tool}, n = {row.n}:\ntime-out"
                    axes.annotate(words, (row.n, 900), ha="center", va="top", fontsize=8, color=OTHER)
        if axes is right:
            series[_SETS] = _curve([timed for timed in restricted if timed.n <= 20])
        lines(
            axes, series, title=title, x="clients n", y="seconds", log=True, colors=_TOOLS, hollow=[_SETS], legend=False
        )
        powers_of_ten(axes, -3, 3)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlim(1 if axes is left else 4, 13 if axes is left else 21)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def above_threshold_figure(measured: Sequence[AboveThreshold]) -> Figure:
    """BDD sizes of above-threshold: ours, filled, on top of Dice's, hollow."""
    figure, axes = one_panel()
    colors = dict(zip((1, 2, 3), (OURS, THEIRS, OTHER), strict=True))
    for k in sorted({one.k for one in measured}):
        mine = [one for one in measured if one.k == k]
        xs = [float(one.n) for one in mine]
        series: dict[str, Curve] = {f"k = {k}": (xs, [float(one.bdd) for one in mine])}
        title = "Above-threshold on lists of n integers in 0..k"
        lines(axes, series, title=title, x="list length n", y="BDD nodes", colors={f"k = {k}": colors[k]})
        dice = ABOVE_THRESHOLD_BDD[k]
        axes.scatter(range(2, 2 + len(dice)), dice, s=90, facecolors="none", edgecolors="#222222", linewidths=0.9)
        spot = (mine[-1].n, mine[-1].bdd)
        axes.annotate(f"k = {k}", spot, xytext=(9, 0), textcoords="offset points", va="center", color=colors[k])
    axes.plot([], [], "o", color="#777777", label="taut")
    axes.plot([], [], "o", markersize=9, markerfacecolor="none", markeredgecolor="#222222", label="Dice")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[-2:], labels[-2:], frameon=False, loc="upper left")
    axes.set_xlim(1.7, 6.6)
    axes.set_ylim(0, 100)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def above_threshold_privacy_figure(measured: Sequence[AboveThreshold]) -> Figure:
    """e^eps of above-threshold against the length of the list, for both relations."""
    figure, left, right = two_panels()
    for axes, relation in ((left, "one_differ"), (right, "one_step")):
        series: dict[str, Curve] = {}
        for k in sorted({one.k for one in measured}):
            mine = [one for one in measured if one.k == k]
            ratios = [float(getattr(one, relation).max_ratio) for one in mine]
            series[f"k = {k}"] = [float(one.n) for one in mine], ratios
        title = "one entry changes freely" if axes is left else "one entry moves by at most 1"
        lines(axes, series, title=title, x="list length n", y="$e^{\\varepsilon}$", legend=axes is left)
        axes.set_ylim(0, 8.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    right.annotate("all three curves: 2", (4, 2), xytext=(0, 10), textcoords="offset points", ha="center", fontsize=9)
    left.legend(frameon=False, fontsize=9, loc="upper left", ncols=3)
    return figure


def rr_count_figure(measured: Sequence[Timed]) -> Figure:
    """Sizes and seconds of the accuracy of the count."""
    figure, left, right = two_panels()
    xs = [float(timed.n) for timed in measured]
    sizes: dict[str, Curve] = {
        "BDD at one input": (xs, [float(timed.bdd) for timed in measured]),
        "relation, all inputs": (xs, [float(timed.relation) for timed in measured]),
    }
    lines(left, sizes, title="Diagram size", x="clients n", y="nodes")
    times: dict[str, Curve] = {
        "total": (xs, [timed.seconds for timed in measured]),
        "inference": (xs, [timed.inference for timed in measured]),
    }
    lines(right, times, title="Time", x="clients n", y="seconds", hollow=["inference"])
    for axes in (left, right):
        axes.set_ylim(bottom=0)
    return figure


def bounds_figure(lambdas: Sequence[Fraction], ratios: Sequence[Fraction], accuracies: Sequence[Fraction]) -> Figure:
    """Privacy and accuracy against lambda, for eight clients."""
    figure, left, right = two_panels()
    xs = [float(value) for value in lambdas]
    label = "flip probability $\\lambda$"
    lines(left, {"": (xs, [float(value) for value in ratios])}, title="Privacy of RR", x=label, y="$e^{\\varepsilon}$")
    values = [float(value) for value in accuracies]
    title = "Accuracy of RRcount, $\\alpha$ = 3"
    lines(right, {"": (xs, values)}, title=title, x=label, y="$1-\\beta$", colors={"": OTHER})
    left.set_ylim(0, 20)
    right.set_ylim(0, 1.04)
    return figure


_SETS = "taut, I_RR and C_RR"
_TOOLS = {"taut, measured here": OURS, "Dice, published": THEIRS, "Storm, published": OTHER, _SETS: OURS}


def _curve(measured: Sequence[Timed]) -> Curve:
    return [float(timed.n) for timed in measured], [timed.seconds for timed in measured]
