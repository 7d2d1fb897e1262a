"""Distribution of mass between two entries, from one node."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from taut.diagrams.compile import Relation
from taut.inference.beliefs import Beliefs

__all__ = ["Spread", "Spreads", "cuts_of", "segments_of"]

_MOST_ENDS = 4096
"""Nodes and outputs that one node may lead to before the next entry; if there are more, it is not followed."""

Spread = dict[tuple[int, ...], dict[int, int]]
"""For each way of outputs the mass at the nodes of the next cut."""


class Spreads:
    """Targets of a node's mass between two entries: for each way of outputs, the mass at the nodes of the next cut."""

    def __init__(self, beliefs: Beliefs, levels: Sequence[tuple[int, str]]) -> None:
        self._beliefs, self._levels = beliefs, levels
        self.scale = math.prod(beliefs.row(number).scale for number, kind in levels if kind == "coin")
        self._known: dict[int, Spread | None] = {}

    def of_both(self, own: int, other: int) -> tuple[Spread, Spread] | None:
        """The spreads of mass one at two nodes, times ``scale``; None if one is too wide.

        From one node both runs have the same outputs, which need not be told apart then (G is homogeneous).
        """
        if own == other:
            both: Spread = {(): functools.reduce(self._stepped, self._levels, {own: 1})}
            return both, both
        ends = self._of(own), self._of(other)
        return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])

    def _stepped(self, belief: dict[int, int], level: tuple[int, str]) -> dict[int, int]:
        return self._beliefs.after(level[0], belief)

    def _of(self, node: int) -> Spread | None:
        if node not in self._known:
            self._known[node] = self._spread(node)
        return self._known[node]

    def _spread(self, node: int) -> Spread | None:
        ends: Spread = {(): {node: 1}}
        for number, kind in self._levels:
            if kind == "coin":
                ends = {outputs: self._beliefs.after(number, belief) for outputs, belief in ends.items()}
                continue
            following: Spread = {}
            for outputs, belief in ends.items():
                if all(self._beliefs.depth[at] != number for at in belief):
                    following[outputs] = belief
                    continue
                for value in range(self._beliefs.arrays.levels[number].arity):
                    reached = self._beliefs.after(number, belief, value)
                    if reached:
                        following[(*outputs, number, value)] = reached
            ends = following
            if sum(map(len, ends.values())) > _MOST_ENDS:
                return None
        return ends


def segments_of(levels: Sequence[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """The levels, cut before every entry: the first segment has none."""
    segments: list[list[tuple[int, str]]] = [[]]
    for level in levels:
        if level[1] == "input":
            segments.append([])
        segments[-1].append(level)
    return segments


def cuts_of(relation: Relation, segments: Sequence[Sequence[tuple[int, str]]]) -> list[list[int]]:
    """The nodes at which mass can be before each entry."""
    arrays = relation.arrays
    _, children, depth = arrays.lists
    here = {arrays.root}
    cuts = []
    for segment in segments:
        for number, _ in segment:
            at = [node for node in here if depth[node] == number]
            here.difference_update(at)
            here.update(kid for node in at for kid in children[node] if kid != arrays.false)
        cuts.append(sorted(here))
    return cuts
