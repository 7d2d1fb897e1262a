"""Ceilings: upper bounds of the amount that a branch can still add, by telling the adversary more than it may know.

Let every branch choose its later inputs for itself, and tell it the node of the mechanism before each input. Both can
only increase a divergence: the first adds choices, the second splits outputs, and phi is jointly convex and
homogeneous, so phi(p + p', q + q') <= phi(p, q) + phi(p', q'). What is left of a branch is then a sum over nodes w of
G(u(w), v(w)), where G depends on the entry, on the state of the neighbour automaton and on w, and is computed from the
last entry to the first:

    G(p, q) = max over allowed values (s, t) of the sum over outputs o and nodes w' of G'(p K_s(w', o), q K_t(w', o)),

where K_s(w', o) is the probability of going from w to w' at the next entry, with outputs o on the way, if the value
is s. Every G is convex and homogeneous of degree one, like phi. Four cases:

- No later value differs: G = phi, since at one node the two runs are proportional.
- No earlier value differs: G is needed at p = q only, and is one number.
- phi(pa, qb) = phi(p, q) phi(a, b), as for Rényi moments: G is phi times one number.
- Otherwise, if phi is bounded, G is kept on a grid of directions. A vector between two of them is a sum of multiples
  of both, so G there is at most the sum of the same multiples (convexity), which is what a chord is. Floats are
  rounded up.

Where this is too much work, or phi is unbounded, G is at most p phi(1, 0) + q phi(0, 1).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flint import fmpq

from taut.diagrams.compile import Relation
from taut.inference.beliefs import Beliefs
from taut.neighbors import PairAutomaton
from taut.support.limits import checkpoint
from taut.synthesis.pairs.worst_pair.summand import Summand

__all__ = ["Ceilings", "DirectionGrid", "Grids", "Spread", "Spreads", "cuts_of", "segments_of"]


_MOST_ENDS = 4096
"""Limit for the nodes and outputs that one node leads to before the next entry; beyond it, none are computed."""

Spread = dict[tuple[int, ...], dict[int, int]]
"""For each sequence of outputs, the mass at the nodes of the next cut."""


class Spreads:
    """Targets of a node's mass between two entries: for each way of outputs, the mass at the nodes of the next cut."""

    def __init__(self, beliefs: Beliefs, levels: Sequence[tuple[int, str]]) -> None:
        self._beliefs, self._levels = beliefs, levels
        self.scale = math.prod(beliefs.row(number).scale for number, kind in levels if kind == "coin")
        self._known: dict[int, Spread | None] = {}

    def of_both(self, own: int, other: int) -> tuple[Spread, Spread] | None:
        """Return the spreads of mass one at two nodes, times ``scale``; None if one is too wide.

        From one node both runs have the same outputs, which need not be told apart then (G is homogeneous).
        """
        if own == other:
            both: Spread = {(): functools.reduce(self._stepped, self._levels, {own: 1})}
            return both, both
        ends = self._of(own), self._of(other)
        return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])

    def _stepped(self, belief: dict[int, int], level: tuple[int, str]) -> dict[int, int]:
        return self._beliefs.after(level[0], belief)

    def _of(self, node: int) -> Spread | None:
        if node not in self._known:
            self._known[node] = self._spread(node)
        return self._known[node]

    def _spread(self, node: int) -> Spread | None:
        ends: Spread = {(): {node: 1}}
        for number, kind in self._levels:
            if kind == "coin":
                ends = {outputs: self._beliefs.after(number, belief) for outputs, belief in ends.items()}
                continue
            following: Spread = {}
            for outputs, belief in ends.items():
                if all(self._beliefs.depth[at] != number for at in belief):
                    following[outputs] = belief
                    continue
                for value in range(self._beliefs.arrays.levels[number].arity):
                    reached = self._beliefs.after(number, belief, value)
                    if reached:
                        following[(*outputs, number, value)] = reached
            ends = following
            if sum(map(len, ends.values())) > _MOST_ENDS:
                return None
        return ends


def segments_of(levels: Sequence[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """Return the levels cut before every entry; the first segment has no entry."""
    segments: list[list[tuple[int, str]]] = [[]]
    for level in levels:
        if level[1] == "input":
            segments.append([])
        segments[-1].append(level)
    return segments


def cuts_of(relation: Relation, segments: Sequence[Sequence[tuple[int, str]]]) -> list[list[int]]:
    """Return the nodes at which mass can be before each entry."""
    arrays = relation.arrays
    _, children, depth = arrays.lists
    here = {arrays.root}
    cuts = []
    for segment in segments:
        for number, _ in segment:
            at = [node for node in here if depth[node] == number]
            here.difference_update(at)
            here.update(kid for node in at for kid in children[node] if kid != arrays.false)
        cuts.append(sorted(here))
    return cuts


_MARGIN = 1e-9
"""A margin far above the rounding of a few thousand additions of floats of one sign."""
_SMALLEST = 1e-290
_OCTAVES, _STEPS = 24, 2

Grids = dict[int, Any]
"""One array per node, over the directions."""


class DirectionGrid:
    """Convex homogeneous functions of (p, q), by their values in some directions with p + q = 1."""

    def __init__(self, summand: Summand) -> None:
        kink = float(summand.kink) or 1.0
        powers = [2.0 ** (step / _STEPS) for step in range(-_OCTAVES * _STEPS, _OCTAVES * _STEPS + 1)]
        quotients = sorted({power * base for power in powers for base in (1.0, 1 / kink)})
        share = [0.0, *[q / (1 + q) for q in quotients], 1.0]
        self.share = np.array(sorted(set(share)))
        """q / (p + q) of every direction; the grid is fine where p and q are of one order."""
        exact = [float(share).as_integer_ratio() for share in self.share]
        self.phi = np.array([_float_above(summand.above(whole - part, part) / whole) for part, whole in exact])
        self.trivial = self.raised((1 - self.share) * self.phi[0] + self.share * self.phi[-1])

    @staticmethod
    def raised(values: Any) -> Any:
        """Return values rounded up by more than the error of floats."""
        return values * (1 + _MARGIN) + _SMALLEST

    def moved(self, values: Any, p: float, q: float) -> Any:
        """Return the function (x, y) -> G(p x, q y) in all directions (x, y), not below it up to the margin."""
        own, other = (1 - self.share) * p, self.share * q
        return self._at(values, own, other)

    def total(self, grids: Grids, u: Mapping[int, int], v: Mapping[int, int], a: int, b: int) -> Any:
        """Return the sum over nodes of G(a u(w), b v(w)), from above, as a rational number."""
        total = fmpq(0)
        for node in u.keys() | v.keys():
            p, q = a * u.get(node, 0), b * v.get(node, 0)
            size = p + q
            value = float(self._at(grids[node], np.array([p / size]), np.array([q / size]))[0])
            total += fmpq(*self.raised(value).as_integer_ratio()) * size
        return total

    def _at(self, values: Any, own: Any, other: Any) -> Any:
        size = own + other
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(size > 0, other / size, 0.0)
        place = np.clip(np.searchsorted(self.share, share, side="right") - 1, 0, len(self.share) - 2)
        low, high = self.share[place], self.share[place + 1]
        weight = np.clip((share - low) / (high - low), 0.0, 1.0)
        slopes = np.abs(np.diff(values) / np.diff(self.share))
        around = np.maximum(slopes, np.maximum(np.append(slopes[1:], 0), np.append(0, slopes[:-1])))
        # the share is off by a few units in the last place, and may have fallen into the next cell
        return size * ((1 - weight) * values[place] + weight * values[place + 1] + 4e-15 * around[place])


def _float_above(value: Any) -> float:
    nearest = int(value.p) / int(value.q)
    return math.nextafter(nearest, math.inf) if nearest else 0.0 if value == 0 else _SMALLEST


_PRECISION = 192
"""Bits that numbers are rounded up to."""

Numbers = dict[int, Any]
"""One number per node; None where there is no bound."""


class Ceilings:
    """Upper bounds of what branches can still add, at every entry that is about to be read.

    Parameters:
        relation, levels: the relation, and the levels that pairs are taken through: (number, kind), an entry that
            is never read as -1.
        automaton: the related pairs, in the order of these levels.
        summand: the summand of the divergence.
    """

    def __init__(
        self, relation: Relation, levels: Sequence[tuple[int, str]], automaton: PairAutomaton, summand: Summand
    ) -> None:
        self.relation, self.automaton, self.summand = relation, automaton, summand
        self.beliefs = Beliefs(relation)
        self._ends = summand.above(1, 0), summand.above(0, 1)
        grid = None if summand.multiplicative or None in self._ends else DirectionGrid(summand)
        self._grid = grid if grid is not None and grid.phi.min() >= 0 else None
        self._numbers: list[dict[int, Numbers]] = [{} for _ in range(len(automaton.order) + 1)]
        self._grids: list[dict[int, Grids]] = [{} for _ in range(len(automaton.order) + 1)]
        segments = segments_of(levels)
        cuts = cuts_of(relation, segments)
        for entry in reversed(range(len(automaton.order))):
            self._fill(entry, segments[entry + 1], cuts[entry])

    def of(self, entry: int, state: int, u: Mapping[int, int], v: Mapping[int, int], a: int, b: int) -> Any:
        """Return an upper limit of the contribution of the branch (a u, b v), or None."""
        if state in self.automaton.same_after[entry]:
            return self.summand.revealed(u, v, a, b)
        numbers = self._numbers[entry].get(state)
        if numbers is not None:
            total = fmpq(0)
            for node in u.keys() | v.keys():
                part = self._number(numbers[node], a * u.get(node, 0), b * v.get(node, 0))
                if part is None:
                    return None
                total += part
            return total
        assert self._grid is not None
        return self._grid.total(self._grids[entry][state], u, v, a, b)

    # -- from the last entry to the first --------------------------------------------------------------------------

    def _fill(self, entry: int, segment: Sequence[tuple[int, str]], cut: Sequence[int]) -> None:
        level, *between = segment
        spreads = Spreads(self.beliefs, between)
        before, after = self.automaton.same_before[entry], self.automaton.same_after[entry]
        for state in self.automaton.states[entry]:
            if state in after:
                continue
            checkpoint()
            ways = self.automaton.transitions[entry][state]
            if state in before or self.summand.multiplicative or self._grid is None:
                whole = state in before or self.summand.multiplicative
                self._numbers[entry][state] = {
                    node: self._best_number(entry, node, level[0], ways, spreads) if whole else None for node in cut
                }
            else:
                self._grids[entry][state] = {
                    node: self._best_grid(entry, node, level[0], ways, spreads) for node in cut
                }

    def _child(self, node: int, level: int, value: int) -> int:
        arrays = self.relation.arrays
        return arrays.kid(node, value) if arrays.lists[2][node] == level else node

    def _best_number(self, entry: int, node: int, level: int, ways: Any, spreads: Spreads) -> Any:
        values = []
        for own, other, state in self._reached(node, level, ways):
            value = self._sum(entry + 1, state, own, other, spreads)
            if value is None:
                return self._trivial
            values.append(value)
        return _rounded_up(max(values))

    def _reached(self, node: int, level: int, ways: Any) -> set[tuple[int, int, int]]:
        """Return the targets of a node for the values of x and x': two nodes, and the state."""
        checkpoint()
        return {(self._child(node, level, way.value), self._child(node, level, way.other), way.state) for way in ways}

    @property
    def _trivial(self) -> Any:
        """Return a bound on G(1, 1) by convexity; None for moments, which use one number as a factor."""
        return None if self.summand.multiplicative or None in self._ends else self._ends[0] + self._ends[1]

    def _sum(self, entry: int, state: int, own: int, other: int, spreads: Spreads) -> Any:
        """Return the sum over the successors, before the next entry, of two nodes with mass one each."""
        if own == other and state in self.automaton.same_after[entry]:
            return self.summand.above(1, 1)
        ends = spreads.of_both(own, other)
        if ends is None:
            return None
        total = fmpq(0)
        for outputs in ends[0].keys() | ends[1].keys():
            u, v = (end.get(outputs, {}) for end in ends)
            part = self.of(entry, state, u, v, 1, 1)
            if part is None:
                return None
            total += part
        return total / spreads.scale

    def _number(self, number: Any, p: int, q: int) -> Any:
        """Return a number times phi(p, q); in states that no difference leads to p = q, and it is a number times p."""
        if self.summand.multiplicative:
            part = self.summand.above(p, q)
            return None if part is None or number is None else part * number
        if number is not None:
            return number * p
        return None if None in self._ends else self._ends[0] * p + self._ends[1] * q

    def _best_grid(self, entry: int, node: int, level: int, ways: Any, spreads: Spreads) -> Any:
        assert self._grid is not None
        grid, best = self._grid, np.zeros(0)
        for own, other, state in self._reached(node, level, ways):
            ends = spreads.of_both(own, other)
            if ends is None:
                return grid.trivial
            same = state in self.automaton.same_after[entry + 1]
            grids = self._grids[entry + 1].get(state, {})
            total = np.zeros(len(grid.share))
            for outputs in ends[0].keys() | ends[1].keys():
                u, v = (end.get(outputs, {}) for end in ends)
                for reached in u.keys() | v.keys():
                    values = grid.phi if same else grids[reached]
                    p, q = u.get(reached, 0) / spreads.scale, v.get(reached, 0) / spreads.scale
                    total += grid.moved(values, p, q)
            best = np.maximum(best, total) if len(best) else total
        return grid.raised(best)


def _rounded_up(value: Any) -> Any:
    """Return a number of few bits that is not below a given one."""
    bits = int(value.q).bit_length()
    if value <= 0 or bits <= 2 * _PRECISION:
        return value
    shift = bits + _PRECISION - int(value.p).bit_length()
    above, below = max(shift, 0), max(-shift, 0)
    return fmpq(-(-(int(value.p) << above) // (int(value.q) << below)) << below, 1 << above)
