"""Gaussian differential privacy: the smallest mu whose trade-off curve lies below another one."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import flint

from taut.numbers import INFINITY, Ball
from taut.results.curve import Line

__all__ = ["gaussian_mu"]


def gaussian_mu(lines: Iterable[Line]) -> Any:
    """The smallest mu such that telling N(0, 1) from N(mu, 1) is at least as easy, a Ball (exactly 0, or INFINITY).

    Every line is a test: it says x with probability ``mass`` on x and ``mass_prime`` on x'. The best test of the two
    normal distributions that is as rarely wrong on x' is right with probability Phi(Phi^-1(mass') + mu), which is a
    concave function of mass', so it lies above the hull of all tests if and only if it does so at the corners: mu is
    the largest Phi^-1(mass) - Phi^-1(mass').
    """
    largest: Any = Fraction(0)
    for line in lines:
        if line.mass <= line.mass_prime:
            continue
        if line.mass_prime == 0 or line.mass >= 1:
            return INFINITY
        mu = Ball(_quantile(line.mass) - _quantile(line.mass_prime))
        if largest == 0 or mu.upper > largest.upper:
            largest = mu
    return largest


def _quantile(share: Fraction) -> Any:
    """Phi^-1 of a probability, in as many bits as its distance from 0 and 1 needs."""
    bits = 256 + max(share.numerator.bit_length(), share.denominator.bit_length())
    with flint.ctx.workprec(bits):
        tail = min(share, 1 - share)
        value = flint.arb(2).sqrt() * flint.arb(flint.fmpq(2 * tail.numerator, tail.denominator)).erfcinv()
        return value if share > Fraction(1, 2) else -value
