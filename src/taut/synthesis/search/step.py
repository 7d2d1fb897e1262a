"""One step of a frontier: all items under all choices that the automaton allows, with equal ones merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.synthesis.search.frontier import NO_PARENT, Group, Ids, Key, Layer, Mask, Pool, log_of, merged, single
from taut.synthesis.search.plan import FINISHED
from taut.synthesis.search.question import Choice, SearchBudget, SearchQuestion

__all__ = ["OpenImages", "step_down", "step_up"]

Choices = npt.NDArray[np.int32]
Objects = npt.NDArray[np.object_]
OpenImages = Callable[[Pool, Key, Ids, npt.NDArray[np.float64]], Mask | None]
"""Filter of the images that can still become the best, by pool, state and block, vectors, and logarithms of scales."""
_CELLS = 1 << 18
"""Items that are made at once: few enough for a deadline to be kept."""


def step_down(
    question: SearchQuestion, layer: Layer, budget: SearchBudget, open_images: OpenImages | None = None
) -> Layer | None:
    """Return the layer after the step below a layer of beliefs; None if the budget is exhausted.

    ``open_images`` may drop images that cannot become the best before they are made.
    """
    images = _Images(question, layer.cut, layer.pools, open_images, down=True)
    gathered: dict[Key, list[Group]] = {}
    for (state, block), group in layer.groups.items():
        for (following, after), choices in images.targets(state, block).items():
            for some in _portions(choices, len(group)):
                if budget.exhausted():
                    return None
                gathered.setdefault((following, after), []).append(images.image(group, block, (following, after), some))
    return _layer(question, layer.cut + 1, images, gathered)


def step_up(
    question: SearchQuestion, layer: Layer, budget: SearchBudget, open_images: OpenImages | None = None
) -> Layer | None:
    """Return the layer before the step above a layer of functionals; None if the budget is exhausted."""
    index = layer.cut - 1
    states = question.states(index)
    pools, groups = layer.pools, layer.groups
    if question.plan.steps[index].finished:
        end = Pool(question.arithmetic, 1)
        pools = {**pools, FINISHED: end}
        groups = {**groups, **{(state, FINISHED): single(question, end, NO_PARENT) for state in states}}
    images = _Images(question, index, pools, open_images, down=False)
    gathered: dict[Key, list[Group]] = {}
    for block in range(len(question.plan.cuts[index])):
        for state in states:
            for target, choices in images.targets(state, block).items():
                group = groups.get(target)
                if group is None:
                    continue
                for some in _portions(choices, len(group)):
                    if budget.exhausted():
                        return None
                    gathered.setdefault((state, block), []).append(images.image(group, block, target, some, state))
    return _layer(question, index, images, gathered)


def _portions(choices: Choices, size: int) -> Iterator[Choices]:
    """Yield choices in portions whose images are arrays small enough to be interrupted."""
    step = max(1, _CELLS // max(1, size))
    for start in range(0, len(choices), step):
        yield choices[start : start + step]


class _Images:
    """Images of the vectors of the pools under a step, each computed once."""

    def __init__(
        self,
        question: SearchQuestion,
        index: int,
        pools: Mapping[int, Pool],
        open_images: OpenImages | None,
        *,
        down: bool,
    ) -> None:
        self.question = question
        self.open_images = open_images
        self.made = 0
        """Number of images, those that cannot become the best included."""
        self.index = index
        self.step = question.plan.steps[index]
        self.sources = pools
        self.down = down
        blocks = question.plan.cuts[index + 1 if down else index]
        self.pools = {block: Pool(question.arithmetic, len(nodes)) for block, nodes in enumerate(blocks)}
        if down and self.step.finished:
            self.pools[FINISHED] = Pool(question.arithmetic, 1)
        self._known: dict[tuple[int, int, bool], tuple[Ids, Objects | None]] = {}
        self._logs: dict[tuple[int, int, bool], npt.NDArray[np.float64]] = {}

    def targets(self, state: int, block: int) -> dict[Key, Choices]:
        """Return the targets of a step from a state and a block, with the choices that lead there."""
        transitions = self.question.transitions(self.index, state)
        idle = self.step.idle(block)
        if idle is not None:
            one_each = {following: Choice(a, b) for a, b, following in transitions}
            return {(following, idle): np.array([choice], dtype=np.int32) for following, choice in one_each.items()}
        moves = self.step.moves
        choices: dict[Key, list[Choice]] = {}
        for a, b, following in transitions:
            target = moves.get((block, a)) or moves.get((block, b))
            if target is not None:
                choices.setdefault((following, target[0]), []).append(Choice(a, b))
            elif not self.question.largest:  # no mass at all is what a search for the least looks for
                choices.setdefault((following, block), []).append(Choice(a, b))
        return {target: np.array(listed, dtype=np.int32) for target, listed in choices.items()}

    def image(self, group: Group, block: int, target: Key, choices: Choices, state: int | None = None) -> Group:
        """Return the images of a group's items under choices; those in which x has no mass left are gone.

        ``target`` is the state and block below the step; ``state`` is the one above it, where the step goes up.
        """
        count, size, after = len(choices), len(group), target[1]
        ids = np.empty((len(group.ids), count, size), dtype=np.int64)
        taken: list[tuple[int, tuple[int, int, bool], Ids, Ids]] = []
        for number, track in enumerate(self.question.tracks):
            summed = track.marginalized and self.step.kind == "output"
            numbers, factors = self._numbered(block, after, summed)
            chosen = np.zeros(count, dtype=np.int64) if summed else choices[:, track.side].astype(np.int64)
            own = group.ids[number]
            ids[number] = numbers[chosen[:, None], own[None, :]]
            if factors is not None:
                taken.append((track.sign, (block, after, summed), chosen, own))
        flat = ids.reshape(len(ids), -1)
        key = target if self.down else (target[0] if state is None else state, block)
        keep = np.ones(flat.shape[1], dtype=bool)
        if self.question.largest:
            keep = ~self.pools[key[1]].zero[flat[0]]
        self.made += int(keep.sum())
        if self.open_images is not None and key[1] != FINISHED:
            logs = np.broadcast_to(group.logs, (count, size))
            for sign, known, chosen, own in taken:
                logs = logs + sign * self._logs_of(known)[chosen[:, None], own[None, :]]
            still = self.open_images(self.pools[key[1]], key, flat, logs.reshape(-1))
            keep = keep if still is None else keep & still
        places = np.flatnonzero(keep)
        choice, item = np.divmod(places, size)
        scales = group.scales[item]
        for sign, known, chosen, own in taken:
            factors = self._known[known][1]
            assert factors is not None
            some = factors[chosen[choice], own[item]]
            scales = scales * some if sign > 0 else scales / some
        return Group(flat[:, places], scales, group.start + item, choices[choice], 0)

    def _logs_of(self, known: tuple[int, int, bool]) -> npt.NDArray[np.float64]:
        """Return the logarithms of the scales that were taken out."""
        if known not in self._logs:
            factors = self._known[known][1]
            assert factors is not None
            try:
                self._logs[known] = np.log(factors.astype(np.float64))
            except (OverflowError, TypeError):
                logs = [log_of(factor) for factor in factors.ravel().tolist()]
                self._logs[known] = np.array(logs, dtype=np.float64).reshape(factors.shape)
        return self._logs[known]

    def _numbered(self, block: int, after: int, summed: bool) -> tuple[Ids, Objects | None]:
        """For each choice the numbers of a pool's vectors behind it, and the scales taken out of them (None: all 1)."""
        key = (block, after, summed)
        if key in self._known:
            return self._known[key]
        source, target = (block, after) if self.down else (after, block)
        pool, into = self.sources[source], self.pools[target]
        count = 1 if summed else self.step.choices
        numbers = np.empty((count, len(pool)), dtype=np.int64)
        scales = np.empty((count, len(pool)), dtype=object)
        for choice in range(count):
            goes, move = (after, self.step.forget) if summed else self.step.moves.get((block, choice), (after, None))
            if move is None or goes != after:
                vectors: list[list[Any]] = [[0] * into.width] * len(pool)
            elif move.same:
                vectors = pool.rows
            else:
                vectors = (move.forward(pool.matrix) if self.down else move.backward(pool.matrix)).tolist()
            numbers[choice], scales[choice] = into.intern(vectors)
        plain = all(scale == 1 for scale in scales.ravel().tolist())
        self._known[key] = (numbers, None if plain else scales)
        return self._known[key]


def _layer(question: SearchQuestion, cut: int, images: _Images, gathered: Mapping[Key, list[Group]]) -> Layer:
    groups: dict[Key, Group] = {}
    pools, start = images.pools, 0
    for key in sorted(gathered):
        group = merged(question, gathered[key], len(pools[key[1]]), start)
        if len(group):
            groups[key] = group
            start += len(group)
    return Layer(cut, pools, groups, images.made, start).compact()
