"""Figures of pairs: the output distributions of two neighbours side by side, and their privacy loss."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.questions.bound import View
from taut.questions.delta import DeltaBound
from taut.questions.epsilon import EpsilonBound
from taut.questions.loss import LossDistribution
from taut.questions.pair_measure import DivergenceBound
from taut.questions.privacy import PrivacyBound
from taut.questions.ratio import brief_epsilon, epsilon_of
from taut.questions.renyi import RenyiBound
from taut.questions.text import as_typed, brief, brief_interval, rounded_up, short_text, telling, vector_text
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.support.exact import INFINITY, decimal, may_be_equal, quotient, surely_above
from taut.support.pictures.charts import Bar, Row, bars, closing_interval, histogram, panel_and_history, without_tails
from taut.support.pictures.style import EDGE, OURS, THEIRS, chart, drawable, dress, finish, key, literal

__all__ = [
    "OutputRow",
    "are_many_numbers",
    "divergence_figure",
    "draw_loss",
    "loss_figure",
    "output_rows",
    "privacy_figure",
]


_MOST_POINTS = 40
_LETTERS = ("$\\varepsilon$", "$e^\\varepsilon$")
_WIDE = 64
"""Letters for which there is room under bars that stand; where there are more, the bars lie."""


@dataclass(frozen=True)
class _Marks:
    """The outputs that are outlined, and the words that say why."""

    outlined: Callable[[Any, Any, Any], bool] = lambda y, p, q: False
    words: str = ""
    factor: Any = None
    """Written at the outlined bars: how many times as likely they are."""
    ratio: Any = None
    """The excess over this many times the probability on x' is hatched."""


_ONLY_ON_X = _Marks(lambda y, p, q: bool(p != 0 and q == 0), "outlined: possible on x, impossible on x'")


def privacy_figure(bound: PrivacyBound, view: View, title: str | None = None) -> Figure:
    """Draw the worst pair of a privacy bound; marked are the outputs whose ratio is the largest."""
    ratio, y = bound.attained, bound.witness.y
    if ratio == INFINITY:
        marks = _Marks(_ONLY_ON_X.outlined, _ONLY_ON_X.words, ratio)
    elif may_be_equal(ratio, Fraction(1)):
        marks = _Marks(words="no output tells x from x'")
    else:
        words = f"outlined: {_factor(ratio, 6)} times as likely on x as on x'"
        marks = _Marks(lambda z, p, q: z == y or (q != 0 and may_be_equal(quotient(p, q), ratio)), words, ratio)
    return _pair_figure(bound, view, title, _epsilon(bound), "", marks)


def divergence_figure(bound: DivergenceBound, view: View, title: str | None = None) -> Figure:
    """Draw the worst pair of a divergence; of delta with the event that tells the two apart, and its excess."""
    named = bound._named()
    name = "$\\delta$" if named == "delta" else literal(named)
    head, at, marks = f"{name} {brief_interval(bound.lower, bound.upper)}", "", _Marks()
    if isinstance(bound, EpsilonBound):
        head, at = _epsilon(bound), f"\nat $\\delta$ = {as_typed(bound.delta)}"
        marks = _ONLY_ON_X if bound.attained == INFINITY else _event(bound.attained)
    elif isinstance(bound, DeltaBound):
        marks, epsilon = _event(bound.ratio), bound.at_epsilon
        where = brief_epsilon(bound.ratio, bound.ratio, *_LETTERS)
        at = f" at {where if epsilon is None else f'{_LETTERS[0]} = {brief(epsilon)}'}"
    elif isinstance(bound, RenyiBound):
        sign, moment = "=" if bound.exact else "$\\leq$", head.removeprefix(f"{name} ").removeprefix("= ")
        head = f"Rényi divergence of order {bound.order} {sign} {rounded_up(bound.divergence)}\n(moment {moment})"
    return _pair_figure(bound, view, title, head, at, marks)


def _logarithm(end: Any) -> Any:
    return None if end is None else epsilon_of(end)


def _epsilon(bound: PrivacyBound | EpsilonBound) -> str:
    return brief_epsilon(bound.lower, bound.upper, *_LETTERS)


def _event(ratio: Any) -> _Marks:
    words = f"outlined: more than {_factor(ratio, 6)} times as likely on x as on x'"
    return _Marks(lambda y, p, q: surely_above(p, ratio * q) is True, words, ratio=ratio)


def _pair_figure(
    bound: PrivacyBound | DivergenceBound, view: View, title: str | None, head: str, at: str, marks: _Marks
) -> Figure:
    x, x_prime = bound.witness.x, bound.witness.x_prime
    try:
        own, other = view.distribution(x), view.distribution(x_prime)
    except TooLarge as problem:
        if view.loss is None or isinstance(problem, (OutOfTime, OutOfMemory)):
            raise
        own = other = {}
    numbers = are_many_numbers({*own, *other})
    rows = [] if numbers else output_rows(own, other, marks.outlined)
    lying = bool(rows) and len(rows) * (max(len(row.label) for row in rows) + 1) > _WIDE
    figure, axes, closing = panel_and_history(bound.history, max(3.4, 1.7 + 0.34 * len(rows)) if lying else 4.2)
    apart = "\n" if lying or closing is not None else ", "  # beside a second panel there is no room for a long line
    about = "" if bound.neighbors is None else f"{apart}{literal(bound.neighbors)} neighbours"
    labels = ("probability", "") if lying else ("output", "probability")
    dress(axes, f"{head}{at}{about}", *labels)
    words = marks.words
    if rows:
        bars(axes, _bars_of(rows, marks), lying=lying, log=_hard_to_see(rows))
    elif numbers:
        axes.set_xlabel("output" + _areas(axes, own, other, marks))
    else:
        assert view.loss is not None
        draw_loss(axes, view.loss(x, x_prime))
        axes.set_xlabel(r"$\ln\,(P[A(x)=y]\,/\,P[A(x')=y])$")
        words = "there are too many outputs to list: they are grouped by their ratio"
    key(axes, OURS, f"on x = {short_text(x)}")
    key(axes, THEIRS, f"on x' = {short_text(x_prime)}")
    outlined = any(marks.outlined(y, p, other.get(y, 0)) for y, p in own.items())
    if words and (outlined or not words.startswith("outlined")):
        key(axes, "none", words, EDGE if outlined else None)
    if marks.ratio is not None and rows and outlined:
        key(axes, "#ffffff", "hatched: the excess over $e^\\varepsilon$ times the probability on x'", OURS)
    if closing is not None:
        logarithms = head.startswith(_LETTERS[0])
        history = [(one[0], *map(_logarithm, one[1:])) for one in bound.history] if logarithms else bound.history
        closing_interval(closing, history, head.partition(" ")[0])
    return finish(figure, axes, title)


def _bars_of(rows: Sequence[OutputRow], marks: _Marks) -> list[Row]:
    """Return two bars per row; zeros, which cannot be seen, are written."""
    found, some = [], any(row.marked for row in rows)
    for row in rows:
        look: dict[str, Any] = {"outlined": row.marked, "pale": some and not row.marked}
        told = row.marked or len(rows) <= 12
        p, q = ("" if float(value) or not told else decimal(value, 2) for value in (row.p, row.q))
        if row.marked and marks.factor is not None:
            p = "∞" if marks.factor == INFINITY else f"×{_factor(marks.factor, 4)}"
        usual = marks.ratio * row.q if row.marked and marks.ratio is not None else None
        found.append(
            Row(literal(row.label, 60), [Bar(row.p, OURS, p, usual=usual, **look), Bar(row.q, THEIRS, q, **look)])
        )
    return found


def _hard_to_see(rows: Sequence[OutputRow]) -> bool:
    """Return True if the marked bars would be too small on an axis that is not logarithmic."""
    top = max(float(value) for row in rows for value in (row.p, row.q))
    return 0 < max((float(row.p) for row in rows if row.marked), default=top) < top / 25


def _areas(axes: Axes, own: Mapping[Any, Any], other: Mapping[Any, Any], marks: _Marks) -> str:
    """Draw many numbers as areas, with dots at some of the marked ones; return words on those left out."""
    every = {*own, *other}
    masses = {color: {y: one.get(y, 0) for y in every} for color, one in ((OURS, own), (THEIRS, other))}
    shown, left_out = without_tails(masses)
    histogram(axes, shown, areas=True)
    chosen = [y for y, p in sorted(shown[OURS].items()) if marks.outlined(y, p, shown[THEIRS][y])]
    points = chosen[:: -(-len(chosen) // _MOST_POINTS) or 1]
    for color, one in shown.items() if points else ():
        look: dict[str, Any] = {"markersize": 5, "markerfacecolor": color, "markeredgecolor": EDGE, "zorder": 3}
        axes.plot([float(y) for y in points], [float(one[y]) for y in points], "o", clip_on=False, **look)
    return left_out


def _factor(ratio: Any, digits: int) -> str:
    words = telling(ratio, digits)
    return f"({words})" if " " in words else words


_MOST_ROWS = 24
_MOST_GROUPS = 16


@dataclass(frozen=True)
class OutputRow:
    """An output, or a group of outputs, with its mass on x and on x'; ``marked`` if it tells them apart."""

    label: str
    p: Any
    q: Any
    marked: bool


def are_many_numbers(outputs: set[Any]) -> bool:
    """Return True if outputs are numbers, and too many for a row each."""
    return len(outputs) > _MOST_ROWS and all(
        isinstance(y, (int, Fraction)) and not isinstance(y, bool) for y in outputs
    )


def output_rows(
    own: Mapping[Any, Any], other: Mapping[Any, Any], marked: Callable[[Any, Any, Any], bool]
) -> list[OutputRow]:
    """Return the rows for two distributions.

    Few outputs have a row each. Many are grouped by the ratio of their two probabilities, which loses nothing that
    tells x from x'; if these are many too, the outputs that differ most are shown and the others are one row.
    """
    outputs = _sorted({*own, *other})
    every = {y: _row([y], vector_text(y), own, other, marked) for y in outputs}
    if len(outputs) <= _MOST_ROWS:
        return list(every.values())
    groups: dict[Any, list[Any]] = {}
    for y, row in every.items():
        groups.setdefault((quotient(row.p, row.q), row.marked), []).append(y)
    if len(groups) <= _MOST_GROUPS:
        largest_first = sorted(groups.items(), key=lambda item: -drawable(item[0][0]))
        return [_row(members, _group(ratio, members), own, other, marked) for (ratio, _), members in largest_first]
    telling = sorted(every, key=lambda y: (not every[y].marked, -abs(float(every[y].p) - float(every[y].q))))
    shown = set(telling[: _MOST_ROWS - 4])
    rows = [every[y] for y in outputs if y in shown]
    for flag, word in ((True, "more that are outlined"), (False, "others")):
        rest = [y for y in outputs if y not in shown and every[y].marked == flag]
        if rest:
            rows.append(_row(rest, f"{len(rest)} {word}, together", own, other, marked))
    return rows


def _row(
    members: Sequence[Any],
    label: str,
    own: Mapping[Any, Any],
    other: Mapping[Any, Any],
    marked: Callable[[Any, Any, Any], bool],
) -> OutputRow:
    """Return the row of outputs that are all marked, or all not."""
    first = members[0]
    p, q = (sum(masses.get(y, 0) for y in members) for masses in (own, other))
    return OutputRow(label, p, q, marked(first, own.get(first, 0), other.get(first, 0)))


def _sorted(outputs: set[Any]) -> list[Any]:
    """Return outputs by their size where they have one, else by their text."""
    try:
        return sorted(outputs)
    except TypeError:
        return sorted(outputs, key=lambda y: (type(y).__name__, vector_text(y)))


def _group(ratio: Any, members: Sequence[Any]) -> str:
    size = "infinite" if ratio == INFINITY else decimal(ratio, 4)
    first = vector_text(members[0])
    first = first if len(first) <= 28 else f"{first[:18]} ... {first[-6:]}"
    others = "" if len(members) == 1 else f" and {len(members) - 1} more"
    return f"ratio {size}: {first}{others}"


def loss_figure(loss: LossDistribution, title: str | None = None) -> Figure:
    """Draw the masses of the privacy losses under x and under x'; infinite losses stand at the edges."""
    figure, axes = chart("Privacy loss", r"loss, $\ln\,(P[A(x)=y]\,/\,P[A(x')=y])$", "probability")
    draw_loss(axes, loss)
    key(axes, OURS, f"under x = {short_text(loss.x)}")
    key(axes, THEIRS, f"under x' = {short_text(loss.x_prime)}")
    return finish(figure, axes, title)


def draw_loss(axes: Axes, loss: LossDistribution) -> None:
    """Draw the bars of a loss distribution, without words."""
    own: dict[float, float] = defaultdict(float)
    other: dict[float, float] = defaultdict(float)
    for atom in loss.atoms:
        own[epsilon_of(atom.ratio)] += float(atom.mass)
        other[epsilon_of(atom.ratio)] += float(atom.mass_prime)
    histogram(axes, {OURS: own, THEIRS: other})
