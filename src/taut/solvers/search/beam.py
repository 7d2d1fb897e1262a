"""A quick witness: narrow layers from both sides, each chosen by what the other side makes of it.

Every value that is found belongs to a real pair (or input), so it is a bound from its side, however few items are
kept. Items are kept for what they attain with the items of the other side, and for being extreme at some node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.solvers.search.layer import (
    NOWHERE,
    Group,
    Layer,
    Question,
    State,
    first_layer,
    last_layer,
    step_down,
    step_up,
)
from taut.solvers.search.meet import Combinations, Meeting, meet
from taut.solvers.search.plan import FINISHED
from taut.solvers.search.witness import Path

__all__ = ["quick_witness"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def quick_witness(question: Question, check: Callable[[], None], width: int) -> Iterator[tuple[Any, Path]]:
    """Better and better values with their paths, found in narrow layers; a value of None is infinity."""
    best: tuple[Any, Path] | None = None
    above: list[Layer] | None = None
    while True:
        before = best
        below = _narrow(question, last_layer(question), above, width, check, down=False)
        above = _narrow(question, first_layer(question), below, width, check, down=True)
        found = _best_meeting(question, above, below, best, check)
        if found is None:
            return
        best = found
        yield best
        if best[0] is None or (before is not None and best[0] == before[0]):
            return


def _narrow(
    question: Question,
    layer: Layer,
    others: list[Layer] | None,
    width: int,
    check: Callable[[], None],
    *,
    down: bool,
) -> list[Layer]:
    """Layers at all cuts, in the order of the cuts, none wider than ``width`` per state and block."""
    layers = [layer]
    for _ in question.plan.steps:
        layer = step_down(question, layer, check) if down else step_up(question, layer, check)
        layer.groups = {state: group for state, group in layer.groups.items() if state[1] != FINISHED}
        if any(len(group) > width for group in layer.groups.values()):
            chooser = _Chooser(question, layer, None if others is None else others[layer.cut], width, down)
            layer = layer.kept(chooser.choice)
        layers.append(layer)
    return layers if down else layers[::-1]


@dataclass(frozen=True)
class _Chooser:
    """Which items of a layer are kept."""

    question: Question
    layer: Layer
    other: Layer | None
    width: int
    down: bool

    def choice(self, state: State, group: Group) -> Mask:
        keep = np.zeros(len(group), dtype=bool)
        if len(group) <= self.width:
            return ~keep
        scores = self._scores(state, group)
        if scores is not None:
            keep[np.argpartition(-scores, self.width // 2)[: self.width // 2]] = True
        pool = self.layer.pools[state[1]]
        own = pool.floats[group.ids[0]]
        views = [own / np.maximum(own.sum(axis=1, keepdims=True), 1.0)]
        if len(self.question.tracks) > 1:
            with np.errstate(divide="ignore", invalid="ignore"):
                quotients = np.nan_to_num(own / pool.floats[group.ids[1]], nan=0.0, posinf=1e300)
            shift = group.logs + pool.tops[group.ids[0]] - pool.tops[group.ids[1]]
            views.append(quotients * np.exp(np.clip(shift - shift.max(), -600.0, 0.0))[:, None])
        columns = np.concatenate(views, axis=1)
        each = max(1, self.width // (2 * columns.shape[1]))
        if columns.shape[1] > self.width:
            columns = columns[:, np.linspace(0, columns.shape[1] - 1, self.width).astype(int)]
        top = np.argpartition(-columns, min(each, len(columns) - 1), axis=0)[:each]
        keep[top.ravel()] = True
        return keep

    def _scores(self, state: State, group: Group) -> Floats | None:
        partner = None if self.other is None else self.other.groups.get(state)
        if self.other is None or partner is None:
            return None
        mine, theirs = (self.layer.pools[state[1]], self.other.pools[state[1]])
        if self.down:
            return Combinations(self.question, group, mine, partner, theirs, None, _never).scores()[0]
        return Combinations(self.question, partner, theirs, group, mine, None, _never).scores()[1]


def _best_meeting(
    question: Question,
    above: list[Layer],
    below: list[Layer],
    best: tuple[Any, Path] | None,
    check: Callable[[], None],
) -> tuple[Any, Path] | None:
    """The best meeting at any cut, if it is better than the best so far."""
    found: tuple[int, Meeting] | None = None
    bar = None if best is None else best[0]
    for cut in [*question.plan.inputs, len(above) - 1]:
        met = meet(question, above[cut], below[cut], bar, check)
        if met is not None and met.above != NOWHERE:
            found, bar = (cut, met), met.value
            if met.value is None:
                break
    if found is None:
        return None
    cut, met = found
    beneath = list(reversed(below[cut:]))
    return met.value, Path((*_path(above[: cut + 1], met.above)[::-1], *_path(beneath, met.below)))


def _path(layers: list[Layer], item: int) -> list[int]:
    """The choices that led to an item of the last layer, the latest first."""
    found: list[int] = []
    for layer in reversed(layers[1:]):
        if item == NOWHERE:
            break
        for group in layer.groups.values():
            if group.start <= item < group.start + len(group):
                place = item - group.start
                found.append(int(group.choices[place]))
                item = int(group.parents[place])
                break
    return found


def _never() -> None:
    """Nothing to check."""
