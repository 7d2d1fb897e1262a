"""The figure of a loss distribution: a histogram of the privacy loss under two inputs.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from taut.numbers import INFINITY
from taut.pictures import OURS, QUIET, THEIRS, dress, entitle, legend_below, one_panel
from taut.results.loss import LossDistribution
from taut.results.privacy import epsilon_of
from taut.results.text import short_text

__all__ = ["draw_loss", "loss_figure"]

_FEW_ATOMS = 32
"""Losses whose two bars stand side by side."""
_MOST_BARS, _BINS = 300, 60
_ENDS = (0, INFINITY)
"""Quotients of outputs that only one of the two inputs can give."""


def loss_figure(loss: LossDistribution, title: str | None = None) -> Figure:
    """The masses of the privacy losses under x and under x'; infinite losses stand at the edges."""
    figure, axes = one_panel()
    dress(axes, "Privacy loss", r"loss, $\ln\,(P[A(x)=y]\,/\,P[A(x')=y])$", "probability")
    draw_loss(axes, loss)
    axes.plot([], [], "s", color=OURS, label=f"under x = {short_text(loss.x)}")
    axes.plot([], [], "s", color=THEIRS, label=f"under x' = {short_text(loss.x_prime)}")
    legend_below(figure, axes)
    if title is not None:
        entitle(figure, title)
    return figure


def draw_loss(axes: Axes, loss: LossDistribution) -> None:
    """The bars of a loss distribution, without words."""
    finite = [(epsilon_of(a.ratio), float(a.mass), float(a.mass_prime)) for a in loss.atoms if a.ratio not in _ENDS]
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
