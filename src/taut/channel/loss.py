"""Loss distributions without listing outputs: two inputs go down the relation together.

A prefix of outputs leads x to a belief u and x' to a belief v. If another prefix leads to (c u, d v), the futures of the
two are the same up to the factors c and d: one *branch* is kept for both, with the masses of its prefixes by their
quotients c / d. Three things keep branches few:

- nodes that lead to different outputs are different branches as soon as that is certain, long before the output is read;
- a branch on which x and x' have the same future (u = v, and no input that is read below may still differ) is *settled*:
  its quotient will not change, so its outputs need not be told apart;
- so is a branch that only one of the two inputs can take: its quotient is 0 or infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from taut.channel.beliefs import Belief, Beliefs
from taut.channel.masses import BallMasses, ExactMasses, Factor, Masses
from taut.compile import Relation
from taut.errors import TooLarge
from taut.semiring import EXACT

__all__ = ["Branches", "LossWalk", "Quotients", "pair_quotients"]

_MOST_MASKS = 1 << 23
_NOTHING = -1


class Branch(NamedTuple):
    """Beliefs of x and of x', by their numbers (or _NOTHING), and whether the quotient is settled."""

    own: int
    other: int
    settled: bool


Branches = dict[Branch, Masses]
"""The live branches of a pair of inputs, each with the masses of its prefixes by their quotients."""
Move = Callable[[Branches, int, int, bool], Branches]


class Quotients(NamedTuple):
    """The quotients of all outputs of a pair: (mass under x, mass under x') per quotient, not divided by the evidence."""

    masses: tuple[tuple[Any, Any], ...]
    evidence: Any
    evidence_prime: Any


def pair_quotients(
    relation: Relation, x: Sequence[int], x_prime: Sequence[int], conditioned: bool, max_beliefs: int
) -> Quotients:
    """The loss distribution of two inputs, given by positions."""
    walk = LossWalk(relation, conditioned, max_beliefs)
    differs = [number for number, level in enumerate(relation.arrays.levels) if level.kind == "input"]
    differs = [number for number in differs if x[relation.arrays.levels[number].index] != x_prime[relation.arrays.levels[number].index]]
    last = max(differs, default=-1)
    branches = walk.start(same=last < 0)
    for number, level in enumerate(relation.arrays.levels):
        move = walk.move(number)
        if move is not None:
            own, other = (x[level.index], x_prime[level.index]) if level.kind == "input" else (0, 0)
            branches = move(branches, own, other, number >= last)
    return walk.quotients(branches)


class LossWalk:
    """Moves the branches of any number of pairs of inputs down a relation, level by level.

    Every level is entered with ``move``, which gives the function that takes one pair's branches through it; all pairs
    have to be taken through a level before the next is entered. Equal branches of different pairs are moved once.
    """

    def __init__(self, relation: Relation, conditioned: bool, max_beliefs: int) -> None:
        self.automaton = Beliefs(relation)
        self.relation, self.max_beliefs = relation, max_beliefs
        self.algebra = ExactMasses() if self.automaton.semiring is EXACT else BallMasses()
        self.whole = not conditioned
        """Whether the futures of every node sum to one, so that settled mass need not be followed down."""
        self.scale = self.automaton.semiring.one
        self._beliefs: list[Belief] = []
        self._numbers: dict[frozenset[tuple[int, Any]], int] = {}
        self._parts: dict[frozenset[int], list[frozenset[int]]] = {}
        self._possible = _possible_outputs(relation)
        self._reads = _reads_inputs(relation)

    def start(self, *, same: bool) -> Branches:
        """The branches of a pair above all levels; ``same`` if its inputs agree everywhere."""
        first = self.automaton.start
        return {branch: self.algebra.times(self.algebra.one, factor) for branch, factor in self._made(first, first, False, same)}

    def move(self, level: int) -> Move | None:
        """The function that takes branches through a level, given the values of x and x' there (for inputs) and whether
        all further inputs agree; None if nothing happens there."""
        automaton, kind, old = self.automaton, self.relation.arrays.levels[level].kind, self._beliefs
        if kind == "coin":
            row = automaton.row(level)
            if row.total == row.scale and not any(automaton.looks(level, belief) for belief in old):
                return None
            self.scale = self.scale * row.scale
        elif not any(automaton.looks(level, belief) for belief in old):
            return None if kind == "output" else self._same_branches
        self._beliefs, self._numbers = [], {}
        known: dict[tuple[Branch, int, int, bool], list[tuple[Branch, Factor]]] = {}

        def moved(branches: Branches, own: int, other: int, same: bool) -> Branches:
            result: Branches = {}
            for branch, masses in branches.items():
                key = (branch, own, other, same)
                if key not in known:
                    known[key] = self._moved(level, kind, old, branch, own, other, same)
                for following, factor in known[key]:
                    self.algebra.add(result.setdefault(following, {}), masses, factor)
            return result

        return moved

    def quotients(self, branches: Branches) -> Quotients:
        """The loss distribution, after the last level."""
        total: Masses = {}
        for branch, masses in branches.items():
            factor = tuple(self.automaton.final(self._belief(self._beliefs, number)) for number in branch[:2])
            self.algebra.add(total, masses, factor)
        return Quotients(*self.algebra.finished(total, self.scale))

    # -- one branch ----------------------------------------------------------------------------------------------

    def _same_branches(self, branches: Branches, own: int, other: int, same: bool) -> Branches:
        """Branches after an input that none of them reads: some may be settled now."""
        result: Branches = {}
        for branch, masses in branches.items():
            if same and not branch.settled:
                beliefs = (self._belief(self._beliefs, number) for number in branch[:2])
                made = self._made(*beliefs, False, same)
            else:
                made = [(branch, self.algebra.unit)]
            for following, factor in made:
                self.algebra.add(result.setdefault(following, {}), masses, factor)
        return result

    def _moved(
        self, level: int, kind: str, old: Sequence[Belief], branch: Branch, own: int, other: int, same: bool
    ) -> list[tuple[Branch, Factor]]:
        automaton = self.automaton
        u, v = (self._belief(old, number) for number in branch[:2])
        if kind == "coin":
            return self._made(automaton.toss(level, u), automaton.toss(level, v), branch.settled, same)
        if kind == "input":
            return self._made(automaton.select(level, u, own), automaton.select(level, v, other), branch.settled, same)
        if branch.settled:
            return self._made(automaton.forget(level, u), automaton.forget(level, v), True, same)
        made = []
        for value in range(self.relation.arrays.levels[level].arity):
            made += self._made(automaton.select(level, u, value), automaton.select(level, v, value), False, same)
        return made

    def _made(self, u: Belief, v: Belief, settled: bool, same: bool) -> list[tuple[Branch, Factor]]:
        """The branches that two beliefs are, each with its factors."""
        made = []
        for part in [u.keys() | v.keys()] if settled else self._separate(u, v):
            own, other = self.algebra.restricted(u, part), self.algebra.restricted(v, part)
            if own or other:
                made.append(self._branch(own, other, settled, same))
        return made

    def _branch(self, u: Belief, v: Belief, settled: bool, same: bool) -> tuple[Branch, Factor]:
        own, c = self.algebra.reduced(u)
        other, d = self.algebra.reduced(v)
        if not settled:
            settled = not u or not v or (own == other and (same or not any(self._reads[node] for node in own)))
            if settled and self.whole:
                true = self.relation.arrays.true
                c, d = c * sum(own.values()), d * sum(other.values())
                own, other = ({true: self.automaton.semiring.one} if belief else {} for belief in (own, other))
        return Branch(self._number(own), self._number(other), settled), (c, d)

    def _belief(self, beliefs: Sequence[Belief], number: int) -> Belief:
        return beliefs[number] if number != _NOTHING else {}

    def _number(self, belief: Belief) -> int:
        if not belief:
            return _NOTHING
        key = frozenset(belief.items())
        if key not in self._numbers:
            self._numbers[key] = len(self._beliefs)
            self._beliefs.append(belief)
            if len(self._beliefs) > self.max_beliefs:
                raise TooLarge(
                    f"'{self.relation.name}' has more than {self.max_beliefs} different beliefs (max_beliefs), too many "
                    "for its loss distributions.",
                    value=len(self._beliefs),
                )
        return self._numbers[key]

    # -- nodes that lead to different outputs --------------------------------------------------------------------

    def _separate(self, u: Belief, v: Belief) -> Iterable[frozenset[int]]:
        """The nodes of two beliefs, apart where they surely lead to different outputs."""
        nodes = frozenset(u.keys() | v.keys())
        if self._possible is None or len(nodes) < 2:
            return [nodes]
        if nodes not in self._parts:
            self._parts[nodes] = _separated(nodes, self._possible)
        return self._parts[nodes]


def _separated(nodes: frozenset[int], possible: Mapping[int, Sequence[int]]) -> list[frozenset[int]]:
    parts: list[tuple[list[int], list[int]]] = []
    for node in nodes:
        members, masks = [node], list(possible[node])
        apart = []
        for part in parts:
            if any(not a & b for a, b in zip(masks, part[1], strict=True)):
                apart.append(part)
            else:
                members += part[0]
                masks = [a | b for a, b in zip(masks, part[1], strict=True)]
        parts = [*apart, (members, masks)]
    return [frozenset(members) for members, _ in parts]


def _possible_outputs(relation: Relation) -> Mapping[int, Sequence[int]] | None:
    """For every node and output variable the values that it can still lead to, as bits; None if that is too much."""
    arrays = relation.arrays
    sizes = [len(output.values) for output in relation.outputs]
    if arrays.size * sum(1 + size // 64 for size in sizes) > _MOST_MASKS:
        return None
    partition, children, depth = arrays.lists
    everything = [(1 << size) - 1 for size in sizes]
    possible: dict[int, list[int]] = {arrays.true: everything, arrays.false: [0] * len(sizes)}
    for node in range(arrays.nodes - 1, -1, -1):
        level = arrays.levels[depth[node]]
        kids = [kid for kid in children[node] if kid != arrays.false]
        masks = [0] * len(sizes)
        for kid in kids:
            masks = [a | b for a, b in zip(masks, possible[kid], strict=True)]
        if level.kind == "output":
            alive = [kid != arrays.false for kid in children[node]]
            classes = arrays.classes[partition[node]].tolist()
            masks[level.index] = sum(1 << value for value, place in enumerate(classes) if alive[place])
        possible[node] = masks
    return possible


def _reads_inputs(relation: Relation) -> list[bool]:
    """For every node whether it, or a node below it, is at an input."""
    arrays = relation.arrays
    _, children, depth = arrays.lists
    reads = [False] * arrays.size
    for node in range(arrays.nodes - 1, -1, -1):
        reads[node] = arrays.levels[depth[node]].kind == "input" or any(reads[kid] for kid in children[node])
    return reads
