"""Closing: items whose value no longer depends on what follows are taken and dropped (Theorem 3)."""

from __future__ import annotations

import numpy as np

from taut.support.exact import INFINITY
from taut.synthesis.search.certificate import Certificate
from taut.synthesis.search.frontier import Group, Ids, ItemFrontier, Key, Layer, Mask
from taut.synthesis.search.plan import FINISHED
from taut.synthesis.search.question import SearchQuestion
from taut.synthesis.search.witness import completed

__all__ = ["Closing"]


class Closing:
    """The pass that ends items: equal beliefs and no more differences, no mass against x, or no mass at all."""

    def __init__(self, question: SearchQuestion, certificate: Certificate) -> None:
        self.question = question
        self.certificate = certificate
        self.free = question.automaton.free([len(one.values) for one in question.plan.relation.inputs])

    def pruned(self, frontier: ItemFrontier) -> Layer:
        layer = frontier.layer
        if not self.question.largest:
            if self.free:
                self._take_nothing(frontier)
            return layer
        if not self.question.pairs:
            return layer
        open_items: dict[Key, Mask] = {}
        for key, group in layer.groups.items():
            infinite = layer.pools[key[1]].zero[group.ids[1]]
            if infinite.any() and (self.free or key[1] == FINISHED):
                self._take(frontier, key, int(infinite.argmax()), INFINITY)
                return layer
            if self._indifferent(frontier, key):
                equal = np.all(group.ids[0::2] == group.ids[1::2], axis=0)
                if equal.any():
                    self._take_equal(frontier, key, np.flatnonzero(equal))
                    open_items[key] = ~equal
        if not open_items:
            return layer
        return layer.kept(lambda key, group: open_items.get(key, np.ones(len(group), dtype=bool)))

    def _indifferent(self, frontier: ItemFrontier, key: Key) -> bool:
        """Return True if runs with equal vectors have equal futures beyond a frontier."""
        state, block = key
        if block == FINISHED:
            return True
        automaton, cut = self.question.automaton, frontier.layer.cut
        same = (automaton.same_after if frontier.down else automaton.same_before)[self.question.inputs_above[cut]]
        plan = self.question.plan
        unread = frontier.down and not any(node in plan.reading for node in plan.cuts[cut][block])
        return self.free and (state in same or unread)

    def _take_nothing(self, frontier: ItemFrontier) -> None:
        """Minimising, an item without mass cannot be beaten."""
        for key, group in frontier.layer.groups.items():
            empty = frontier.layer.pools[key[1]].zero[group.ids[0]]
            if empty.any():
                self._take(frontier, key, int(empty.argmax()), self.question.arithmetic.unit * 0)
                return

    def _take_equal(self, frontier: ItemFrontier, key: Key, items: Ids) -> None:
        """Take items whose two runs have equal vectors: their value is their scale.

        Runs that share an enclosure need not be equal: with balls the value gets all ratios in it as a factor.
        """
        group: Group = frontier.layer.groups[key]
        rows = frontier.layer.pools[key[1]].rows
        for item in items.tolist():
            value = group.scales[item]
            if self.question.plan.balls:
                for ids in group.ids[0::2]:
                    value = value * self.question.arithmetic.spread(rows[int(ids[item])])
            self._take(frontier, key, item, self.question.finite(value))

    def _take(self, frontier: ItemFrontier, key: Key, item: int, value: object) -> None:
        self.certificate.offer(value, lambda: completed(self.question, frontier, key, item), frontier.layer.cut)
