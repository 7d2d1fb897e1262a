"""Layers: what can have happened up to a cut (or can follow it), merged; and how one layer leads to the next.

An item is a state of the pairing, a block, and one vector for each track: beliefs on the way down, functionals on the
way up. Items whose vectors are equal up to scale are one, the one with the better quotient of scales.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.semiring import ProjectiveSemiring
from taut.solvers.search.automaton import Pairing, Turn
from taut.solvers.search.plan import FINISHED, Plan
from taut.solvers.search.pool import Pool, log_of

__all__ = ["NOWHERE", "Group", "Layer", "Question", "Track", "first_layer", "last_layer", "step_down", "step_up"]

Ids = npt.NDArray[np.int64]
Objects = npt.NDArray[np.object_]
_PORTION = 1 << 18
NOWHERE = -1
"""The parent of an item that ends in a finished block, where nothing has to be chosen any more."""
State = tuple[int, int]
"""A state of the pairing, and a block."""


@dataclass(frozen=True)
class Track:
    """One run: of x (side 0) or of x' (side 1), with its output or with all outputs summed, and its exponent."""

    side: int
    forgets: bool
    sign: int


@dataclass(frozen=True)
class Question:
    """What is asked: the product of the runs' final masses to their exponents, at its largest or at its smallest."""

    plan: Plan
    pairing: Pairing
    tracks: tuple[Track, ...]
    largest: bool

    @property
    def arithmetic(self) -> ProjectiveSemiring[Any]:
        return self.plan.semiring

    def better(self, a: Any, b: Any) -> Any:
        return self.arithmetic.larger(a, b) if self.largest else self.arithmetic.smaller(a, b)

    def beats(self, a: Any, b: Any) -> bool:
        """Whether a is strictly better; of balls, whether its middle is: that tells which of two is the witness."""
        if self.plan.balls:
            a, b = a.mid(), b.mid()
        return bool(a > b if self.largest else a < b)

    def turns(self, place: int, state: int) -> Sequence[Turn]:
        """What may happen at a step that starts in a state: choices of both sides, and the next state."""
        step = self.plan.steps[place]
        if step.kind == "input":
            return self.pairing.turns[self.entry[place]][state]
        return [(choice, choice, state) for choice in range(step.choices)]

    @cached_property
    def entry(self) -> dict[int, int]:
        """For each step that reads an input, how many were read before."""
        return {place: number for number, place in enumerate(self.plan.inputs)}

    @cached_property
    def reads(self) -> tuple[int, ...]:
        """For each cut, how many inputs were read above it."""
        return (0, *itertools.accumulate(int(step.kind == "input") for step in self.plan.steps))


@dataclass(frozen=True)
class Group:
    """Items in one state and block: a row of vector numbers for each track, their quotients, where they came from."""

    ids: Ids
    scales: Objects
    parents: Ids
    choices: Ids
    start: int

    def __len__(self) -> int:
        return len(self.scales)

    @cached_property
    def logs(self) -> npt.NDArray[np.float64]:
        """The logarithms of the quotients."""
        return np.array([log_of(scale) for scale in self.scales], dtype=np.float64)

    def only(self, keep: npt.NDArray[np.bool_], start: int) -> Group:
        return Group(self.ids[:, keep], self.scales[keep], self.parents[keep], self.choices[keep], start)


@dataclass
class Layer:
    """All items at a cut; items are numbered through the groups."""

    cut: int
    pools: dict[int, Pool]
    groups: dict[State, Group]
    made: int = 0
    """How many items there were before merging."""

    @property
    def size(self) -> int:
        return sum(len(group) for group in self.groups.values())

    @property
    def beliefs(self) -> int:
        return sum(len(pool) for pool in self.pools.values())

    def kept(self, choose: Callable[[State, Group], npt.NDArray[np.bool_]]) -> Layer:
        """The layer with some of its items only."""
        groups, start = {}, 0
        for state, group in self.groups.items():
            keep = choose(state, group)
            if keep.all() and group.start == start:
                groups[state] = group
            elif keep.any():
                groups[state] = group.only(keep, start)
            start += int(keep.sum())
        return Layer(self.cut, self.pools, groups, self.made).compact()

    def compact(self) -> Layer:
        """The layer with only those vectors that some item has."""
        used: dict[int, Ids] = {}
        for block, pool in self.pools.items():
            mine = [group.ids.ravel() for (_, own), group in self.groups.items() if own == block]
            numbers = np.unique(np.concatenate(mine)) if mine else np.zeros(0, dtype=np.int64)
            if len(numbers) < len(pool):
                used[block] = numbers
        if not used:
            return self
        pools = {block: pool.only(used[block]) if block in used else pool for block, pool in self.pools.items()}
        groups = {}
        for (state, block), group in self.groups.items():
            ids = np.searchsorted(used[block], group.ids) if block in used else group.ids
            groups[state, block] = Group(ids, group.scales, group.parents, group.choices, group.start)
        return Layer(self.cut, pools, groups, self.made)


def first_layer(question: Question) -> Layer:
    """The root, in the first state."""
    pools: dict[int, Pool] = {}
    groups: dict[State, Group] = {}
    for block in range(len(question.plan.cuts[0])):
        pools[block] = Pool(question.arithmetic, 1)
        for state in question.pairing.states[0]:
            groups[state, block] = _single(question, pools[block], len(groups))
    return Layer(0, pools, groups)


def last_layer(question: Question) -> Layer:
    """TRUE, in every last state."""
    pools: dict[int, Pool] = {}
    groups: dict[State, Group] = {}
    for block, nodes in enumerate(question.plan.cuts[-1]):
        pools[block] = Pool(question.arithmetic, len(nodes))
        for state in question.pairing.states[-1]:
            if nodes:
                groups[state, block] = _single(question, pools[block], len(groups))
    return Layer(len(question.plan.steps), pools, groups)


def _single(question: Question, pool: Pool, start: int) -> Group:
    ids, _ = pool.intern([[1] * pool.width])
    tracks = len(question.tracks)
    scales = np.empty(1, dtype=object)
    scales[0] = question.arithmetic.unit
    nothing = np.zeros(1, dtype=np.int64)
    return Group(np.repeat(ids[None, :], tracks, axis=0), scales, nothing, nothing, start)


def step_down(question: Question, layer: Layer, check: Callable[[], None]) -> Layer:
    """The layer after the step below a layer of beliefs."""
    images = _Images(question, layer.cut, layer.pools, down=True)
    gathered: dict[State, list[_Part]] = {}
    for (state, block), group in layer.groups.items():
        for (following, after), pairs in images.targets(state, block).items():
            for some in _portions(pairs, len(group)):
                check()
                part = images.part(group, block, after, some)
                gathered.setdefault((following, after), []).append(part)
    return _layer(question, layer.cut + 1, images.pools, gathered)


def step_up(question: Question, layer: Layer, check: Callable[[], None]) -> Layer:
    """The layer before the step above a layer of functionals."""
    place = layer.cut - 1
    states = question.pairing.states[question.reads[place]]
    pools, groups = layer.pools, layer.groups
    if question.plan.steps[place].finished:
        end = Pool(question.arithmetic, 1)
        pools = {**pools, FINISHED: end}
        groups = {**groups, **{(state, FINISHED): _single(question, end, NOWHERE) for state in states}}
    images = _Images(question, place, pools, down=False)
    gathered: dict[State, list[_Part]] = {}
    for block in range(len(question.plan.cuts[place])):
        for state in states:
            for target, pairs in images.targets(state, block).items():
                group = groups.get(target)
                if group is not None:
                    for some in _portions(pairs, len(group)):
                        check()
                        part = images.part(group, block, target[1], some)
                        gathered.setdefault((state, block), []).append(part)
    return _layer(question, place, images.pools, gathered)


def _portions(pairs: Ids, size: int) -> Iterator[Ids]:
    """Pairs of choices in portions that keep arrays small enough to be interrupted."""
    step = max(1, _PORTION // max(1, size))
    for start in range(0, len(pairs), step):
        yield pairs[start : start + step]


@dataclass(frozen=True)
class _Part:
    ids: Ids
    scales: Objects
    parents: Ids
    choices: Ids


class _Images:
    """What a step makes of the vectors of the pools, each computed once."""

    def __init__(self, question: Question, place: int, pools: dict[int, Pool], *, down: bool) -> None:
        self.question = question
        self.place = place
        self.step = question.plan.steps[place]
        self.sources = pools
        self.down = down
        blocks = question.plan.cuts[place + 1 if down else place]
        self.pools = {block: Pool(question.arithmetic, len(nodes)) for block, nodes in enumerate(blocks)}
        if down and self.step.finished:
            self.pools[FINISHED] = Pool(question.arithmetic, 1)
        self._known: dict[tuple[int, int, bool], tuple[Ids, Objects | None]] = {}

    def targets(self, state: int, block: int) -> dict[State, Ids]:
        """Where a step leads from a state and a block: to which ones, by which pairs of choices."""
        moves = self.step.moves
        idle = self.step.idle(block)
        if idle is not None:
            one_each = {following: (a, b) for a, b, following in self.question.turns(self.place, state)}
            return {(following, idle): np.array([pair]) for following, pair in one_each.items()}
        found: dict[State, list[tuple[int, int]]] = {}
        for a, b, following in self.question.turns(self.place, state):
            target = moves.get((block, a)) or moves.get((block, b))
            if target is not None:
                found.setdefault((following, target[0]), []).append((a, b))
            elif not self.question.largest:  # no mass at all is what a search for the least looks for
                found.setdefault((following, block), []).append((a, b))
        return {target: np.array(pairs, dtype=np.int64) for target, pairs in found.items()}

    def part(self, group: Group, block: int, after: int, pairs: Ids) -> _Part:
        """The images of a group's items under pairs of choices; those in which x has no mass left are gone."""
        count, size = len(pairs), len(group)
        scales = np.broadcast_to(group.scales, (count, size))
        ids = np.empty((len(group.ids), count, size), dtype=np.int64)
        for number, track in enumerate(self.question.tracks):
            forgets = track.forgets and self.step.kind == "output"
            image, factors = self._image(block, after, forgets)
            chosen = np.zeros(count, dtype=np.int64) if forgets else pairs[:, track.side]
            own = group.ids[number]
            ids[number] = image[chosen[:, None], own[None, :]]
            if factors is not None:
                taken = factors[chosen[:, None], own[None, :]]
                scales = scales * taken if track.sign > 0 else scales / taken
        flat = ids.reshape(len(ids), -1)
        scales = scales.reshape(-1)
        parents = np.tile(np.arange(group.start, group.start + size), count)
        choices = np.repeat((pairs[:, 0] << 32) | pairs[:, 1], size)
        if self.question.largest:
            keep = ~self.pools[after if self.down else block].zero[flat[0]]
            if not keep.all():
                return _Part(flat[:, keep], scales[keep], parents[keep], choices[keep])
        return _Part(flat, scales, parents, choices)

    def _image(self, block: int, after: int, forgets: bool) -> tuple[Ids, Objects | None]:
        """For each choice the numbers of the images of a pool's vectors, and the scales taken out of them."""
        key = (block, after, forgets)
        if key in self._known:
            return self._known[key]
        source, target = (block, after) if self.down else (after, block)
        pool, into = self.sources[source], self.pools[target]
        count = 1 if forgets else self.step.choices
        numbers = np.empty((count, len(pool)), dtype=np.int64)
        factors = np.empty((count, len(pool)), dtype=object)
        for choice in range(count):
            goes, move = (after, self.step.forget) if forgets else self.step.moves.get((block, choice), (after, None))
            if move is None or goes != after:
                vectors: list[list[Any]] = [[0] * into.width] * len(pool)
            elif move.same:
                vectors = pool.rows
            else:
                vectors = (move.forward(pool.matrix) if self.down else move.backward(pool.matrix)).tolist()
            numbers[choice], factors[choice] = into.intern(vectors)
        plain = all(factor == 1 for factor in factors.ravel().tolist())
        self._known[key] = (numbers, None if plain else factors)
        return self._known[key]


def _layer(question: Question, cut: int, pools: dict[int, Pool], gathered: dict[State, list[_Part]]) -> Layer:
    groups: dict[State, Group] = {}
    made = start = 0
    for state in sorted(gathered):
        parts = gathered[state]
        ids = np.concatenate([part.ids for part in parts], axis=1)
        made += ids.shape[1]
        if not ids.shape[1]:
            continue
        scales = np.concatenate([part.scales for part in parts])
        parents = np.concatenate([part.parents for part in parts])
        choices = np.concatenate([part.choices for part in parts])
        keep, scales = _merged(question, ids, scales, [len(pools[state[1]])] * len(ids))
        groups[state] = Group(ids[:, keep], scales, parents[keep], choices[keep], start)
        start += len(keep)
    return Layer(cut, pools, groups, made).compact()


def _merged(question: Question, ids: Ids, scales: Objects, sizes: Sequence[int]) -> tuple[Ids, Objects]:
    """Which items stay when those with equal vectors are one, and their quotients."""
    code = ids[0]
    most = sizes[0]
    for row, size in zip(ids[1:], sizes[1:], strict=True):
        if most * size > 1 << 62:
            code = np.unique(code, return_inverse=True)[1]
            most = len(code)
        code = code * size + row
        most *= size
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    fresh = np.ones(len(ordered), dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    if fresh.all():
        keep = np.arange(len(code))
        return keep, scales
    kept, best = [], []
    better = question.better
    for item, new in zip(order.tolist(), fresh.tolist(), strict=True):
        scale = scales[item]
        if new:
            kept.append(item)
            best.append(scale)
            continue
        if question.beats(scale, best[-1]):
            kept[-1] = item
        best[-1] = better(best[-1], scale)
    found = np.empty(len(best), dtype=object)
    found[:] = best
    return np.array(kept, dtype=np.int64), found
