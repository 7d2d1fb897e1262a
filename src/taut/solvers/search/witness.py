"""Whole witnesses from parts: any suffix, or any prefix, that keeps mass where a belief or a functional has some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.solvers.search.kernel import moved
from taut.solvers.search.layer import Question
from taut.solvers.search.plan import FINISHED

__all__ = ["Path", "anyhow_down", "anyhow_up", "complete_down", "complete_up", "some_path", "triple", "value_of"]


@dataclass(frozen=True)
class Path:
    """One choice for each step from the root on: that of x in the upper half of the bits, that of x' in the lower.

    A path ends at TRUE, or with a settlement that leads to a finished block.
    """

    choices: tuple[int, ...]


def complete_down(question: Question, cut: int, state: int, block: int, belief: Sequence[Any]) -> list[int]:
    """Choices from a cut to the end along which the mass of some node of a belief arrives at TRUE.

    For pairings that are free: then every live node can be followed, whatever values that takes.
    """
    plan = question.plan
    node = next(place for place, mass in enumerate(belief) if mass)
    found: list[int] = []
    for place in range(cut, len(plan.steps)):
        if block == FINISHED:
            break
        for a, b, following in question.turns(place, state):
            target = plan.steps[place].moves.get((block, a))
            if target is None:
                continue
            after, move = target
            reached = move.cols[move.rows == node]
            if len(reached):
                found.append((a << 32) | b)
                node, state, block = int(reached[0]), following, after
                break
        else:
            raise AssertionError("a live node leads nowhere")
    return found


def complete_up(question: Question, cut: int, state: int, block: int, functional: Sequence[Any]) -> list[int]:
    """Choices from the root to a cut along which mass arrives at some node that a functional counts."""
    node = next(place for place, mass in enumerate(functional) if mass)
    found: list[int] = []
    for place in range(cut - 1, -1, -1):
        choice, (state, block, node) = _arrival(question, place, state, block, node)
        found.append(choice)
    found.reverse()
    return found


def anyhow_down(question: Question, cut: int, state: int) -> list[int]:
    """Any choices from a cut to the end; for items that no choice can change."""
    found = []
    for place in range(cut, len(question.plan.steps)):
        a, b, state = question.turns(place, state)[0]
        found.append((a << 32) | b)
    return found


def anyhow_up(question: Question, cut: int, state: int) -> list[int]:
    """Any choices from the root to a cut."""
    found: list[int] = []
    for place in range(cut - 1, -1, -1):
        a, b, state = next(
            (a, b, earlier)
            for earlier in question.pairing.states[question.reads[place]]
            for a, b, following in question.turns(place, earlier)
            if following == state
        )
        found.append((a << 32) | b)
    found.reverse()
    return found


def some_path(question: Question) -> Path:
    """The first pair (or input) there is, with outputs that x can give: a witness that needs no search."""
    plan = question.plan
    state = question.pairing.states[0][0]
    reached: list[dict[tuple[int, int], tuple[int, tuple[int, int]]]] = [{(0, 0): (0, (0, 0))}]
    chosen = []
    for place, step in enumerate(plan.steps):
        turns = question.turns(place, state)
        if step.kind == "input":
            state = turns[0][2]
            turns = turns[:1]
        chosen.append((turns[0][0] << 32) | turns[0][1])
        following: dict[tuple[int, int], tuple[int, tuple[int, int]]] = {}
        for block, node in reached[-1]:
            for a, b, _ in turns:
                after, move = step.moves.get((block, a), (block, None))
                if move is None:
                    continue
                nodes = [node] if move.same else [col for col, _ in move.edges.get(node, ())]
                following.update({(after, col): ((a << 32) | b, (block, node)) for col in nodes})
                if after == FINISHED and nodes:
                    return Path((*_traced(reached, (block, node)), (a << 32) | b))
        reached.append(following)
    return Path(tuple(_traced(reached, next(iter(reached[-1]))) if reached[-1] else chosen))


def _traced(reached: Sequence[dict[tuple[int, int], tuple[int, tuple[int, int]]]], where: tuple[int, int]) -> list[int]:
    found = []
    for layer in reversed(reached[1:]):
        choice, where = layer[where]
        found.append(choice)
    return found[::-1]


def value_of(question: Question, path: Path) -> Any:
    """The exact value of a path; None if it is infinite (or 0 / 0)."""
    value = question.arithmetic.unit
    for track in question.tracks:
        block, belief = 0, {0: 1}
        for step, choice in zip(question.plan.steps, path.choices, strict=False):
            if track.forgets and step.kind == "output":
                belief = moved(step.forget, belief)
            else:
                own = choice & 0xFFFFFFFF if track.side else choice >> 32
                block, move = step.moves.get((block, own), (block, None))
                belief = moved(move, belief)
        mass = sum(belief.values())
        if track.sign > 0:
            value = value * mass
        elif mass == 0:
            return None
        else:
            value = value / mass
    return value


def triple(question: Question, path: Path) -> tuple[list[int], list[int], dict[int, int]]:
    """The positions of x, of x' and of the outputs that a path stands for."""
    plan = question.plan
    count = len(plan.relation.inputs)
    x, x_prime, y = [0] * count, [0] * count, {}
    state, block, last = question.pairing.states[0][0], 0, 0
    for last, choice in enumerate(path.choices):
        step = plan.steps[last]
        a, b = choice >> 32, choice & 0xFFFFFFFF
        if step.kind == "input":
            x[step.index], x_prime[step.index] = a, b
            state = next(q for i, j, q in question.turns(last, state) if (i, j) == (a, b))
        elif step.kind == "output":
            y[step.index] = a
        if (block, a) in step.finished:
            y.update(_outputs_below(question, step.finished[block, a]))
        block = (step.moves.get((block, a)) or step.moves.get((block, b)) or (block,))[0]
    for place in range(last + 1, len(plan.steps)):
        step = plan.steps[place]
        if step.kind == "input":
            x[step.index], x_prime[step.index], state = question.turns(place, state)[0]
    return x, x_prime, y


def _outputs_below(question: Question, node: int) -> dict[int, int]:
    """Outputs with which a node of the relation that reads no more inputs leads to TRUE."""
    plan = question.plan
    arrays = plan.relation.arrays
    partition, children, depth = arrays.lists
    found: dict[int, int] = {}
    while node != arrays.true:
        level = arrays.levels[depth[node]]
        classes = arrays.classes[partition[node]].tolist()
        weights = plan.relation.coins[level.index].weights if level.kind == "coin" else (1,) * len(classes)
        value = next(
            place for place, kind in enumerate(classes) if children[node][kind] in plan.live and weights[place] != 0
        )
        if level.kind == "output":
            found[level.index] = value
        node = children[node][classes[value]]
    return found


def _arrival(question: Question, place: int, state: int, block: int, node: int) -> tuple[int, tuple[int, int, int]]:
    """A choice at a step that leads to a given state, block and node, and where it starts."""
    step = question.plan.steps[place]
    arriving: dict[int, list[tuple[int, int]]] = {}
    for earlier in question.pairing.states[question.reads[place]]:
        for a, b, following in question.turns(place, earlier):
            if following == state:
                arriving.setdefault(a, []).append((earlier, b))
    for (before, a), (after, move) in step.moves.items():
        if after == block and a in arriving:
            sources = move.rows[move.cols == node]
            if len(sources):
                earlier, b = arriving[a][0]
                return (a << 32) | b, (earlier, before, int(sources[0]))
    raise AssertionError("a reached node is reached from nowhere")
