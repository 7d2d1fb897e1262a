"""Pictures for dark pages: dark greys become light and light ones dark, colours become lighter."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

__all__ = ["BACKGROUND", "darken"]

BACKGROUND = "#16181d"
_TEXT = 0.93
_LIGHTER = 0.25
"""The share by which a colour moves towards white, so that it stands out as well as on white paper."""


def darken(figure: Figure) -> None:
    """Recolour a figure that was drawn for white paper."""
    for artist in figure.findobj():
        if isinstance(artist, Text):
            artist.set_color(_dark(artist.get_color()))
        elif isinstance(artist, Line2D):
            face, edge = artist.get_markerfacecolor(), artist.get_markeredgecolor()  # which follow the line's colour
            artist.set_color(_dark(artist.get_color()))
            artist.set_markerfacecolor(_dark(face))
            artist.set_markeredgecolor(_dark(edge))
        elif isinstance(artist, Patch):
            face, edge = artist.get_facecolor(), artist.get_edgecolor()
            artist.set_facecolor(_dark(face))
            if to_rgba(edge)[3]:  # an edge that is not there would come out as visible as the face
                artist.set_edgecolor(_dark(edge))
        elif isinstance(artist, Collection):
            artist.set_facecolor([_dark(color) for color in artist.get_facecolor()])
            artist.set_edgecolor([_dark(color) for color in artist.get_edgecolor()])
    for axes in figure.axes:
        _darken_ticks(axes)


def _darken_ticks(axes: Axes) -> None:
    """Set the colours of ticks, which are made only when they are drawn."""
    words = _dark("#333333")
    axes.tick_params(which="both", color=words, labelcolor=words, grid_color=_dark("#dddddd"))


def _dark(color: Any) -> Any:
    """Return a colour for dark pages."""
    if isinstance(color, str) and color.lower() in ("none", "auto"):
        return color
    red, green, blue, alpha = to_rgba(color)
    if max(red, green, blue) - min(red, green, blue) < 0.05:
        low = to_rgba(BACKGROUND)
        share = (red + green + blue) / 3
        return (*[part + (_TEXT - part) * (1 - share) for part in low[:3]], alpha)
    return (*[part + (1 - part) * _LIGHTER for part in (red, green, blue)], alpha)
