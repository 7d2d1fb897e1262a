"""Epsilon for people, with the exact e^epsilon beside it, as in ``eps = 1.38629 (e^eps = 4 exactly)``."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from taut.questions.ratio import epsilon_of
from taut.questions.text import brief, brief_interval, equals, outward
from taut.support.exact import INFINITY, ends, fraction_of_text

__all__ = [
    "RATIO",
    "brief_epsilon",
    "epsilon_alone",
    "epsilon_digits",
    "epsilon_ends",
    "epsilon_equals",
    "epsilon_number",
]

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
    """Format the logarithm of a ratio with so many digits, or as many more as show that it is below or above a limit.

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


def epsilon_ends(low: Any, high: Any, digits: int = 6) -> tuple[str, str]:
    """Format the logarithms of both ends of an interval of ratios, rounded outwards.

    >>> epsilon_ends(Fraction(1), Fraction(4)), epsilon_ends(Fraction(2), INFINITY)
    (('0', '1.3863'), ('0.693147', 'infinity'))
    """
    least = ends(low)[0]
    below = -INFINITY if least <= 0 else -epsilon_of(1 / Fraction(least)) if least != INFINITY else INFINITY
    return outward(below, digits, up=False), outward(epsilon_of(high), digits, up=True)


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


def epsilon_alone(low: Any, high: Any) -> str:
    """Format a bound for a table of many, without the ratio.

    >>> epsilon_alone(Fraction(4), Fraction(4)), epsilon_alone(Fraction(2), INFINITY)
    ('1.38629', 'between 0.693147 and infinity')
    """
    return brief_epsilon(low, high).partition(" (")[0].removeprefix("eps ").removeprefix("= ")


def _without_parentheses(text: str) -> str:
    """Turn inner parentheses into commas.

    >>> _without_parentheses("e^eps = about 1.9 (an exact fraction of 365 digits)")
    'e^eps = about 1.9, an exact fraction of 365 digits'
    """
    return text.replace(" (", ", ").replace(")", "")
