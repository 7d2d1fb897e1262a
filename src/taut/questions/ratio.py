"""e^epsilon: its logarithm rounded up, comparisons with claims without rounding, and how it is given."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import flint

from taut.support.errors import InvalidInput, InvalidNumber, InvalidProbability
from taut.support.exact import INFINITY, Ball, ends, exp, float_above, number

if TYPE_CHECKING:
    pass

__all__ = ["below_epsilon", "below_ratio", "epsilon_of", "logarithm_above", "ratio_of", "required_delta"]


def below_ratio(lower: Any, upper: Any, ratio: Any) -> bool | None:
    """Return True if a number between two others is at most ``ratio``; None where that interval cannot tell."""
    if isinstance(ratio, float) and ratio == INFINITY:
        return True
    least, largest = ends(number(ratio, "ratio"))
    if ends(upper)[1] <= least:
        return True
    return False if ends(lower)[0] > largest else None


def below_epsilon(lower: Any, upper: Any, epsilon: Any) -> bool | None:
    """Return True if a number that lies between two others is at most e^epsilon; None where that interval cannot tell.

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
    """Return True if ratio <= e^power, for a rational ratio or INFINITY.

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


def epsilon_of(ratio: Any) -> float:
    """The smallest float that is not below the logarithm of an exact ratio."""
    return -INFINITY if ratio == 0 else logarithm_above(ratio)


def logarithm_above(value: Any, divisor: Any = 1) -> float:
    """The smallest float that is not below log(value) / divisor, for a Ball the logarithm of its upper end.

    As many bits are computed as tell which float is next above: the logarithm of a rational number other than one is
    none. How many digits the number itself has does not matter.
    """
    if value == INFINITY:
        return INFINITY
    most = ends(value)[1]
    if most == 1:
        return 0.0
    bits = 256
    while True:
        with flint.ctx.workprec(bits):
            exact = flint.arb(flint.fmpq(most.numerator, most.denominator))
            found = Ball(exact.log() / flint.arb(flint.fmpq(divisor.numerator, divisor.denominator)))
        above = float_above(found.upper)
        if float_above(found.lower) == above:
            return above
        bits *= 2


def ratio_of(epsilon: Any, ratio: Any) -> Any:
    """Read e^epsilon, given by its logarithm or exactly, as a Fraction or a Ball of at least 1."""
    if (epsilon is None) == (ratio is None):
        raise InvalidInput("delta: give either epsilon, or ratio= for e^epsilon exactly.", value=(epsilon, ratio))
    if ratio is not None:
        gamma = number(ratio, "delta: ratio")
        if (gamma.lower if isinstance(gamma, Ball) else gamma) < 1:
            raise InvalidNumber(f"delta: ratio = e^epsilon must be at least 1; got {ratio}.", value=ratio)
        return gamma
    power = number(epsilon, "delta: epsilon")
    if (power.lower if isinstance(power, Ball) else power) < 0:
        raise InvalidNumber(f"delta: epsilon must not be negative; got {epsilon}.", value=epsilon)
    return Fraction(1) if power == 0 else exp(power)


def required_delta(delta: Any) -> Fraction:
    """Read delta as a Fraction in [0, 1]."""
    value = number(delta, "epsilon: delta")
    if isinstance(value, Ball) or not 0 <= value <= 1:
        raise InvalidProbability(f"epsilon: delta must be a rational number in [0, 1]; got {delta}.", value=delta)
    return value
