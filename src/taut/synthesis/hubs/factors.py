"""Factors: independent draws of a program, and outputs as conditions on each of them once one, the hub, is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import LevelArrays
from taut.program import Coin, CoinVariable, Program, Term, Terms
from taut.program.operations import typed
from taut.program.program import children, reachable, substituted
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint
from taut.synthesis.decompose.cells import Kernels, statistics_used
from taut.synthesis.decompose.kernel import Kernel, Row
from taut.synthesis.decompose.statistic import Dependence, Statistic, Statistics

__all__ = ["Conjunction", "Factor", "Factors", "conjunction_of", "factors_of", "owned_coins", "statistics_read"]

_MOST_FACTORS = 1 << 10
_MOST_VALUES = 1 << 10
"""Limit for the values of one statistic, and for the outcomes of one factor."""


@dataclass(frozen=True, eq=False)
class Factor:
    """A term that shares no coin with the rest of the program, and the statistic that it reads, if any."""

    term: Term
    statistic: Statistic | None
    kernel: Kernel
    outcomes: tuple[Any, ...]

    def row(self, value: Any) -> Row:
        """Return the distribution of the term where its statistic has a value."""
        return self.kernel.row(() if self.statistic is None else (value,))


@dataclass(frozen=True, eq=False)
class Factors:
    """A program as a function of independent factors; ``combined`` is that function, with a coin for each factor."""

    factors: tuple[Factor, ...]
    combined: Program


def factors_of(program: Program) -> Factors:
    """Return the factors of a program.

    Raises:
        TooLarge: the program observes something, uses entries in another way, or has too many factors.
    """
    if program.conditioned:
        raise TooLarge("what is observed joins all factors.", value=program)
    dependence = Dependence(program)
    found = Statistics(program, dependence)
    terms = _terms(program, dependence, found)
    if not 1 < len(terms) <= _MOST_FACTORS:
        raise TooLarge("there are no factors, or too many.", value=len(terms))
    used = statistics_used(terms, dependence, found)
    if used is None:
        raise TooLarge("no statistics were found that the random terms use.", value=program)
    makers = Kernels(program)
    factors = []
    for term in terms:
        checkpoint()
        ordered, key = makers.key([term], used)
        if len(ordered) > 1:
            raise TooLarge("a factor reads several statistics.", value=term)
        kernel = makers.kernel(key, [term], ordered)
        assert isinstance(kernel, Kernel)
        factors.append(Factor(term, ordered[0] if ordered else None, kernel, _outcomes(kernel)))
    return Factors(tuple(factors), _combined(program, factors))


def _terms(program: Program, dependence: Dependence, found: Statistics) -> list[Term]:
    """Return the largest terms with coins of their own and at most one statistic, in the order of coins."""
    coins, reads = statistics_read(program, dependence, found)
    owned = owned_coins(program)
    chosen: list[Term] = []
    seen: set[Term] = set()
    stack = [program.output]
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        alone = reads[term]
        if alone is not None and len(alone) <= 1 and owned[term] == coins[term] and (coins[term] or alone):
            chosen.append(term)
        else:
            stack += children(term)
    return sorted(chosen, key=lambda term: (coins[term] & -coins[term], term.serial))


def statistics_read(
    program: Program, dependence: Dependence, found: Statistics
) -> tuple[dict[Term, int], dict[Term, frozenset[Any] | None]]:
    """Return each term's coins, as bits, and the entries and sums that it reads; None if it reads in another way."""
    coins: dict[Term, int] = {}
    reads: dict[Term, frozenset[Any] | None] = {}
    for term in reachable([program.output]):
        coins[term] = 1 << term.index if isinstance(term, Coin) else 0
        for child in children(term):
            coins[term] |= coins[child]
        reads[term] = _read(term, reads, dependence, found)
    return coins, reads


def _read(
    term: Term, reads: dict[Term, frozenset[Any] | None], dependence: Dependence, found: Statistics
) -> frozenset[Any] | None:
    """Return the entries and sums that a term reads; None if it reads entries in another way."""
    if term not in dependence.random:
        if not dependence.reads(term):
            return frozenset()
        entry = dependence.only(term)
        if entry is not None:
            return frozenset([entry])
        own = found.of(term)
        return None if own is None else frozenset(own)
    together: frozenset[Any] = frozenset()
    for child in children(term):
        below = reads[child]
        if below is None:
            return None
        together |= below
    return together


def owned_coins(program: Program) -> dict[Term, int]:
    """Return, for each term, the coins that it dominates, as bits: those reached through it only."""
    order = reachable([program.output])
    parents: dict[Term, list[Term]] = {term: [] for term in order}
    for term in order:
        for child in children(term):
            parents[child].append(term)
    over: dict[Term, Term] = {}
    depth: dict[Term, int] = {}
    owned: dict[Term, int] = {}
    for term in reversed(order):
        above = parents[term]
        if not above:
            depth[term] = 0
            continue
        common = above[0]
        for other in above[1:]:
            one = other
            while one is not common:
                if depth[one] >= depth[common]:
                    one = over[one]
                else:
                    common = over[common]
        over[term], depth[term] = common, depth[common] + 1
    for term in sorted(order, key=depth.__getitem__, reverse=True):
        owned[term] = owned.get(term, 0) | (1 << term.index if isinstance(term, Coin) else 0)
        if term in over:
            owned[over[term]] = owned.get(over[term], 0) | owned[term]
    return owned


def _outcomes(kernel: Kernel) -> tuple[Any, ...]:
    """Return all values that a factor takes, in order where they have one."""
    variables = kernel.program.inputs
    choices = [(value,) for value in variables[0].values] if variables else [()]
    if len(choices) > _MOST_VALUES:
        raise TooLarge("a statistic has too many values.", value=len(choices))
    found: dict[Any, Any] = {}
    seen: set[int] = set()
    for values in choices:
        outcomes = kernel.row(values).outcomes
        if id(outcomes) not in seen:
            seen.add(id(outcomes))
            for outcome in outcomes:
                found.setdefault(typed(outcome), outcome)
    if len(found) > _MOST_VALUES:
        raise TooLarge("a factor has too many outcomes.", value=len(found))
    known = list(found.values())
    if all(isinstance(outcome, (int, Fraction)) for outcome in known):
        known.sort()
    return tuple(known)


def _combined(program: Program, factors: Sequence[Factor]) -> Program:
    terms = Terms()
    coins = [
        CoinVariable(f"t{place}", one.outcomes, (Fraction(1, len(one.outcomes)),) * len(one.outcomes), place)
        for place, one in enumerate(factors)
    ]
    known = {one.term: terms.coin(place, coins[place].outcomes) for place, one in enumerate(factors)}
    (output,) = substituted(terms, [program.output], [], program.coins, {}, known)
    return Program(program.name, (), (), tuple(coins), output, terms.true, terms)


_FALSE, _TRUE = 0, 1


@dataclass(frozen=True, eq=False)
class Conjunction:
    """The event that an output is returned: one factor, the hub, has one of ``values``, and the others lie in sets.

    ``sets`` has for each factor that matters the outcomes that it may have at each value of the hub, as a matrix of
    Booleans. Factors and outcomes are known by their places; without a hub there is one row.
    """

    hub: int | None
    values: tuple[int, ...]
    sets: Mapping[int, npt.NDArray[np.bool_]]


def conjunction_of(arrays: LevelArrays, output: Sequence[int]) -> Conjunction | None:
    """Return an output as a conjunction, with a hub; None if there is no suitable hub.

    A factor below which two different events remain must be above the hub, or the hub itself: what is below the hub is
    reached with its value known. So candidates are the lowest such factor and all below it.
    """
    event = _Event(arrays, output)
    if event.root == _FALSE:
        return None
    if event.lowest is None:
        return event.by(None)
    for level in range(event.lowest, len(arrays.levels)):
        if arrays.levels[level].kind == "coin":
            found = event.by(level)
            if found is not None:
                return found
    return None


class _Event:
    """The diagram of one output, reduced: nodes are 0 (false), 1 (true), or places in lists."""

    def __init__(self, arrays: LevelArrays, output: Sequence[int]) -> None:
        self.arrays = arrays
        self.level: list[int] = [len(arrays.levels)] * 2
        self.classes: list[npt.NDArray[np.int64] | None] = [None, None]
        self.kids: list[tuple[int, ...]] = [(), ()]
        self.root = self._reduced(output)
        conflicts = [
            self.level[node] for node in range(2, len(self.kids)) if len({kid for kid in self.kids[node] if kid}) > 1
        ]
        self.lowest = max(conflicts, default=None)

    def _reduced(self, output: Sequence[int]) -> int:
        """Make the nodes of the event from the lowest on, and return its root."""
        arrays = self.arrays
        partition, children, depth = arrays.lists
        made = {arrays.false: _FALSE, arrays.true: _TRUE}
        known: dict[Any, int] = {}
        places: dict[int, npt.NDArray[np.int64]] = {}
        for node in range(arrays.nodes - 1, -1, -1):
            level = arrays.levels[depth[node]]
            if level.kind == "output":
                made[node] = made[arrays.kid(node, output[level.index])]
                continue
            own = partition[node]
            kids = tuple([made[child] for child in children[node]])
            if len(set(kids)) == 1:
                made[node] = kids[0]
                continue
            key = (depth[node], own, kids)
            if key not in known:
                if own not in places:
                    place = arrays.partitions[own].place
                    places[own] = np.array([place(value) for value in range(level.arity)], np.int64)
                known[key] = len(self.kids)
                self.level.append(depth[node])
                self.classes.append(places[own])
                self.kids.append(kids)
            made[node] = known[key]
        checkpoint()
        return made[arrays.root]

    def by(self, hub: int | None) -> Conjunction | None:
        """Return the conjunction with the factor of a level as the hub; None if it is none."""
        width = 1 if hub is None else self.arrays.levels[hub].arity
        chains = _Chains()
        rows: list[npt.NDArray[np.int64]] = [np.full(1, _FALSE), np.full(1, _TRUE)]
        for node in range(2, len(self.kids)):
            classes = self.classes[node]
            assert classes is not None
            if self.level[node] == hub:
                rows.append(np.array([int(rows[kid][0]) for kid in self.kids[node]])[classes])
                continue
            wide = width if hub is not None and self.level[node] < hub else 1  # below the hub its value is known
            below = np.array([np.broadcast_to(rows[kid], wide) for kid in self.kids[node]])
            some = below != _FALSE
            after = below.max(0)
            if not np.all((below == after) | ~some):
                return None
            rows.append(chains.extended(self.level[node], some[classes], after))
        return self._unrolled(hub, chains, np.broadcast_to(rows[self.root], width))

    def _unrolled(self, hub: int | None, chains: _Chains, root: npt.NDArray[np.int64]) -> Conjunction:
        levels = self.arrays.levels
        alive = np.flatnonzero(root)
        found: dict[int, npt.NDArray[np.bool_]] = {}
        for row, place in enumerate(alive.tolist()):
            link = int(root[place])
            while link != _TRUE:
                level, allowed, link = chains.links[link]
                factor = levels[level].index
                if factor not in found:
                    found[factor] = np.ones((len(alive), levels[level].arity), np.bool_)
                found[factor][row] = allowed
        values = tuple(alive.tolist()) if hub is not None else ()
        return Conjunction(None if hub is None else levels[hub].index, values, found)


class _Chains:
    """Conjunctions of conditions on single levels, numbered: equal ones have one number."""

    def __init__(self) -> None:
        self.links: list[Any] = [None, None]
        self._known: dict[Any, int] = {}

    def extended(
        self, level: int, allowed: npt.NDArray[np.bool_], after: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the numbers of conjunctions with a condition on one more level before each."""
        packed = np.packbits(allowed, axis=0).T
        whole = allowed.all(0)
        numbers = after.copy()
        for place in np.flatnonzero((after != _FALSE) & ~whole).tolist():
            key = (level, packed[place].tobytes(), int(after[place]))
            number = self._known.get(key)
            if number is None:
                number = self._known[key] = len(self.links)
                self.links.append((level, allowed[:, place].copy(), int(after[place])))
            numbers[place] = number
        return numbers
