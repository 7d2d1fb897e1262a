"""The figure of a symmetry group: its sentences, and a table of the orbits of inputs with a bar for each size."""

from __future__ import annotations

import itertools
import math
import textwrap

from matplotlib.figure import Figure

from taut.numbers import large
from taut.pictures import OURS, QUIET, entitle, literal, one_panel
from taut.results.text import vector_text
from taut.solvers.symmetry.group import SymmetryGroup

__all__ = ["listed_orbits", "orbit_figure"]

_MOST_ROWS = 16
_MOST_SORTED = 2000
_WIDTH = 96


def listed_orbits(group: SymmetryGroup, most: int = _MOST_ROWS) -> list[tuple[str, int]]:
    """Some orbits, an input of each and its size: the largest where all can be looked at, else the first."""
    some = itertools.islice(group.inputs(), _MOST_SORTED if group.input_orbits().count <= _MOST_SORTED else most)
    ordered = sorted(some, key=lambda orbit: -orbit[1])
    return [(vector_text(x), size) for x, size in ordered[:most]]


def orbit_figure(group: SymmetryGroup, title: str | None = None) -> Figure:
    """A row per orbit of inputs; of many orbits the largest, or where they are too many to be listed the first."""
    rows, count = listed_orbits(group, 4 if group.trivial else _MOST_ROWS), group.input_orbits().count
    inputs = math.prod(len(variable.values) for variable in group.relation.inputs)
    sentences = [line for words in group.words for line in textwrap.wrap(f"• {words}", _WIDTH, subsequent_indent="  ")]
    lines = len(sentences) + 2 + len(rows) + (count > len(rows))
    figure, axes = one_panel(8.4, 0.9 + 0.26 * lines)
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(lines, -0.6)
    axes.set_title(
        f"{large(count)} orbit{'' if count == 1 else 's'} of {large(inputs)} inputs", fontsize=11, loc="left"
    )
    place = 0.0
    for line in sentences:
        axes.text(0, place, literal(line, 200), va="center", fontsize=9)
        place += 1
    place += 0.6
    for across, word, side in ((0.0, "an input of the orbit", "left"), (0.62, "inputs", "right")):
        axes.text(across, place, word, va="center", ha=side, fontsize=9, color=QUIET)
    axes.plot([0, 1], [place + 0.5, place + 0.5], color="#dddddd", linewidth=0.9)
    largest = max(size for _, size in rows)
    for text, size in rows:
        place += 1
        axes.text(0, place, literal(text, 58), va="center", fontsize=9, family="monospace")
        axes.text(0.62, place, large(size), va="center", ha="right", fontsize=9)
        share = size / largest if largest.bit_length() < 1000 else (size >> 900) / (largest >> 900)
        axes.barh(place, 0.34 * share, 0.66, left=0.65, color=OURS)
    if count > len(rows):
        which = "the largest are shown" if count <= _MOST_SORTED else "the first are shown"
        words = f"and {large(count - len(rows))} more; {which}"
        axes.text(0, place + 1, words, va="center", fontsize=9, color=QUIET)
    if title is not None:
        entitle(figure, title)
    return figure
