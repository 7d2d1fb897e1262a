"""Random items and orders, written as a mechanism would write them: chains of uniform draws."""

from __future__ import annotations

from typing import Any

from taut.errors import InvalidDistribution
from taut.frontend.python.randomness import uniform
from taut.frontend.python.source import MARK

__all__ = ["choice", "permutation", "shuffle"]


def choice(items: Any) -> Any:
    """One of the items, all equally likely; an item that occurs twice is twice as likely.

    >>> from taut import bits, mechanism
    >>> mechanism(lambda x: choice(x))(bits(3)).distribution((0, 1, 1))
    {0: Fraction(1, 3), 1: Fraction(2, 3)}
    """
    listed = list(items)
    if len(listed) == 0:
        raise InvalidDistribution("choice([]): there must be at least one item.")
    return listed[uniform(0, len(listed) - 1)]


def shuffle(items: Any) -> None:
    """Bring a list into a random order, in place; all orders of its places are equally likely."""
    for last in range(len(items) - 1, 0, -1):
        other = uniform(0, last)
        items[last], items[other] = items[other], items[last]


def permutation(items: Any) -> Any:
    """The items as a new list in a random order; all orders of their places are equally likely.

    >>> from taut import bits, mechanism
    >>> mechanism(lambda x: permutation(x))(bits(2)).distribution((0, 1))
    {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    """
    listed = list(items)
    shuffle(listed)
    return listed


for _function in (choice, shuffle, permutation):
    setattr(_function, MARK, _function)
