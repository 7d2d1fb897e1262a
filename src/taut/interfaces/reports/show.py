"""Pictures of results, in a file or in a notebook."""

from __future__ import annotations

import os

from taut.interfaces.sweeps.sweep import Sweep
from taut.questions.drawn import Drawn
from taut.support.errors import InvalidInput
from taut.support.pictures.notebook import Picture

__all__ = ["plot"]


def plot(
    result: Drawn | Sweep,
    path: str | os.PathLike[str] | None = None,
    *,
    style: str = "light",
) -> Picture | None:
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
    from taut.interfaces.reports.plots import sweep_figure
    from taut.support.pictures.style import put  # Matplotlib takes a second to import

    return put(result.title, lambda: sweep_figure(result), path, style)
