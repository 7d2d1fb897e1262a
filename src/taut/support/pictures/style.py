"""One style for all plots, drawn without a display, light or dark; Matplotlib takes a second to import."""

from __future__ import annotations

import io
import itertools
import math
import os
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from taut.support.errors import InvalidInput, meant
from taut.support.files import check_writable, write_file
from taut.support.pictures.notebook import Picture

__all__ = [
    "BACKGROUND",
    "COLORS",
    "EDGE",
    "FORMATS",
    "OTHER",
    "OURS",
    "QUIET",
    "STYLES",
    "THEIRS",
    "chart",
    "check_plot",
    "check_style",
    "compact",
    "darken",
    "drawable",
    "dress",
    "embedded",
    "entitle",
    "finish",
    "inline_svg",
    "key",
    "legend_below",
    "literal",
    "logarithmic",
    "one_panel",
    "panels",
    "picture",
    "put",
    "unequal",
]


FORMATS = (".png", ".svg", ".pdf")
COLORS = OURS, THEIRS, OTHER, *_ = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"
"""The palette of Okabe and Ito, which colour-blind readers can tell apart."""
QUIET, EDGE = "#666666", "#222222"
STYLES = ("light", "dark")
_NARROW = 4.6, 5.2, 5.8
"""Widths, in inches, at which a figure may be drawn for a page; the first fits on a phone."""
_LEAST_PANEL = 2.2
_LETTERS_PER_INCH, _MOST_TITLE_LINES = 11.5, 3
"""Limits of the title above all panels."""


def picture(figure: Figure, suffix: str = ".png", style: str = "light") -> bytes:
    """Return the figure as the content of a file; a dark one is recoloured by ``taut.support.pictures.style``."""
    if suffix not in FORMATS:
        raise InvalidInput(f"a plot ends with {', '.join(FORMATS)}; got '{suffix}'.", value=suffix)
    if check_style(style) == "dark":
        from taut.support.pictures.style import darken

        darken(figure)
    file = io.BytesIO()
    stamp = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font lacks is a box, and not worth a word
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=stamp, facecolor="auto")
    return file.getvalue()


def inline_svg(figure: Figure, name: str, style: str = "light", scale: float = 1) -> str:
    """Return the figure as an SVG element for a page: letters stay letters, and it is as wide as there is room.

    All its identifiers begin with ``name``, so that several pictures of one page do not share any. It is enlarged at
    most ``scale`` times.
    """
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        return embedded(picture(figure, ".svg", style).decode(), name, figure.get_figwidth() * 72 * scale)


def compact(figure: Figure) -> Figure:
    """Make a figure as narrow as its letters allow, and return it: on a phone it is then shrunk little, or not at all.

    Letters keep their size; nothing may overlap, leave the figure or push a panel below a least width.
    """
    wide = figure.get_figwidth()
    for width in _NARROW:
        if width < wide:
            figure.set_figwidth(width)
            if _fits(figure):
                return figure
    figure.set_figwidth(wide)
    return figure


def _fits(figure: Figure) -> bool:
    """Return True if all that is drawn is inside a figure, and no labels of an axis overlap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a panel without any room is found below
        figure.draw_without_rendering()
    whole, width = figure.get_tightbbox(), figure.get_figwidth()
    if whole.x0 < -0.02 or whole.x1 > width + 0.02:
        return False
    for axes in figure.axes:
        panel = axes.get_window_extent()
        legend = axes.get_legend()
        if panel.width < _LEAST_PANEL * figure.dpi:
            return False
        if legend is not None and legend.get_window_extent().width > 0.8 * panel.width:
            return False
        low, high = panel.x0 - 1, panel.x1 + 1
        boxes = [one.get_window_extent() for one in axes.get_xticklabels() if one.get_text()]
        shown = sorted((box.x0, box.x1) for box in boxes if low <= (box.x0 + box.x1) / 2 <= high)
        if any(one[1] > other[0] for one, other in itertools.pairwise(shown)):
            return False
    return True


def embedded(text: str, name: str, width: float) -> str:
    """Return the text of an SVG file as an element for a page, at most ``width`` points wide; see ``inline_svg``."""
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    head = f'<svg role="img" style="width: 100%; max-width: {width:.0f}pt; height: auto" '
    head += re.sub(r' (?:width|height|version)="[^"]*"', "", text[len("<svg ") : text.index(">")])
    return re.sub(r"\n\s*", "\n", head + text[text.index(">") :]).strip()


def put(
    title: str, draw: Callable[[], Figure], path: str | os.PathLike[str] | None, style: str = "light"
) -> Picture | None:
    """Draw into a file, or without a path as a picture that a notebook shows.

    Raises:
        InvalidInput: the path cannot be written or does not end like a plot, or the style is unknown; nothing is
            drawn then.
    """
    check_style(style)
    if path is None:
        return Picture(title, picture(draw(), ".svg", style).decode())
    suffix = check_plot(path)
    check_writable(path)
    write_file(path, picture(draw(), suffix, style))
    return None


def check_style(style: str) -> str:
    """Return a style; raise InvalidInput for an unknown one."""
    if style not in STYLES:
        raise InvalidInput(
            f"the style of a plot is {' or '.join(STYLES)}; got {style!r}.{meant(style, STYLES)}", value=style
        )
    return style


def literal(text: str, most: int = 46) -> str:
    """Return a user's text so that Matplotlib reads no formula in it; a long one is cut in the middle.

    >>> literal("a $b$"), literal("abcdefghij", 8)
    ('a \\\\$b\\\\$', 'abc ... j')
    """
    if len(text) > most:
        text = f"{text[: 2 * most // 3 - 2].strip()} ... {text[-(most // 3 - 1) :].strip()}"
    return text.replace("$", r"\$")


def entitle(figure: Figure, title: str | None) -> Figure:
    """Write a title above all panels, on up to three lines, and return the figure; None writes nothing."""
    if title is not None:
        letters = int(_LETTERS_PER_INCH * figure.get_figwidth())
        rows = textwrap.wrap(title, letters, max_lines=_MOST_TITLE_LINES, placeholder=" ...") or [title]
        figure.set_figheight(figure.get_figheight() + 0.17 * (len(rows) - 1))
        figure.suptitle("\n".join(rows).replace("$", r"\$"), fontsize=10, color="#444444")
    return figure


def panels(count: int, width: float | None = None, height: float | None = None) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels, at most three in a row (four stand two by two)."""
    columns = count if count < 4 else 2
    rows = -(-count // columns)
    size = (width or max(6.4, 4.8 * columns), height or (4.2 if columns == 1 else 3.9) * rows)
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def one_panel(width: float = 6.4, height: float = 4.2) -> tuple[Figure, Axes]:
    """Return a figure with one panel."""
    figure, (axes,) = panels(1, width, height)
    return figure, axes


def legend_below(figure: Figure, axes: Axes, columns: int | None = None) -> None:
    """Put the legend of a panel below the figure, which grows with it, so that it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        columns = columns or (2 if len(labels) > 3 and max(map(len, labels)) < 44 else 1)
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5)
        figure.set_figheight(figure.get_figheight() + 0.18 * max(0, -(-len(labels) // columns) - 1))


_LONG_TITLE, _MARGIN = 30, 6
"""Letters of a title that may be too wide for its panel, and the pixels left free at the border."""


def finish(figure: Figure, axes: Axes, title: str | None) -> Figure:
    """Return a figure with the legend of a panel below it and a title above it."""
    legend_below(figure, axes)
    entitle(figure, title)
    if max(map(len, axes.get_title(loc="left").split("\n"))) > _LONG_TITLE:
        _keep_title_inside(figure, axes)
    return figure


def _keep_title_inside(figure: Figure, axes: Axes) -> None:
    """Move the title of a panel to the left where the figure would cut it, and shrink it if that is not enough."""
    figure.draw_without_rendering()
    words = axes.get_title(loc="left")
    title = next(child for child in axes.get_children() if isinstance(child, Text) and child.get_text() == words)
    box = title.get_window_extent()
    over = box.x1 - figure.bbox.x1 + _MARGIN
    if over > 0:
        moved = min(over, max(0.0, box.x0 - _MARGIN))
        title.set_x(title.get_position()[0] - moved / axes.bbox.width)
        title.set_fontsize(title.get_fontsize() * (box.width - over + moved) / box.width)


def chart(title: str, x: str, y: str, width: float = 6.4, height: float = 4.2) -> tuple[Figure, Axes]:
    """Return a figure with one panel that has a title and labels."""
    figure, axes = one_panel(width, height)
    dress(axes, title, x, y)
    return figure, axes


def key(axes: Axes, color: str, label: str, edge: str | None = None) -> None:
    """Add an entry to the legend: a filled square, one with an edge, or text alone (colour 'none', no edge)."""
    shape = " " if (color, edge) == ("none", None) else "s"
    axes.plot([], [], shape, markerfacecolor=color, markeredgecolor=edge or color, label=label)


def drawable(value: Any) -> float:
    """Return a number as a float; one too large for a float is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def unequal(values: Sequence[float], times: float = 30) -> bool:
    """Return True if a logarithmic axis suits: all values are positive, the largest many times the smallest."""
    return bool(values) and 0 < times * min(values) < max(values)


def logarithmic(axes: Axes, name: str = "y") -> None:
    """Make the axis ``name``, 'x' or 'y', logarithmic, and say so in its label."""
    label = getattr(axes, f"get_{name}label")()
    axes.set(**{f"{name}scale": "log", f"{name}label": f"{label}, logarithmic"})


def check_plot(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a plot's path; raise InvalidInput for an unsupported one."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in FORMATS:
        raise InvalidInput(f"cannot plot to '{os.fspath(path)}': allowed are {', '.join(FORMATS)}.", value=path)
    return suffix


def dress(axes: Axes, title: str, x: str, y: str) -> None:
    """Write title and labels, and draw quiet lines."""
    axes.set_title(title, fontsize=11, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)


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
