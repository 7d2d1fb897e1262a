"""Counting mechanisms: a trusted curator adds noise to sums of the records."""

from __future__ import annotations

from typing import Any

from taut.languages.python import geometric
from taut.mechanisms.catalog import built_in
from taut.mechanisms.local import rr_count, values_below
from taut.model import mechanism
from taut.program.domains import bits


@built_in(bits, n=4, ratio="1/2")
@mechanism
def geometric_count(x: Any, ratio: Any) -> Any:
    """The number of ones with two-sided geometric noise, clamped to what a count can be.

    Reference: Ghosh, Roughgarden and Sundararajan 2009.

    >>> from taut import bits
    >>> geometric_count(bits(2), ratio="1/2").distribution((0, 1))
    {0: Fraction(1, 3), 1: Fraction(1, 3), 2: Fraction(1, 3)}
    """
    return geometric(sum(x), ratio, 0, len(x))


@built_in(values_below, n=3, k=3, ratio="1/2")
@mechanism
def histogram(x: Any, k: Any, ratio: Any) -> Any:
    """The histogram of the values 0..k-1, every count with its own clamped geometric noise.

    Reference: Dwork, McSherry, Nissim and Smith 2006.

    >>> from taut import ints
    >>> histogram(ints(1, 0, 1), k=2, ratio="1/2").distribution((0,))
    {(0, 0): Fraction(2, 9), (0, 1): Fraction(1, 9), (1, 0): Fraction(4, 9), (1, 1): Fraction(2, 9)}
    """
    return [geometric(x.count(value), ratio, 0, len(x)) for value in range(k)]


@built_in(bits, n=4, ratio="1/2")
@mechanism
def prefix_sums(x: Any, ratio: Any) -> Any:
    """The number of ones among the first 1, 2, ..., n records, every answer with its own clamped geometric noise.

    The first record takes part in every answer, so that e^eps is ratio**(-n); ``binary_tree_counter`` is the remedy.

    Reference: Dwork, Naor, Pitassi and Rothblum 2010.

    >>> from taut import bits
    >>> prefix_sums(bits(2), ratio="1/2").probability((1, 0), (1, 1))
    Fraction(2, 9)
    """
    return [geometric(sum(x[:end]), ratio, 0, end) for end in range(1, len(x) + 1)]


@built_in(bits, n=4, ratio="1/2")
@mechanism
def binary_tree_counter(x: Any, ratio: Any) -> Any:
    """All prefix sums, each from the noisy counts of a few blocks whose lengths are powers of two.

    A block's noisy count is drawn once and serves every sum that needs it; a record is in at most 1 + log2(n) blocks.

    Reference: Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011.

    >>> from taut import bits
    >>> binary_tree_counter(bits(3), ratio="1/2").probability((1, 0, 1), (1, 1, 2))
    Fraction(4, 27)
    """
    blocks: dict[Any, Any] = {}
    sums = []
    for end in range(1, len(x) + 1):
        total = 0
        right = end
        while right > 0:
            length = right & -right  # the largest power of two that divides right
            left = right - length
            if (left, right) not in blocks:
                blocks[left, right] = geometric(sum(x[left:right]), ratio, 0, length)
            total += blocks[left, right]
            right = left
        sums.append(total)
    return sums


@built_in(bits, n=5, lam="1/5")
@mechanism
def rr_majority(x: Any, lam: Any) -> Any:
    """The majority of the answers of randomized response: True if more than half are ones.

    Reference: Warner 1965.

    >>> from taut import bits
    >>> rr_majority(bits(3), lam="1/5").probability((1, 1, 1), True)
    Fraction(112, 125)
    """
    return 2 * rr_count(x, lam) > len(x)
