"""The discrete Gaussian on the integers: probabilities and tails, as balls that enclose the infinite sums."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import flint

from taut.support.exact import Ball, ends, in_precision
from taut.support.limits import checkpoints

__all__ = ["LARGEST_POWER", "LARGEST_VARIANCE", "gaussian_masses"]

LARGEST_VARIANCE = 10**9
"""Limit for the variance; a sum has about 22 terms per unit of the standard deviation, here some 700,000."""
LARGEST_POWER = 1_000_000
"""Limit for x in e^-x; smaller numbers would have too many digits."""
_BITS = 300
"""Working precision in bits: a few are lost in the computation, so it exceeds that of balls."""


@functools.lru_cache(maxsize=16)
def gaussian_masses(variance: Fraction | Ball, first: int, count: int) -> tuple[list[Ball], list[Ball]]:
    """Return P(Z = d) and P(Z >= d) for d = first, ..., first + count; P(z) is proportional to exp(-z^2 / (2
    variance)).

    Canonne, Kamath and Steinke 2020, Definition 1, with mean 0.

    Guarantee:
        Each ball holds the exact number; relative to it, its radius is below 1e-70 where the variance is exact.

    Proof. Let w(k) = q^(k^2) with q = exp(-1 / (2 variance)) < 1. From a K >= 0 on, j >= 0 gives (K + j)^2 >= K^2 +
    (2K + 1) j, since j^2 >= j for whole numbers; so the rest of the sum, w(K) + w(K + 1) + ..., lies between 0 and
    w(K) / (1 - q^(2K + 1)), the sum of a geometric series. Every tail is a finite sum of balls plus that interval; the
    normaliser is twice the tail from 0 less w(0), which is 1. K is taken so large that the rest is below 2^-300 times
    w(first + count), the smallest number asked for; were it not, the balls would be wider but hold the numbers as well.
    """
    top = float(ends(variance)[1])
    with flint.ctx.workprec(_BITS):
        power = -1 / (2 * variance)
        minus_half = power.arb if isinstance(power, Ball) else flint.arb(flint.fmpq(power.numerator, power.denominator))
        end = first + count
        # w(K) / w(end) < 2^-b where K^2 - end^2 > 2 b ln 2 variance; 64 bits more make up for the denominator
        last = math.isqrt(end * end + math.ceil(2 * (_BITS + 64) * math.log(2) * top)) + 2
        weights = [(minus_half * (k * k)).exp() for k in checkpoints(range(last + 1))]
        rest = weights[last] / (1 - (minus_half * (2 * last + 1)).exp())
        tail = flint.arb(0).union(rest)
        tails = []
        for k in range(last - 1, -1, -1):
            tail += weights[k]
            if k <= end:
                tails.append(tail)
        tails.reverse()
        total = 2 * tails[0] - 1
    with in_precision():
        points = [Ball(weights[d] / total) for d in range(first, end + 1)]
        return points, [Ball(tail / total) for tail in tails[first:]]
