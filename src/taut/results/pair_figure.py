"""The figure of a worst pair: the output distributions of two neighbours side by side, what tells them apart marked.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from taut.errors import OutOfMemory, OutOfTime, TooLarge
from taut.numbers import INFINITY, decimal, may_be_equal, quotient, surely_above
from taut.pictures import OURS, QUIET, THEIRS, dress, entitle, legend_below, literal
from taut.results.closing_figure import interval_panel, with_room_for_history
from taut.results.divergence import DeltaBound, DivergenceBound, EpsilonBound
from taut.results.loss_figure import draw_loss
from taut.results.pair_rows import Row, draws_as_numbers, rows_of
from taut.results.privacy import PrivacyBound
from taut.results.text import brief, brief_interval, short_text, telling
from taut.results.view import View

__all__ = ["divergence_figure", "privacy_figure"]

_EDGE = "#222222"
_ONLY_ON_X = "outlined: possible on x, impossible on x'"
_PALE = 0.42
_MOST_POINTS = 40
_FAINT = 1000
_WIDE = 64
"""Letters for which there is room under bars that stand; where there are more, the bars lie."""


def privacy_figure(bound: PrivacyBound, view: View, title: str | None = None) -> Figure:
    """The worst pair of a privacy bound; marked are the outputs whose quotient is the largest."""

    def marked(y: Any, p: Any, q: Any) -> bool:
        ratio = quotient(p, q)
        return y == bound.witness.y or (ratio is not None and may_be_equal(ratio, bound.attained))

    head = f"$e^\\varepsilon$ {brief_interval(bound.lower, bound.upper)}"
    if bound.attained == INFINITY:
        meaning = _ONLY_ON_X
    elif may_be_equal(bound.attained, Fraction(1)):
        return _pair_figure(bound, view, title, head, lambda y, p, q: False, "no output tells x from x'", None)
    else:
        meaning = f"outlined: {_factor(bound.attained, 6)} times as likely on x as on x'"
    return _pair_figure(bound, view, title, head, marked, meaning, None)


def divergence_figure(bound: DivergenceBound, view: View, title: str | None = None) -> Figure:
    """The worst pair of a divergence; of delta with the event that tells the two apart, and what it exceeds by."""
    ratio = bound.ratio if isinstance(bound, DeltaBound) else None
    unbounded = isinstance(bound, EpsilonBound) and bound.attained == INFINITY
    if isinstance(bound, EpsilonBound) and not unbounded:
        ratio = bound.attained
    names = {"delta": "$\\delta$", "e^eps": "$e^\\varepsilon$"}
    named = bound._named()
    head = f"{names.get(named, literal(named))} {brief_interval(bound.lower, bound.upper)}"
    if isinstance(bound, DeltaBound):
        at = "$e^\\varepsilon$" if bound.at_epsilon is None else "$\\varepsilon$"
        head += f" at {at} = {brief(bound.ratio if bound.at_epsilon is None else bound.at_epsilon)}"
    if unbounded:
        return _pair_figure(bound, view, title, head, lambda y, p, q: bool(p != 0 and q == 0), _ONLY_ON_X, None)
    if ratio is None:
        return _pair_figure(bound, view, title, head, lambda y, p, q: False, "", None)
    words = f"outlined: more than {_factor(ratio, 6)} times as likely on x as on x'"
    return _pair_figure(bound, view, title, head, lambda y, p, q: surely_above(p, ratio * q) is True, words, ratio)


def _pair_figure(
    bound: PrivacyBound | DivergenceBound,
    view: View,
    title: str | None,
    head: str,
    marked: Callable[[Any, Any, Any], bool],
    meaning: str,
    ratio: Any,
) -> Figure:
    x, x_prime = bound.witness.x, bound.witness.x_prime
    try:
        own, other = view.distribution(x), view.distribution(x_prime)
    except TooLarge as problem:
        if view.loss is None or isinstance(problem, (OutOfTime, OutOfMemory)):
            raise
        own = other = {}
    numbers = draws_as_numbers([*own, *other])
    rows = [] if numbers else rows_of(own, other, marked)
    lying = bool(rows) and len(rows) * (max(len(row.label) for row in rows) + 1) > _WIDE
    height = max(3.4, 1.7 + 0.34 * len(rows)) if lying else 4.2
    figure, axes, closing = with_room_for_history(bound.history, height)
    named = (
        head if bound.neighbors is None else f"{head}{chr(10) if lying else ', '}{literal(bound.neighbors)} neighbours"
    )
    if not own:
        assert view.loss is not None
        draw_loss(axes, view.loss(x, x_prime))
        dress(axes, named, r"$\ln\,(P[A(x)=y]\,/\,P[A(x')=y])$", "probability")
        meaning = "there are too many outputs to list: they are grouped by their quotient"
    elif numbers:
        across = _curves(axes, own, other, marked)
        dress(axes, named, across, "probability")
    else:
        log = _bars(axes, rows, lying, ratio)
        probability = "probability, logarithmic" if log else "probability"
        dress(axes, named, *((probability, "") if lying else ("output", probability)))
        _say_values(axes, rows, lying, bound.attained if isinstance(bound, PrivacyBound) else None)
        if lying:
            axes.grid(visible=False, axis="y")
            axes.grid(axis="x", color="#dddddd", linewidth=0.7)
    axes.plot([], [], "s", color=OURS, label=f"on x = {short_text(x)}")
    axes.plot([], [], "s", color=THEIRS, label=f"on x' = {short_text(x_prime)}")
    outlined = own and (numbers or any(row.marked for row in rows))
    if meaning and (outlined or not meaning.startswith("outlined")):
        axes.plot([], [], "s" if outlined else " ", markerfacecolor="none", markeredgecolor=_EDGE, label=meaning)
    if ratio is not None and any(row.marked for row in rows):
        excess = "hatched: the excess over $e^\\varepsilon$ times the probability on x'"
        axes.plot([], [], "s", markerfacecolor="#ffffff", markeredgecolor=OURS, label=excess)
    if closing is not None:
        interval_panel(
            closing, bound, "$e^\\varepsilon$" if isinstance(bound, PrivacyBound) else literal(bound._named())
        )
    legend_below(figure, axes)
    if title is not None:
        entitle(figure, title)
    return figure


def _bars(axes: Axes, rows: list[Row], lying: bool, ratio: Any) -> bool:
    """Two bars per output or group of outputs; of an event, what x has above ``ratio`` times x' is hatched.

    Where the marked bars would be too small to be seen the axis is logarithmic, which is returned.
    """
    values = [float(value) for row in rows for value in (row.p, row.q)]
    top = max(values, default=1.0)
    marked = max((float(row.p) for row in rows if row.marked), default=top)
    log = 0 < marked < top / 25
    low = min(value for value in values if value > 0) / 3 if log else 0.0
    bar = axes.barh if lying else axes.bar
    places = range(len(rows))
    for shift, column, color in ((-0.2, "p", OURS), (0.2, "q", THEIRS)):
        for place, row in zip(places, rows, strict=True):
            value = float(getattr(row, column))
            look: dict[str, Any] = {"color": color, "alpha": 1.0 if row.marked else _PALE}
            if row.marked:
                look |= {"edgecolor": _EDGE, "linewidth": 1.2}
            start: dict[str, Any] = {"left": low} if lying else {"bottom": low}
            bar(place + shift, max(value - low, 0.0), 0.38, **start, **look)
            if column == "p" and row.marked and ratio is not None:
                base = float(ratio * row.q)
                start = {"left": max(base, low)} if lying else {"bottom": max(base, low)}
                look = {"color": "#ffffff", "edgecolor": color, "hatch": "////", "linewidth": 0.0}
                bar(place + shift, value - max(base, low), 0.38, **start, **look)
                start = {"left": low} if lying else {"bottom": low}
                bar(place + shift, value - low, 0.38, **start, color="none", edgecolor=_EDGE, linewidth=1.2)
    labels = [literal(row.label, 60) for row in rows]
    if lying:
        axes.set_yticks(list(places), labels)
        axes.set_ylim(len(rows) - 0.4, -0.6)
    else:
        axes.set_xticks(list(places), labels)
        axes.set_xlim(-0.6 - (len(rows) == 1), len(rows) - 0.4 + (len(rows) == 1))
    if log:
        (axes.set_xscale if lying else axes.set_yscale)("log")
    (axes.set_xlim if lying else axes.set_ylim)(low, 1.14 * top if not log else top * (top / low) ** 0.1)
    return log


def _say_values(axes: Axes, rows: list[Row], lying: bool, ratio: Any) -> None:
    """At the marked bars, how many times one is the other; zeros, which have no bar, are written."""
    for place, row in enumerate(rows):
        for shift, value in ((-0.2, row.p), (0.2, row.q)):
            if float(value) == 0 and (row.marked or len(rows) <= 12):
                words = "0" if value == 0 else decimal(value, 2)
                _write(axes, place + shift, (axes.get_xlim() if lying else axes.get_ylim())[0], words, lying, QUIET)
        if row.marked and ratio is not None:
            words = "∞" if ratio == INFINITY else f"×{_factor(ratio, 4)}"
            _write(axes, place - 0.2, float(row.p), words, lying, _EDGE)


def _factor(ratio: Any, digits: int) -> str:
    words = telling(ratio, digits)
    return f"({words})" if " " in words else words


def _write(axes: Axes, place: float, end: float, words: str, lying: bool, color: str) -> None:
    at, offset = ((end, place), (4, 0)) if lying else ((place, end), (0, 3))
    across, up = ("left", "center") if lying else ("center", "bottom")
    axes.annotate(words, at, xytext=offset, textcoords="offset points", ha=across, va=up, fontsize=8.5, color=color)


def _curves(
    axes: Axes, own: Mapping[Any, Any], other: Mapping[Any, Any], marked: Callable[[Any, Any, Any], bool]
) -> str:
    """Many numbers as outputs: a line per input, some of the marked outputs as points on both; returns the label."""
    top = max(float(mass) for masses in (own, other) for mass in masses.values())
    every = sorted({*own, *other})
    visible = [y for y in every if max(float(own.get(y, 0)), float(other.get(y, 0))) >= top / _FAINT]
    outputs = [y for y in every if visible[0] <= y <= visible[-1]]
    chosen = [y for y in outputs if marked(y, own.get(y, 0), other.get(y, 0))]
    points = chosen[:: -(-len(chosen) // _MOST_POINTS) or 1]
    for masses, color in ((own, OURS), (other, THEIRS)):
        xs, heights = [float(y) for y in outputs], [float(masses.get(y, 0)) for y in outputs]
        axes.plot(xs, heights, color=color, linewidth=1.4, drawstyle="steps-mid")
        axes.fill_between(xs, heights, step="mid", color=color, alpha=0.18, linewidth=0)
        at, ys = [float(y) for y in points], [float(masses.get(y, 0)) for y in points]
        axes.plot(at, ys, "o", markersize=5, markerfacecolor=color, markeredgecolor=_EDGE, linewidth=0, zorder=3)
    axes.set_ylim(-0.02 * top, 1.1 * top)
    if all(y == int(y) for y in outputs):
        axes.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    hidden = len(every) - len(outputs)
    return "output" if not hidden else f"output; {hidden} others are less likely than 1/{_FAINT} of the highest"
