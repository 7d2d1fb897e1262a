"""Contributions: the random amounts, with coins of their own, that single entries add to sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.diagrams.compile.linear import are_integers, is_linear
from taut.program import Apply, Coin, Const, Input, Program, Term
from taut.program.enumerator import evaluate
from taut.program.operations import typed
from taut.program.program import children, reachable
from taut.support.limits import checkpoint, checkpoints
from taut.synthesis.decompose.statistics import Dependence, OneEntry, Statistics, coin_content, parts_of

__all__ = ["Contribution", "Contributions", "contributions_of"]

Contribution = tuple[tuple[tuple[int, ...], Fraction], ...]
"""A distribution of what is added to each sum, in the order of the vectors."""
_MOST_RUNS = 1 << 12
"""Combinations of coins that are looked at for one value of an entry."""
_MOST_PARTS = 1 << 20


@dataclass(frozen=True, eq=False)
class Contributions:
    """Sums as a constant and independent contributions: one of each entry, and some of no entry.

    ``kinds`` are the different contributions of entries, and ``tables`` has for each entry the kind of each value.
    """

    sums: tuple[Term, ...]
    constant: tuple[int, ...]
    kinds: tuple[Contribution, ...]
    tables: Mapping[int, tuple[int, ...]]
    others: tuple[Contribution, ...]

    def ordered(self, order: Sequence[int]) -> Contributions:
        """Return the contributions with the sums in another order."""

        def moved(one: Contribution) -> Contribution:
            return tuple(sorted((tuple([vector[place] for place in order]), mass) for vector, mass in one))

        return Contributions(
            tuple([self.sums[place] for place in order]),
            tuple([self.constant[place] for place in order]),
            tuple(map(moved, self.kinds)),
            self.tables,
            tuple(map(moved, self.others)),
        )

    @property
    def ends(self) -> list[tuple[int, int]]:
        """The least and the largest value of each sum."""
        found = []
        for place, constant in enumerate(self.constant):
            low = high = constant
            for table in self.tables.values():
                own = [vector[place] for kind in set(table) for vector, _ in self.kinds[kind]]
                low, high = low + min(own), high + max(own)
            for other in self.others:
                own = [vector[place] for vector, _ in other]
                low, high = low + min(own), high + max(own)
            found.append((low, high))
        return found


def contributions_of(
    program: Program, roots: Sequence[Term], dependence: Dependence, found: Statistics
) -> Contributions | None:
    """Return the sums that some terms use, where a coin is inside of one, as independent contributions of the entries.

    None if there is no such sum, or if what the terms use is more than sums, or if contributions depend on each other:
    two entries share a coin, a part reads two entries, or a coin of a sum is used beside it.
    """
    sums, own = _sums_in(roots, dependence, found)
    if sums is None or not any(term in dependence.random and dependence.only(term) is None for term in sums):
        return None
    blocks = _Blocks(program, dependence)
    for place, term in enumerate(sums):
        if not blocks.add(place, term):
            return None
    return blocks.made(tuple(sums), own)


def _sums_in(
    roots: Sequence[Term], dependence: Dependence, found: Statistics
) -> tuple[dict[Term, None] | None, set[int]]:
    """Return the sums that some terms use, and the coins that they toss besides; no sums if other functions are
    used.
    """
    sums: dict[Term, None] = {}
    coins: set[int] = set()
    seen: set[Term] = set()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term not in dependence.random:
            statistics = found.of(term) if dependence.reads(term) else ()
            if statistics is None or any(one.values is not None for one in statistics):
                return None, coins
            sums.update({one.term: None for one in statistics})
        elif is_linear(term) and dependence.reads(term) and _of_single_entries(term, dependence):
            sums[term] = None
        elif isinstance(term, Coin):
            coins.add(term.index)
        else:
            stack += children(term)
    return sums, coins


def _of_single_entries(term: Term, dependence: Dependence) -> bool:
    """Return True if every part of a sum reads one entry, or none."""
    return all(dependence.only(part) is not None or not dependence.reads(part) for _, part in parts_of(term))


class _Blocks:
    """The parts of sums in blocks that share no entry and no coin."""

    def __init__(self, program: Program, dependence: Dependence) -> None:
        self.program, self.dependence = program, dependence
        self._leader: dict[Any, Any] = {}
        self._members: list[tuple[int, int, Term, Any]] = []
        self._constant: dict[int, int] = {}
        self._variables: dict[Term, list[Any]] = {}

    def add(self, place: int, term: Term) -> bool:
        """Add the parts of a sum; False if one of them is no integer, or reads several entries."""
        parts = parts_of(term)
        self._constant[place] = 0
        if len(self._members) + len(parts) > _MOST_PARTS:
            return False
        for factor, part in checkpoints(parts, 1024):
            if not are_integers(part.values):
                return False
            entry = self.dependence.only(part)
            if entry is None and self.dependence.reads(part):
                return False
            variables = self._of(part, entry)
            if not variables:
                value = evaluate(part, (), {})
                if not isinstance(value, int):
                    return False
                self._constant[place] += factor * value
                continue
            for variable in variables:
                self._leader.setdefault(variable, variable)
                self._leader[self._head(variable)] = self._head(variables[0])
            self._members.append((place, factor, part, variables[0]))
        return True

    def _of(self, part: Term, entry: int | None) -> list[Any]:
        """Return the variables of a part: its entry, and its coins as numbers below 0."""
        if part not in self._variables:
            coins = [~one.index for one in reachable([part]) if isinstance(one, Coin)]
            self._variables[part] = coins if entry is None else [entry, *coins]
        return self._variables[part]

    def _head(self, variable: Any) -> Any:
        while self._leader[variable] != variable:
            self._leader[variable] = self._leader[self._leader[variable]]
            variable = self._leader[variable]
        return variable

    def made(self, sums: tuple[Term, ...], own: set[int]) -> Contributions | None:
        """Return the contributions of all blocks; None if they are not independent, or not found."""
        blocks: dict[Any, list[tuple[int, int, Term]]] = {}
        for place, factor, part, variable in self._members:
            blocks.setdefault(self._head(variable), []).append((place, factor, part))
        entries: dict[Any, int] = {}
        for variable in self._leader:
            if variable >= 0 and entries.setdefault(self._head(variable), variable) != variable:
                return None  # two entries share a coin
            if variable < 0 and ~variable in own:
                return None  # a coin of a sum is used beside it
        kinds: dict[Contribution, int] = {}
        tables: dict[int, tuple[int, ...]] = {}
        others = []
        known = _Known(self.program, len(sums))
        for head, members in blocks.items():
            checkpoint()
            entry = entries.get(head)
            rows = known.rows(members, entry)
            if rows is None:
                return None
            if entry is None:
                others.append(rows[0])
            else:
                tables[entry] = tuple([kinds.setdefault(row, len(kinds)) for row in rows])
        constant = tuple([self._constant[place] for place in range(len(sums))])
        return Contributions(sums, constant, tuple(kinds), tables, tuple(sorted(others)))


class _Toss(Exception):
    """Raised when an evaluation looks at a coin that was not tossed yet."""

    def __init__(self, coin: int) -> None:
        self.coin = coin


class _Tossed(dict[int, Any]):
    """Outcomes of coins, which are tossed as they are looked at."""

    def __contains__(self, coin: object) -> bool:
        return True

    def __missing__(self, coin: int) -> Any:
        raise _Toss(coin)


class _Known:
    """The distributions of blocks, found once for those that are made alike."""

    def __init__(self, program: Program, width: int) -> None:
        self.program, self.width = program, width
        self._known: dict[Any, list[Contribution] | None] = {}

    def rows(self, members: Sequence[tuple[int, int, Term]], entry: int | None) -> list[Contribution] | None:
        """Return the distribution of the amount added, for each value of the entry; a single one without an entry."""
        terms = reachable([part for _, _, part in members])
        place = {term: number for number, term in enumerate(terms)}
        shape = tuple([(type(term), self._content(term), *[place[kid] for kid in children(term)]) for term in terms])
        key = (shape, tuple([(number, factor, place[part]) for number, factor, part in members]))
        if key not in self._known:
            values = (None,) if entry is None else self.program.inputs[entry].values
            rows = [self._row(members, value) for value in values]
            self._known[key] = None if None in rows else rows  # type: ignore[assignment]
        return self._known[key]

    def _content(self, term: Term) -> Any:
        """Return the content of a term without its arguments; variables by their possible values."""
        if isinstance(term, Input):
            return typed(self.program.inputs[term.index].values)
        if isinstance(term, Coin):
            return coin_content(self.program.coins[term.index])
        if isinstance(term, Const):
            return typed(term.value)
        return term.operation if isinstance(term, Apply) else typed(getattr(term, "keys", ()))

    def _row(self, members: Sequence[tuple[int, int, Term]], value: Any) -> Contribution | None:
        """Return the distribution of the amount added for one value of the entry, over all outcomes of its coins."""
        masses: dict[tuple[int, ...], Fraction] = {}
        runs: list[tuple[_Tossed, Fraction]] = [(_Tossed(), Fraction(1))]
        seen = 0
        while runs:
            checkpoint()
            coins, weight = runs.pop()
            seen += 1
            if seen > _MOST_RUNS:
                return None
            known: dict[Term, Any] = {}
            try:
                added = [evaluate(part, OneEntry(value), coins, known) for _, _, part in members]
            except _Toss as asked:
                coin = self.program.coins[asked.coin]
                if not coin.kinds <= {Fraction, int}:
                    return None
                for outcome, share in zip(coin.outcomes, coin.weights, strict=True):
                    if share:
                        tossed = _Tossed(coins)
                        tossed[asked.coin] = outcome
                        runs.append((tossed, weight * share))
                continue
            if not all(isinstance(one, int) for one in added):
                return None
            vector = [0] * self.width
            for (place, factor, _), one in zip(members, added, strict=True):
                vector[place] += factor * one
            masses[tuple(vector)] = masses.get(tuple(vector), Fraction(0)) + weight
        return tuple(sorted(masses.items()))
