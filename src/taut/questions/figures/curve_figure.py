"""Figures of curves: delta against epsilon, and the trade-off of errors."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.composition.certified import power_of_e
from taut.composition.curve import Curve
from taut.questions.privacy_profile import PrivacyProfile
from taut.questions.ratio import epsilon_of
from taut.questions.text import short_text
from taut.questions.tradeoff import TradeoffCurve, TradeoffFunction
from taut.support.exact import INFINITY, decimal
from taut.support.pictures.charts import note, rule, shade
from taut.support.pictures.style import COLORS, EDGE, OURS, QUIET, THEIRS, chart, entitle, finish, literal, logarithmic

__all__ = ["profile_figure", "tradeoff_figure"]


_FEW_CORNERS = 12
_SHORT = 20
"""Letters of an input up to which both of a pair stand on one line of the legend."""
_PAIR_COLORS = (*COLORS, EDGE, "#999999")
_LOWEST = Fraction(1, 10**12)
"""Deltas below this are not drawn."""
_VISIBLE = 0.01
"""The width from which an interval can be seen, of a profile relative to delta."""


def profile_figure(profile: PrivacyProfile, title: str | None = None) -> Figure:
    """Draw delta against epsilon on a logarithmic axis; where it is an interval, that is shaded."""
    runs = sum(count for _, count in profile.parts)
    about = "" if profile.neighbors is None else f", {literal(profile.neighbors)} neighbours"
    if runs:
        about = f" of {runs} runs" + ("" if profile.tight else ", an upper bound")
    figure, axes = chart(f"Privacy profile{about}", r"$\varepsilon$", r"$\delta$")
    most = profile.delta_interval(ratio=1)[1]
    if most:
        _draw(axes, profile, most)
    else:
        axes.plot([0, 1], [0, 0], color=OURS, linewidth=2)
        axes.set(xlim=(0, 1), ylim=(-0.02, 1))
        note(axes, r"$\delta = 0$ for every $\varepsilon$", (0.5, 0), (0, 12), ha="center", fontsize=10, color=QUIET)
    return finish(figure, axes, title)


def _draw(axes: Axes, profile: PrivacyProfile, most: Fraction) -> None:
    """Draw a profile that is not 0 everywhere; ``most`` is its delta at epsilon 0."""
    limit = _limit(profile)
    floor = limit or _floor(profile, most)
    last = epsilon_of(profile.epsilon(limit).lower)
    reach = epsilon_of(profile.epsilon(floor).lower)
    end = (1.15 * reach if limit else 1.04 * min(reach, last)) or 1.0
    places = _places(profile, end, floor)
    xs = [epsilon_of(gamma) for gamma in places]
    ends = [profile.delta_interval(ratio=gamma) for gamma in places]
    low, high = ([float(max(one[side], floor / 10)) for one in ends] for side in range(2))  # a logarithm has no 0
    if not profile.exact and any(b - a > _VISIBLE * b for a, b in zip(low, high, strict=True)):
        shade(axes, xs, low, high, label="certified interval")
        axes.plot(xs, low, color=OURS, linewidth=1, linestyle=":", label="lower end, attained")
    elif not profile.exact:
        axes.plot([], [], color=OURS, linewidth=2, label="certified interval, narrower than the line")
    _draw_pairs(axes, profile, xs, high)
    if profile.exact and 1 < len(profile.corners) <= _FEW_CORNERS:
        marked = [(epsilon_of(gamma), float(delta)) for gamma, delta in profile.corners if delta >= floor]
        axes.plot(*zip(*marked, strict=True), "o", color=EDGE, markersize=4, zorder=4, clip_on=False)
    axes.set_xlim(0, end)
    top = float(most)
    if limit and most < 10 * limit:  # no power of ten in sight to be read
        axes.set_ylim(0, 1.12 * top)
    else:
        bottom = float(floor) if not limit else float(limit) * (float(limit) / top) ** 0.25 / 1.2
        axes.set_ylim(bottom, max(top * (top / bottom) ** 0.04, bottom * 1.5))
        logarithmic(axes)
    if not profile.complete:
        return
    look: dict[str, Any] = {"fontsize": 9, "color": QUIET, "va": "top"}
    if limit:
        rule(axes, y=float(limit), linewidth=0.9, zorder=1)
        sign = "=" if limit == most else r"\geq"
        words = rf"$\delta {sign}$ {decimal(limit, 4)} for every $\varepsilon$"
        note(axes, words, (0.01, float(limit)), (0, -4), xycoords=("axes fraction", "data"), **look)
    elif last <= end and not profile.remainder:
        rule(axes, x=last, linewidth=0.9, zorder=1)
        words = rf"$\delta = 0$ from $\varepsilon$ = {last:.4g} on"
        note(axes, words, (last, 0.97), (-5, 0), xycoords=("data", "axes fraction"), ha="right", **look)


def _limit(profile: PrivacyProfile) -> Fraction:
    """Return the delta that remains however large epsilon is; of an interval the lower end."""
    if profile.remainder:
        return Fraction(0)
    left = Fraction(1)
    for part, count in profile.parts or ((profile, 1),):
        left *= (1 - part.lower.lines[0].mass) ** count
    return 1 - left


def _floor(profile: PrivacyProfile, most: Fraction) -> Fraction:
    """Return the smallest delta that is drawn: below all corners, if they are not too low."""
    lowest = min(_LOWEST, most / 1000)
    if not isinstance(profile.lower, Curve):
        return lowest
    deltas = [profile.lower(Fraction(1)), *[delta for gamma, delta in profile.lower.corners if gamma > 1]]
    smallest = min((delta for delta in deltas if delta), default=most)
    return max(min(smallest / 20, most / 1000), lowest)


def _places(profile: PrivacyProfile, end: float, floor: Fraction) -> list[Fraction]:
    """Return the ratios at which the curve is evaluated: evenly spaced in the loss and in log(delta), and the corners.

    Towards its last corner the logarithm falls without end, and there only the last of these are close enough.
    """
    curves = [curve for curve in (profile.lower, profile.upper) if isinstance(curve, Curve)]
    steps = 400 if curves else 120
    places = {power_of_e(end * step / steps) for step in range(1, steps + 1)} | {Fraction(1)}
    for curve in curves:
        levels = [Fraction(height) for height in np.geomspace(float(floor), float(curve(Fraction(1))) or 1.0, 120)]
        places |= {gamma for gamma, _ in curve.corners} | {curve.inverse(level) for level in levels}
    return sorted(place for place in places if 1 <= place < INFINITY and epsilon_of(place) <= end)


def _draw_pairs(axes: Axes, profile: PrivacyProfile, xs: list[float], ys: list[float]) -> None:
    """Draw the curve, each stretch in the colour of its worst pair where that is known."""
    known = not profile.parts and profile.exact
    positive = [piece for piece in profile.pieces if piece.mass] if known else []  # on the last, all pairs may be alike
    colors = dict(zip(dict.fromkeys(piece.witness for piece in positive), _PAIR_COLORS, strict=False))
    pairs = len({piece.witness for piece in positive})
    if not 1 <= pairs <= len(_PAIR_COLORS):
        several = f"{pairs} pairs are worst, one after the other" if pairs else None
        axes.plot(xs, ys, color=OURS, linewidth=2, label=several if profile.complete else "upper end")
        return
    named: set[Any] = set()
    for pair, pieces in groupby(positive, key=lambda piece: piece.witness):
        run = list(pieces)
        low, high = epsilon_of(run[0].low), epsilon_of(run[-1].high)
        inside = [(x, y) for x, y in zip(xs, ys, strict=True) if low <= x <= high]
        if len(inside) > 1:
            texts = short_text(pair.x), short_text(pair.x_prime)
            words = f"worst: x = {texts[0]},{'  ' if len(texts[0]) <= _SHORT else chr(10)}x' = {texts[1]}"
            label = None if pair in named else words
            named.add(pair)
            axes.plot(*zip(*inside, strict=True), color=colors[pair], linewidth=2.2, label=label)


_DISTINCT = 0.002
"""The distance from which a second curve can be seen."""


def tradeoff_figure(curve: TradeoffCurve, title: str | None = None) -> Figure:
    """Draw the errors of the second kind against those of the first."""
    about = "" if curve.neighbors is None else f", {literal(curve.neighbors, 30)} neighbours"
    labels = r"error of the first kind, $\alpha$", r"error of the second kind, $\beta$"
    figure, axes = chart(f"Trade-off curve{about}", *labels, 5.2, 5.2)
    axes.plot([0, 1], [1, 0], color=QUIET, linewidth=1, linestyle=(0, (4, 3)), label=r"no difference, $\beta=1-\alpha$")
    lower, hull = curve.lower, curve.lower.convex()
    alphas = sorted({corner.alpha for corner in (*lower.corners, *curve.upper.corners)})
    wide = not curve.exact and max(curve.upper(alpha) - lower(alpha) for alpha in alphas) > _VISIBLE
    if wide:
        ends = ([float(end(alpha)) for alpha in alphas] for end in (lower, curve.upper))
        shade(axes, [float(alpha) for alpha in alphas], *ends, label="certified interval")
        axes.plot(*_corners(curve.upper), color=OURS, linewidth=1, linestyle=":", label="upper end, attained")
    marker = "o" if len(lower.corners) <= _FEW_CORNERS else None
    what = "lower end" if wide else "the best test of any pair"
    axes.plot(*_corners(lower), color=OURS, linewidth=2, marker=marker, markersize=4, clip_on=False, label=what)
    if any(lower(corner.alpha) - hull(corner.alpha) > _DISTINCT for corner in lower.corners):
        axes.plot(*_corners(hull), color=THEIRS, linewidth=1.5, linestyle="--", label="convex envelope")
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(loc="upper right", frameon=False, fontsize=9)
    return entitle(figure, title)


def _corners(function: TradeoffFunction) -> tuple[list[float], list[float]]:
    return [float(c.alpha) for c in function.corners], [float(c.beta) for c in function.corners]
