"""Factors: independent draws of a program, each from a distribution that one statistic of the entries chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.program import Coin, CoinVariable, Program, Term, Terms
from taut.program.operations import typed
from taut.program.program import children, reachable, substituted
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint
from taut.synthesis.decompose.cells import Kernels, cell_key, statistics_used
from taut.synthesis.decompose.kernel import Kernel, Row
from taut.synthesis.decompose.statistics import Dependence, Statistic, Statistics

__all__ = ["Factor", "Factors", "factors_of"]

_MOST_FACTORS = 1 << 10
_MOST_VALUES = 1 << 10
"""Values of one statistic, and outcomes of one factor."""


@dataclass(frozen=True, eq=False)
class Factor:
    """A term that shares no coin with the rest of the program, and the statistic that it reads, if any."""

    term: Term
    statistic: Statistic | None
    kernel: Kernel
    outcomes: tuple[Any, ...]

    def row(self, value: Any) -> Row:
        """The distribution of the term where its statistic has a value."""
        return self.kernel.row(() if self.statistic is None else (value,))


@dataclass(frozen=True, eq=False)
class Factors:
    """A program as a function of independent factors; ``combined`` is that function, with a coin for each factor."""

    factors: tuple[Factor, ...]
    combined: Program


def factors_of(program: Program) -> Factors:
    """The factors of a program.

    Raises
    ------
    TooLarge
        The program observes something, uses entries in another way, or has too many factors.
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
        ordered, key = cell_key(program, [term], used)
        if len(ordered) > 1:
            raise TooLarge("a factor reads several statistics.", value=term)
        kernel = makers.kernel(key, [term], ordered)
        assert isinstance(kernel, Kernel)
        factors.append(Factor(term, ordered[0] if ordered else None, kernel, _outcomes(kernel)))
    return Factors(tuple(factors), _combined(program, factors))


def _terms(program: Program, dependence: Dependence, found: Statistics) -> list[Term]:
    """The largest terms that have their coins to themselves and read one statistic at most, in the order of coins."""
    order = reachable([program.output])
    coins: dict[Term, int] = {}
    reads: dict[Term, frozenset[Any] | None] = {}
    for term in order:
        coins[term] = 1 << term.index if isinstance(term, Coin) else 0
        for child in children(term):
            coins[term] |= coins[child]
        reads[term] = _read(term, reads, dependence, found)
    owned = _owned(order)
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


def _read(
    term: Term, reads: dict[Term, frozenset[Any] | None], dependence: Dependence, found: Statistics
) -> frozenset[Any] | None:
    """The entries and sums that a term reads; None if it reads entries in another way."""
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


def _owned(order: Sequence[Term]) -> dict[Term, int]:
    """For each term the coins that are reached through it only, as bits: those that it dominates."""
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
    """All values that a factor takes, in order where they have one."""
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
