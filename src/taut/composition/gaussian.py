"""Gaussian differential privacy: the smallest mu whose trade-off curve lies below another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.composition.curve import Curve, Line
from taut.support.exact import INFINITY, Ball, ends, in_precision

__all__ = ["gaussian_mu", "gaussian_mu_above"]


def gaussian_mu(lines: Iterable[Line]) -> Any:
    """The smallest mu for which the profile is below that of N(0, 1) against N(mu, 1): a Ball, exactly 0, or
    INFINITY.

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
        with in_precision():
            mu = Ball(_quantile(line.mass) - _quantile(line.mass_prime))
        if largest == 0 or mu.upper > largest.upper:
            largest = mu
    return largest


def gaussian_mu_above(upper: Curve, mirrored: Curve) -> Any:
    """A mu that is enough, for curves of rounded probabilities; INFINITY if they show none.

    Rounded up, the probability of almost everything exceeds one. What a test that is almost always right misses is
    known precisely all the same, as the probabilities of its complement, a test of the exchanged pair. So tests that
    say x with probability at most 1/2 on x are read off one curve, and all others off the other one. Each half of the
    curve of N(0, 1) and N(mu, 1) lies beyond the hull of its tests if it does at the corners and where they are split.
    """
    low, split = _cut(upper.lines, Fraction(1, 2))
    high, _ = _cut(mirrored.lines, 1 - split.mass_prime)
    found = [gaussian_mu(low), gaussian_mu(high)]
    return INFINITY if INFINITY in found else max(ends(mu)[1] for mu in found)


def _cut(lines: Sequence[Line], most: Fraction) -> tuple[list[Line], Line]:
    """The corners of a hull up to a mass, and the point of the hull that has this mass."""
    kept = [line for line in lines if line.mass <= most]
    if not kept:
        return [lines[0]], lines[0]
    if len(kept) == len(lines):
        return kept, kept[-1]
    before, after = kept[-1], lines[len(kept)]
    share = (most - before.mass) / (after.mass - before.mass)
    point = Line(most, before.mass_prime + share * (after.mass_prime - before.mass_prime))
    return [*kept, point], point


def _quantile(share: Fraction) -> Any:
    """Phi^-1 of a probability, in as many bits as its distance from 0 and 1 needs."""
    bits = 256 + max(share.numerator.bit_length(), share.denominator.bit_length())
    with flint.ctx.workprec(bits):
        tail = min(share, 1 - share)
        value = flint.arb(2).sqrt() * flint.arb(flint.fmpq(2 * tail.numerator, tail.denominator)).erfcinv()
        return value if share > Fraction(1, 2) else -value
