"""One style for all plots, drawn without a display; Matplotlib takes a second to import, so import this late."""

from __future__ import annotations

import io
import math
import os
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from taut.errors import InvalidInput
from taut.files import check_writable, write_file
from taut.notebook import Picture
from taut.spelling import meant

__all__ = [
    "COLORS",
    "FORMATS",
    "OTHER",
    "OURS",
    "QUIET",
    "STYLES",
    "THEIRS",
    "check_plot",
    "check_style",
    "dress",
    "embedded",
    "entitle",
    "inline_svg",
    "legend_below",
    "lines",
    "literal",
    "mark_infinite",
    "one_panel",
    "panels",
    "picture",
    "powers_of_ten",
    "put",
    "two_panels",
]

FORMATS = (".png", ".svg", ".pdf")
COLORS = OURS, THEIRS, OTHER, *_ = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"
"""Those of Okabe and Ito, which colour-blind readers tell apart too."""
QUIET = "#666666"
STYLES = ("light", "dark")
_MARKERS = ("o", "s", "^", "D")
_LETTERS_PER_INCH, _MOST_TITLE_LINES = 11.5, 3
"""Of the words above all panels."""


def picture(figure: Figure, suffix: str = ".png", style: str = "light") -> bytes:
    """The figure as the content of a file; a dark one is recoloured by ``taut.dark``."""
    if suffix not in FORMATS:
        raise InvalidInput(f"a plot ends with {', '.join(FORMATS)}; got '{suffix}'.", value=suffix)
    if check_style(style) == "dark":
        from taut.dark import darken

        darken(figure)
    file = io.BytesIO()
    stamp = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font lacks is a box, and not worth a word
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=stamp, facecolor="auto")
    return file.getvalue()


def inline_svg(figure: Figure, name: str, style: str = "light") -> str:
    """The figure as an SVG element for a page: letters stay letters, and it is as wide as there is room.

    ``name`` is put before all its identifiers, so that several pictures of one page do not get into each other's way.
    """
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        return embedded(picture(figure, ".svg", style).decode(), name, figure.get_figwidth() * 72)


def embedded(text: str, name: str, width: float) -> str:
    """The text of an SVG file as an element for a page, at most so many points wide; see ``inline_svg``."""
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    head = f'<svg role="img" style="width: 100%; max-width: {width:.0f}pt; height: auto" '
    head += re.sub(r' (?:width|height|version)="[^"]*"', "", text[len("<svg ") : text.index(">")])
    return re.sub(r"\n\s*", "\n", head + text[text.index(">") :]).strip()


def put(
    title: str, draw: Callable[[], Figure], path: str | os.PathLike[str] | None, style: str = "light"
) -> Picture | None:
    """Draw into a file, or without a path as a picture that a notebook shows.

    Raises
    ------
    InvalidInput
        The path cannot be written, or is not that of a plot, or there is no such style; found out before anything is
        drawn.
    """
    check_style(style)
    if path is None:
        return Picture(title, picture(draw(), ".svg", style).decode())
    suffix = check_plot(path)
    check_writable(path)
    write_file(path, picture(draw(), suffix, style))
    return None


def check_style(style: str) -> str:
    """The style of a plot, or a refusal."""
    if style not in STYLES:
        raise InvalidInput(
            f"the style of a plot is {' or '.join(STYLES)}; got {style!r}.{meant(style, STYLES)}", value=style
        )
    return style


def literal(text: str, most: int = 46) -> str:
    """A user's text as it stands, where Matplotlib would read formulas; cut in the middle where it is long.

    >>> literal("a $b$"), literal("abcdefghij", 8)
    ('a \\\\$b\\\\$', 'abc ... j')
    """
    if len(text) > most:
        text = f"{text[: 2 * most // 3 - 2].strip()} ... {text[-(most // 3 - 1) :].strip()}"
    return text.replace("$", r"\$")


def entitle(figure: Figure, title: str) -> None:
    """Write what is drawn above all panels, on as many lines as it needs; cut where these would be more than three."""
    letters = int(_LETTERS_PER_INCH * figure.get_figwidth())
    rows = textwrap.wrap(title, letters, max_lines=_MOST_TITLE_LINES, placeholder=" ...") or [title]
    figure.set_figheight(figure.get_figheight() + 0.17 * (len(rows) - 1))
    figure.suptitle("\n".join(rows).replace("$", r"\$"), fontsize=10, color="#444444")


def two_panels(width: float = 9.6, height: float = 3.9) -> tuple[Figure, Axes, Axes]:
    """A figure with two panels side by side."""
    figure = _figure(width, height)
    left, right = figure.subplots(1, 2)
    return figure, left, right


def panels(count: int) -> tuple[Figure, list[Axes]]:
    """A figure with some panels, at most three in a row (four stand two by two)."""
    columns = count if count < 4 else 2
    rows = -(-count // columns)
    figure = _figure(max(6.4, 4.8 * columns), (4.2 if columns == 1 else 3.9) * rows)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def one_panel(width: float = 6.4, height: float = 4.2) -> tuple[Figure, Axes]:
    figure = _figure(width, height)
    return figure, figure.subplots()


def lines(
    axes: Axes,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    title: str,
    x: str,
    y: str,
    log: bool = False,
    hollow: Sequence[str] = (),
    colors: Mapping[str, str] | None = None,
    legend: bool = True,
) -> None:
    """Lines with markers; those named ``hollow`` are dashed and not filled. Infinite values are marked at the top."""
    for position, (name, (xs, ys)) in enumerate(series.items()):
        color = (colors or {}).get(name, COLORS[position % len(COLORS)])
        finite = [(a, b) for a, b in zip(xs, ys, strict=True) if math.isfinite(b)]
        axes.plot(
            [a for a, _ in finite],
            [b for _, b in finite],
            label=name,
            color=color,
            linewidth=1.6,
            linestyle="--" if name in hollow else "-",
            marker=_MARKERS[position % len(_MARKERS)],
            markersize=5 if name not in hollow else 7,
            markerfacecolor="none" if name in hollow else color,
        )
        for a in (a for a, b in zip(xs, ys, strict=True) if not math.isfinite(b)):
            mark_infinite(axes, a, color)
    if any(not math.isfinite(b) for _, ys in series.values() for b in ys):
        axes.margins(y=0.16)  # the signs at the top have room of their own
    everywhere = [a for xs, _ in series.values() for a in xs]
    margin = 0.04 * (max(everywhere) - min(everywhere)) or 0.5
    axes.set_xlim(min(everywhere) - margin, max(everywhere) + margin)
    dress(axes, title, x, y, log)
    if legend and len(series) > 1:
        axes.legend(frameon=False, fontsize=8.5)


def mark_infinite(axes: Axes, x: float, color: str) -> None:
    """The sign of infinity at the top of a panel, where a finite value would have a dot."""
    axes.annotate(
        "∞",
        (x, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, -12),
        textcoords="offset points",
        ha="center",
        color=color,
        fontsize=13,
    )


def legend_below(figure: Figure, axes: Axes) -> None:
    """A legend that covers nothing: the figure grows with it."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        columns = 2 if len(labels) > 3 and max(map(len, labels)) < 44 else 1
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5)
        figure.set_figheight(figure.get_figheight() + 0.18 * max(0, -(-len(labels) // columns) - 1))


def check_plot(path: str | os.PathLike[str]) -> str:
    """The suffix of a plot's path, or a refusal before any work."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in FORMATS:
        raise InvalidInput(f"cannot plot to '{os.fspath(path)}': allowed are {', '.join(FORMATS)}.", value=path)
    return suffix


def powers_of_ten(axes: Axes, low: int, high: int) -> None:
    """Seconds on a logarithmic axis, with plain numbers at the powers of ten."""
    ticks = [10.0**power for power in range(low, high + 1)]
    axes.set_ylim(ticks[0], ticks[-1])
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_formatter(FixedFormatter([f"{tick:g}" for tick in ticks]))
    axes.yaxis.set_minor_locator(NullLocator())


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def dress(axes: Axes, title: str, x: str, y: str, log: bool = False) -> None:
    """Title, labels, quiet lines: what all panels share."""
    axes.set_title(title, fontsize=11, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if log:
        axes.set_yscale("log")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)
