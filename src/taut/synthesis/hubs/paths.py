"""Outputs as paths of conditions on answers: terms that compare one draw each with a draw that all share, the hub."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import Diagrams
from taut.diagrams.compile.relation import RelationCompiler
from taut.diagrams.compile.shape import Shape, shape_of, slots_of
from taut.program import UNDEFINED, Coin, CoinVariable, Program, Term, Terms, evaluate
from taut.program.operations import typed
from taut.program.program import children, reachable, substituted
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint
from taut.support.options import active
from taut.synthesis.hubs.factors import Conjunction, Factors, owned_coins

__all__ = ["Condition", "Path", "Paths", "paths_of"]

_MOST_ANSWERS = 64
"""Limit for the different values of one answer."""
_MOST_CASES = 1 << 20
"""Limit for the values of a hub and a draw that are looked at, of all answers that differ."""
_MOST_STATES = 1 << 14
_MOST_CLASSES = 1 << 12
_MOST_PATHS = 1 << 16

_State = tuple[tuple[int, int], ...]
"""The slots of the output that are still open, each with the node of its diagram."""


@dataclass(frozen=True, eq=False)
class Condition:
    """The event that an answer has one of some values, as outcomes of its draw for each value of the hub.

    ``kind`` is a number that alike conditions share, whichever draw they are about.
    """

    place: int
    kind: int
    sets: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Path:
    """The conditions that make up one output, and their classes with the number of each."""

    output: Any
    conditions: tuple[Condition, ...]
    told: tuple[tuple[Hashable, int], ...]


@dataclass(frozen=True, eq=False)
class _Edge:
    condition: Condition | None
    settled: tuple[tuple[int, Any], ...]
    state: _State


_Walked = tuple[tuple[tuple[int, Any], ...], list[dict[_State, list[_Edge]]]]
"""The slots that have one value in all outputs, and for each answer what each state leads to."""
_Maker = Callable[[tuple[int, ...]], Condition]


class Paths:
    """All outputs of a program whose answers are independent given the hub: each is a conjunction of conditions."""

    def __init__(self, hub: int, width: int, shape: Shape, walked: _Walked) -> None:
        self.hub, self.width, self.shape = hub, width, shape
        self._fixed, self._edges = walked

    @property
    def count(self) -> int:
        """The number of outputs."""
        numbers: dict[_State, int] = {(): 1}
        for layer in reversed(self._edges):
            numbers = {state: sum([numbers[edge.state] for edge in edges]) for state, edges in layer.items()}
        (found,) = numbers.values()
        return found

    def conjunction(self, path: Path) -> Conjunction:
        """Return an output in the form of outputs with hubs of their own."""
        return Conjunction(self.hub, tuple(range(self.width)), {one.place: one.sets for one in path.conditions})

    def classes(self, alike: Mapping[int, Hashable]) -> list[Path]:
        """Return one output for each multiset of conditions; draws of one number in ``alike`` may be exchanged.

        Raises:
            TooLarge: there are too many.
        """
        (root,) = self._edges[0]
        layer: dict[_State, dict[Any, tuple[Any, _Edge] | None]] = {root: {frozenset(): None}}
        for edges in self._edges:
            following: dict[_State, dict[Any, Any]] = {}
            for state, known in layer.items():
                for edge, (told, chain) in itertools.product(edges[state], known.items()):
                    one = edge.condition
                    if one is not None:
                        numbers = dict(told)
                        label = (alike[one.place], one.kind)
                        numbers[label] = numbers.get(label, 0) + 1
                        told = frozenset(numbers.items())
                    following.setdefault(edge.state, {}).setdefault(told, (chain, edge))
            layer = following
            checkpoint()
            if sum(map(len, layer.values())) > _MOST_CLASSES:
                raise TooLarge("there are too many kinds of outputs.", value=len(layer))
        return [self._path(tuple(told), _chain(links)) for told, links in layer[()].items()]

    def masses(
        self, start: Sequence[int], scale: int, vector: Callable[[Condition], tuple[Sequence[int], int]]
    ) -> list[Fraction]:
        """Return, for each output, the sum of the products of vectors: of its conditions, and one to start with.

        Each vector comes with its denominator. The order of outputs is always the same.

        Raises:
            TooLarge: there are too many outputs.
        """
        if self.count > _MOST_PATHS:
            raise TooLarge("there are too many outputs.", value=self.count)
        (root,) = self._edges[0]
        found: list[Fraction] = []
        stack: list[tuple[int, _State, Sequence[int], int]] = [(0, root, start, scale)]
        while stack:
            depth, state, product, below = stack.pop()
            checkpoint()
            if depth == len(self._edges):
                found.append(Fraction(sum(product), below))
                continue
            for edge in self._edges[depth][state]:
                more, under = product, below
                if edge.condition is not None:
                    factor, denominator = vector(edge.condition)
                    more = [a * b for a, b in zip(product, factor, strict=True)]
                    under = below * denominator
                stack.append((depth + 1, edge.state, more, under))
        return found

    def _path(self, told: tuple[Any, ...], edges: Sequence[_Edge]) -> Path:
        slots = dict(self._fixed)
        slots.update(pair for edge in edges for pair in edge.settled)
        output = self.shape.decode(iter([slots[number] for number in sorted(slots)]))
        return Path(output, tuple([edge.condition for edge in edges if edge.condition is not None]), told)


def _chain(links: Any) -> list[_Edge]:
    found = []
    while links is not None:
        links, edge = links
        found.append(edge)
    return found[::-1]


def paths_of(found: Factors) -> Paths | None:
    """Return the outputs as paths of conditions; None if no draw of the factors is a hub of answers.

    A hub reads no entry, and the output is a function of answers, each of which reads the hub and one other draw.
    """
    for place, factor in enumerate(found.factors):
        if factor.statistic is None:
            paths = _Answers(found, place).paths()
            if paths is not None:
                return paths
    return None


class _Answers:
    """A program as a function of its answers, given the hub."""

    def __init__(self, found: Factors, hub: int) -> None:
        self.found, self.program, self.hub = found, found.combined, hub
        self._kinds: dict[Any, Condition] = {}
        self._tables: dict[Term, Any] = {}
        self._terms = Terms()
        self._cases = 0

    def paths(self) -> Paths | None:
        answers = self._answers()
        if answers is None:
            return None
        tables = [self._table(term, place) for term, place in answers]
        coins, known = [], {}
        terms = Terms()
        for number, ((term, _), table) in enumerate(zip(answers, tables, strict=True)):
            if table is None:
                return None
            values = table[0]
            weights = tuple([1] * len(values))
            coins.append(CoinVariable(f"a{number}", values, weights, number))
            known[term] = terms.coin(number, values)
        (output,) = substituted(terms, [self.program.output], [], self.program.coins, {}, known)
        reduced = Program(self.program.name, (), (), tuple(coins), output, terms.true, terms)
        shape = shape_of(output)
        slots = slots_of(terms, output, shape)
        diagrams = Diagrams(active().max_nodes)
        levels = {known[term]: number for number, (term, _) in enumerate(answers)}
        roots = RelationCompiler(diagrams, reduced, levels).compile(slots)
        walked = _Walk(diagrams, roots, [len(coin.outcomes) for coin in coins]).walked(
            [self._maker(place, table) for (_, place), table in zip(answers, tables, strict=True)]
        )
        width = len(self.found.factors[self.hub].outcomes)
        return None if walked is None else Paths(self.hub, width, shape, walked)

    def _answers(self) -> list[tuple[Term, int]] | None:
        """Return the largest terms that read one draw besides the hub, which nothing else reads, in their order."""
        program, hub = self.program, 1 << self.hub
        coins: dict[Term, int] = {}
        for term in reachable([program.output]):
            coins[term] = 1 << term.index if isinstance(term, Coin) else 0
            for child in children(term):
                coins[term] |= coins[child]
        owned = owned_coins(program)
        chosen: list[tuple[Term, int]] = []
        stack, seen = [program.output], {program.output}
        while stack:
            term = stack.pop()
            own = coins[term] & ~hub
            if own and not own & (own - 1) and owned[term] & own:
                chosen.append((term, own.bit_length() - 1))
                continue
            if isinstance(term, Coin):  # the hub itself, or a draw that several answers share
                return None
            for child in children(term):
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return sorted(chosen, key=lambda one: one[1]) if len(chosen) > 1 else None

    def _table(self, term: Term, place: int) -> Any:
        """Return the values of an answer, and which it has for each value of the hub and its draw; None if many."""
        factors = self.found.factors
        moved = {self.hub: 0, place: 1}
        (alike,) = substituted(self._terms, [term], [], self.program.coins, moved)
        if alike not in self._tables:
            bars, draws = factors[self.hub].outcomes, factors[place].outcomes
            self._cases += len(bars) * len(draws)
            if self._cases > _MOST_CASES:
                raise TooLarge("too many comparisons with a hub.", value=self._cases)
            values: dict[Any, int] = {}
            shown: list[Any] = []
            table = np.zeros((len(bars), len(draws)), np.int64)
            for row, bar in enumerate(bars):
                checkpoint()
                for column, draw in enumerate(draws):
                    value = evaluate(alike, (), {0: bar, 1: draw})
                    if value is UNDEFINED:
                        return None
                    number = values.setdefault(typed(value), len(values))
                    if number == len(shown):
                        shown.append(value)
                    table[row, column] = number
            self._tables[alike] = (tuple(shown), table)
        found = self._tables[alike]
        return found if len(found[0]) <= _MOST_ANSWERS else None

    def _maker(self, place: int, table: Any) -> _Maker:
        """Return the function that makes the condition that an answer has one of some values."""
        _, places = table

        def made(values: tuple[int, ...]) -> Condition:
            sets = np.isin(places, values)
            alike = self._kinds.setdefault((sets.shape, sets.tobytes()), Condition(place, len(self._kinds), sets))
            return replace(alike, place=place)

        return made


class _Walk:
    """The diagrams of the slots of an output, walked together from one answer to the next."""

    def __init__(self, diagrams: Diagrams, roots: Sequence[int], arities: Sequence[int]) -> None:
        self.diagrams, self.arities = diagrams, arities
        self.roots = list(roots)
        self._leaves: dict[int, frozenset[Any]] = {}

    def walked(self, makers: Sequence[_Maker]) -> _Walked | None:
        """Return, for each answer and state, what its values lead to; None if an output may have several paths."""
        settled, start = self._split(enumerate(self.roots))
        fixed = tuple([(slot, self.diagrams.value(node)) for slot, node in settled])
        found: list[dict[_State, list[_Edge]]] = []
        states: dict[_State, None] = {start: None}
        for level, maker in enumerate(makers):
            layer: dict[_State, list[_Edge]] = {}
            following: dict[_State, None] = {}
            for state in states:
                checkpoint()
                groups: dict[Any, list[int]] = {}
                for value in range(self.arities[level]):
                    kids = [(slot, self.diagrams.child(node, level, value)) for slot, node in state]
                    groups.setdefault(self._split(kids), []).append(value)
                if not self._differ(list(groups)):
                    return None
                edges = []
                for (ended, open_), values in groups.items():
                    told = tuple([(slot, self.diagrams.value(node)) for slot, node in ended])
                    if any(value is UNDEFINED for _, value in told):
                        return None
                    edges.append(_Edge(maker(tuple(values)) if len(groups) > 1 else None, told, open_))
                    following[open_] = None
                layer[state] = edges
            found.append(layer)
            states = following
            if len(states) > _MOST_STATES:
                raise TooLarge("too much is remembered between two answers.", value=len(states))
        return fixed, found

    def _split(self, slots: Any) -> tuple[tuple[tuple[int, int], ...], _State]:
        """Return the slots whose value is settled, and the others."""
        ended: list[tuple[int, int]] = []
        open_: list[tuple[int, int]] = []
        for slot, node in slots:
            (ended if self.diagrams.is_leaf(node) else open_).append((slot, node))
        return tuple(ended), tuple(open_)

    def _differ(self, groups: Sequence[tuple[_State, _State]]) -> bool:
        """Return True if any two groups have a slot that can have no value in common."""
        rows = [{slot: self._values(node) for slot, node in (*ended, *open_)} for ended, open_ in groups]
        return all(
            any(one[slot].isdisjoint(other[slot]) for slot in one) for one, other in itertools.combinations(rows, 2)
        )

    def _values(self, node: int) -> frozenset[Any]:
        if node not in self._leaves:
            self._leaves[node] = frozenset(self.diagrams.leaves(node))
        return self._leaves[node]
