"""Samplers of noise without ends, exact for rational parameters (Canonne, Kamath and Steinke 2020)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.languages.python.distributions import noise_of
from taut.support.exact import Ball, number

__all__ = ["noise_without_ends"]


def noise_without_ends(name: str, arguments: Sequence[Any]) -> int:
    """Draw noise around a centre, clamped to the ends that are given."""
    noise_of(name, arguments)  # refuses what cannot be drawn
    center, parameter, low, high = arguments
    value = number(parameter, name)
    exact = Fraction(value.mid) if isinstance(value, Ball) else Fraction(value)
    if name == "geometric":
        noise = _count(exact) - _count(exact)
    elif name == "discrete_laplace":
        noise = _laplace(exact)
    else:
        noise = _gaussian(exact)
    drawn = int(center) + noise
    drawn = drawn if low is None else max(drawn, int(low))
    return drawn if high is None else min(drawn, int(high))


def _happens(chance: Fraction) -> bool:
    return random.randrange(chance.denominator) < chance.numerator


def _count(ratio: Fraction) -> int:
    """The number of successes before the first failure; two of them differ by two-sided geometric noise."""
    count = 0
    while _happens(ratio):
        count += 1
    return count


def _happens_exp(power: Fraction) -> bool:
    """True with probability exp(-power)."""
    while power > 1:
        if not _happens_exp(Fraction(1)):
            return False
        power -= 1
    trial = 1
    while _happens(power / trial):
        trial += 1
    return trial % 2 == 1


def _laplace(scale: Fraction) -> int:
    """Noise with P(z) proportional to exp(-abs(z) / scale)."""
    above, below = scale.numerator, scale.denominator
    while True:
        part = random.randrange(above)
        if not _happens_exp(Fraction(part, above)):
            continue
        whole = 0
        while _happens_exp(Fraction(1)):
            whole += 1
        size = (part + above * whole) // below
        negative = random.randrange(2) == 1
        if not (negative and size == 0):
            return -size if negative else size


def _gaussian(variance: Fraction) -> int:
    """Noise with P(z) proportional to exp(-z^2 / (2 variance)), by rejection from Laplace noise of about its width."""
    scale = math.isqrt(variance.numerator // variance.denominator) + 1
    while True:
        drawn = _laplace(Fraction(scale))
        if _happens_exp((abs(drawn) - variance / scale) ** 2 / (2 * variance)):
            return drawn
