"""A variable order that keeps the variables of each conjunct together: FORCE (Aloul, Markov, Sakallah 2003).

Each conjunct pulls its variables towards their mean place; every variable moves to the mean of what pulls it, and the
places are renumbered. That is repeated while it helps. Floats are fine here: an order changes sizes, never answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["improved_order"]

_ROUNDS = 100
_PATIENCE = 5


def improved_order(order: Sequence[int], scopes: Sequence[Sequence[int]]) -> list[int] | None:
    """An order with a smaller sum of spans than the given one, None if none was found.

    The span of a scope is the distance between its first and its last variable.
    """
    wide = [scope for scope in scopes if len(scope) > 1]
    if not wide:
        return None
    sizes = np.array([len(scope) for scope in wide])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    member = np.concatenate([np.asarray(scope, dtype=np.int64) for scope in wide])
    owner = np.repeat(np.arange(len(wide)), sizes)
    pulls = np.bincount(member, minlength=len(order))
    place = np.empty(len(order), dtype=np.int64)
    place[np.asarray(order, dtype=np.int64)] = np.arange(len(order))

    def span(places: np.ndarray) -> int:
        return int((np.maximum.reduceat(places[member], starts) - np.minimum.reduceat(places[member], starts)).sum())

    first = least = span(place)
    best, waited = place, 0
    for _ in range(_ROUNDS):
        middle = np.add.reduceat(place[member], starts) / sizes
        wanted = np.where(
            pulls > 0, np.bincount(member, middle[owner], minlength=len(order)) / np.maximum(pulls, 1), place
        )
        place = np.empty_like(place)
        place[np.lexsort((best, wanted))] = np.arange(len(order))
        now = span(place)
        waited = 0 if now < least else waited + 1
        if now < least:
            best, least = place, now
        if waited == _PATIENCE:
            break
    return [int(variable) for variable in np.argsort(best)] if least < first else None
