"""Closing and hull pruning: drop items that are settled (Theorem 3) or covered by others (Theorem 6).

For pairs, an item is dropped if non-negative multiples of items that are kept add up to at least its belief for x and
at most its belief for x', one set of multiples for both. For single inputs, minimising, if kept beliefs whose
multiples sum to one add up to at most its belief. A non-negative least-squares fit in floats proposes the multiples;
integers confirm them, or the item stays.
"""

from __future__ import annotations

import time
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from taut.support.exact import INFINITY
from taut.synthesis.search.certificate import Certificate
from taut.synthesis.search.frontier import Group, Ids, ItemFrontier, Key, Layer, Mask
from taut.synthesis.search.plan import FINISHED
from taut.synthesis.search.question import SearchBudget, SearchQuestion
from taut.synthesis.search.witness import completed

__all__ = ["Closing", "HullPruning", "undominated"]


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
        """Take an item without mass when minimising, since none can be better."""
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


Floats = npt.NDArray[np.float64]
_PAYS = 0.9
"""Share of dominated items below which pruning stops; it also takes at most half of the time."""
_MOST_WIDTH = 24
"""Number of nodes of a block beyond which fits take too long."""
_NEAREST = 4
"""Items that a fit may use, as a multiple of the number of its equations."""
_DENOMINATOR = 1 << 40


class HullPruning:
    """The pass that drops dominated items, from large layers whose bounds are known, as long as it pays."""

    def __init__(self, question: SearchQuestion, budget: SearchBudget, large: int) -> None:
        self.question = question
        self.budget = budget
        self.large = large
        self._cuts = frozenset(question.plan.inputs)
        self._started = time.perf_counter()
        self._seconds = 0.0
        self._pays = not question.conditioned and not question.plan.balls

    def pruned(self, frontier: ItemFrontier) -> Layer:
        layer = frontier.layer
        if not self._pays or layer.bound is None or layer.size < self.large or layer.cut not in self._cuts:
            return layer
        start = time.perf_counter()
        kept = undominated(self.question, layer, self.budget)
        self._seconds += time.perf_counter() - start
        self._pays = kept.size < _PAYS * layer.size and self._seconds < (time.perf_counter() - self._started) / 2
        return kept


def undominated(question: SearchQuestion, layer: Layer, budget: SearchBudget) -> Layer:
    """Return the layer without items that others dominate; for questions without evidence, where the theorem holds.

    If the budget is exhausted, items that were not yet looked at stay.
    """
    masks: dict[Key, Mask] = {}
    for key, group in layer.groups.items():
        pool = layer.pools[key[1]]
        impossible = len(group.ids) > 1 and pool.zero[group.ids[1]].any()
        if len(group) > 2 * pool.width and 1 < pool.width <= _MOST_WIDTH and not impossible:
            masks[key] = _Hull(question, layer, key, group).kept(budget)
    if not masks:
        return layer
    return layer.kept(lambda key, group: masks.get(key, np.ones(len(group), dtype=bool)))


class _Hull:
    """The items of one group as points; each row is an upper or a lower constraint of domination."""

    def __init__(self, question: SearchQuestion, layer: Layer, key: Key, group: Group) -> None:
        self.group, self.pool = group, layer.pools[key[1]]
        self.pairs = question.pairs
        width = self.pool.width
        upwards = [1] * width if question.largest else [-1] * width
        self.signs = np.array([*upwards, *([-1] * width if self.pairs else [-upwards[0]])])
        self.points = self._floats()
        self._known: dict[int, list[Any]] = {}

    def _floats(self) -> Floats:
        """Return the points: (c b, b') in units of the sum of b', or (c b, 1) in units of the largest entry."""
        group, pool = self.group, self.pool
        first = pool.floats[group.ids[0]]
        logs = group.logs + pool.tops[group.ids[0]]
        if self.pairs:
            second = pool.floats[group.ids[1]]
            sums = second.sum(axis=1, keepdims=True)
            logs = logs - pool.tops[group.ids[1]] - np.log(sums[:, 0])
            parts = [first * np.exp(np.clip(logs, -600.0, 600.0))[:, None], second / sums]
        else:
            self.unit = group.scales[int(np.argmax(logs))] * max(pool.rows[int(group.ids[0][int(np.argmax(logs))])])
            parts = [first * np.exp(np.clip(logs - logs.max(), -600.0, 0.0))[:, None], np.ones((len(group), 1))]
        return np.concatenate(parts, axis=1)

    def _exact(self, number: int) -> list[Any]:
        """Return one point, exactly."""
        if number not in self._known:
            group, rows = self.group, self.pool.rows
            scale, first = group.scales[number], rows[int(group.ids[0][number])]
            if self.pairs:
                second = rows[int(group.ids[1][number])]
                total = sum(second)
                self._known[number] = [scale * b / total for b in first] + [flint.fmpq(b, total) for b in second]
            else:
                self._known[number] = [scale * b / self.unit for b in first] + [flint.fmpq(1)]
        return self._known[number]

    def kept(self, budget: SearchBudget) -> Mask:
        """Return the undominated items: extreme ones first, then each that the kept ones do not dominate."""
        points = self.points
        keep = np.zeros(len(points), dtype=bool)
        if not np.isfinite(points).all():
            return ~keep
        order = np.argsort(-np.linalg.norm(points - points.mean(axis=0), axis=1), kind="stable")
        directions = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-300)
        chosen: list[int] = []
        ways = np.empty_like(directions)
        most = _NEAREST * points.shape[1]
        for position, number in enumerate(order.tolist()):
            if budget.exhausted():
                keep[order[position:]] = True
                break
            near = chosen
            if len(chosen) > most:
                likeness = ways[: len(chosen)] @ directions[number]
                near = [chosen[other] for other in np.argpartition(-likeness, most)[:most]]
            if not near or not self._dominated(number, near):
                ways[len(chosen)] = directions[number]
                chosen.append(number)
                keep[number] = True
        return keep

    def _dominated(self, number: int, others: list[int]) -> bool:
        """Return True if others add up to something at least as good, first in floats, then exactly."""
        target = self.points[number]
        columns = np.concatenate([self.points[others].T, np.diag(-self.signs.astype(np.float64))], axis=1)
        from scipy.optimize import nnls  # takes longer to import than most searches take

        try:
            weights, rest = nnls(columns, target)
        except RuntimeError:
            return False
        if rest > 1e-9 * np.linalg.norm(target):
            return False
        positive = np.flatnonzero(weights[: len(others)] > 1e-12).tolist()
        used = [others[position] for position in positive]
        tight = np.flatnonzero(weights[len(others) :] <= 1e-12 * np.linalg.norm(target))
        if not used:
            return False
        exact = self._solved(number, used, tight)
        if exact is None:
            exact = [flint.fmpq(int(weights[position] * _DENOMINATOR), _DENOMINATOR) for position in positive]
        return self._confirmed(number, used, exact)

    def _solved(self, number: int, used: list[int], tight: npt.NDArray[np.int64]) -> list[Any] | None:
        """Return the multiples for which the rows that floats found tight are exactly so; None if not fixed."""
        if len(tight) < len(used):
            return None
        from scipy.linalg import qr

        matrix = self.points[used][:, tight]
        _, _, pivots = qr(matrix, mode="economic", pivoting=True)
        rows = tight[pivots[: len(used)]].tolist()
        points = [self._exact(other) for other in used]
        mine = self._exact(number)
        system = flint.fmpq_mat([[point[row] for point in points] for row in rows])
        try:
            solution = system.solve(flint.fmpq_mat([[mine[row]] for row in rows]))
        except ZeroDivisionError:
            return None
        return [solution[row, 0] for row in range(len(used))]

    def _confirmed(self, number: int, used: list[int], weights: list[Any]) -> bool:
        """Return True if these multiples dominate, in exact arithmetic."""
        if any(weight < 0 for weight in weights):
            return False
        points = [self._exact(other) for other in used]
        for row, (mine, sign) in enumerate(zip(self._exact(number), self.signs.tolist(), strict=True)):
            total = sum((weight * point[row] for weight, point in zip(weights, points, strict=True)), flint.fmpq(0))
            if (total < mine) if sign > 0 else (total > mine):
                return False
        return True
