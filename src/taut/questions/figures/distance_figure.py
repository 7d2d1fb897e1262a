"""The figure of an accuracy or an error: the output around its target, or its distance, on the worst input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.questions.accuracy import AccuracyBound
from taut.questions.bound import View
from taut.questions.error import ErrorBound
from taut.questions.text import brief_interval, short_text, text_of
from taut.support.errors import InvalidInput, TooLarge
from taut.support.exact import decimal, is_number, number
from taut.support.pictures.bars import histogram, without_tails
from taut.support.pictures.curves import closing_interval, panel_and_history, rule
from taut.support.pictures.style import OTHER, THEIRS, dress, finish, key, literal

__all__ = ["accuracy_figure", "error_figure"]


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
