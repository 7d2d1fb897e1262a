"""Drawings of a diagram: level by level as SVG, PNG or PDF, or as DOT text for Graphviz."""

from __future__ import annotations

import io
import os
import textwrap
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from taut.diagrams.layout import FAMILY, SMALL, Edge, goal, lay_out, width
from taut.diagrams.levels import LevelArrays
from taut.support.errors import InvalidInput, TooLarge
from taut.support.files import write_file

__all__ = ["LevelLabel", "draw", "rendered"]

MAX_NODES, MAX_WIDTH, MAX_LEVELS, MAX_EDGES = 400, 60, 120, 2000


@dataclass(frozen=True)
class LevelLabel:
    """The words for one level: its variable's name, each of its values and, for a coin, the weight of each value."""

    name: str
    values: tuple[str, ...]
    weights: tuple[str, ...] | None = None


def draw(arrays: LevelArrays, labels: Sequence[LevelLabel], path: str | os.PathLike[str], title: str = "") -> None:
    """Draw the diagram into a file whose suffix says how: .svg, .png, .pdf, or .dot and .gv for Graphviz.

    Guarantee:
        Every node, edge and level name of the diagram is in the drawing, and the same arguments give the same file.
        The file is written whole or not at all; an older file of that name survives every error.

    Raises:
        InvalidInput: an unknown suffix, a path that cannot be written, or labels that do not fit the levels.
        TooLarge: more nodes, levels or edges than can be read in a drawing.
    """
    target = os.fspath(path)
    suffix = os.path.splitext(target)[1].lower()
    write_file(target, rendered(arrays, labels, suffix, title, target))


def rendered(
    arrays: LevelArrays, labels: Sequence[LevelLabel], suffix: str, title: str = "", target: str = ""
) -> bytes:
    """Return the drawing as the content of a file with this suffix, for ``target`` in messages."""
    if suffix not in _WRITERS:
        given = f"'{suffix}'" if suffix else "no suffix"
        raise InvalidInput(
            f"cannot draw to '{target}': its name ends with {given}; allowed are {', '.join(_WRITERS)}.", value=target
        )
    _check_labels(arrays, labels)
    _check_size(arrays)
    words = [
        LevelLabel(_clean(label.name, 60), _cleaned(label.values), label.weights and _cleaned(label.weights))
        for label in labels
    ]
    return _WRITERS[suffix](arrays, words, _clean(title, 400))


# ---------------------------------------------------------------------------------------------------- what is drawn


def _edges(arrays: LevelArrays, labels: Sequence[LevelLabel]) -> list[Edge]:
    partition, children, depth = arrays.lists
    found = []
    for node in range(arrays.nodes):
        members = arrays.partitions[partition[node]].members()
        for child, text in zip(children[node], _edge_texts(labels[depth[node]], members), strict=True):
            found.append(Edge(node, child, text))
    return found


def _edge_texts(label: LevelLabel, members: Sequence[Sequence[int]]) -> list[str]:
    """Return a short text for each class of values; the longest becomes "else"."""
    pieces = [_pieces([label.values[value] for value in group]) for group in members]
    longest = max(range(len(pieces)), key=lambda number: len(", ".join(pieces[number])))
    texts = []
    for number, (group, words) in enumerate(zip(members, pieces, strict=True)):
        text = ", ".join(words)
        if len(text) > 14 and len(words) > 1:
            text = "else" if number == longest else f"{', '.join(words[:2])}, … ({len(group)} values)"
        if label.weights is not None:
            text += f": {_total([label.weights[value] for value in group])}"
        texts.append(text)
    return texts


def _pieces(values: Sequence[str]) -> list[str]:
    """Return the values in order, with three or more consecutive integers written as a range."""
    runs: list[list[str]] = []
    for value in values:
        if runs and _is_integer(value) and _is_integer(runs[-1][-1]) and int(value) == int(runs[-1][-1]) + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return [piece for run in runs for piece in ([f"{run[0]}..{run[-1]}"] if len(run) > 2 else run)]


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 20


def _total(weights: Sequence[str]) -> str:
    """Return the weight of a class: the exact sum where the texts are rationals (marked ≈ when shortened)."""
    try:
        total = sum((Fraction(weight) for weight in weights), Fraction(0))
    except (ValueError, ZeroDivisionError):
        return _clean(" + ".join(weights), 18)
    text = weights[0] if len(weights) == 1 else str(total)
    if len(text) <= 12:
        return text
    return f"≈{Context(prec=4).divide(Decimal(total.numerator), Decimal(total.denominator)):g}"


def _cleaned(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(_clean(text, 16) for text in texts)


def _clean(text: str, limit: int) -> str:
    """Return the text on one line without control characters, cut at the limit."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _check_labels(arrays: LevelArrays, labels: Sequence[LevelLabel]) -> None:
    if len(labels) != len(arrays.levels):
        raise InvalidInput(
            f"a drawing needs one label for each of {len(arrays.levels)} levels; got {len(labels)}.", value=labels
        )
    for level, label in zip(arrays.levels, labels, strict=True):
        for words in (label.values, label.weights):
            if words is not None and len(words) != level.arity:
                raise InvalidInput(
                    f"'{label.name}' has {level.arity} values; its label names {len(words)}.", value=label
                )


def _check_size(arrays: LevelArrays) -> None:
    widest = max((level.stop - level.start for level in arrays.levels), default=0)
    sizes = (
        (arrays.nodes, MAX_NODES, "nodes"),
        (widest, MAX_WIDTH, "nodes on one level"),
        (len(arrays.levels), MAX_LEVELS, "levels"),
        (len(arrays.child), MAX_EDGES, "edges"),
    )
    for size, limit, what in sizes:
        if size > limit:
            raise TooLarge(
                f"a diagram with {size} {what} is too large to draw; the limit is {limit}. "
                "Draw a smaller instance, or a single input with model.fix(x).",
                value=size,
            )


# ------------------------------------------------------------------------------------------------- ink and letters

_NORMAL, _LARGE = 9.0, 12.0
_INK, _FAINT, _FAINT_INK = "#4a5360", "#d3d8df", "#8d96a3"
_LOOKS = {  # kind: marker, its size, fill, dark shade for rims and texts, shape and what the legend says
    "input": ("o", 15.0, "#7fb2e5", "#1f4e80", "circle", "input"),
    "coin": ("D", 12.0, "#f6c667", "#8a5a00", "diamond", "coin (value: weight)"),
    "output": ("H", 16.0, "#8fce9b", "#1d6b33", "hexagon", "output"),
}


def _figure(arrays: LevelArrays, labels: Sequence[LevelLabel], title: str) -> Figure:
    edges = _edges(arrays, labels)
    layout = lay_out(arrays, edges)
    left = min([*layout.x.values(), *(x - width(text, SMALL) / 2 for x, _, text, _ in layout.texts)]) - 0.4
    right = max([*layout.x.values(), *(x + width(text, SMALL) / 2 for x, _, text, _ in layout.texts)]) + 0.4
    margin = max((width(label.name, _NORMAL) for label in labels), default=0.0) + 0.3
    legend = 2.0 if _legend(arrays) else 0.0
    length = width(title, _LARGE, "bold") * 1.03 + 0.24 if title else 0.0
    start = left - margin
    stop = max(right + legend, start + min(length, 5.0))
    heading = textwrap.wrap(title, max(8, int(len(title) * (stop - start) / length))) if title else []
    top = 0.45 + 0.22 * len(heading) + (0.1 if heading else 0.0)
    bottom = min(layout.y[-1], -0.3 * (len(_legend(arrays)) - 1)) - 0.4
    figure = Figure(figsize=(stop - start, top - bottom), facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(start, stop), ylim=(bottom, top))
    axes.set_axis_off()

    def write(x: float, y: float, text: str, **style: Any) -> None:
        usual: dict[str, Any] = {"fontsize": _NORMAL, "color": _INK, "va": "center_baseline", "zorder": 5}
        axes.text(x, y, text, family=FAMILY, parse_math=False, usetex=False, **(usual | style))

    def mark(x: float, y: float, kind: str) -> None:
        marker, size, fill, rim = _LOOKS[kind][:4]
        axes.plot([x], [y], marker, ms=size, mfc=fill, mec=rim, mew=1.1, zorder=4, clip_on=False)

    def box(x: float, y: float, truth: bool) -> None:
        face, ink = ("#2f3944", "white") if truth else ("#eef0f3", _FAINT_INK)
        size = {"boxstyle": "square,pad=0.45", "facecolor": face, "edgecolor": "#2f3944" if truth else _FAINT_INK}
        write(x, y, "TRUE" if truth else "FALSE", color=ink, ha="center", fontsize=8.5, weight="bold", bbox=size)

    for number, line in enumerate(heading):
        write(start + 0.12, top - 0.25 - 0.22 * number, line, fontsize=_LARGE, weight="bold")
    for number, (level, label) in enumerate(zip(arrays.levels, labels, strict=True)):
        dark, fill = _LOOKS[level.kind][3], _LOOKS[level.kind][2]
        used = level.stop > level.start
        band = Rectangle((start, layout.y[number] - 0.17), right - start, 0.34, color=fill, alpha=0.14, lw=0, zorder=0)
        axes.add_patch(band)
        write(start + 0.12, layout.y[number], label.name, color=dark if used else _FAINT_INK)
    curves = [(b, layout.curve(a, b, layout.y[layout.row(a)], layout.y[layout.row(b)])) for a, b in layout.segments]
    faint = [line for b, line in curves if goal(b) == arrays.false]
    plain = [line for b, line in curves if goal(b) != arrays.false]
    axes.add_collection(LineCollection(faint, colors=_FAINT, linewidths=0.9, zorder=1), autolim=False)
    axes.add_collection(LineCollection(plain, colors=_INK, linewidths=1.0, zorder=2), autolim=False)
    for x, y, text, edge in layout.texts:
        dark = _LOOKS[arrays.levels[layout.depth[edge.source]].kind][3]
        paper = {"boxstyle": "square,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
        color = _FAINT_INK if edge.target == arrays.false else dark
        write(x, y, text, color=color, ha="center", fontsize=SMALL, bbox=paper, zorder=3)
    for row in layout.rows:
        for spot in row:
            if not isinstance(spot, tuple):
                x, y = layout.x[spot], layout.y[layout.row(spot)]
                if spot >= arrays.nodes:
                    box(x, y, spot == arrays.true)
                else:
                    mark(x, y, arrays.levels[layout.depth[spot]].kind)
    for number, (kind, text) in enumerate(_legend(arrays)):
        x, y = right + 0.3, -0.3 * number
        if kind in _LOOKS:
            mark(x, y, kind)
        elif kind == "faint":
            axes.plot([x - 0.12, x + 0.12], [y, y], color=_FAINT, lw=1.2)
        else:
            write(x, y, "grey", color=_FAINT_INK, ha="center", fontsize=8.0)
        write(x + 0.22, y, text, fontsize=8.0)
    return figure


def _legend(arrays: LevelArrays) -> list[tuple[str, str]]:
    """Return the entries of the legend in order: (kind, words)."""
    kinds = {level.kind for level in arrays.levels if level.stop > level.start}
    found: list[tuple[str, str]] = [(kind, look[5]) for kind, look in _LOOKS.items() if kind in kinds]
    if arrays.false in arrays.child:
        found.append(("faint", "leads to FALSE"))
    if any(level.stop == level.start for level in arrays.levels):
        found.append(("unused", "does not matter"))
    return found


# ------------------------------------------------------------------------------------------------------------ files


def _image(kind: str) -> Callable[[LevelArrays, Sequence[LevelLabel], str], bytes]:
    def render(arrays: LevelArrays, labels: Sequence[LevelLabel], title: str) -> bytes:
        fixed = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        plain = {name: value for name, value in matplotlib.rcParamsDefault.items() if not name.startswith("backend")}
        settings: dict[Any, Any] = plain | {"svg.fonttype": "none", "svg.hashsalt": "taut", "pdf.fonttype": 42}
        buffer = io.BytesIO()
        with matplotlib.rc_context(settings), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            figure = _figure(arrays, labels, title)
            width, height = figure.get_size_inches()
            dots = min(160.0, (5e7 / (width * height)) ** 0.5)
            FigureCanvasAgg(figure).print_figure(buffer, format=kind, dpi=dots, metadata=fixed.get(kind))
        fallback = f"'{FAMILY}', Verdana, sans-serif"  # of the same widths, for readers without the font
        return buffer.getvalue().replace(f"family: '{FAMILY}'".encode(), f"family: {fallback}".encode())

    return render


def _dot(arrays: LevelArrays, labels: Sequence[LevelLabel], title: str) -> bytes:
    """Return DOT text: nodes n0, n1, ..., leaves FALSE and TRUE, and a rank for each level, named at the left."""
    edges = _edges(arrays, labels)
    seen = {arrays.root, *(edge.target for edge in edges)}
    names = {arrays.false: "FALSE", arrays.true: "TRUE"}
    lines = [
        "digraph taut {",
        f"  graph [rankdir=TB, labelloc=t, label={_quoted(title)}, fontname={_quoted(FAMILY)}];",
        f'  node [label="", style=filled, width=0.25, height=0.25, fontname={_quoted(FAMILY)}, fontsize=10];',
        f'  edge [arrowhead=none, color="{_INK}", fontname={_quoted(FAMILY)}, fontsize=9];',
    ]
    for number, (level, label) in enumerate(zip(arrays.levels, labels, strict=True)):
        _, _, fill, dark, shape, _ = _LOOKS[level.kind]
        lines.append(f"  subgraph level_{number} {{ rank=same;")
        lines.append(f'    l{number} [shape=plaintext, style="", fontcolor="{dark}", label={_quoted(label.name)}];')
        lines += [
            f'    n{node} [shape={shape}, fillcolor="{fill}", color="{dark}"];'
            for node in range(level.start, level.stop)
        ]
        lines.append("  }")
    leaves = {arrays.false: ("#eef0f3", _FAINT_INK), arrays.true: ("#2f3944", "white")}
    lines.append("  subgraph leaves { rank=sink;")
    for leaf, (fill, ink) in leaves.items():
        if leaf in seen:
            name = names[leaf]
            lines.append(f'    {name} [shape=box, label="{name}", fillcolor="{fill}", fontcolor="{ink}"];')
    lines.append("  }")
    lines += [f"  l{number} -> l{number + 1} [style=invis];" for number in range(len(labels) - 1)]
    for edge in edges:
        faint = f', color="{_FAINT}", fontcolor="{_FAINT_INK}"' if edge.target == arrays.false else ""
        goal = names.get(edge.target, f"n{edge.target}")
        lines.append(f"  n{edge.source} -> {goal} [label={_quoted(edge.text)}{faint}];")
    lines.append('  subgraph cluster_legend { style=dashed; color="#d3d8df"; label="";')
    for kind, text in _legend(arrays):
        if kind in _LOOKS:
            _, _, fill, dark, shape, _ = _LOOKS[kind]
            look = f'shape={shape}, fillcolor="{fill}", color="{dark}", label={_quoted(text)}'
        else:
            look = f'shape=plaintext, style="", fontcolor="{_FAINT_INK}", label="{kind}: {text}"'
        lines.append(f"    legend_{kind} [{look}];")
    lines += ["  }", "}", ""]
    return "\n".join(lines).encode("utf-8", "backslashreplace")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_WRITERS: dict[str, Callable[[LevelArrays, Sequence[LevelLabel], str], bytes]] = {
    ".svg": _image("svg"),
    ".png": _image("png"),
    ".pdf": _image("pdf"),
    ".dot": _dot,
    ".gv": _dot,
}
