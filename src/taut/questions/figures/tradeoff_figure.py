"""The figure of a trade-off curve, with its convex envelope and the diagonal."""

from __future__ import annotations

from matplotlib.figure import Figure

from taut.questions.tradeoff import TradeoffCurve
from taut.questions.tradeoff_function import TradeoffFunction
from taut.support.pictures.curves import shade
from taut.support.pictures.style import OURS, QUIET, THEIRS, chart, entitle, literal

__all__ = ["tradeoff_figure"]

_FEW_CORNERS = 12
_VISIBLE, _DISTINCT = 0.01, 0.002
"""The width from which an interval, and the distance from which a second curve, can be seen."""


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
