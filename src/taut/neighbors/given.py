"""Relations given by the user: a name, a predicate, or a list of pairs."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from taut.neighbors.listed import Pairs, Predicate
from taut.neighbors.relation import NAMED, Neighbors, relation_names
from taut.support.errors import InvalidNeighbors
from taut.support.spelling import meant

__all__ = ["neighbors_of"]


def neighbors_of(given: Any) -> Neighbors:
    """Return the relation for a name, a predicate, or a list of pairs.

    Parameters
    ----------
    given
        A name, such as ``"one_differ"``; a predicate f(x, x_prime); ordered pairs (x, x'); or a relation itself.

    Raises
    ------
    InvalidNeighbors
        It is none of these.

    Examples
    --------
    >>> from taut.domains import InputSpace, bits
    >>> space = InputSpace((bits(3),))
    >>> neighbors_of("one_differ").automaton(space).count_pairs()
    24
    >>> neighbors_of(lambda x, x_prime: sum(x) < sum(x_prime)).automaton(space).count_pairs()
    22
    """
    if isinstance(given, Neighbors):
        return given
    if isinstance(given, str) and given in NAMED:
        return _named(given)
    if callable(given):
        return Predicate(given)
    if isinstance(given, Iterable) and not isinstance(given, str):
        return Pairs(given)
    raise InvalidNeighbors(
        f"neighbors={given!r}: there are {relation_names()}, a predicate f(x, x_prime), or ordered pairs (x, x')."
        f"{meant(given, NAMED) if isinstance(given, str) else ''}",
        value=given,
    )


@functools.cache
def _named(name: str) -> Neighbors:
    """Return the relation of a name: always the same object, so that cached results are reused."""
    return NAMED[name]()
