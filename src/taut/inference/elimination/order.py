"""In which order variables are summed out: greedily the one whose table is smallest, and how large all tables are."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence

from taut.support.limits import checkpoint

__all__ = ["elimination_order"]


def elimination_order(
    sizes: Sequence[int], scopes: Iterable[Sequence[int]], keep: Sequence[int], most: int
) -> tuple[list[int], int]:
    """An order in which all variables but those to keep can be summed out, and how many entries that takes.

    Summing out a variable takes one table over all variables that share a table with it by then; the entries of these
    tables are counted, and of the one over the variables to keep. The order ends early where they are more than
    ``most``.

    >>> elimination_order([2] * 4, [(0,), (0, 1), (1, 2), (2, 3)], [3], 100)
    ([0, 1, 2], 14)
    """
    around: list[set[int]] = [set() for _ in sizes]
    for scope in scopes:
        for variable in scope:
            around[variable].update(scope)
    for variable in range(len(sizes)):
        around[variable].discard(variable)
    total = math.prod(sizes[variable] for variable in keep)
    kept = set(keep)
    cost = [math.prod([sizes[other] for other in around[variable]]) * sizes[variable] for variable in range(len(sizes))]
    waiting = [(cost[variable], variable) for variable in range(len(sizes)) if variable not in kept]
    heapq.heapify(waiting)
    order: list[int] = []
    done = [False] * len(sizes)
    while waiting and total <= most:
        expected, variable = heapq.heappop(waiting)
        if done[variable] or expected != cost[variable]:
            continue
        if not len(order) & 255:
            checkpoint()
        done[variable] = True
        order.append(variable)
        total += expected
        near = around[variable]
        for other in near:
            joined = around[other]
            joined |= near
            joined.discard(other)
            joined.discard(variable)
            if other not in kept:
                cost[other] = math.prod([sizes[third] for third in joined]) * sizes[other]
                heapq.heappush(waiting, (cost[other], other))
    return order, total
