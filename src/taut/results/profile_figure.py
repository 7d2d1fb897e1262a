"""The figure of a privacy profile: delta against epsilon.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from taut.numbers import INFINITY, decimal
from taut.pictures import COLORS, OURS, QUIET, dress, entitle, legend_below, literal, one_panel
from taut.results.certified import power_of_e
from taut.results.curve import Curve
from taut.results.privacy import epsilon_of
from taut.results.profile import PrivacyProfile
from taut.results.text import short_text

__all__ = ["profile_figure"]

_FEW_CORNERS = 12
_PAIR_COLORS = (*COLORS, "#222222", "#999999")
_LOWEST = Fraction(1, 10**12)
"""Deltas below this are not drawn."""
_VISIBLE = 0.01
"""The relative width from which an interval can be seen."""


def profile_figure(profile: PrivacyProfile, title: str | None = None) -> Figure:
    """Delta against epsilon on a logarithmic axis; where it is an interval, that is shaded."""
    figure, axes = one_panel()
    runs = sum(count for _, count in profile.parts)
    if not runs:
        about = "" if profile.neighbors is None else f", {literal(profile.neighbors)} neighbours"
    else:
        about = f" of {runs} runs" + ("" if profile.tight else ", an upper bound")
    dress(axes, f"Privacy profile{about}", r"$\varepsilon$", r"$\delta$, logarithmic", log=True)
    if title is not None:
        entitle(figure, title)
    most = profile.delta_interval(ratio=1)[1]
    if most == 0:
        _never_positive(axes)
        return figure
    limit = _limit(profile)
    floor = _floor(profile, limit)
    last = profile.epsilon(limit).lower
    reach = epsilon_of(profile.epsilon(max(floor, limit)).lower)
    end = 1.15 * reach if limit else 1.04 * min(reach, epsilon_of(last))
    places = _places(profile, end or 1.0, floor)
    lows, highs = zip(*(profile.delta_interval(ratio=gamma) for gamma in places), strict=True)
    xs = [epsilon_of(gamma) for gamma in places]
    low, high = [_height(value, floor) for value in lows], [_height(value, floor) for value in highs]
    _interval(axes, profile, xs, low, high)
    _by_pair(axes, profile, xs, high)
    if profile.exact and 1 < len(profile.corners) <= _FEW_CORNERS:
        marked = [(epsilon_of(gamma), float(delta)) for gamma, delta in profile.corners if delta >= floor]
        axes.plot(*zip(*marked, strict=True), "o", color="#222222", markersize=4, zorder=4, clip_on=False)
    bottom = float(floor) if not limit else float(limit) * (float(limit) / float(most)) ** 0.25 / 1.2
    axes.set_ylim(bottom, max(float(most) * (float(most) / bottom) ** 0.04, bottom * 1.5))
    axes.set_xlim(0, end or 1.0)
    if limit and float(most) < 10 * float(limit):  # no power of ten in sight to be read
        axes.set_yscale("linear")
        axes.set_ylabel(r"$\delta$")
        axes.set_ylim(0, 1.12 * float(most))
    if profile.complete:
        _say_the_end(axes, limit, most, last, end or 1.0)
    legend_below(figure, axes)
    return figure


def _never_positive(axes: Axes) -> None:
    axes.set_yscale("linear")
    axes.set_ylabel(r"$\delta$")
    axes.plot([0, 1], [0, 0], color=OURS, linewidth=2)
    axes.set_xlim(0, 1)
    axes.set_ylim(-0.02, 1)
    axes.text(0.5, 0.06, r"$\delta = 0$ for every $\varepsilon$", ha="center", fontsize=10, color=QUIET)


def _limit(profile: PrivacyProfile) -> Fraction:
    """The delta that remains however large epsilon is; of an interval the lower end."""
    left = Fraction(1)
    for part, count in profile.parts or ((profile, 1),):
        left *= (1 - part.lower.lines[0].mass) ** count
    return 1 - left


def _floor(profile: PrivacyProfile, limit: Fraction) -> Fraction:
    """The smallest delta that is drawn: below all corners, if they are not too low."""
    if limit:
        return limit
    most = profile.delta_interval(ratio=1)[1]
    if not isinstance(profile.lower, Curve):
        return min(_LOWEST, most / 1000)
    deltas = [profile.lower(Fraction(1)), *[delta for gamma, delta in profile.lower.corners if gamma > 1]]
    smallest = min((delta for delta in deltas if delta), default=most)
    return max(min(smallest / 20, most / 1000), min(_LOWEST, most / 1000))


def _places(profile: PrivacyProfile, end: float, floor: Fraction) -> list[Fraction]:
    """The ratios at which the curve is evaluated: evenly spaced losses, corners, and evenly spaced logarithms of delta.

    Towards its last corner the logarithm falls without end, and there only the last of these are close enough.
    """
    curves = [curve for curve in (profile.lower, profile.upper) if isinstance(curve, Curve)]
    steps = 400 if curves else 120
    places = {power_of_e(end * step / steps) for step in range(1, steps + 1)} | {Fraction(1)}
    for curve in curves:
        levels = [Fraction(height) for height in np.geomspace(float(floor), float(curve(Fraction(1))) or 1.0, 120)]
        places |= {gamma for gamma, _ in curve.corners} | {curve.inverse(level) for level in levels}
    return sorted(place for place in places if 1 <= place < INFINITY and epsilon_of(place) <= end)


def _interval(axes: Axes, profile: PrivacyProfile, xs: list[float], low: list[float], high: list[float]) -> None:
    """The certified interval, as an area where it can be seen, else in words."""
    if profile.exact:
        return
    if any(b - a > _VISIBLE * b for a, b in zip(low, high, strict=True)):
        axes.fill_between(xs, low, high, color=OURS, alpha=0.22, linewidth=0, label="certified interval")
        axes.plot(xs, low, color=OURS, linewidth=1, linestyle=":", label="lower end, attained")
    else:
        axes.plot([], [], color=OURS, linewidth=2, label="certified interval, narrower than the line")


def _by_pair(axes: Axes, profile: PrivacyProfile, xs: list[float], ys: list[float]) -> None:
    """The curve, each stretch in the colour of its worst pair."""
    stretches = _stretches(profile)
    pairs = list(dict.fromkeys(pair for _, _, pair in stretches))
    if not 1 <= len(pairs) <= len(_PAIR_COLORS):
        several = f"{len(pairs)} pairs are worst, one after the other" if pairs else None
        axes.plot(xs, ys, color=OURS, linewidth=2, label=several if profile.complete else "upper end")
        return
    colors = dict(zip(pairs, _PAIR_COLORS, strict=False))
    named: set[Any] = set()
    for low, high, pair in stretches:
        inside = [(x, y) for x, y in zip(xs, ys, strict=True) if low <= x <= high]
        if len(inside) < 2:
            continue
        label = None if pair in named else f"worst: {_pair_text(pair)}"
        named.add(pair)
        axes.plot(*zip(*inside, strict=True), color=colors[pair], linewidth=2.2, solid_capstyle="butt", label=label)


def _stretches(profile: PrivacyProfile) -> list[tuple[float, float, Any]]:
    """Where, in epsilon, one pair is the worst; empty if that is not known."""
    if profile.parts or not profile.exact:
        return []
    stretches = []
    positive = [piece for piece in profile.pieces if piece.mass]  # on the last piece all pairs may be alike
    for pair, pieces in groupby(positive, key=lambda piece: piece.witness):
        run = list(pieces)
        stretches.append((epsilon_of(run[0].low), epsilon_of(run[-1].high), pair))
    return stretches


def _say_the_end(axes: Axes, limit: Fraction, most: Fraction, last: Any, end: float) -> None:
    """What becomes of delta to the right."""
    if limit:
        axes.axhline(float(limit), color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        sign = "=" if limit == most else r"\geq"
        words = rf"$\delta {sign}$ {decimal(limit, 4)} for every $\varepsilon$"
        axes.annotate(
            words,
            (0.01, float(limit)),
            xycoords=("axes fraction", "data"),
            xytext=(0, -4),
            textcoords="offset points",
            va="top",
            fontsize=9,
            color=QUIET,
        )
    elif last < INFINITY and epsilon_of(last) <= end:
        axes.axvline(epsilon_of(last), color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        words = rf"$\delta = 0$ from $\varepsilon$ = {epsilon_of(last):.4g} on"
        axes.annotate(
            words,
            (epsilon_of(last), 0.97),
            xycoords=("data", "axes fraction"),
            xytext=(-5, 0),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=9,
            color=QUIET,
        )


def _height(delta: Fraction, floor: Fraction) -> float:
    """A delta on a logarithmic axis, where 0 lies below everything."""
    return float(max(delta, floor / 10))


def _pair_text(pair: Any) -> str:
    return f"x = {short_text(pair.x)},  x' = {short_text(pair.x_prime)}"
