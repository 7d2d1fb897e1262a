"""Loss distributions without listing outputs: two inputs go down the relation together.

A prefix of outputs leads x to a belief u and x' to a belief v. If another prefix leads to (c u, d v), the futures of
the two are the same up to the factors c and d: one *branch* is kept for both, with the masses of its prefixes by their
ratios c / d. Three things keep branches few:

- nodes that lead to different outputs are different branches once that is certain, long before the output is read;
- a branch on which x and x' have the same future (u = v, and no input that is read below may still differ) is
  *settled*: its ratio will not change, so its outputs need not be told apart;
- so is a branch that only one of the two inputs can take: its ratio is 0 or infinite.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from taut.diagrams.compile import Relation
from taut.diagrams.semirings import BALL, EXACT, POLYNOMIAL
from taut.inference.beliefs import Beliefs
from taut.inference.masses import (
    EMPTY,
    BallMasses,
    ExactMasses,
    Factor,
    Gather,
    LevelFlow,
    MassAlgebra,
    Masses,
    PolynomialMasses,
    Vector,
    gather,
)
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint, checkpoints

__all__ = ["Branches", "LossWalk", "Quotients", "pair_quotients"]

_MOST_MASKS = 1 << 23
_NOTHING = -1


class Branch(NamedTuple):
    """Beliefs of x and of x' by number (or _NOTHING), with True if the ratio is settled."""

    own: int
    other: int
    settled: bool


class _Part(NamedTuple):
    """Part of a belief: its masses without their common factor, that factor, its number, and its possible outputs."""

    belief: Vector
    factor: Any
    number: int
    possible: tuple[int, ...]


class _Parts(list[_Part]):
    """The parts of one belief, made once per level so that equal parts are one object."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


class _Separated(NamedTuple):
    """Nodes that surely lead to other outputs than the rest, with their possible outputs."""

    taken: Gather
    nodes: tuple[int, ...]
    possible: tuple[int, ...]


Branches = dict[Branch, Masses]
"""The live branches of a pair of inputs, each with the masses of its prefixes by their ratios."""
Move = Callable[[Branches, int, int, bool], Branches]


class Quotients(NamedTuple):
    """The ratios of all outputs of a pair: (mass under x, mass under x') for each, not divided by the evidence."""

    masses: tuple[tuple[Any, Any], ...]
    evidence: Any
    evidence_prime: Any


def pair_quotients(
    relation: Relation, x: Sequence[int], x_prime: Sequence[int], conditioned: bool, max_beliefs: int
) -> Quotients:
    """Return the loss distribution of two inputs, given by positions."""
    walk = LossWalk(relation, conditioned, max_beliefs)
    differs = [number for number, level in enumerate(relation.arrays.levels) if level.kind == "input"]
    differs = [
        number
        for number in differs
        if x[relation.arrays.levels[number].index] != x_prime[relation.arrays.levels[number].index]
    ]
    last = max(differs, default=-1)
    branches = walk.start(same=last < 0)
    for number, level in enumerate(relation.arrays.levels):
        checkpoint()
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
        kinds: dict[str, type[MassAlgebra]] = {
            EXACT.name: ExactMasses,
            POLYNOMIAL.name: PolynomialMasses,
            BALL.name: BallMasses,
        }
        self.algebra = kinds[self.automaton.semiring.name]()
        self.whole = not conditioned
        """True if the futures of every node sum to one, so that settled mass need not be followed down."""
        self.scale = self.automaton.semiring.one
        self._beliefs: list[Vector] = []
        self._numbers: dict[Vector, int] = {}
        self._cuts: set[tuple[int, ...]] = set()
        """The nodes of the beliefs, each set once."""
        self._separated: dict[tuple[int, ...], list[_Separated]] = {}
        self._possible = _possible_outputs(relation)
        self._reads = _reads_inputs(relation)

    def start(self, *, same: bool) -> Branches:
        """Return the initial branches of a pair; ``same`` if its two inputs are equal."""
        start = self.automaton.start
        first = _Parts(self._parts(Vector(tuple(start), tuple(start.values())), False))
        branches: Branches = {}
        for branch, factor in self._made(first, first, False, same):
            self.algebra.add(branches.setdefault(branch, {}), self.algebra.one, factor)
        return branches

    def move(self, level: int, coins: Sequence[int] = ()) -> Move | None:
        """Return the function that takes branches through a level, given the values of x and x' there (for inputs) and
        whether all further inputs agree; None if nothing happens there.

        ``coins`` are levels right below an input that some belief reads: branches are taken through them as well, which
        is quicker than one after the other.
        """
        automaton, kind, old = self.automaton, self.relation.arrays.levels[level].kind, self._beliefs
        if kind == "coin":
            if not automaton.matters(level, self._cuts):
                return None
            self.scale = self.scale * automaton.row(level).scale
        elif not self.reads(level):
            return None if kind == "output" else self._same_branches
        flow = self._flow(level, coins)
        self._beliefs, self._numbers, self._cuts = [], {}, set()
        self.algebra.steps += 1 + len(coins)
        parts = functools.cache(lambda *given: _Parts(self._parts(*given)))
        after = functools.cache(lambda *at: parts(flow(self._belief(old, at[0]), at[1]), at[2]))
        made_of = functools.cache(self._made)
        known: dict[tuple[Branch, int, int, bool], list[tuple[Branch, Factor]]] = {}
        unit = self.algebra.unit

        alone: dict[tuple[int, frozenset[tuple[Any, Any]]], Branches] = {}

        def moved(branches: Branches, own: int, other: int, same: bool) -> Branches:
            result: Branches = {}
            for branch, masses in checkpoints(branches.items(), 64):
                key = (branch, own, other, same)
                made = known.get(key)
                if made is None:
                    made = known[key] = self._moved(level, after, made_of, branch, own, other, same)
                if len(branches) == 1:
                    if len(made) == 1 and made[0][1] == unit:
                        return {made[0][0]: masses}  # masses are never changed after the call that made them
                    result = alone.setdefault((id(made), frozenset(masses.items())), result)
                    if result:
                        return result
                for following, factor in made:
                    self.algebra.add(result.setdefault(following, {}), masses, factor)
            return result

        return moved

    def reads(self, level: int) -> bool:
        """Return True if some belief has a node at a level."""
        return any(self.automaton.depth[node] == level for cut in self._cuts for node in cut)

    def _flow(self, level: int, coins: Sequence[int]) -> Callable[[Vector, int | None], Vector]:
        """Return the operation that moves beliefs through a level and through the coins below it that matter."""
        first = LevelFlow(self.automaton, level)
        if not coins:
            return first.after
        children, depth = self.relation.arrays.lists[1:]
        nodes = {node for cut in self._cuts for node in cut}
        flows = []
        for number in (level, *coins):
            if number != level:
                if not self.automaton.matters(number, [nodes]):
                    continue
                self.scale = self.scale * self.automaton.row(number).scale
                flows.append(LevelFlow(self.automaton, number))
            nodes = {kid for node in nodes for kid in (children[node] if depth[node] == number else (node,))}

        def through(vector: Vector, value: int | None) -> Vector:
            vector = first.after(vector, value)
            for flow in flows:
                vector = flow.after(vector, None)
            return vector

        return through

    def quotients(self, branches: Branches) -> Quotients:
        """Return the loss distribution, after the last level."""
        return self.finished(self.total(branches))

    def total(self, branches: Branches) -> Masses:
        """Return all masses by their ratios, after the last level; equal for pairs with equal loss distributions."""
        total: Masses = {}
        for branch, masses in checkpoints(branches.items(), 64):
            own, other = (self._final(self._belief(self._beliefs, number)) for number in branch[:2])
            self.algebra.add(total, masses, (own, other))
        return total

    def finished(self, total: Masses) -> Quotients:
        """Return the loss distribution for masses grouped by ratio."""
        return Quotients(*self.algebra.finished(total, self.scale))

    def beliefs_of(self, branch: Branch) -> tuple[dict[int, Any], dict[int, Any]]:
        """Return the beliefs of x and of x' in a branch, without their factors; at the cut that was reached."""
        own, other = (self._belief(self._beliefs, number) for number in branch[:2])
        return dict(zip(*own, strict=True)), dict(zip(*other, strict=True))

    def _final(self, belief: Vector) -> Any:
        """Return the mass on TRUE, the only node after the last level."""
        return belief.masses[0] if belief.nodes else self.algebra.zero

    # -- one branch ----------------------------------------------------------------------------------------------

    def _same_branches(self, branches: Branches, own: int, other: int, same: bool) -> Branches:
        """Settle branches after an input that none of them reads."""
        result: Branches = {}
        self.algebra.steps += 1
        for branch, masses in checkpoints(branches.items(), 64):
            made = [(branch, self.algebra.unit)]
            if same and not branch.settled:
                u, v = (_Parts(self._parts(self._belief(self._beliefs, number), False)) for number in branch[:2])
                made = self._made(u, v, False, same)
            for following, factor in made:
                self.algebra.add(result.setdefault(following, {}), masses, factor)
        return result

    def _moved(
        self,
        level: int,
        after: Callable[..., _Parts],
        made_of: Callable[..., list[tuple[Branch, Factor]]],
        branch: Branch,
        own: int,
        other: int,
        same: bool,
    ) -> list[tuple[Branch, Factor]]:
        kind, (u, v, settled) = self.relation.arrays.levels[level].kind, branch
        if kind == "input":
            return made_of(after(u, own, settled), after(v, other, settled), settled, same)
        if kind == "coin" or (settled and not self.whole):
            return made_of(after(u, None, settled), after(v, None, settled), settled, same)
        if settled:  # its mass has left the relation, so an output is nothing to sum over
            return made_of(after(u, 0, True), after(v, 0, True), True, same)
        made: list[tuple[Branch, Factor]] = []
        for value in checkpoints(range(self.relation.arrays.levels[level].arity)):
            made += made_of(after(u, value, False), after(v, value, False), False, same)
        return made

    def _made(self, u: _Parts, v: _Parts, settled: bool, same: bool) -> list[tuple[Branch, Factor]]:
        """Split two beliefs into branches with their factors; parts that may share an output stay in one branch."""
        if len(u) == len(v) == 1 and u[0].possible == v[0].possible:
            return [self._branch(u[0], v[0], settled, same)]
        same_outputs = {part.possible: part for part in v}
        groups: list[tuple[list[_Part], list[_Part]]] = []
        alone: list[tuple[list[_Part], list[_Part]]] = []
        for part in u:  # parts of one belief never meet, so two with equal outputs meet no third
            match = same_outputs.pop(part.possible, None)
            (groups if match is not None else alone).append(([part], [] if match is None else [match]))
        for part in same_outputs.values():
            shared = [group for group in alone if any(_may_meet(part, one) for side in group for one in side)]
            joined = ([one for own, _ in shared for one in own], [part, *[one for _, other in shared for one in other]])
            alone = [*[group for group in alone if group not in shared], joined]
        return [self._branch(self._joined(own), self._joined(other), settled, same) for own, other in groups + alone]

    def _joined(self, parts: Sequence[_Part]) -> _Part | None:
        """Join parts of one belief into one part; None if there are none."""
        if len(parts) < 2:
            return parts[0] if parts else None
        masses = {node: mass * part.factor for part in parts for node, mass in zip(*part.belief, strict=True)}
        nodes = tuple(sorted(masses))
        return self._part(Vector(nodes, tuple(masses[node] for node in nodes)), ())

    def _branch(self, u: _Part | None, v: _Part | None, settled: bool, same: bool) -> tuple[Branch, Factor]:
        if u is None or v is None:  # only one of the two can take it
            return self._settled(u, v) if not settled else self._as_it_is(u, v, True)
        if settled or u.number != v.number:
            return self._as_it_is(u, v, settled)
        if same or not any(self._reads[node] for node in u.belief.nodes):
            return self._settled(u, v)
        return self._as_it_is(u, v, False)

    def _as_it_is(self, u: _Part | None, v: _Part | None, settled: bool) -> tuple[Branch, Factor]:
        own, factor = (_NOTHING, self.algebra.zero) if u is None else (u.number, u.factor)
        other, factor_prime = (_NOTHING, self.algebra.zero) if v is None else (v.number, v.factor)
        return Branch(own, other, settled), (factor, factor_prime)

    def _settled(self, u: _Part | None, v: _Part | None) -> tuple[Branch, Factor]:
        """Settle a branch whose ratio is final, unless evidence follows below."""
        if not self.whole:
            return self._as_it_is(u, v, True)
        one = self._number(Vector((self.relation.arrays.true,), (self.automaton.semiring.one,)))
        numbers = [_NOTHING if part is None else one for part in (u, v)]
        factors = [self.algebra.zero if part is None else part.factor * sum(part.belief.masses) for part in (u, v)]
        return Branch(numbers[0], numbers[1], True), (factors[0], factors[1])

    def _parts(self, belief: Vector, settled: bool) -> list[_Part]:
        """Split a belief into parts whose nodes certainly lead to different outputs; settled ones stay whole."""
        if not belief.nodes:
            return []
        if settled or self._possible is None:
            return [self._part(belief, ())]
        parts = self._separated.get(belief.nodes)
        if parts is None:
            parts = self._separated[belief.nodes] = _separated(belief.nodes, self._possible)
        if len(parts) == 1:
            return [self._part(belief, parts[0].possible)]
        return [self._part(Vector(part.nodes, part.taken(belief.masses)), part.possible) for part in parts]

    def _part(self, belief: Vector, possible: tuple[int, ...]) -> _Part:
        masses, factor = self.algebra.reduced(belief.masses)
        reduced = Vector(belief.nodes, masses)
        return _Part(reduced, factor, self._number(reduced), possible)

    def _belief(self, beliefs: Sequence[Vector], number: int) -> Vector:
        return beliefs[number] if number != _NOTHING else EMPTY

    def _number(self, belief: Vector) -> int:
        number = self._numbers.setdefault(belief, len(self._beliefs))
        if number == len(self._beliefs):
            self._beliefs.append(belief)
            self._cuts.add(belief.nodes)
            if number >= self.max_beliefs:
                raise TooLarge(
                    f"'{self.relation.name}' has more than {self.max_beliefs} different beliefs (max_beliefs), too "
                    "many for its loss distributions.",
                    value=len(self._beliefs),
                )
        return number


def _may_meet(a: _Part, b: _Part) -> bool:
    """Return True if two parts may lead to the same output."""
    return all(own & other for own, other in zip(a.possible, b.possible, strict=False))


def _separated(nodes: tuple[int, ...], possible: Mapping[int, Sequence[int]]) -> list[_Separated]:
    """Return groups of nodes that surely lead to different outputs, and what each may lead to."""
    parts = _apart([possible[node] for node in nodes])
    found = []
    for members, masks in parts:
        taken = gather(sorted(members))
        found.append(_Separated(taken, taken(nodes), tuple(masks)))
    return found


def _apart(masks: Sequence[Sequence[int]]) -> list[tuple[list[int], list[int]]]:
    """Return groups of places whose masks share no bit in one coordinate at least, with the union of their masks."""
    if masks and len(masks[0]) == 1:
        return _apart_in_one([mask for (mask,) in masks])
    parts: list[tuple[list[int], list[int]]] = []
    for place, mask in enumerate(masks):
        members, union = [place], list(mask)
        apart = []
        for part in parts:
            if any(not a & b for a, b in zip(union, part[1], strict=True)):
                apart.append(part)
            else:
                members += part[0]
                union = [a | b for a, b in zip(union, part[1], strict=True)]
        parts = [*apart, (members, union)]
    return parts


def _apart_in_one(masks: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return groups of places whose masks share no bit, with the union of their masks.

    Groups are found by the bits of a mask if these are fewer than the groups.
    """
    parts: dict[int, tuple[list[int], int]] = {}
    holder: dict[int, int] = {}
    into: list[int] = []
    covered = 0
    for place, mask in enumerate(masks):
        into.append(place)
        met: set[int] = set()
        if mask & covered and mask.bit_count() <= len(parts):
            met = {_root(into, holder[bit]) for bit in _bits(mask & covered)}
        elif mask & covered:
            met = {name for name, part in parts.items() if part[1] & mask}
        members, union = [place], mask
        for name in sorted(met):
            into[name] = place
            members += parts[name][0]
            union |= parts.pop(name)[1]
        parts[place] = members, union
        holder.update(dict.fromkeys(_bits(mask & ~covered), place))
        covered |= mask
    return [(members, [union]) for members, union in parts.values()]


def _root(into: list[int], name: int) -> int:
    """Return the group that a group has become part of."""
    while into[name] != name:
        into[name] = name = into[into[name]]
    return name


def _bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits of a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length()
        mask ^= low


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
            runs = arrays.partitions[partition[node]].runs()
            masks[level.index] = sum((1 << stop) - (1 << start) for start, stop, place in runs if alive[place])
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
