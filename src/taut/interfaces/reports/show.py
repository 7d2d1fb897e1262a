"""Pictures of results, sweeps among them, in a file or in a notebook."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.interfaces.sweep import Sweep
from taut.questions.drawn import Drawn
from taut.support.errors import InvalidInput
from taut.support.pictures.notebook import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot", "sweep_figure"]


def plot(result: Drawn | Sweep, path: str | os.PathLike[str] | None = None, *, style: str = "light") -> Picture | None:
    """Draw a result: a bound with its worst case, a profile, a trade-off curve, worst pairs or inputs, a sweep.

    Parameters
    ----------
    result
        What ``taut.sweep`` and the questions of a model return: ``privacy``, ``delta``, ``accuracy``, ``profile``,
        ``tradeoff``, ``loss``, ``worst_pairs``, ``worst_inputs``, ``symmetries`` and so on.
    path
        A file: .png, .svg or .pdf. Left out, the picture is returned, and a notebook shows it.
    style
        'light', or 'dark' for dark pages.

    Raises
    ------
    InvalidInput
        There is no picture of such a result, the path cannot be written, or there is no such style.

    Examples
    --------
    >>> from taut import bits, sweep
    >>> from taut.mechanisms import randomized_response
    >>> plot(sweep(randomized_response, bits(2), lam=["1/5", "2/5"]))
    Picture(title='randomized_response(x=bits(2))')
    """
    if isinstance(result, Drawn):
        return result.plot(path, style=style)
    if not isinstance(result, Sweep):
        raise InvalidInput(
            f"plot: expected what taut.sweep or a question to a model returns, like privacy(); got {result!r}.",
            value=result,
        )
    from taut.support.pictures.style import put  # Matplotlib takes a second to import

    return put(result.title, lambda: sweep_figure(result), path, style)


def sweep_figure(sweep: Sweep) -> Figure:
    """Draw the bounds of a sweep side by side, with a logarithmic axis where they are of very different size."""
    from matplotlib.ticker import MaxNLocator

    from taut.support.pictures.charts import lines
    from taut.support.pictures.style import COLORS, drawable, entitle, logarithmic, panels, unequal

    figure, places = panels(len(sweep.questions))
    xs, words = _positions([point.value for point in sweep.points])
    for axes, question in zip(places, sweep.questions, strict=True):
        curve = [question.swept(point.bounds[question.name]) for point in sweep.points]
        ys = [drawable(one.value) for one in curve]
        finite = [value for value in ys if math.isfinite(value)]
        title, colors = _in_letters(curve[0].title), {"": COLORS[question.color]}
        lines(axes, {"": (xs, ys)}, title=title, x=sweep.parameter, y=curve[0].label, colors=colors)
        if not finite:
            axes.set_yticks([])
        elif not question.about_target and unequal(finite):
            logarithmic(axes)
        elif not question.about_target:
            axes.set_ylim(bottom=0)
        if words is not None:
            axes.set_xticks(xs, words)
        elif all(value.is_integer() for value in xs):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return entitle(figure, sweep.title)


def _in_letters(title: str) -> str:
    return re.sub(r"\b(e\^)?eps\b", lambda name: "$e^{\\varepsilon}$" if name[1] else "$\\varepsilon$", title)


def _positions(values: Sequence[Any]) -> tuple[list[float], list[str] | None]:
    """Return the places of a parameter's values: as numbers, or else one after the other with their words."""
    if all(isinstance(value, (int, Fraction)) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], None
    return [float(position) for position in range(len(values))], [str(value) for value in values]
