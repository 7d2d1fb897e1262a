"""Continuous noise for mechanisms that only compare it; in ordinary Python each function returns a real number."""

from __future__ import annotations

import random
from typing import Any

from taut.languages.python.run.lazy import lazy_noise
from taut.languages.python.run.sources import active_tree
from taut.languages.python.run.tree import unwatched
from taut.support.errors import InvalidDistribution
from taut.support.exact import ends, number

__all__ = ["exponential_noise", "laplace"]


@unwatched
def laplace(center: Any, scale: Any) -> Any:
    """Continuous Laplace noise around the centre: density proportional to exp(-abs(z - center) / scale).

    A mechanism may compare it with numbers and with other noise, add noise and round it to whole numbers. One that
    returns the value itself is refused.

    Parameters
    ----------
    center
        A number, which may be random or an input, or other continuous noise.
    scale
        A number above 0, such as 2 or "3/2"; with sensitivity 1 the noise costs epsilon = 1/scale.

    Examples
    --------
    >>> from taut import ints, mechanism
    >>> def larger(x):
    ...     return laplace(x[0], 1) > laplace(x[1], 1)
    >>> round(float(mechanism(larger)(ints(2, 0, 1)).probability((0, 1), True)), 6)
    0.27591
    """
    return _drawn("laplace", center, scale)


@unwatched
def exponential_noise(center: Any, scale: Any) -> Any:
    """Continuous exponential noise from the centre on: density exp(-(z - center) / scale) / scale for z above center.

    It is used as ``laplace`` is. (``taut.exponential`` is the exponential mechanism, which draws an index.)

    Parameters
    ----------
    center
        A number, which may be random or an input, or other continuous noise.
    scale
        The mean of the noise, a number above 0.

    Examples
    --------
    >>> from taut import integer, mechanism
    >>> model = mechanism(lambda x: exponential_noise(x, 2) > 3)(integer(0, 1))
    >>> round(float(model.probability(1, True)), 6)
    0.367879
    """
    return _drawn("exponential", center, scale)


def _drawn(kind: str, center: Any, scale: Any) -> Any:
    name = "taut.laplace" if kind == "laplace" else "taut.exponential_noise"
    known = number(scale, f"{name}: scale")
    if ends(known)[0] <= 0 or ends(known)[0] != ends(known)[1]:
        raise InvalidDistribution(f"{name}: scale must be an exact number above 0; got {scale!r}.", value=scale)
    tree = active_tree()
    if tree is not None:
        return lazy_noise(tree, kind, number(center, name) if isinstance(center, str) else center, known, name)
    size = random.expovariate(1 / float(known))
    return float(center) + (size - random.expovariate(1 / float(known)) if kind == "laplace" else size)
