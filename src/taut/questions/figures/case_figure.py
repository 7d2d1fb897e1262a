"""Figures of cases: worst pairs and inputs as bars, and the output around its target on the worst input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.questions.accuracy import AccuracyBound
from taut.questions.bound import View
from taut.questions.error import ErrorBound
from taut.questions.text import brief_interval, short_text, telling, text_of, vector_text
from taut.support.errors import InvalidInput, TooLarge
from taut.support.exact import INFINITY, decimal, is_number, number
from taut.support.pictures.charts import (
    Bar,
    Row,
    bars,
    closing_interval,
    histogram,
    panel_and_history,
    rule,
    without_tails,
)
from taut.support.pictures.style import OTHER, OURS, THEIRS, chart, dress, entitle, finish, key, literal

__all__ = ["accuracy_figure", "classes_figure", "error_figure"]


_MOST = 20
_NAMES = {
    ("x", "x_prime", "y"): ("Worst pairs", "$P[A(x)=y]\\,/\\,P[A(x')=y]$", "triple"),
    ("x", "x_prime"): ("Worst pairs", "value", "pair"),
    ("x",): ("Worst inputs", "$1-\\beta$", "input"),
}


def classes_figure(classes: Sequence[Any], title: str | None = None) -> Figure:
    """Draw bars, the worst on top; of many classes the first twenty are drawn, which is said."""
    drawn = list(classes[:_MOST])
    parts = tuple(part.name for part in fields(drawn[0].witness))
    name, value, noun = _NAMES.get(parts, ("Worst cases", "value", "case"))
    more = "" if len(classes) <= _MOST else f", {_MOST} of {len(classes)} different values"
    figure, axes = chart(f"{name}{more}", value, "", 8.4, 1.5 + 0.44 * max(len(drawn), 2))
    colors = [THEIRS, *[OURS] * (len(drawn) - 1)]
    rows = zip(drawn, colors, strict=True)
    bars(axes, [Row(_case(one.witness, parts), [Bar(one.value, color, _words(one, noun))]) for one, color in rows])
    return entitle(figure, title)


def _case(witness: Any, parts: Sequence[str]) -> str:
    """Return the words beside a bar; the last part has a line of its own where all on one would be long."""
    words = [
        f"{part.replace('_prime', chr(39))} = {literal(vector_text(getattr(witness, part)), 30)}" for part in parts
    ]
    if len(words) > 1 and sum(map(len, words)) > 44:
        return ",  ".join(words[:-1]) + f",\n{words[-1]}"
    return ",  ".join(words)


def _words(one: Any, noun: str) -> str:
    many = f"{one.count:,}".replace(",", " ") if one.count < 10**12 else f"{one.count:.1e}"
    value = "∞" if one.value == INFINITY else telling(one.value, 5)
    return f"{value}   ({many} {noun}{'' if one.count == 1 else 's'})"


def accuracy_figure(bound: AccuracyBound, view: View, title: str | None = None) -> Figure:
    """Draw the output on the worst input; within alpha of the target is shaded."""
    x, alpha = bound.witness.x, number(bound.alpha, "alpha")
    figure, axes, closing = panel_and_history(bound.history, 4.2)
    around = _around_target(view, x)
    aim, masses = around or (0, _distances(view, x))
    head = f"{'Best' if bound.best else 'Worst'} input: $1-\\beta$ {brief_interval(bound.lower, bound.upper)}"
    width, series = _draw(axes, masses, lambda y: abs(y - aim) <= alpha, head, "output" if around else _DISTANCE)
    left, right = axes.get_xlim()
    if around:
        rule(axes, x=float(aim), label=f"target: {literal(text_of(aim))}")
        reach = min(float(alpha) + width, max(right - left, width))
        left, right = min(left, float(aim) - reach), max(right, float(aim) + reach)
    reach = float(alpha) + width / 2  # the bars at alpha count, so they stand on the shade as a whole
    ends = max(float(aim) - reach, left) if around else max(-width / 2, left), min(float(aim) + reach, right)
    axes.axvspan(*ends, color=OTHER, alpha=0.13, linewidth=0, zorder=0)
    axes.set_xlim(left, right)
    within, beyond = (decimal(sum(part.values()), 6) for part in series)
    key(axes, OTHER, f"within alpha = {literal(text_of(alpha))}: {within}")
    key(axes, THEIRS, f"further off: {beyond}")
    return _finished(figure, axes, closing, bound, "$1-\\beta$", title)


def error_figure(bound: ErrorBound, view: View, title: str | None = None) -> Figure:
    """Draw the distance to the target on the worst input, with the statistic on its axis where it is a distance."""
    masses = _distances(view, bound.witness.x)
    figure, axes, closing = panel_and_history(bound.history, 4.2)
    is_distance = bound.statistic == "mean" or bound.statistic.startswith("quantile")
    head = f"Worst input: {bound.statistic} {brief_interval(bound.lower, bound.upper)}"
    _, (_, far) = _draw(axes, masses, lambda d: not (is_distance and d > bound.attained), head, _DISTANCE)
    if is_distance:
        name = f"{bound.statistic}: {decimal(bound.attained, 6)}"
        rule(axes, x=float(bound.attained), label=literal(name))
    if far:
        key(axes, THEIRS, "further off")
    return _finished(figure, axes, closing, bound, bound.statistic, title)


_DISTANCE = "distance to the target"


def _draw(
    axes: Axes, masses: Mapping[Any, Any], close: Callable[[Any], Any], head: str, across: str
) -> tuple[float, tuple[dict[Any, Any], dict[Any, Any]]]:
    """Draw close and far distances in two colours; return the width of a bar and both parts."""
    near = {place: mass for place, mass in masses.items() if close(place)}
    far = {place: mass for place, mass in masses.items() if place not in near}
    shown, left_out = without_tails({OTHER: near, THEIRS: far})
    dress(axes, head, across + left_out, "probability")
    return histogram(axes, shown), (near, far)


def _finished(
    figure: Figure, axes: Axes, closing: Axes | None, bound: AccuracyBound | ErrorBound, name: str, title: str | None
) -> Figure:
    key(axes, "none", f"x = {short_text(bound.witness.x)}")
    if closing is not None:
        closing_interval(closing, bound.history, name)
    return finish(figure, axes, title)


def _around_target(view: View, x: Any) -> tuple[Any, Mapping[Any, Any]] | None:
    """Return the target and the distribution of the output, if both are numbers compared by their difference."""
    aim = None if view.aim is None else view.aim(x)
    if not is_number(aim):
        return None
    try:
        masses = view.distribution(x)
    except TooLarge:
        return None
    return (aim, masses) if all(map(is_number, masses)) else None


def _distances(view: View, x: Any) -> Mapping[Any, Any]:
    if view.distances is None:
        raise InvalidInput("plot: the distances of this bound are not known.", value=x)
    return view.distances(x)
