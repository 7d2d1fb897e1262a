"""The plan of a search: the relation as a sequence of steps between cuts, from the root to TRUE.

A cut holds the nodes that lie below some level and above the rest. Only live nodes are kept: those that are reached
with positive weight, and from which TRUE is reached with positive weight. The nodes of a cut are divided into blocks:
once the values that an output can still take fall apart into sets that share no node, the output is settled that far,
and choosing one of the sets is a step of its own. So an index that is returned early is decided when it is returned,
not at the bottom of the relation, and what was decided no longer burdens the beliefs that went on.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from taut.diagrams import Decision
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import BARE_BALL, EXACT, ProjectiveSemiring
from taut.inference.beliefs import Beliefs
from taut.support.limits import checkpoint, checkpoints
from taut.synthesis.search.links import Link, SettledOutputs, repeated_links
from taut.synthesis.search.moves import Move, identity, move_of, objects, product

__all__ = ["FINISHED", "Plan", "PlannedLink", "Step", "make_plan"]

Indices = npt.NDArray[np.int64]
Kind = Literal["input", "coin", "output", "settle"]
FINISHED = -1
"""The block of pairs whose ratio can no longer change."""
_SETTLED_WORK = 300_000
"""Limit for nodes times output variables; beyond it, outputs that are settled early are not looked for."""


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

    Both runs of a pair are then at the same node, and will be: their ratio is known. The block is ``FINISHED``.
    """

    def idle(self, block: int) -> int | None:
        """Return the target of a block if nothing happens to it, whatever the choice; None if something does."""
        known: dict[int, int | None] = self.__dict__.setdefault("_idle", {})
        if block not in known:
            moves = [self.moves.get((block, choice)) for choice in range(self.choices)]
            quiet = self.kind == "input" and all(one is not None and one[1].same for one in moves)
            known[block] = moves[0][0] if quiet and moves[0] is not None else None
        return known[block]


class PlannedLink(NamedTuple):
    """A link by its kind, and the number of steps that it takes."""

    kind: int
    steps: int


@dataclass(frozen=True)
class Plan:
    """All steps, the blocks of every cut (``cuts[i]`` lies before step i), and the factor of an absolute mass."""

    relation: Relation
    steps: tuple[Step, ...]
    cuts: tuple[tuple[tuple[int, ...], ...], ...]
    factor: Any
    semiring: ProjectiveSemiring[Any]
    reading: frozenset[int]
    """The nodes below which an input is read."""
    live: frozenset[int]
    """The nodes from which TRUE is reached with positive weight."""
    links: Mapping[int, PlannedLink]
    """The steps at which links begin that occur again and again."""

    @property
    def balls(self) -> bool:
        """True if weights are balls, since exp occurs in them."""
        return self.semiring.name == BARE_BALL.name

    @property
    def inputs(self) -> list[int]:
        """The steps that read inputs."""
        return [number for number, step in enumerate(self.steps) if step.kind == "input"]


def make_plan(relation: Relation, *, fixed: Mapping[int, int] | None = None, evidence: bool = False) -> Plan:
    """Return the plan of a relation; outputs in ``fixed`` have that value and are no choice.

    ``evidence`` keeps what is needed to sum outputs out: all nodes in one block, also those with other outputs.
    """
    return _Planner(relation, fixed or {}, evidence).plan()


class _Planned(NamedTuple):
    """The steps of a link, each with the place of its level, the cuts behind them, and totals and scales of coins."""

    link: Link
    steps: list[tuple[Step, int]]
    cuts: list[tuple[tuple[int, ...], ...]]
    scales: list[tuple[Any, Any]]


class _Planner:
    def __init__(self, relation: Relation, fixed: Mapping[int, int], evidence: bool) -> None:
        self.relation, self.arrays = relation, relation.arrays
        self.depth = relation.arrays.lists[2]
        self.semiring: ProjectiveSemiring[Any] = EXACT if relation.exact else BARE_BALL
        self.beliefs = Beliefs(relation, self.semiring)
        self.fixed = fixed
        self.evidence = evidence
        self.reading = self._reading()
        read = [level.index for level in self.arrays.levels if level.kind == "output" and level.index not in fixed]
        settling = not evidence and self.arrays.nodes * len(read) <= _SETTLED_WORK
        self.outputs = SettledOutputs(relation, {} if evidence else fixed, read if settling else [])
        self.live = self.outputs.live
        self.steps: list[Step] = []
        root = self.arrays.root
        self.blocks: list[tuple[int, ...]] = [(root,)] if root in self.live else []
        self.cuts: list[tuple[tuple[int, ...], ...]] = [tuple(self.blocks)]
        self.factor: Any = Fraction(1)
        self.scales: list[tuple[Any, Any]] = []
        self.waiting = set(self.outputs.bits)
        self.links: dict[int, PlannedLink] = {}
        self._planned: dict[int, _Planned] = {}

    def plan(self) -> Plan:
        levels = len(self.arrays.levels)
        found = repeated_links(self.relation, self.fixed, self.reading) if self.blocks else {}
        begins = [*found, levels]
        number = 0
        while number < levels:
            checkpoint()
            link = found.get(number)
            if link is None:
                stop = begins[bisect.bisect(begins, number)]
                self._stretch(number, stop)
            else:
                stop = link.stop
                self._link(link)
            number = stop
        read = {step.index for step in self.steps if step.kind == "input"}
        for index, variable in enumerate(self.relation.inputs):
            if index not in read:
                self._idle_input(index, len(variable.values))
        if self.semiring is EXACT:
            totals, scales = (math.prod(part) for part in zip((1, 1), *self.scales, strict=True))
            self.factor = Fraction(totals, scales)
        return Plan(
            self.relation,
            tuple(self.steps),
            tuple(self.cuts),
            self.factor,
            self.semiring,
            self.reading,
            self.live,
            self.links,
        )

    def _stretch(self, first: int, stop: int) -> None:
        """Add the steps of some levels, with each coin joined to the step above it."""
        begin, coins_until = len(self.steps), first
        for number in range(first, stop):
            checkpoint()
            level = self.arrays.levels[number]
            if level.kind == "coin":
                if number >= coins_until:
                    coins_until = self._alternatives(number)
                    self._toss(range(number, coins_until))
                continue
            if level.kind == "input":
                for output in sorted(self.waiting):
                    self._settle(output)
            self._level(number)
            if level.kind == "output":
                self.waiting.discard(level.index)
        self._fuse(begin)

    def _link(self, link: Link) -> None:
        """The steps of a link, made once for all that are equal; then only variables and nodes have other numbers."""
        begin, levels = len(self.steps), self.arrays.levels
        planned = self._planned.get(link.kind)
        if planned is None:
            before = len(self.scales)
            self._stretch(link.first, link.stop)
            places = {(level.kind, level.index): at for at, level in enumerate(levels[link.first : link.stop])}
            steps = [
                (step, places["output" if step.kind == "settle" else step.kind, step.index])
                for step in self.steps[begin:]
            ]
            self._planned[link.kind] = _Planned(link, steps, self.cuts[begin + 1 :], self.scales[before:])
        else:
            shift, old = link.top - planned.link.top, planned.link.bottom

            def moved(node: int) -> int:
                return link.bottom if node == old else node + shift

            for (step, place), cut in zip(planned.steps, planned.cuts, strict=True):
                finished = {key: moved(node) for key, node in step.finished.items()} if step.finished else {}
                index = levels[link.first + place].index
                self.steps.append(Step(step.kind, index, step.choices, step.moves, step.forget, step.settled, finished))
                self.cuts.append(tuple([tuple([moved(node) for node in block]) for block in cut]))
            self.blocks = list(self.cuts[-1])
            for total, scale in planned.scales:
                self._multiply(total, scale)
            for level in levels[link.first : link.stop]:
                if level.kind == "output":
                    self.waiting.discard(level.index)
        self.links[begin] = PlannedLink(link.kind, len(self.steps) - begin)

    # -- levels --------------------------------------------------------------------------------------------------

    def _alternatives(self, first: int) -> int:
        """Return the end of a run of coins that are alternatives: no run looks at two of them.

        A draw whose parameter is not known in advance has a coin for each value of it, perhaps thousands.
        """
        arrays, children, depth = self.arrays, self.arrays.lists[1], self.depth
        below: set[int] = set()
        for number in range(first, len(arrays.levels)):
            level, row = arrays.levels[number], self.beliefs.row(number)
            if number > first and (level.kind != "coin" or number in below or not row.total == row.scale):  # noqa: SIM201
                return number
            if not row.total == row.scale:  # noqa: SIM201
                return number + 1
            below.update(depth[kid] for node in range(level.start, level.stop) for kid in children[node])
        return len(arrays.levels)

    def _toss(self, numbers: range) -> None:
        """Toss coins of which no run looks at two, as one step over their least common denominator."""
        looking = {self.depth[node] for block in self.blocks for node in block} & set(numbers)
        for number in numbers:
            if number not in looking:
                self._multiply(self.beliefs.row(number).total, self.beliefs.row(number).scale)
        if not looking:
            return
        rows = {number: self.beliefs.row(number) for number in sorted(looking)}
        scale = math.lcm(*[row.scale for row in rows.values()]) if self.semiring is EXACT else self.semiring.one
        self._multiply(1, scale)
        passing = scale if len(rows) > 1 else next(iter(rows.values())).total
        share = {number: scale // row.scale if self.semiring is EXACT else 1 for number, row in rows.items()}

        def edges(node: int) -> list[tuple[int, Any]]:
            number = self.depth[node]
            if number not in rows:
                return [(node, passing)]
            more = share[number]
            tossed = self._edges(number, self.beliefs.summed(number), node)
            return tossed if more == 1 else [(kid, weight * more) for kid, weight in tossed]

        # A block that looks at no coin stays as it is: with several blocks only ratios are asked for.
        moves = {
            (place, 0): [edges(node) for node in block]
            if any(self.depth[node] in rows for node in block)
            else [[(node, 1)] for node in block]
            for place, block in enumerate(self.blocks)
        }
        self._append("coin", self.arrays.levels[min(rows)].index, 1, moves)

    def _level(self, number: int) -> None:
        level = self.arrays.levels[number]
        if level.kind == "output" and level.index in self.fixed:
            values = [self.fixed[level.index]]
        else:
            values = list(range(level.arity))
        chosen = [self.beliefs.chosen(value) for value in values]
        moves = {
            (block, choice): [self._edges(number, decision, node) for node in checkpoints(nodes)]
            for block, nodes in enumerate(self.blocks)
            for choice, decision in checkpoints(enumerate(chosen), 16)
        }
        forget = None
        if level.kind == "output" and self.evidence:
            summed = self.beliefs.summed(number)
            forget = [[self._edges(number, summed, node) for node in block] for block in self.blocks]
        kind: Kind = "input" if level.kind == "input" else "output"
        self._append(kind, level.index, len(values), moves, forget)

    def _edges(self, number: int, decision: Decision[Any], node: int) -> list[tuple[int, Any]]:
        """Return the targets of a node's mass at a level, as far as it can still reach TRUE."""
        if self.depth[node] != number:
            return [(node, decision.total)]
        live = self.live
        # Of balls, != would ask whether they certainly differ, and drop a weight that may be positive.
        return [(kid, weight) for kid, weight in decision.edges(node) if kid in live and not weight == 0]  # noqa: SIM201

    def _append(
        self,
        kind: Kind,
        index: int,
        choices: int,
        edges: Mapping[tuple[int, int], list[list[tuple[int, Any]]]],
        forget: list[list[list[tuple[int, Any]]]] | None = None,
    ) -> None:
        """A step with given edges; blocks stay blocks, with the nodes that their nodes lead to."""
        after: list[tuple[int, ...]] = []
        moves = {}
        for block in checkpoints(range(len(self.blocks)), 16):
            tables = [edges[block, choice] for choice in range(choices)] + ([forget[block]] if forget else [])
            nodes = sorted({kid for table in tables for row in table for kid, _ in row})
            position = {node: number for number, node in enumerate(nodes)}
            after.append(tuple(nodes))
            for choice, table in enumerate(tables[:choices]):
                if any(table):
                    moves[block, choice] = (block, move_of(table, position))
        whole = move_of(forget[0], {node: number for number, node in enumerate(after[0])}) if forget else None
        self.steps.append(Step(kind, index, choices, moves, whole))
        self.blocks = after
        self.cuts.append(tuple(after))

    def _idle_input(self, index: int, arity: int) -> None:
        """Add the step of an entry that the relation does not read: its value has no effect."""
        moves = {
            (block, choice): (block, identity(len(nodes)))
            for block, nodes in enumerate(self.blocks)
            for choice in range(arity)
        }
        self.steps.append(Step("input", index, arity, moves))
        self.cuts.append(tuple(self.blocks))

    def _multiply(self, total: Any, scale: Any) -> None:
        self.scales.append((total, scale))
        if self.semiring is not EXACT and not total == scale:  # noqa: SIM201
            self.factor = self.factor * self.semiring.value(total, scale)

    def _fuse(self, begin: int) -> None:
        """Join each coin from a step on with the one above it, unless the product would have many more entries."""
        steps: list[Step] = []
        cuts: list[tuple[tuple[int, ...], ...]] = []
        for step, cut in zip(self.steps[begin:], self.cuts[begin + 1 :], strict=True):
            checkpoint()
            joined = _joined(steps[-1], step) if steps and step.kind == "coin" else None
            if joined is None:
                steps.append(step)
                cuts.append(cut)
            else:
                steps[-1], cuts[-1] = joined, cut
        self.steps[begin:], self.cuts[begin + 1 :] = steps, cuts

    def _reading(self) -> frozenset[int]:
        children, reading = self.arrays.lists[1], set[int]()
        for node in range(self.arrays.nodes - 1, -1, -1):
            if self.arrays.levels[self.depth[node]].kind == "input" or not reading.isdisjoint(children[node]):
                reading.add(node)
        return frozenset(reading)

    # -- settled outputs -----------------------------------------------------------------------------------------

    def _settle(self, output: int) -> None:
        """Divide each block into parts between which the output's possible values are shared no more."""
        divided = [self.outputs.parts(output, block) for block in self.blocks]
        if all(len(parts) <= 1 for parts in divided):
            return
        after: list[tuple[int, ...]] = []
        moves: dict[tuple[int, int], tuple[int, Move]] = {}
        settled: dict[tuple[int, int], int] = {}
        finished: dict[tuple[int, int], int] = {}
        for block, parts in enumerate(divided):
            nodes = {node: position for position, node in enumerate(self.blocks[block])}
            for choice, (mask, members) in enumerate(parts):
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
        most = max(len(parts) for parts in divided)
        self.steps.append(Step("settle", output, most, moves, None, settled, finished))
        self.blocks = after
        self.cuts.append(tuple(after))


def _joined(step: Step, coin: Step) -> Step | None:
    """Return a step and the coin after it as one step; None if that is not worth it."""
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
