"""Pictures of bounds as functions of a parameter."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from taut.errors import InvalidInput

if TYPE_CHECKING:
    from taut.results.piecewise import PiecewiseBound

__all__ = ["COLORS", "curve_of", "new_figure", "plot_bound", "save"]

COLORS = "#1b6ca8", "#d1495b", "#4f8a5b", "#8d6a9f"
_FORMATS = (".png", ".svg", ".pdf")
_STEPS = 200


def plot_bound(bound: PiecewiseBound, path: str | os.PathLike[str]) -> None:
    """Draw a bound against its parameter; every piece has its colour, borders are dotted."""
    figure = new_figure(6.4, 4.2)
    axes = figure.subplots()
    draw_bound(axes, bound)
    save(figure, path)


def draw_bound(axes: Any, bound: PiecewiseBound) -> None:
    """The curve of a bound in some axes; steep ones, such as e^epsilon near infinity, on a logarithmic scale."""
    tall = 0.0
    for number, piece in enumerate(bound.pieces):
        if piece.value == math.inf:
            axes.axvspan(float(piece.low), float(piece.high), color=COLORS[1], alpha=0.12, label="infinite")
            continue
        xs, ys = curve_of(piece.value, float(piece.low), float(piece.high))
        tall = max(tall, *[y for y in ys if math.isfinite(y)])
        label = str(piece.value)
        axes.plot(
            xs, ys, color=COLORS[number % len(COLORS)], label=label if len(label) <= 48 else f"piece {number + 1}"
        )
        if number:
            axes.axvline(float(piece.low), color="0.6", linestyle=":", linewidth=1)
    for single in bound.points:
        value = bound.at(single.place) if not hasattr(single.place, "polynomial") else math.nan
        if value != math.inf:
            axes.plot([float(single.place)], [float(value)], "o", color=COLORS[1], markersize=5, clip_on=False)
    if bound.label.startswith(("e^eps", "Rényi")) and tall > 20:
        axes.set_yscale("log")
    elif not bound.label.startswith(("e^eps", "Rényi")):
        axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(float(bound.parameter.low), float(bound.parameter.high))
    axes.set_xlabel(bound.parameter.name)
    axes.set_ylabel(bound.label)
    axes.set_title(bound.mechanism if bound.exact else f"{bound.mechanism} (attained; not proved everywhere)")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)


def curve_of(function: Any, low: float, high: float) -> tuple[list[float], list[float]]:
    """Points of a rational function in floats, for drawing only; poles are left out."""
    top = [int(c) for c in function.numerator.raw.coeffs()]
    bottom = [int(c) for c in function.denominator.raw.coeffs()]
    xs = [low + (high - low) * step / _STEPS for step in range(_STEPS + 1)]
    ys = []
    for x in xs:
        numerator, denominator = (math.fsum(c * x**k for k, c in enumerate(part)) for part in (top, bottom))
        ys.append(numerator / denominator if denominator and abs(numerator / denominator) < 1e15 else math.nan)
    return xs, ys


def new_figure(width: float, height: float) -> Figure:
    """A figure that needs no display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a .png, .svg or .pdf file in a folder that exists."""
    target = Path(path)
    if target.suffix not in _FORMATS:
        raise InvalidInput(f"a plot ends with {', '.join(_FORMATS)}; got '{target}'.", value=str(path))
    try:
        figure.savefig(target, dpi=150)
    except OSError as problem:
        raise InvalidInput(f"{target}: {problem.strerror or problem}.", value=str(path)) from None
