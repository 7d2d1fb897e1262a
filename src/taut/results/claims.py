"""Whether a ratio lies below a claimed e^epsilon, decided without rounding."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint

from taut.errors import InvalidNumber
from taut.numbers import INFINITY, ends, number

__all__ = ["below_epsilon", "below_ratio"]


def below_ratio(lower: Any, upper: Any, ratio: Any) -> bool | None:
    """Whether a number that lies between two others is at most ``ratio``; None where that interval cannot tell."""
    if isinstance(ratio, float) and ratio == INFINITY:
        return True
    least, largest = ends(number(ratio, "ratio"))
    if ends(upper)[1] <= least:
        return True
    return False if ends(lower)[0] > largest else None


def below_epsilon(lower: Any, upper: Any, epsilon: Any) -> bool | None:
    """Whether a number that lies between two others is at most e^epsilon; None where that interval cannot tell.

    An int, a Fraction or a text is an exact epsilon. A float stands for all real numbers that round to it, so the
    answer is True if it is for one of them; 0.0 is zero.
    """
    if isinstance(epsilon, float) and epsilon == INFINITY:
        return True
    value = number(epsilon, "epsilon")
    least, largest = ends(value)
    if largest < 0:
        raise InvalidNumber(f"epsilon must not be negative; got {epsilon}.", value=epsilon)
    if isinstance(epsilon, float) and epsilon:
        # halfway to the next float, exactly: what lies beyond rounds to another one
        least = largest = (Fraction(epsilon) + Fraction(math.nextafter(epsilon, math.inf))) / 2
    if _at_most_exp(ends(upper)[1], least):
        return True
    return None if _at_most_exp(ends(lower)[0], largest) else False


def _at_most_exp(ratio: Any, power: Fraction) -> bool:
    """Whether ratio <= e^power, for a rational ratio or INFINITY.

    The logarithm of a rational other than 1 is irrational, so some precision tells it from the power.
    """
    if ratio == INFINITY:
        return False
    if ratio <= 0:
        return True
    if ratio == 1 or power == 0:
        return bool(ratio <= 1 if power == 0 else power > 0)
    precision = 128 + int(ratio.numerator).bit_length() + int(ratio.denominator).bit_length()
    wanted = flint.fmpq(power.numerator, power.denominator)
    while True:
        with flint.ctx.workprec(precision):
            gap = flint.arb(flint.fmpq(ratio.numerator, ratio.denominator)).log() - flint.arb(wanted)
            if gap < 0 or gap > 0:
                return bool(gap < 0)
        precision *= 2
