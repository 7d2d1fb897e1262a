"""Selection: the index of a candidate with a high score, or the most frequent value of votes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.languages.python import binomial, exponential, flip, geometric
from taut.mechanisms.catalog import MOST, built_in
from taut.mechanisms.local import values_below
from taut.model import mechanism
from taut.model.decorators import at_least, whole
from taut.program.domains import Domain, ints


def scores(n: int) -> Domain:
    """Databases of n scores of 0..2."""
    return ints(n, 0, 2)


@built_in(scores, n=3, neighbors="all_step", base=2)
@mechanism
def exponential_mechanism(x: Any, base: Any) -> Any:
    """The index of a score, chosen with probability proportional to base**score.

    Reference: McSherry and Talwar 2007.

    >>> from taut import ints
    >>> exponential_mechanism(ints(3, 0, 2), base=2).distribution((0, 1, 2))
    {0: Fraction(1, 7), 1: Fraction(2, 7), 2: Fraction(4, 7)}
    """
    return exponential(x, base)


@built_in(scores, n=3, neighbors="all_step", allowed={"base": at_least(1)}, base=2)
@mechanism
def permute_and_flip(x: Any, base: Any) -> Any:
    """The first candidate, in random order, whose coin shows heads, with probability base**(score - best score).

    The bound base**2 of the exponential mechanism holds for it too, and its choice is never worse on average.

    An order of all candidates would have to be remembered, with as many cases as there are sets of candidates. The
    same choice is made by adding exponential noise to every score and taking the largest, and whole scores need only
    the whole part of it: each candidate climbs from its score, step by step with probability 1/base, and of those that
    come to the highest level one is chosen, all alike. Nobody need climb beyond the best score, since from there on
    all are alike. So it is enough to remember the best score and the highest level so far, who is chosen, and how many
    share the level; when a better score comes, each of these climbs up to it or falls behind.

    Reference: McKenna and Sheldon 2020; Ding et al. 2021.

    >>> from taut import ints
    >>> permute_and_flip(ints(2, 0, 1), base=2).distribution((0, 1))
    {0: Fraction(1, 4), 1: Fraction(3, 4)}
    """
    shrink = Fraction(1) / base
    best = level = x[0]
    ties, chosen = 1, 0
    for i in range(1, len(x)):
        noisy, kept = x[i], ties
        if noisy > best:
            kept = binomial(ties, shrink ** abs(noisy - best)) if level == best else 0
            best = level = noisy
        while noisy < best and flip(shrink):
            noisy += 1
        if noisy > level:
            level, ties, chosen = noisy, 1, i
        elif noisy == level:
            ties = kept + 1
            if flip(Fraction(1) / (kept + 1)):
                chosen = i
    return chosen


@built_in(lambda n, high: ints(n, 0, high), n=3, neighbors="all_step", ratio="1/2", high=3)
@mechanism
def report_noisy_max(x: Any, ratio: Any, high: Any) -> Any:
    """The index of the largest score after geometric noise, clamped to 0..high; of equal ones the first.

    Reference: Dwork and Roth 2014.

    >>> from taut import ints
    >>> report_noisy_max(ints(2, 0, 1), ratio="1/2", high=1).distribution((0, 1))
    {0: Fraction(5, 9), 1: Fraction(4, 9)}
    """
    noisy = [geometric(score, ratio, 0, high) for score in x]
    return noisy.index(max(noisy))


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
