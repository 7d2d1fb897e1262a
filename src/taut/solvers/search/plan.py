"""The relation as a sequence of steps between cuts: what a belief passes through, from the root to TRUE.

A cut holds the nodes that lie below some level and above the rest. Only live nodes are kept: those that are reached
with positive weight, and from which TRUE is reached with positive weight. The nodes of a cut are divided into blocks:
once the values that an output can still take fall apart into sets that share no node, the output is settled that far,
and choosing one of the sets is a step of its own. So an index that is returned early is decided when it is returned,
not at the bottom of the relation, and what was decided no longer burdens the beliefs that went on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from taut.channel.beliefs import Beliefs
from taut.compile import Relation
from taut.limits import checkpoint, checkpoints
from taut.solvers.search.moves import Move, divided, identity, move_of, objects, product

__all__ = ["FINISHED", "Plan", "Step", "make_plan"]

Indices = npt.NDArray[np.int64]
Kind = Literal["input", "coin", "output", "settle"]
Cut = tuple[tuple[int, ...], ...]
"""The blocks of a cut, each with its nodes."""
FINISHED = -1
"""The block of pairs whose quotient can no longer change."""
_LONG_RUN = 16
"""Coins in a row from which they are joined in pairs."""
_SETTLED_WORK = 300_000
"""Nodes times output variables up to which the plan looks for outputs that are settled early."""


@dataclass(frozen=True)
class Step:
    """One variable, or one settlement: for each block before it and each choice, where that leads.

    A coin has the single choice 0. A choice that leads nowhere is missing. ``forget`` sums an output out.
    """

    kind: Kind
    index: int
    choices: int
    moves: Mapping[tuple[int, int], tuple[int, Move]]
    forget: Move | None = None
    settled: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """For a settlement: the mask of the output's values that each choice allows."""
    finished: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """For a settlement: the node that a choice leads to, if it is alone and no input is read below it.

    Both runs of a pair are then at the same node, and will be: their quotient is known. The block is ``FINISHED``.
    """

    def idle(self, block: int) -> int | None:
        """Where a block goes if nothing happens to it, whatever the choice; None if something does."""
        known: dict[int, int | None] = self.__dict__.setdefault("_idle", {})
        if block not in known:
            found = [self.moves.get((block, choice)) for choice in range(self.choices)]
            quiet = self.kind == "input" and all(one is not None and one[1].same for one in found)
            known[block] = found[0][0] if quiet and found[0] is not None else None
        return known[block]


@dataclass(frozen=True)
class Plan:
    """All steps, the blocks of every cut (``cuts[i]`` lies before step i), and the factor of an absolute mass."""

    relation: Relation
    steps: tuple[Step, ...]
    cuts: tuple[tuple[tuple[int, ...], ...], ...]
    factor: Any
    balls: bool
    reading: frozenset[int]
    """The nodes below which an input is read."""
    live: frozenset[int]
    """The nodes from which TRUE is reached with positive weight."""

    @property
    def inputs(self) -> list[int]:
        """The steps that read inputs."""
        return [place for place, step in enumerate(self.steps) if step.kind == "input"]


def make_plan(relation: Relation, *, fixed: Mapping[int, int] | None = None, evidence: bool = False) -> Plan:
    """The plan of a relation; outputs in ``fixed`` have that value and are no choice.

    ``evidence`` keeps what is needed to sum outputs out: all nodes in one block, also those with other outputs.
    """
    return _Planner(relation, fixed or {}, evidence).plan()


class _Planner:
    def __init__(self, relation: Relation, fixed: Mapping[int, int], evidence: bool) -> None:
        self.relation = relation
        self.beliefs = Beliefs(relation)
        self.arrays = relation.arrays
        self.partition, self.children, self.depth = relation.arrays.lists
        self.fixed = fixed
        self.evidence = evidence
        self.live = self._live({} if evidence else fixed)
        self.reading = self._reading()
        read = [level.index for level in self.arrays.levels if level.kind == "output" and level.index not in fixed]
        self.settle = read if not evidence and self.arrays.nodes * len(read) <= _SETTLED_WORK else []
        self.masks: dict[int, dict[int, int]] = {}
        self.steps: list[Step] = []
        root = self.arrays.root
        self.blocks: list[tuple[int, ...]] = [(root,)] if self.live[root] else []
        self.cuts: list[tuple[tuple[int, ...], ...]] = [tuple(self.blocks)]
        self.factor: Any = Fraction(1)
        self.balls = self.beliefs.semiring.name == "ball"

    def plan(self) -> Plan:
        for output in self.settle:
            self.masks[output] = self._masks(output)
        waiting = set(self.settle)
        for number, level in enumerate(self.arrays.levels):
            checkpoint()
            if level.kind == "input":
                for output in sorted(waiting):
                    self._settle(output)
            self._level(number)
            if level.kind == "output":
                waiting.discard(level.index)
        read = {step.index for step in self.steps if step.kind == "input"}
        for index, variable in enumerate(self.relation.inputs):
            if index not in read:
                self._idle_input(index, len(variable.values))
        self._fuse()
        return Plan(
            self.relation,
            tuple(self.steps),
            tuple(self.cuts),
            self.factor,
            self.balls,
            self.reading,
            frozenset(node for node, lives in enumerate(self.live) if lives),
        )

    # -- levels --------------------------------------------------------------------------------------------------

    def _level(self, number: int) -> None:
        level = self.arrays.levels[number]
        if level.kind == "coin":
            row = self.beliefs.row(number)
            if not any(self.depth[node] == number for block in self.blocks for node in block):
                self._multiply(row.total, row.scale)
                return
            self._multiply(1, row.scale)
            # A block that does not look at the coin stays as it is: with several blocks only quotients are asked for.
            edges = [
                [self._tossed(number, node) for node in block]
                if any(self.depth[node] == number for node in block)
                else [[(node, 1)] for node in block]
                for block in self.blocks
            ]
            self._append("coin", level.index, 1, {(place, 0): edges[place] for place in range(len(edges))})
            return
        if level.kind == "output" and level.index in self.fixed:
            choices = [self.fixed[level.index]]
        else:
            choices = list(range(level.arity))
        found = {
            (place, choice): [self._chosen(number, node, value) for node in block]
            for place, block in enumerate(self.blocks)
            for choice, value in enumerate(choices)
        }
        forget = None
        if level.kind == "output" and self.evidence:
            forget = [[self._summed(number, node) for node in block] for block in self.blocks]
        kind: Kind = "input" if level.kind == "input" else "output"
        self._append(kind, level.index, len(choices), found, forget)

    def _tossed(self, number: int, node: int) -> list[tuple[int, Any]]:
        if self.depth[node] != number:
            return [(node, self.beliefs.row(number).total)]
        weights = self.beliefs.class_weights(number, node)
        return [
            (kid, weight)
            for kid, weight in zip(self.children[node], weights, strict=True)
            if self.live[kid] and weight != 0
        ]

    def _chosen(self, number: int, node: int, value: int) -> list[tuple[int, Any]]:
        if self.depth[node] != number:
            return [(node, 1)]
        kid = self.children[node][self.beliefs.classes[self.partition[node]][value]]
        return [(kid, 1)] if self.live[kid] else []

    def _summed(self, number: int, node: int) -> list[tuple[int, Any]]:
        if self.depth[node] != number:
            return [(node, self.arrays.levels[number].arity)]
        sizes = np.bincount(self.beliefs.classes[self.partition[node]]).tolist()
        return [
            (kid, size) for kid, size in zip(self.children[node], sizes, strict=True) if self.live[kid] and size > 0
        ]

    def _append(
        self,
        kind: Kind,
        index: int,
        choices: int,
        found: Mapping[tuple[int, int], list[list[tuple[int, Any]]]],
        forget: list[list[list[tuple[int, Any]]]] | None = None,
    ) -> None:
        """A step with given edges; blocks stay blocks, with the nodes that their nodes lead to."""
        after: list[tuple[int, ...]] = []
        places: list[dict[int, int]] = []
        for block in checkpoints(range(len(self.blocks)), 16):
            reached: dict[int, None] = {}
            for choice in range(choices):
                for edges in found[block, choice]:
                    reached.update((kid, None) for kid, _ in edges)
            for edges in forget[block] if forget is not None else ():
                reached.update((kid, None) for kid, _ in edges)
            after.append(tuple(sorted(reached)))
            places.append({node: place for place, node in enumerate(after[-1])})
        moves = {}
        for (block, choice), rows in found.items():
            if any(rows):
                moves[block, choice] = (block, move_of(rows, places[block]))
        whole = None
        if forget:
            whole = move_of(forget[0], places[0])
        self.steps.append(Step(kind, index, choices, moves, whole))
        self.blocks = after
        self.cuts.append(tuple(after))

    def _idle_input(self, index: int, arity: int) -> None:
        """An entry that the relation does not read: any value, and nothing happens."""
        moves = {
            (block, choice): (block, identity(len(nodes)))
            for block, nodes in enumerate(self.blocks)
            for choice in range(arity)
        }
        self.steps.append(Step("input", index, arity, moves))
        self.cuts.append(tuple(self.blocks))

    def _multiply(self, total: Any, scale: Any) -> None:
        if not self.balls:
            self.factor *= Fraction(total, scale)
        elif total != scale:
            self.factor = self.factor * total / scale

    def _fuse(self) -> None:
        """Join each coin with the step above it, unless the product would have many more entries than its factors.

        What all entries of a product have in common is taken out: a hundred coins of which each run tosses one would
        otherwise leave numbers with the denominators of all of them.
        """
        steps: list[Step] = []
        cuts = [self.cuts[0]]
        for step, cut in self._with_long_runs_joined():
            joined = self._product(steps[-1], step) if steps and step.kind == "coin" else None
            if joined is None:
                steps.append(step)
                cuts.append(cut)
            else:
                steps[-1], cuts[-1] = joined, cut
        self.steps, self.cuts = steps, cuts

    def _with_long_runs_joined(self) -> Iterator[tuple[Step, Cut]]:
        """The steps with the cuts behind them; many coins in a row are joined in pairs first, then pairs of pairs.

        One after the other, each would be multiplied with the product of all before it.
        """
        steps = zip(self.steps, self.cuts[1:], strict=True)
        for kind, group in itertools.groupby(steps, key=lambda step: step[0].kind):
            run = list(group)
            while kind == "coin" and len(run) > _LONG_RUN:
                pairs: list[tuple[Step, Cut]] = []
                for place in range(0, len(run), 2):
                    joined = self._product(run[place][0], run[place + 1][0]) if place + 1 < len(run) else None
                    pairs += run[place : place + 2] if joined is None else [(joined, run[place + 1][1])]
                if len(pairs) == len(run):
                    break
                run = pairs
            yield from run

    def _product(self, step: Step, coin: Step) -> Step | None:
        """A step and the coin after it as one step, without its common factor; None if that is not worth it."""
        checkpoint()
        joined = _joined(step, coin)
        if joined is None or self.balls:
            return joined
        common = _common_factor(joined)
        self.factor *= common
        return _divided(joined, common)

    def _reading(self) -> frozenset[int]:
        found: set[int] = set()
        for node in range(self.arrays.nodes - 1, -1, -1):
            if self.arrays.levels[self.depth[node]].kind == "input" or any(kid in found for kid in self.children[node]):
                found.add(node)
        return frozenset(found)

    # -- settled outputs -----------------------------------------------------------------------------------------

    def _settle(self, output: int) -> None:
        """Divide each block into parts between which the output's possible values are shared no more."""
        masks = self.masks[output]
        parts = [_components(block, masks) for block in checkpoints(self.blocks, 1)]
        if all(len(found) <= 1 for found in parts):
            return
        after: list[tuple[int, ...]] = []
        moves: dict[tuple[int, int], tuple[int, Move]] = {}
        settled: dict[tuple[int, int], int] = {}
        finished: dict[tuple[int, int], int] = {}
        for block, found in enumerate(parts):
            nodes = {node: place for place, node in enumerate(self.blocks[block])}
            for choice, (mask, members) in enumerate(found):
                rows = np.array([nodes[node] for node in members], dtype=np.int64)
                move = Move(
                    rows,
                    np.arange(len(members)),
                    objects([1] * len(members)),
                    len(nodes),
                    len(members),
                    len(members) == len(nodes),
                )
                settled[block, choice] = mask
                if len(members) == 1 and members[0] not in self.reading:
                    moves[block, choice] = (FINISHED, move)
                    finished[block, choice] = members[0]
                else:
                    moves[block, choice] = (len(after), move)
                    after.append(tuple(members))
        most = max(len(found) for found in parts)
        self.steps.append(Step("settle", output, most, moves, None, settled, finished))
        self.blocks = after
        self.cuts.append(tuple(after))

    def _masks(self, output: int) -> dict[int, int]:
        """For each live node the set of values, as bits, that an output variable below it can take."""
        (number,) = [
            place for place, level in enumerate(self.arrays.levels) if level.kind == "output" and level.index == output
        ]
        everything = (1 << self.arrays.levels[number].arity) - 1
        masks: dict[int, int] = {}
        for node in checkpoints(range(self.arrays.true, -1, -1)):
            if not self.live[node]:
                continue
            if self.depth[node] > number:
                masks[node] = everything
                continue
            mask = 0
            if self.depth[node] == number:
                for value, kind in enumerate(self.beliefs.classes[self.partition[node]]):
                    if self.live[self.children[node][kind]]:
                        mask |= 1 << value
            else:
                for kid in self.children[node]:
                    mask |= masks.get(kid, 0)
            masks[node] = mask
        return masks

    # -- live nodes ----------------------------------------------------------------------------------------------

    def _live(self, fixed: Mapping[int, int]) -> list[bool]:
        """Which nodes lead to TRUE with positive weight for some inputs and outputs, some of them fixed."""
        live = [False] * self.arrays.size
        live[self.arrays.true] = True
        levels = self.arrays.levels
        for node in checkpoints(range(self.arrays.nodes - 1, -1, -1)):
            number = self.depth[node]
            level = levels[number]
            if level.kind == "coin":
                weights: Sequence[Any] = self.beliefs.class_weights(number, node)
                live[node] = any(
                    live[kid] and weight != 0 for kid, weight in zip(self.children[node], weights, strict=True)
                )
            elif level.kind == "output" and level.index in fixed:
                value = self.beliefs.classes[self.partition[node]][fixed[level.index]]
                live[node] = live[self.children[node][value]]
            else:
                live[node] = any(live[kid] for kid in self.children[node])
        return live


def _components(block: Sequence[int], masks: Mapping[int, int]) -> list[tuple[int, list[int]]]:
    """The finest division of nodes such that no value is possible in two parts; in the order of the values."""
    parts: list[tuple[int, list[int]]] = []
    for node in checkpoints(block):
        mask, members = masks[node], [node]
        others = []
        for part in parts:
            if part[0] & mask:
                mask |= part[0]
                members = part[1] + members
            else:
                others.append(part)
        parts = [*others, (mask, members)]
    return sorted(((mask, sorted(members)) for mask, members in parts), key=lambda part: part[0] & -part[0])


def _common_factor(step: Step) -> int:
    """The greatest common divisor of all entries of a step."""
    moves = [move for _, move in step.moves.values()] + ([] if step.forget is None else [step.forget])
    common = 0
    for move in moves:
        common = math.gcd(common, *move.weights.tolist())
        if common == 1:
            break
    return common or 1


def _divided(step: Step, common: int) -> Step:
    """A step with all of its entries divided."""
    if common == 1:
        return step
    moves = {key: (after, divided(move, common)) for key, (after, move) in step.moves.items()}
    return replace(step, moves=moves, forget=None if step.forget is None else divided(step.forget, common))


def _joined(step: Step, coin: Step) -> Step | None:
    """A step and the coin after it as one step; None if that is not worth it."""
    moves = {}
    for key, (after, move) in step.moves.items():
        joined = product(move, coin.moves[after, 0][1]) if after != FINISHED else move
        if joined is None:
            return None
        moves[key] = (after, joined)
    forget = step.forget
    if forget is not None:
        forget = product(forget, coin.moves[0, 0][1])
        if forget is None:
            return None
    return Step(step.kind, step.index, step.choices, moves, forget, step.settled, step.finished)
