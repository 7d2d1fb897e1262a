"""Pictures of results, in a file or in a notebook."""

from __future__ import annotations

import os

from taut.errors import InvalidInput
from taut.files import check_writable, write_file
from taut.notebook import Picture
from taut.parametric.sweep import Sweep

__all__ = ["plot"]


def plot(result: Sweep, path: str | os.PathLike[str] | None = None) -> Picture | None:
    """Draw the curves of a sweep.

    Parameters
    ----------
    result
        What ``taut.sweep`` returns.
    path
        A file: .png, .svg or .pdf. Left out, the picture is returned, and a notebook shows it.

    Raises
    ------
    InvalidInput
        There is no picture of such a result, or the path cannot be written.

    Examples
    --------
    >>> from taut import bits, sweep
    >>> from taut.mechanisms import randomized_response
    >>> plot(sweep(randomized_response, bits(2), lam=["1/5", "2/5"]))
    Picture(title='randomized_response(x=bits(2))')
    """
    from taut.reports.plots import check_plot, picture, sweep_figure  # Matplotlib takes a second to import

    if not isinstance(result, Sweep):
        raise InvalidInput(f"plot: expected what taut.sweep returns; got {result!r}.", value=result)
    if path is None:
        return Picture(result.title, picture(sweep_figure(result), ".svg").decode())
    suffix = check_plot(path)
    check_writable(path)
    write_file(path, picture(sweep_figure(result), suffix))
    return None
