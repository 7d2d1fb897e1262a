"""Randomized response (Warner 1965) and the count of its answers."""

from __future__ import annotations

from typing import Any

from taut.frontend.python import flip
from taut.model import mechanism

__all__ = ["randomized_response", "rr_count"]


@mechanism
def randomized_response(x: Any, lam: Any) -> Any:
    """Each client reports its bit, flipped with probability lam.

    >>> from taut import bits
    >>> randomized_response(bits(2), lam="1/5").probability((0, 0), (1, 0))
    Fraction(4, 25)
    """
    return [bit ^ flip(lam) for bit in x]


@mechanism
def rr_count(x: Any, lam: Any) -> Any:
    """The number of ones among the answers of randomized response.

    >>> from taut import bits
    >>> rr_count(bits(2), lam="1/5").distribution((0, 0))
    {0: Fraction(16, 25), 1: Fraction(8, 25), 2: Fraction(1, 25)}
    """
    return sum(randomized_response(x, lam))
