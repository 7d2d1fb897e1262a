"""The total weight of candidates along walks: the largest ratio of a selection is that of the best path."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.neighbors import Entrywise
from taut.program import Program, Term
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, ends
from taut.support.limits import checkpoint
from taut.support.process import cached_property
from taut.synthesis.decompose.statistic import Dependence
from taut.synthesis.decompose.walks import DONE, Moves, Step, Walk, related_values

__all__ = ["SelectedWalk", "WeightTables"]

WeightTables = tuple[Sequence[Sequence[Mapping[Any, Any]]], Sequence[Any]]
"""For each statistic the weights of its candidates by its values; and the weights that never change."""
_Told = tuple[tuple[int, Any], ...]
_MOST_NODES = 1 << 19
_DIGITS = 240
"""Binary digits behind the point to which balls are rounded, up or down."""
_ABOVE = 1 + Fraction(1, 1 << 120)
"""Margin above the radius of a ratio of balls."""


@dataclass(eq=False)
class _Graph:
    """All walks of neighbours that differ in an entry of one block, as edges in an order in which they can be followed.

    An edge has a start, an end, the statistics that it settles on both sides (a number in ``tellings``, or -1), and the
    value of an entry: (block, value, side), where side is 0 or 1 for the entry that changes, and None for others.
    """

    changed: int
    mirrored: bool
    edges: list[tuple[int, int, int, Any]] = field(default_factory=list)
    tellings: list[tuple[_Told, _Told]] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    size: int = 0


class SelectedWalk:
    """The walks of the statistics of a selection, which tell each statistic when it is settled.

    Raises:
        TooLarge: there are too many walks.
    """

    def __init__(self, program: Program, dependence: Dependence, roots: Sequence[Term], neighbors: Entrywise) -> None:
        self.program = program
        self.walk = Walk(program, dependence, roots, passing=True)
        self.blocks = self.walk.blocks
        self.graphs = [self._graph(place, neighbors) for place in range(len(self.blocks))]

    def values_at(self, positions: Sequence[int]) -> dict[int, Any]:
        """Return the values of the statistics at an input."""
        walk = self.walk
        state = walk.first()
        told = dict(walk.told_first)
        for place, block in enumerate(self.blocks):
            numbers = [0] * len(block.values)
            for entry in block.entries:
                numbers[positions[entry]] += 1
            for step, number in zip(walk.steps[place], numbers, strict=True):
                state = walk.open(step, state)
                for _ in range(number):
                    state = walk.add(step, state)
                inside, state = state, walk.close(step, state)
                told.update(step.told[inside] or ())
        return told

    # -- all walks ---------------------------------------------------------------------------------------------------

    def _graph(self, changed: int, neighbors: Entrywise) -> _Graph:
        walk = self.walk
        related, mirrored = related_values(neighbors, self.blocks[changed].values)
        moves, graph = Moves(walk, changed, related, mirrored), _Graph(changed, mirrored)
        first = walk.first()
        nodes: dict[Any, int] = {(first, first, 0, 0): 0}
        graph.size = 1
        for place, block in enumerate(self.blocks):
            others = len(block.entries) - (place == changed)
            for bin_, step in enumerate(walk.steps[place]):
                checkpoint()
                nodes = self._stepped(graph, moves, (place, bin_), step, nodes, others)
            behind: dict[Any, int] = {}
            for (own, other, phase, count), node in nodes.items():
                if count == others and (place != changed or phase == DONE):
                    behind[own, other, phase, 0] = node
            nodes = behind
        graph.last = list(nodes.values())
        return graph

    def _stepped(
        self, graph: _Graph, moves: Moves, at: tuple[int, int], step: Step, nodes: Mapping[Any, int], others: int
    ) -> dict[Any, int]:
        """Lead all walks through one value of a block."""
        walk, here = self.walk, at[0] == graph.changed
        counts: list[dict[Any, int]] = [{} for _ in range(others + 1)]

        def reached(layer: dict[Any, int], key: Any) -> int:
            node = layer.get(key)
            if node is None:
                node = layer[key] = graph.size
                graph.size += 1
                if graph.size > _MOST_NODES:
                    raise TooLarge("there are too many walks.", value=graph.size)
            return node

        for (own, other, phase, count), node in nodes.items():
            key = (walk.open(step, own), walk.open(step, other), phase)
            for one in moves.tokens(at[1], step, key) if here else (key,):
                given = None if one == key else (*at, 0 if one[0] != key[0] or _first_side(key[2], one[2]) else 1)
                graph.edges.append((node, reached(counts[count], one), -1, given))
        if self.blocks[at[0]].fresh[at[1]]:
            for layer, following in itertools.pairwise(counts):
                for (own, other, phase), node in layer.items():
                    key = (walk.add(step, own), walk.add(step, other), phase)
                    graph.edges.append((node, reached(following, key), -1, (*at, None)))
        behind: dict[Any, int] = {}
        tellings: dict[Any, int] = {}
        for count, layer in enumerate(counts):
            for key, node in layer.items():
                closed = moves.closed(at[1], step, key) if here else moves.passed(step, key)
                if closed is None:
                    continue
                own, other = step.told[key[0]], step.told[key[1]]
                if own is None or other is None:
                    continue
                number, telling = -1, (own, other)
                if own:
                    number = tellings.setdefault(telling, len(graph.tellings))
                    if number == len(graph.tellings):
                        graph.tellings.append(telling)
                graph.edges.append((node, reached(behind, (*closed, count)), number, None))
        return behind

    # -- the best path -----------------------------------------------------------------------------------------------

    def largest(self, tables: WeightTables, value: Any, compared: Callable[[Sequence[int], Sequence[int]], Any]) -> Any:
        """Return a ratio that no pair exceeds, and that a pair attains where weights are rational.

        ``value`` is a ratio that was met; ``compared`` gives the largest ratio of two inputs.
        """
        limit = value if isinstance(value, Fraction) else ends(value)[1] * _ABOVE
        for graph in self.graphs:
            for swapped in (False, True)[: 1 + graph.mirrored]:
                totals = _Totals(self.walk.told_first, graph.tellings, tables, swapped)
                for quotient in sorted(totals.quotients, reverse=True):
                    while True:
                        checkpoint()
                        path = _best_path(graph, totals, quotient, limit)
                        if path is None:
                            break
                        x, x_prime = self._inputs(graph, path)
                        found = compared(x_prime, x) if swapped else compared(x, x_prime)
                        if found == INFINITY:
                            return INFINITY
                        found = found if isinstance(found, Fraction) else ends(found)[1] * _ABOVE
                        if found <= limit:
                            raise TooLarge("balls are too wide to be compared.", value=found)
                        limit = found
        return limit

    def spread(self, tables: WeightTables) -> Any:
        """Return the most by which the ratios of the weights of two candidates differ, by any change."""
        found = [
            quotient
            for graph in self.graphs
            for swapped in (False, True)[: 1 + graph.mirrored]
            for quotient in _Totals(self.walk.told_first, graph.tellings, tables, swapped).all_quotients
        ]
        if INFINITY in found or 0 in found:
            return INFINITY
        return max(found) / min(found)

    def _inputs(self, graph: _Graph, path: Sequence[Any]) -> tuple[list[int], list[int]]:
        """Return two inputs, by the positions of their values, from the values that a path gives to entries."""
        x = [0] * len(self.program.inputs)
        x_prime = list(x)
        left = [list(block.entries) for block in self.blocks]
        mine = left[graph.changed].pop(0)
        for place, bin_, side in path:
            if side is None:
                entry = left[place].pop()
                x[entry] = x_prime[entry] = bin_
            else:
                (x_prime if side else x)[mine] = bin_
        return x, x_prime


def _first_side(before: int, after: int) -> bool:
    """Return True if the first side gets its value between two phases."""
    return not after >> 1 & 1 if before == 0 else bool(before & 2)


class _Totals:
    """Amounts that settled statistics add to the total weights of both sides, as integers over one denominator, rounded
    up for the second side and down for the first; and the ratios of weights among them.
    """

    def __init__(
        self, first: _Told, tellings: Sequence[tuple[_Told, _Told]], tables: WeightTables, swapped: bool
    ) -> None:
        weights, fixed = tables
        every = [w for of_root in weights for table in of_root for w in table.values()] + list(fixed)
        exact = all(isinstance(weight, (int, Fraction)) for weight in every)
        self._scale = _common([Fraction(weight).denominator for weight in every]) if exact else 1 << _DIGITS
        self._weights = weights
        self._amounts: dict[Any, tuple[int, int]] = {}
        self._single: dict[tuple[int, Any], tuple[int, int]] = {}
        self._met: dict[tuple[int, Any, Any], frozenset[Any]] = {}
        self._same: dict[Any, Any] = {}
        always = [self._rounded(weight) for weight in fixed]
        low, high = self._amount(first)
        self.first = low + sum([down for down, _ in always]), high + sum([up for _, up in always])
        self.all_quotients: set[Any] = {Fraction(1)} if fixed or any(weights[root] for root, _ in first) else set()
        self._of_start = frozenset(self.all_quotients)
        self.added: list[tuple[int, int]] = []
        self.met: list[frozenset[Any]] = []
        for pair in tellings:
            own, other = reversed(pair) if swapped else pair
            self.added.append((self._amount(own)[0], self._amount(other)[1]))
            met = [self._quotients(root, v, w) for (root, v), (_, w) in zip(own, other, strict=True)]
            joined = met[0] if len(met) == 1 else frozenset().union(*met)
            self.met.append(self._same.setdefault(joined, joined))
        self.different = list({id(one): one for one in self.met}.values())
        self.all_quotients.update(*self._met.values())

    @cached_property
    def quotients(self) -> set[Any]:
        """The ratios of a weight on the first side and on the second, rounded up; 0 does not matter."""
        return {quotient for quotient in self.all_quotients if quotient}

    def start(self, quotient: Any) -> bool:
        """Return True if a ratio occurs on every walk."""
        return quotient in self._of_start

    def _rounded(self, weight: Any) -> tuple[int, int]:
        low, high = ends(weight)
        return (low * self._scale).__floor__(), (high * self._scale).__ceil__()

    def _amount(self, told: _Told) -> tuple[int, int]:
        """Return what statistics with these values add to the total weight, rounded down and up."""
        found = self._amounts.get(told)
        if found is None:
            each = [self._amount_of(*one) for one in told]
            found = self._amounts[told] = sum([low for low, _ in each]), sum([high for _, high in each])
        return found

    def _amount_of(self, root: int, value: Any) -> tuple[int, int]:
        """Return the same for one statistic, rounded once for all walks."""
        found = self._single.get((root, value))
        if found is None:
            each = [self._rounded(table[value]) for table in self._weights[root]]
            found = self._single[root, value] = sum([low for low, _ in each]), sum([high for _, high in each])
        return found

    def _quotients(self, root: int, own: Any, other: Any) -> frozenset[Any]:
        """Return the ratios of weights of the candidates of a statistic that changes; equal ones are one object."""
        found = self._met.get((root, own, other))
        if found is None:
            ratios = [_quotient(table[own], table[other]) for table in self._weights[root]]
            found = frozenset([self._same.setdefault(one, one) for one in ratios if one is not None])
            self._met[root, own, other] = found
        return found


def _common(denominators: Sequence[int]) -> int:
    return math.lcm(*set(denominators))


def _quotient(own: Any, other: Any) -> Any:
    """Return a ratio of weights, rounded up where they are balls; None if both are 0."""
    low, high = ends(own)[1], ends(other)[0]
    if not high:
        return INFINITY if low else None
    exact = Fraction(low) / high
    if isinstance(own, (int, Fraction)) and isinstance(other, (int, Fraction)):
        return exact
    bits = 200 - exact.numerator.bit_length() + exact.denominator.bit_length()
    unit = Fraction(2) ** bits
    return Fraction((exact * unit).__ceil__()) / unit


def _best_path(graph: _Graph, totals: _Totals, quotient: Any, limit: Any) -> list[Any] | None:
    """Return the values of entries on a walk where a weight has this ratio and the ratio of its output is above a
    limit; None if there is no such walk.

    The ratio of the output is that of its weights times Z' / Z, where Z and Z' are the totals. So the walk is sought
    that maximizes the sum of ratio times its parts of Z' minus limit times its parts of Z.
    """
    if quotient == INFINITY:
        above, below = 0, 0
    else:
        product = Fraction(limit) / quotient
        above, below = product.denominator, product.numerator
    gains = [above * high - below * low for low, high in totals.added]
    of_each = {id(one): quotient in one for one in totals.different}
    met = [of_each[id(one)] for one in totals.met]
    nothing = None
    best: list[list[Any]] = [[nothing] * graph.size, [nothing] * graph.size]
    came: list[list[Any]] = [[nothing] * graph.size, [nothing] * graph.size]
    low, high = totals.first
    best[totals.start(quotient)][0] = above * high - below * low
    for number, (start, end, telling, _) in enumerate(graph.edges):
        if not number & 0xFFFF:
            checkpoint()
        for flag in (0, 1):
            value = best[flag][start]
            if value is None:
                continue
            after = flag
            if telling >= 0:
                value += gains[telling]
                after = 1 if flag or met[telling] else 0
            known = best[after][end]
            if known is None or value > known:
                best[after][end] = value
                came[after][end] = (number, flag)
    finals = [node for node in graph.last if best[1][node] is not None]
    if not finals:
        return None
    node = max(finals, key=best[1].__getitem__)
    if quotient != INFINITY and best[1][node] <= 0:
        return None
    path, flag = [], 1
    while came[flag][node] is not None:
        number, flag = came[flag][node]
        node = graph.edges[number][0]
        if graph.edges[number][3] is not None:
            path.append(graph.edges[number][3])
    return path
