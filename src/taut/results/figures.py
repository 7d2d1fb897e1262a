"""Figures of profiles, trade-off curves and loss distributions, as a paper would print them.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from taut.numbers import INFINITY, decimal
from taut.pictures import COLORS, OURS, QUIET, THEIRS, dress, entitle, one_panel
from taut.results.curve import Curve
from taut.results.loss import LossDistribution
from taut.results.privacy import epsilon_of
from taut.results.profile import PrivacyProfile
from taut.results.text import vector_text
from taut.results.tradeoff import TradeoffFunction
from taut.results.tradeoff_curve import TradeoffCurve

__all__ = ["loss_figure", "profile_figure", "tradeoff_figure"]

_FEW_CORNERS = 12
_FEW_ATOMS = 32
_MOST_BARS, _BINS = 300, 60
_PAIR_COLORS = (*COLORS, "#222222", "#999999")
_LOWEST = Fraction(1, 10**12)
"""Deltas below this are not drawn."""
_VISIBLE = 0.01
"""The relative width from which an interval can be seen."""


# ------------------------------------------------------------------------------------------------------ the profile


def profile_figure(profile: PrivacyProfile, title: str | None = None) -> Figure:
    """Delta against epsilon on a logarithmic axis; where it is an interval, that is shaded."""
    figure, axes = one_panel()
    runs = sum(count for _, count in profile.parts)
    if not runs:
        about = "" if profile.neighbors is None else f", {profile.neighbors} neighbours"
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
    reach = _log(profile.epsilon(max(floor, limit)).lower)
    end = 1.15 * reach if limit else 1.04 * min(reach, _log(last))
    places = _places(profile, end or 1.0, floor)
    lows, highs = zip(*(profile.delta_interval(ratio=gamma) for gamma in places), strict=True)
    xs = [_log(gamma) for gamma in places]
    low, high = [_height(value, floor) for value in lows], [_height(value, floor) for value in highs]
    _interval(axes, profile, xs, low, high)
    _by_pair(axes, profile, xs, high)
    if profile.exact and 1 < len(profile.corners) <= _FEW_CORNERS:
        marked = [(_log(gamma), float(delta)) for gamma, delta in profile.corners if delta >= floor]
        axes.plot(*zip(*marked, strict=True), "o", color="#222222", markersize=4, zorder=4, clip_on=False)
    bottom = float(floor) if not limit else float(limit) * (float(limit) / float(most)) ** 0.25 / 1.2
    axes.set_ylim(bottom, max(float(most) * (float(most) / bottom) ** 0.04, bottom * 1.5))
    axes.set_xlim(0, end or 1.0)
    if profile.complete:
        _say_the_end(axes, limit, most, last, end or 1.0)
    _legend_below(figure, axes)
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
    smallest = min(delta for gamma, delta in profile.lower.corners if delta and (gamma > 1 or delta >= most))
    return max(min(smallest / 20, most / 1000), min(_LOWEST, most / 1000))


def _places(profile: PrivacyProfile, end: float, floor: Fraction) -> list[Fraction]:
    """The ratios at which the curve is evaluated: evenly spaced losses, corners, and evenly spaced logarithms of delta.

    Towards its last corner the logarithm falls without end, and there only the last of these are close enough.
    """
    curves = [curve for curve in (profile.lower, profile.upper) if isinstance(curve, Curve)]
    steps = 400 if curves else 120
    places = {Fraction(math.exp(end * step / steps)) for step in range(1, steps + 1)} | {Fraction(1)}
    for curve in curves:
        levels = [Fraction(height) for height in np.geomspace(float(floor), float(curve(Fraction(1))) or 1.0, 120)]
        places |= {gamma for gamma, _ in curve.corners} | {curve.inverse(level) for level in levels}
    return sorted(place for place in places if 1 <= place < INFINITY and _log(place) <= end)


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
        stretches.append((_log(run[0].low), _log(run[-1].high), pair))
    return stretches


def _say_the_end(axes: Axes, limit: Fraction, most: Fraction, last: Any, end: float) -> None:
    """What becomes of delta to the right."""
    if limit:
        axes.axhline(float(limit), color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        sign = "=" if limit == most else r"\geq"
        words = rf"$\delta {sign} {decimal(limit, 4)}$ for every $\varepsilon$"
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
    elif last < INFINITY and _log(last) <= end:
        axes.axvline(_log(last), color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        words = rf"$\delta = 0$ from $\varepsilon = {_log(last):.4g}$ on"
        axes.annotate(
            words,
            (_log(last), 0.97),
            xycoords=("data", "axes fraction"),
            xytext=(-5, 0),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=9,
            color=QUIET,
        )


# --------------------------------------------------------------------------------------------------- the trade-off


def tradeoff_figure(curve: TradeoffCurve, title: str | None = None) -> Figure:
    """The errors of the second kind against those of the first, with the convex envelope and the diagonal."""
    figure, axes = one_panel(5.2, 5.2)
    about = "" if curve.neighbors is None else f", {curve.neighbors} neighbours"
    dress(axes, f"Trade-off curve{about}", r"error of the first kind, $\alpha$", r"error of the second kind, $\beta$")
    axes.plot([0, 1], [1, 0], color=QUIET, linewidth=1, linestyle=(0, (4, 3)), label=r"no difference, $\beta=1-\alpha$")
    lower: TradeoffFunction = curve.lower
    xs, ys = _corners(lower)
    what = "the best test of any pair"
    if not curve.exact:
        _, lows, highs = _between(lower, curve.upper)
        if max(b - a for a, b in zip(lows, highs, strict=True)) > _VISIBLE:
            what = "lower end"
            axes.fill_between(
                *_between(lower, curve.upper), color=OURS, alpha=0.22, linewidth=0, label="certified interval"
            )
            axes.plot(*_corners(curve.upper), color=OURS, linewidth=1, linestyle=":", label="upper end, attained")
    few = len(xs) <= _FEW_CORNERS
    axes.plot(xs, ys, color=OURS, linewidth=2, marker="o" if few else None, markersize=4, clip_on=False, label=what)
    hull = _corners(lower.convex())
    if _differs(lower):
        axes.plot(*hull, color=THEIRS, linewidth=1.5, linestyle="--", label="convex envelope")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.legend(loc="upper right", frameon=False, fontsize=9)
    if title is not None:
        entitle(figure, title)
    return figure


def _corners(function: TradeoffFunction) -> tuple[list[float], list[float]]:
    return [float(c.alpha) for c in function.corners], [float(c.beta) for c in function.corners]


def _between(low: TradeoffFunction, high: TradeoffFunction) -> tuple[list[float], list[float], list[float]]:
    alphas = sorted({corner.alpha for corner in (*low.corners, *high.corners)})
    return [float(a) for a in alphas], [float(low(a)) for a in alphas], [float(high(a)) for a in alphas]


def _differs(function: TradeoffFunction) -> bool:
    """Whether the convex envelope lies so far below a function that it can be seen."""
    hull = function.convex()
    return any(function(corner.alpha) - hull(corner.alpha) > _VISIBLE / 5 for corner in function.corners)


# -------------------------------------------------------------------------------------------------------- the loss


def loss_figure(loss: LossDistribution, title: str | None = None) -> Figure:
    """The masses of the privacy losses under x and under x'; infinite losses stand at the edges."""
    figure, axes = one_panel()
    dress(axes, "Privacy loss", r"loss, $\ln\,(P[A(x)=y]\,/\,P[A(x')=y])$", "probability")
    finite = [(_log(a.ratio), float(a.mass), float(a.mass_prime)) for a in loss.atoms if 0 < a.ratio < INFINITY]
    ends = {
        side: (sum(float(a.mass) for a in atoms), sum(float(a.mass_prime) for a in atoms))
        for side, atoms in (
            (-1, [a for a in loss.atoms if a.ratio == 0]),
            (1, [a for a in loss.atoms if a.ratio == INFINITY]),
        )
        if atoms
    }
    low, high = (min(a for a, _, _ in finite), max(a for a, _, _ in finite)) if finite else (-0.5, 0.5)
    span = (high - low) or 1.0
    gap = min((b[0] - a[0] for a, b in pairwise(finite)), default=span)
    width = 0.42 * span / 12
    if len(finite) <= _FEW_ATOMS or gap >= span / _MOST_BARS:
        few = len(finite) <= _FEW_ATOMS
        own = 0.42 * min(max(gap, span / 90), span / 6) if few else 0.9 * gap
        width = max(width, own) if few else width
        _bars(axes, finite, own, apart=few)
    else:
        _histogram(axes, finite)
    edges = [side * (0.2 * span) + (high if side > 0 else low) for side in ends]
    if ends:
        _bars(axes, [(edge, *ends[side]) for edge, side in zip(edges, ends, strict=True)], width, hatch="////")
        for edge, side in zip(edges, ends, strict=True):
            axes.annotate(
                f"{max(ends[side]):.3g}",
                (edge + (0.5 if side < 0 else -0.5) * width, max(ends[side])),
                xytext=(0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
            )
        _name_the_edges(axes, dict(zip(ends, edges, strict=True)), low, high, bool(finite))
    margin = 2 * width + 0.05 * span
    axes.set_xlim(min([low, *edges]) - margin, max([high, *edges]) + margin)
    axes.plot([], [], "s", color=OURS, label=f"under x = {_short(loss.x)}")
    axes.plot([], [], "s", color=THEIRS, label=f"under x' = {_short(loss.x_prime)}")
    _legend_below(figure, axes)
    if title is not None:
        entitle(figure, title)
    return figure


def _bars(
    axes: Axes, atoms: Sequence[tuple[float, float, float]], width: float, hatch: str | None = None, apart: bool = True
) -> None:
    """Two bars per atom, side by side, or where there are many one before the other."""
    for place, (column, color) in enumerate(((1, OURS), (2, THEIRS))):
        xs = [atom[0] + (place - 0.5) * width * apart for atom in atoms]
        heights = [atom[column] for atom in atoms]
        alpha = 1 if apart else 0.65
        axes.bar(xs, heights, width, color=color, alpha=alpha, hatch=hatch, edgecolor="white", linewidth=0)


def _histogram(axes: Axes, atoms: Sequence[tuple[float, float, float]]) -> None:
    """Many atoms in bins: an area under x, an outline under x'."""
    losses = [atom[0] for atom in atoms]
    for column, color in ((1, OURS), (2, THEIRS)):
        heights, sides = np.histogram(losses, bins=_BINS, weights=[atom[column] for atom in atoms])
        axes.stairs(heights, sides, color=color, fill=True, alpha=0.35)
        axes.stairs(heights, sides, color=color, linewidth=1.3)


def _name_the_edges(axes: Axes, edges: dict[int, float], low: float, high: float, numbers: bool) -> None:
    """Ticks at the infinite losses, set apart from the axis of numbers if there are any."""
    inner = [tick for tick in MaxNLocator(6).tick_values(low, high) if low - 1e-9 <= tick <= high + 1e-9]
    inner = (inner if low < high else [low]) if numbers else []
    ticks = {tick: f"{tick:g}" for tick in inner}
    ticks |= {edge: r"$+\infty$" if side > 0 else r"$-\infty$" for side, edge in edges.items()}
    axes.xaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.xaxis.set_major_formatter(FixedFormatter([ticks[tick] for tick in sorted(ticks)]))
    for side, edge in edges.items():
        border = (edge + (high if side > 0 else low)) / 2
        axes.axvline(border, color=QUIET, linewidth=0.9, linestyle=(0, (2, 3)))


# ------------------------------------------------------------------------------------------------------ what they share


def _legend_below(figure: Figure, axes: Axes) -> None:
    """A legend that covers nothing: the figure grows with it."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        columns = 2 if len(labels) > 3 and max(map(len, labels)) < 44 else 1
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5)
        figure.set_figheight(figure.get_figheight() + 0.18 * max(0, -(-len(labels) // columns) - 1))


def _log(ratio: Any) -> float:
    return epsilon_of(ratio)


def _height(delta: Fraction, floor: Fraction) -> float:
    """A delta on a logarithmic axis, where 0 lies below everything."""
    return float(max(delta, floor / 10))


def _pair_text(pair: Any) -> str:
    return f"x = {_short(pair.x)},  x' = {_short(pair.x_prime)}"


def _short(x: Any) -> str:
    text = vector_text(x).replace("$", r"\$")
    return text if len(text) <= 46 else f"{text[:30]} ... {text[-12:]}"
