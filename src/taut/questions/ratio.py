"""e^epsilon: its logarithm rounded up, comparisons without rounding, how it is given, and epsilon for people."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint

from taut.questions.text import brief, brief_interval, equals, outward
from taut.support.algebra.exponentials import Exponential
from taut.support.algebra.polynomial import to_flint
from taut.support.errors import InvalidInput, InvalidNumber, InvalidProbability
from taut.support.exact import (
    INFINITY,
    Ball,
    ends,
    exp,
    float_above,
    fraction_of_text,
    number,
    surely_above,
    surely_at_most,
)

__all__ = [
    "RATIO",
    "below_epsilon",
    "below_ratio",
    "brief_epsilon",
    "epsilon_alone",
    "epsilon_below",
    "epsilon_cell",
    "epsilon_digits",
    "epsilon_ends",
    "epsilon_equals",
    "epsilon_number",
    "epsilon_of",
    "logarithm_above",
    "ratio_of",
    "required_delta",
]


def below_ratio(lower: Any, upper: Any, ratio: Any) -> bool | None:
    """Return True if a number between two others is at most ``ratio``; None where that interval cannot tell."""
    if isinstance(ratio, float) and ratio == INFINITY:
        return True
    claimed = number(ratio, "ratio")
    if surely_at_most(upper, claimed):
        return True
    return False if surely_above(lower, claimed) else None


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
    if _at_most_exp(ends(upper)[1], least) or _is_exp(upper, least):
        return True
    return None if _at_most_exp(ends(lower)[0], largest) else False


def _is_exp(ratio: Any, power: Fraction) -> bool:
    """Return True if a ball is known to stand for e^power itself."""
    return (
        isinstance(ratio, Ball)
        and ratio.form is not None
        and ratio.form.same(Exponential.of(Fraction(1), power)) is True
    )


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
    wanted = to_flint(power)
    while True:
        with flint.ctx.workprec(precision):
            gap = flint.arb(to_flint(ratio)).log() - flint.arb(wanted)
            if gap < 0 or gap > 0:
                return bool(gap < 0)
        precision *= 2


def epsilon_of(ratio: Any) -> float:
    """Return the smallest float that is not below the logarithm of an exact ratio."""
    return -INFINITY if ratio == 0 else logarithm_above(ratio)


def epsilon_below(ratio: Any) -> float:
    """Return the largest float that is not above the logarithm of a ratio, or a float just below it."""
    least = ends(ratio)[0]
    if least <= 0 or least == INFINITY:
        return -INFINITY if least <= 0 else INFINITY
    return 0.0 - epsilon_of(1 / Fraction(least))


def logarithm_above(value: Any, divisor: Any = 1) -> float:
    """Return the smallest float that is not below log(value) / divisor, for a Ball the logarithm of its upper end.

    The precision grows until the next float above is certain, which ends since the logarithm of a rational number other
    than 1 is irrational. How many digits the number itself has does not matter.
    """
    if value == INFINITY:
        return INFINITY
    most = ends(value)[1]
    if most == 1:
        return 0.0
    bits = 256
    while True:
        with flint.ctx.workprec(bits):
            exact = flint.arb(to_flint(most))
            found = Ball(exact.log() / flint.arb(to_flint(divisor)))
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


RATIO = "e^eps"
"""The label of bounds that are e^epsilon, of which the logarithm is shown."""


def epsilon_equals(low: Any, high: Any, *, below: Any = None, above: Any = None) -> str:
    """Format a bound on e^epsilon with epsilon first; the exact ratio stands in parentheses.

    A single number is rounded to six digits, or to as many as show that it is at most ``below`` or more than ``above``,
    a claimed epsilon. The ends of an interval are rounded outwards.

    >>> epsilon_equals(Fraction(4), Fraction(4)), epsilon_equals(Fraction(2), Fraction(4))
    ('eps = 1.38629 (e^eps = 4 exactly)', 'eps between 0.693147 and 1.3863 (e^eps between 2 and 4)')
    >>> epsilon_equals(INFINITY, INFINITY), epsilon_equals(Fraction(2), INFINITY)
    ('eps = infinity', 'eps between 0.693147 and infinity (e^eps between 2 and infinity)')
    """
    return f"eps {_number(low, high, '= ', below, above)}"


def epsilon_number(low: Any, high: Any) -> str:
    """Format epsilon for a row, without its name: ``1.38629 (e^eps = 4 exactly)``."""
    return _number(low, high, "", None, None)


def _number(low: Any, high: Any, sign: str, below: Any, above: Any) -> str:
    if low == INFINITY:
        return f"{sign}infinity"
    beside = _without_parentheses(equals(RATIO, low, high))
    if beside.startswith(f"{RATIO} between"):
        least, most = epsilon_ends(low, high)
        return f"between {least} and {most} ({beside})"
    return f"{sign}{epsilon_digits(high, below=below, above=above)} ({beside})"


def epsilon_digits(ratio: Any, digits: int = 6, *, below: Any = None, above: Any = None) -> str:
    """Format the logarithm of a ratio with ``digits`` digits, or more if needed to show that it is below or above a
    limit.

    >>> epsilon_digits(Fraction(4)), epsilon_digits(Fraction(4), above="1.38629"), epsilon_digits(Fraction(1))
    ('1.38629', '1.386294', '0')
    """
    value = epsilon_of(ratio)
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    most, least = (None if limit is None else fraction_of_text(str(limit)) for limit in (below, above))
    while digits < 17:
        near = Fraction(f"{value:.{digits}g}")
        if (most is None or near <= most) and (least is None or near > least):
            break
        digits += 1
    return f"{value:.{digits}g}"


def epsilon_ends(low: Any, high: Any) -> tuple[str, str]:
    """Format the logarithms of both ends of an interval of ratios, rounded outwards.

    >>> epsilon_ends(Fraction(1), Fraction(4)), epsilon_ends(Fraction(2), INFINITY)
    (('0', '1.3863'), ('0.693147', 'infinity'))
    """
    return outward(epsilon_below(low), 6, up=False), outward(epsilon_of(high), 6, up=True)


def brief_epsilon(low: Any, high: Any, epsilon: str = "eps", ratio: str = RATIO) -> str:
    """Format a bound for the title of a picture, with the names as the picture writes them.

    >>> brief_epsilon(Fraction(4), Fraction(4)), brief_epsilon(Fraction(2), INFINITY)
    ('eps = 1.38629 (e^eps = 4)', 'eps between 0.693147 and infinity')
    """
    if low == INFINITY:
        return f"{epsilon} = infinity"
    if low == high:
        return f"{epsilon} = {epsilon_digits(high)} ({ratio} {brief_interval(low, high)})"
    least, most = epsilon_ends(low, high)
    if least == most:
        return f"{epsilon} = {most} ({ratio} = {brief(high)})"
    beside = "" if high == INFINITY else f" ({ratio} {brief_interval(low, high)})"
    return f"{epsilon} between {least} and {most}{beside}"


def epsilon_cell(low: Any, high: Any) -> str:
    """Format a bound for a cell of a table, with the ratio beside it.

    >>> epsilon_cell(Fraction(4), Fraction(4))
    '1.38629 (e^eps = 4)'
    """
    return brief_epsilon(low, high).removeprefix("eps ").removeprefix("= ")


def epsilon_alone(low: Any, high: Any) -> str:
    """Format a bound for a cell of a table, without the ratio.

    >>> epsilon_alone(Fraction(4), Fraction(4)), epsilon_alone(Fraction(2), INFINITY)
    ('1.38629', 'between 0.693147 and infinity')
    """
    return epsilon_cell(low, high).partition(" (")[0]


def _without_parentheses(text: str) -> str:
    """Turn inner parentheses into commas.

    >>> _without_parentheses("e^eps = about 1.9 (an exact fraction of 365 digits)")
    'e^eps = about 1.9, an exact fraction of 365 digits'
    """
    return text.replace(" (", ", ").replace(")", "")
