"""Witnesses: a quick first one by narrow layers from both sides, and whole ones from parts.

Every value that is found belongs to a real pair (or input), so it is a bound, however few items are kept. Items are
kept by the values that they attain with items of the other side, and if they are extreme at some node.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.neighbors import Transition
from taut.support.exact import INFINITY
from taut.support.limits import require_room
from taut.synthesis.search.frontier import Group, ItemFrontier, Key, Layer, Mask, bottom_layer, top_layer
from taut.synthesis.search.meet import Combinations, meet
from taut.synthesis.search.plan import FINISHED
from taut.synthesis.search.question import Choice, SearchBudget, SearchQuestion, Track, moved
from taut.synthesis.search.step import step_down, step_up

__all__ = ["Path", "completed", "input_path", "quick_witness", "some_path", "triple", "value_of"]


Node = tuple[int, int]
"""A block, and a node by its position in the block."""


@dataclass(frozen=True)
class Path:
    """One choice for each step from the root on.

    A path ends at TRUE, or with a settlement that leads to a finished block.
    """

    choices: tuple[Choice, ...]


def completed(question: SearchQuestion, frontier: ItemFrontier, key: Key, item: int) -> Path:
    """Return a whole path through an item of a frontier's last layer whose value does not depend on how it is
    completed.

    If the item has mass for x, some of it arrives along the path. It serves items in finished blocks and free automata,
    where every live node can be followed, whatever values that takes (Theorem 3).
    """
    layer, (state, block) = frontier.layer, key
    group = layer.groups[key]
    done = frontier.path(group.start + item)
    vector = layer.pools[block].rows[int(group.ids[0][item])]
    node = next((position for position, mass in enumerate(vector) if mass), None)
    if frontier.down:
        return Path((*done, *_suffix(question, layer.cut, state, block, node)))
    return Path((*_prefix(question, layer.cut, state, block, node), *done))


def _suffix(question: SearchQuestion, cut: int, state: int, block: int, node: int | None) -> list[Choice]:
    """Return choices from a cut to the end along which the mass of a node arrives at TRUE; without a node, any."""
    choices: list[Choice] = []
    for index in range(cut, len(question.plan.steps)):
        if block == FINISHED:
            break
        for a, b, following in question.transitions(index, state):
            after, move = question.plan.steps[index].moves.get((block, a), (block, None))
            reached = [] if move is None else move.cols[move.rows == node].tolist()
            if reached or node is None:
                choices.append(Choice(a, b))
                node, state, block = reached[0] if reached else None, following, after
                break
        else:
            raise AssertionError("a live node leads nowhere")
    return choices


def _prefix(question: SearchQuestion, cut: int, state: int, block: int, node: int | None) -> list[Choice]:
    """Return choices from the root to a cut along which mass arrives at a node; without a node, any."""
    choices: list[Choice] = []
    for index in range(cut - 1, -1, -1):
        arriving = {
            a: (earlier, b)
            for earlier in question.states(index)
            for a, b, following in question.transitions(index, earlier)
            if following == state
        }
        a = next(iter(arriving))
        if node is not None:
            a, block, node = next(
                (a, before, int(move.rows[move.cols == node][0]))
                for (before, a), (after, move) in question.plan.steps[index].moves.items()
                if after == block and a in arriving and node in move.cols
            )
        state, b = arriving[a]
        choices.append(Choice(a, b))
    return choices[::-1]


def some_path(question: SearchQuestion) -> Path:
    """Return the first pair (or input) there is, with outputs that x can give: a witness that needs no search."""
    state = question.states(0)[0]
    reached: list[dict[Node, tuple[Choice, Node]]] = [{(0, 0): (Choice(0, 0), (0, 0))}]
    first_choices = []
    for index, step in enumerate(question.plan.steps):
        transitions: Sequence[Transition] = question.transitions(index, state)
        if step.kind == "input":
            state = transitions[0][2]
            transitions = transitions[:1]
        choices = [Choice(a, b) for a, b, _ in transitions]
        first_choices.append(choices[0])
        following: dict[Node, tuple[Choice, Node]] = {}
        for block, node in reached[-1]:
            for choice in choices:
                after, move = step.moves.get((block, choice.x), (block, None))
                if move is None:
                    continue
                nodes = [node] if move.same else [col for col, _ in move.edges.get(node, ())]
                if after == FINISHED and nodes:
                    return Path((*_traced(reached, (block, node)), choice))
                following.update({(after, col): (choice, (block, node)) for col in nodes})
        reached.append(following)
    return Path(tuple(_traced(reached, next(iter(reached[-1]))) if reached[-1] else first_choices))


def _traced(reached: Sequence[dict[Node, tuple[Choice, Node]]], end: Node) -> list[Choice]:
    choices = []
    for origins in reversed(reached[1:]):
        choice, end = origins[end]
        choices.append(choice)
    return choices[::-1]


def input_path(question: SearchQuestion, x: Sequence[int]) -> Path:
    """Return the path of one input whose outputs are summed out, given by the positions of its values."""
    chosen = [x[step.index] if step.kind == "input" else 0 for step in question.plan.steps]
    return Path(tuple(Choice(position, position) for position in chosen))


def value_of(question: SearchQuestion, path: Path) -> Any:
    """Return the exact value of a path; infinite also if it is 0 / 0."""
    return question.value(question.arithmetic.unit, (_mass(question, path, track) for track in question.tracks))


def _mass(question: SearchQuestion, path: Path, track: Track) -> Any:
    block, belief = 0, {0: 1}
    for step, choice in zip(question.plan.steps, path.choices, strict=False):
        if track.marginalized and step.kind == "output":
            belief = moved(step.forget, belief)
        else:
            block, move = step.moves.get((block, choice[track.side]), (block, None))
            belief = moved(move, belief)
    return sum(belief.values())


def triple(question: SearchQuestion, path: Path) -> tuple[list[int], list[int], list[int]]:
    """Return the positions of x, of x' and of the outputs that a path stands for.

    An output that no step decides has a single value.
    """
    plan = question.plan
    x, x_prime = [0] * len(plan.relation.inputs), [0] * len(plan.relation.inputs)
    y = [0] * len(plan.relation.outputs)
    state, block = question.states(0)[0], 0
    for index, (step, choice) in enumerate(itertools.zip_longest(plan.steps, path.choices)):
        if step.kind == "input":  # behind a finished block any values do
            transitions = question.transitions(index, state)
            a, b, state = next(t for t in transitions if choice is None or (t[0], t[1]) == choice)
            x[step.index], x_prime[step.index] = a, b
        if choice is None:
            continue
        if step.kind == "output":
            y[step.index] = choice.x
        if (block, choice.x) in step.finished:
            _decide_below(question, step.finished[block, choice.x], y)
        block = (step.moves.get((block, choice.x)) or step.moves.get((block, choice.x_prime)) or (block,))[0]
    return x, x_prime, y


def _decide_below(question: SearchQuestion, node: int, y: list[int]) -> None:
    """Set outputs with which a node of the relation that reads no more inputs leads to TRUE."""
    plan = question.plan
    arrays = plan.relation.arrays
    depth = arrays.lists[2]
    while node != arrays.true:
        level = arrays.levels[depth[node]]
        weights = plan.relation.coins[level.index].weights if level.kind == "coin" else (1,) * level.arity
        value = next(
            value for value, weight in enumerate(weights) if weight != 0 and arrays.kid(node, value) in plan.live
        )
        if level.kind == "output":
            y[level.index] = value
        node = arrays.kid(node, value)


def quick_witness(question: SearchQuestion, widths: Sequence[int], budget: SearchBudget) -> Iterator[tuple[Any, Path]]:
    """Yield better and better values with their paths, found in narrow layers; none if the budget is exhausted first.

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
    """Return layers none wider than ``width`` per state and block, chosen by a partner's; None if out of budget."""
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
    """Return the best meeting of two beams at any cut, if it is better than the bar."""
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
