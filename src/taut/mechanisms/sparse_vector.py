"""Above-threshold with truncated geometric noise (Dwork and Roth 2014; Balcer and Vadhan 2018)."""

from __future__ import annotations

from typing import Any

from taut.frontend.python import geometric
from taut.model import mechanism

__all__ = ["above_threshold"]


@mechanism
def above_threshold(
    x: Any, threshold: Any, ratio: Any, high: Any, threshold_ratio: Any = None, strict: bool = False
) -> Any:
    """The index of the first noisy entry that reaches the noisy threshold; the length of the list if none does.

    Noise is two-sided geometric with the given ratio, clamped to 0..high; ``threshold_ratio`` is the ratio of the
    threshold's noise, if it differs. With ``strict`` an entry must exceed the threshold.

    >>> from taut import ints
    >>> above_threshold(ints(1, 0, 1), threshold=1, ratio="1/2", high=1).distribution((0,))
    {1: Fraction(4, 9), 0: Fraction(5, 9)}
    """
    noisy_threshold = geometric(threshold, ratio if threshold_ratio is None else threshold_ratio, 0, high)
    for i, value in enumerate(x):
        noisy = geometric(value, ratio, 0, high)
        if noisy > noisy_threshold if strict else noisy >= noisy_threshold:
            return i
    return len(x)
