"""Pictures of results, in a file or in a notebook."""

from __future__ import annotations

import os

from taut.errors import InvalidInput
from taut.notebook import Picture
from taut.parametric.sweep import Sweep
from taut.results import LossDistribution, PrivacyProfile, TradeoffCurve

__all__ = ["plot"]


def plot(
    result: Sweep | PrivacyProfile | TradeoffCurve | LossDistribution, path: str | os.PathLike[str] | None = None
) -> Picture | None:
    """Draw the curves of a sweep, a privacy profile, a trade-off curve or a loss distribution.

    Parameters
    ----------
    result
        What ``taut.sweep``, ``model.profile``, ``model.tradeoff`` or ``model.loss`` returns.
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
    if isinstance(result, (PrivacyProfile, TradeoffCurve, LossDistribution)):
        return result.plot(path)
    if not isinstance(result, Sweep):
        raise InvalidInput(
            f"plot: expected what taut.sweep, profile(), tradeoff() or loss() return; got {result!r}.", value=result
        )
    from taut.pictures import put  # Matplotlib takes a second to import
    from taut.reports.plots import sweep_figure

    return put(result.title, lambda: sweep_figure(result), path)
