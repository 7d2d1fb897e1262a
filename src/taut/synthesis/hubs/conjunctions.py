"""Conjunctions: an output as a condition on each factor alone, once the value of one factor, the hub, is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import LevelArrays
from taut.support.limits import checkpoint

__all__ = ["Conjunction", "conjunction_of"]

_FALSE, _TRUE = 0, 1


@dataclass(frozen=True, eq=False)
class Conjunction:
    """The event that an output is returned: some factor, the hub, has one of ``values``, and others are in sets.

    ``sets`` has for each factor that matters the outcomes that it may have at each value of the hub, as a matrix of
    Booleans. Factors and outcomes are known by their places; without a hub there is one row.
    """

    hub: int | None
    values: tuple[int, ...]
    sets: Mapping[int, npt.NDArray[np.bool_]]


def conjunction_of(arrays: LevelArrays, output: Sequence[int]) -> Conjunction | None:
    """The conjunction that an output is, by a hub that makes it one; None if there is no such hub.

    A factor below which two different events remain must be above the hub, or the hub itself: what is below the hub is
    reached with its value known. So candidates are the lowest such factor and all below it.
    """
    event = _Event(arrays, output)
    if event.root == _FALSE:
        return None
    if event.lowest is None:
        return event.by(None)
    for level in range(event.lowest, len(arrays.levels)):
        if arrays.levels[level].kind == "coin":
            found = event.by(level)
            if found is not None:
                return found
    return None


class _Event:
    """The diagram of one output, reduced: nodes are 0 (false), 1 (true), or places in lists."""

    def __init__(self, arrays: LevelArrays, output: Sequence[int]) -> None:
        self.arrays = arrays
        self.level: list[int] = [len(arrays.levels)] * 2
        self.classes: list[npt.NDArray[np.int64] | None] = [None, None]
        self.kids: list[tuple[int, ...]] = [(), ()]
        self.root = self._reduced(output)
        conflicts = [
            self.level[node] for node in range(2, len(self.kids)) if len({kid for kid in self.kids[node] if kid}) > 1
        ]
        self.lowest = max(conflicts, default=None)

    def _reduced(self, output: Sequence[int]) -> int:
        """Make the nodes of the event from the lowest on, and return its root."""
        arrays = self.arrays
        partition, children, depth = arrays.lists
        made = {arrays.false: _FALSE, arrays.true: _TRUE}
        known: dict[Any, int] = {}
        places: dict[int, npt.NDArray[np.int64]] = {}
        for node in range(arrays.nodes - 1, -1, -1):
            level = arrays.levels[depth[node]]
            if level.kind == "output":
                made[node] = made[arrays.kid(node, output[level.index])]
                continue
            own = partition[node]
            kids = tuple([made[child] for child in children[node]])
            if len(set(kids)) == 1:
                made[node] = kids[0]
                continue
            key = (depth[node], own, kids)
            if key not in known:
                if own not in places:
                    place = arrays.partitions[own].place
                    places[own] = np.array([place(value) for value in range(level.arity)], np.int64)
                known[key] = len(self.kids)
                self.level.append(depth[node])
                self.classes.append(places[own])
                self.kids.append(kids)
            made[node] = known[key]
        checkpoint()
        return made[arrays.root]

    def by(self, hub: int | None) -> Conjunction | None:
        """The conjunction with the factor of a level as the hub; None if it is none."""
        width = 1 if hub is None else self.arrays.levels[hub].arity
        chains = _Chains()
        rows: list[npt.NDArray[np.int64]] = [np.full(1, _FALSE), np.full(1, _TRUE)]
        for node in range(2, len(self.kids)):
            classes = self.classes[node]
            assert classes is not None
            if self.level[node] == hub:
                rows.append(np.array([int(rows[kid][0]) for kid in self.kids[node]])[classes])
                continue
            wide = width if hub is not None and self.level[node] < hub else 1  # below the hub its value is known
            below = np.array([np.broadcast_to(rows[kid], wide) for kid in self.kids[node]])
            some = below != _FALSE
            after = below.max(0)
            if not np.all((below == after) | ~some):
                return None
            rows.append(chains.extended(self.level[node], some[classes], after))
        return self._unrolled(hub, chains, np.broadcast_to(rows[self.root], width))

    def _unrolled(self, hub: int | None, chains: _Chains, root: npt.NDArray[np.int64]) -> Conjunction:
        levels = self.arrays.levels
        alive = np.flatnonzero(root)
        found: dict[int, npt.NDArray[np.bool_]] = {}
        for row, place in enumerate(alive.tolist()):
            link = int(root[place])
            while link != _TRUE:
                level, allowed, link = chains.links[link]
                factor = levels[level].index
                if factor not in found:
                    found[factor] = np.ones((len(alive), levels[level].arity), np.bool_)
                found[factor][row] = allowed
        values = tuple(alive.tolist()) if hub is not None else ()
        return Conjunction(None if hub is None else levels[hub].index, values, found)


class _Chains:
    """Conjunctions of conditions on single levels, numbered: equal ones have one number."""

    def __init__(self) -> None:
        self.links: list[Any] = [None, None]
        self._known: dict[Any, int] = {}

    def extended(
        self, level: int, allowed: npt.NDArray[np.bool_], after: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Numbers of conjunctions, a condition on one more level being put before each."""
        packed = np.packbits(allowed, axis=0).T
        whole = allowed.all(0)
        numbers = after.copy()
        for place in np.flatnonzero((after != _FALSE) & ~whole).tolist():
            key = (level, packed[place].tobytes(), int(after[place]))
            number = self._known.get(key)
            if number is None:
                number = self._known[key] = len(self.links)
                self.links.append((level, allowed[:, place].copy(), int(after[place])))
            numbers[place] = number
        return numbers
