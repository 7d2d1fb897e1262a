"""The figure of a symmetry group: its sentences, and the orbits of inputs with a bar for each size."""

from __future__ import annotations

import itertools
import math
import textwrap

from matplotlib.figure import Figure

from taut.questions.text import vector_text
from taut.support.exact import large
from taut.support.pictures.charts import Bar, Row, bars
from taut.support.pictures.style import OURS, chart, finish, key, literal
from taut.synthesis.symmetry.group import SymmetryGroup

__all__ = ["orbit_figure"]

_MOST_ROWS = 16
_MOST_SORTED = 2000
_WIDTH = 96
_MOST_BITS = 900
"""Limit for the bits of a size that is drawn: floats have at most 1024."""


def orbit_figure(group: SymmetryGroup, title: str | None = None) -> Figure:
    """Draw a bar per orbit of inputs: the largest ones of many, the first ones of too many to enumerate."""
    count, most = group.input_orbits().count, 4 if group.trivial else _MOST_ROWS
    some = itertools.islice(group.inputs(), _MOST_SORTED if count <= _MOST_SORTED else most)
    orbits = sorted(some, key=lambda orbit: -orbit[1])[:most]
    inputs = math.prod(len(variable.values) for variable in group.relation.inputs)
    head = f"{large(count)} orbit{'' if count == 1 else 's'} of {large(inputs)} inputs"
    across = "inputs in the orbit"
    if count > len(orbits):
        which = "the largest" if count <= _MOST_SORTED else "the first"
        across += f"; {which} are shown, there are {large(count - len(orbits))} more"
    unit = max(orbits[0][1].bit_length() - _MOST_BITS, 0)
    figure, axes = chart(head, across, "", 8.4, 1.5 + 0.28 * max(len(orbits), 2))
    bars(
        axes,
        [Row(literal(vector_text(x), 58), [Bar(size >> unit, OURS, large(size))]) for x, size in orbits],
        log=False,
    )
    axes.set_xticks([])  # the sizes are written at the bars
    for words in group.words:
        for line in textwrap.wrap(f"• {words}", _WIDTH, subsequent_indent="  "):
            key(axes, "none", literal(line, 200))
    return finish(figure, axes, title)
