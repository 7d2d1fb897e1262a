"""A quick witness: narrow layers from both sides, each chosen by what the other side makes of it.

Every value that is found belongs to a real pair (or input), so it is a bound from its side, however few items are
kept. Items are kept for what they attain with the items of the other side, and for being extreme at some node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.support.exact import INFINITY
from taut.support.limits import require_room
from taut.synthesis.search.budget import SearchBudget
from taut.synthesis.search.frontier import Group, ItemFrontier, Key, Layer, Mask, bottom_layer, top_layer
from taut.synthesis.search.meet import Combinations, meet
from taut.synthesis.search.plan import FINISHED
from taut.synthesis.search.question import SearchQuestion
from taut.synthesis.search.step import step_down, step_up
from taut.synthesis.search.witness import Path

__all__ = ["quick_witness"]


def quick_witness(question: SearchQuestion, widths: Sequence[int], budget: SearchBudget) -> Iterator[tuple[Any, Path]]:
    """Better and better values with their paths, found in narrow layers; none if the budget is exhausted first.

    Layers have the first width until nothing better is found, then the next.
    """
    bar: Any = None
    above: _Beam | None = None
    for width in widths:
        while True:
            below = _beam(question, ItemFrontier("up", bottom_layer(question)), above, width, budget)
            if below is None:
                return
            above = _beam(question, ItemFrontier("down", top_layer(question)), below, width, budget)
            if above is None:
                return
            best = _best_meeting(question, above, below, bar, budget)
            if best is None:
                break
            yield best
            if best[0] == INFINITY:
                return
            if bar is not None and best[0] == bar:
                break
            bar = best[0]


@dataclass(frozen=True)
class _Beam:
    """Narrow layers at all cuts, in the order of the cuts, and the frontier that went through them."""

    frontier: ItemFrontier
    layers: list[Layer]


def _beam(
    question: SearchQuestion, frontier: ItemFrontier, partner: _Beam | None, width: int, budget: SearchBudget
) -> _Beam | None:
    """Layers none wider than ``width`` per state and block, chosen by a partner's; None if out of budget."""
    layers = [frontier.layer]
    for _ in question.plan.steps:
        layer = (step_down if frontier.down else step_up)(question, frontier.layer, budget)
        if layer is None:
            return None
        if any(block == FINISHED or len(group) > width for (_, block), group in layer.groups.items()):
            other = None if partner is None else partner.layers[layer.cut]
            layer = layer.kept(_Chooser(question, layer, other, width, frontier.down).choice)
        frontier.extend(layer)
        layers.append(layer)
    return _Beam(frontier, layers if frontier.down else layers[::-1])


@dataclass(frozen=True)
class _Chooser:
    """Choice of the items of a layer that are kept."""

    question: SearchQuestion
    layer: Layer
    other: Layer | None
    width: int
    down: bool

    def choice(self, key: Key, group: Group) -> Mask:
        keep = np.zeros(len(group), dtype=bool)
        if key[1] == FINISHED:
            return keep
        if len(group) <= self.width:
            return ~keep
        scores = self._scores(key, group)
        if scores is not None:
            keep[np.argpartition(-scores, self.width // 2)[: self.width // 2]] = True
        pool = self.layer.pools[key[1]]
        nodes = pool.floats.shape[1]
        views = nodes * min(2, len(self.question.tracks))
        looked = np.arange(views) if views <= self.width else np.linspace(0, views - 1, self.width).astype(int)
        require_room(4 * 8 * len(group) * len(looked))
        shares, quotients = looked[looked < nodes], looked[looked >= nodes] - nodes
        sums = np.maximum(pool.floats.sum(axis=1), 1.0)[group.ids[0]]
        columns = [pool.floats[:, shares][group.ids[0]] / sums[:, None]]
        if len(quotients):
            own, other = (pool.floats[:, quotients][group.ids[side]] for side in (0, 1))
            with np.errstate(divide="ignore", invalid="ignore"):
                divided = np.nan_to_num(own / other, nan=0.0, posinf=1e300)
            shift = group.logs + pool.tops[group.ids[0]] - pool.tops[group.ids[1]]
            columns.append(divided * np.exp(np.clip(shift - shift.max(), -600.0, 0.0))[:, None])
        each = max(1, self.width // (2 * views))
        top = np.argpartition(-np.concatenate(columns, axis=1), min(each, len(group) - 1), axis=0)[:each]
        keep[top.ravel()] = True
        return keep

    def _scores(self, key: Key, group: Group) -> npt.NDArray[np.float64] | None:
        """Return for each item the value of its best combination with the other side."""
        partner = None if self.other is None else self.other.groups.get(key)
        if self.other is None or partner is None:
            return None
        mine, theirs = self.layer.pools[key[1]], self.other.pools[key[1]]
        if self.down:
            return Combinations(self.question, group, mine, partner, theirs).scores()[0]
        return Combinations(self.question, partner, theirs, group, mine).scores()[1]


def _best_meeting(
    question: SearchQuestion, above: _Beam, below: _Beam, bar: Any, budget: SearchBudget
) -> tuple[Any, Path] | None:
    """The best meeting of two beams at any cut, if it is better than the bar."""
    steps = len(question.plan.steps)
    best: tuple[int, int, int] | None = None
    for cut in [*question.plan.inputs, steps]:
        met = meet(question, above.layers[cut], below.layers[cut], bar, budget)
        if met is not None:
            bar = met.value
            best = best if met.items is None else (cut, *met.items)
            if bar == INFINITY:
                break
    if best is None:
        return None
    cut, first, second = best
    return bar, Path((*above.frontier.path(first, cut), *below.frontier.path(second, steps - cut)))
