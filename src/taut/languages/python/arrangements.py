"""Random items and orders, written as mechanisms: chains of uniform draws."""

from __future__ import annotations

from typing import Any

from taut.languages.python.randomness import uniform
from taut.languages.python.source import MARK
from taut.support.errors import InvalidDistribution

__all__ = ["choice", "permutation", "shuffle"]


def choice(items: Any) -> Any:
    """Return one of the items, all equally likely; a repeated item counts repeatedly.

    >>> from taut import bits, mechanism
    >>> mechanism(lambda x: choice(x))(bits(3)).distribution((0, 1, 1))
    {0: Fraction(1, 3), 1: Fraction(2, 3)}
    """
    listed = list(items)
    if len(listed) == 0:
        raise InvalidDistribution("choice([]): there must be at least one item.")
    return listed[uniform(0, len(listed) - 1)]


def shuffle(items: Any) -> None:
    """Shuffle a list in place; all permutations of its positions are equally likely."""
    for last in range(len(items) - 1, 0, -1):
        other = uniform(0, last)
        items[last], items[other] = items[other], items[last]


def permutation(items: Any) -> Any:
    """Return the items as a new list in random order; all permutations of their positions are equally likely.

    >>> from taut import bits, mechanism
    >>> mechanism(lambda x: permutation(x))(bits(2)).distribution((0, 1))
    {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    """
    listed = list(items)
    shuffle(listed)
    return listed


for _function in (choice, shuffle, permutation):
    setattr(_function, MARK, _function)
