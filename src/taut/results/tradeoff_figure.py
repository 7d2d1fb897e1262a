"""The figure of a trade-off curve, with its convex envelope and the diagonal.

Floats decide only where ink goes: what is drawn is rounded, what is known is in the results.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from taut.pictures import OURS, QUIET, THEIRS, dress, entitle, literal, one_panel
from taut.results.tradeoff import TradeoffFunction
from taut.results.tradeoff_curve import TradeoffCurve

__all__ = ["tradeoff_figure"]

_FEW_CORNERS = 12
_VISIBLE, _DISTINCT = 0.01, 0.002
"""The width from which an interval, and the distance from which a second curve, can be seen."""


def tradeoff_figure(curve: TradeoffCurve, title: str | None = None) -> Figure:
    """The errors of the second kind against those of the first, with the convex envelope and the diagonal."""
    figure, axes = one_panel(5.2, 5.2)
    about = "" if curve.neighbors is None else f", {literal(curve.neighbors, 30)} neighbours"
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
    return any(function(corner.alpha) - hull(corner.alpha) > _DISTINCT for corner in function.corners)
