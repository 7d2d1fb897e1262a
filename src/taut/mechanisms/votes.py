"""Votes: release the most frequent value, where every record is one vote."""

from __future__ import annotations

from typing import Any

from taut.languages.python import geometric
from taut.mechanisms.catalog import MOST, built_in
from taut.mechanisms.local import values_below
from taut.model import mechanism
from taut.model.parameters import whole


@built_in(values_below, n=3, k=3, ratio="1/2")
@mechanism
def pate_vote(x: Any, k: Any, ratio: Any) -> Any:
    """The label, one of 0..k-1, with the most votes of the teachers after noise; of equal ones the first.

    Each count has its own geometric noise, clamped to what a count can be; a ratio of exp(-gamma) stands for PATE's
    Laplace noise of scale 1/gamma, and e^eps is at most ratio**(-2).

    Reference: Papernot, Abadi, Erlingsson, Goodfellow and Talwar 2017.

    >>> from taut import ints
    >>> pate_vote(ints(1, 0, 1), k=2, ratio="1/2").distribution((1,))
    {0: Fraction(5, 9), 1: Fraction(4, 9)}
    """
    noisy = [geometric(x.count(label), ratio, 0, len(x)) for label in range(k)]
    return noisy.index(max(noisy))


@built_in(values_below, n=4, allowed={"k": whole(2, MOST), "threshold": whole(1, MOST)}, k=2, ratio="1/2", threshold=2)
@mechanism
def propose_test_release(x: Any, k: Any, ratio: Any, threshold: Any) -> Any:
    """The most frequent of the values 0..k-1, if a noisy test finds it stable; else None.

    Tested is the number of records that can change for certain without changing the answer (of equally frequent values
    the first). Where it is 0, the exact answer passes with probability ratio**threshold / (1 + ratio), which is the
    delta that comes with e^eps = 1/ratio; with delta = 0 no e^eps is large enough.

    Reference: Dwork and Lei 2009.

    >>> from taut import ints
    >>> propose_test_release(ints(3, 0, 1), k=2, ratio="1/2", threshold=1).distribution((0, 0, 0))
    {0: Fraction(2, 3), None: Fraction(1, 3)}
    """
    counts = [x.count(value) for value in range(k)]
    most = max(counts)
    mode = counts.index(most)
    # A value overtakes the mode when enough records move over; one before it wins ties already.
    needed = [(most - counts[value] + (1 if value < mode else 2)) // 2 for value in range(k)]
    unchanged = min(len(x) if value == mode else needed[value] - 1 for value in range(k))
    return mode if geometric(unchanged, ratio, 0, len(x)) >= threshold else None
