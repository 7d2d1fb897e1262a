"""Independent parts of sums: blocks that share no coin and no entry, and the distribution of what each adds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from taut.diagrams.compile.linear import all_parts, are_integers
from taut.program import Apply, Coin, CoinVariable, Const, Input, OneEntry, Program, Term
from taut.program.enumerator import evaluate
from taut.program.noise import Shifted
from taut.program.operations import typed
from taut.program.program import children, reachable
from taut.support.limits import checkpoint, checkpoints

__all__ = ["Blocks", "Contribution", "coin_content"]

Contribution = tuple[tuple[tuple[int, ...], Fraction], ...]
"""A distribution of what is added to each sum, in the order of the vectors."""
_MOST_RUNS = 1 << 12
"""Combinations of coins that are looked at for one value of an entry."""
_MOST_PARTS = 1 << 20
_SHORT, _LONG = 8, 1 << 12


class _Reads(Protocol):
    """For each term, whether it reads entries, and which if it is one only."""

    def reads(self, term: Term) -> bool: ...

    def only(self, term: Term) -> int | None: ...


class Blocks:
    """The parts of sums of integers in blocks that share no entry and no coin.

    Entries are variables like coins, ``reads`` telling which are in a part; or they are fixed to ``entries``. Blocks of
    more than ``most_terms`` terms are not looked at.
    """

    def __init__(
        self, program: Program, reads: _Reads | None, entries: Sequence[Any] = (), most_terms: float = math.inf
    ) -> None:
        self.program, self.reads, self.entries, self.most_terms = program, reads, entries, most_terms
        self.constant: list[int] = []
        """The sum of the parts without variables, for each sum."""
        self.parts = 0
        self._leader: dict[Any, Any] = {}
        self._members: list[tuple[int, int, Term, Any]] = []
        self._variables: dict[Term, list[Any]] = {}
        self._known: dict[Any, list[Contribution] | None] = {}

    def add(self, term: Term) -> bool:
        """Add the parts of one more sum; False if one of them is no integer, or reads several entries."""
        parts, place = all_parts(term), len(self.constant)
        self.constant.append(0)
        self.parts += len(parts)
        if self.parts > _MOST_PARTS:
            return False
        for factor, part in checkpoints(parts, 64):
            if not are_integers(part.values):
                return False
            entry = None if self.reads is None else self.reads.only(part)
            if entry is None and self.reads is not None and self.reads.reads(part):
                return False
            variables = self._of(part, entry)
            if not variables:
                value = evaluate(part, self.entries, {})
                if not isinstance(value, int):
                    return False
                self.constant[place] += factor * value
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

    @property
    def coins(self) -> set[int]:
        """The coins of all parts."""
        return {~variable for variable in self._leader if variable < 0}

    @property
    def entry_of(self) -> Mapping[Any, int] | None:
        """The entry of each block that has one; None if two entries share a coin."""
        entries: dict[Any, int] = {}
        for variable in self._leader:
            if variable >= 0 and entries.setdefault(self._head(variable), variable) != variable:
                return None
        return entries

    def contributions(self, entry_of: Mapping[Any, int]) -> list[tuple[int | None, list[Contribution]]] | None:
        """Return the entry of each block, if any, and what it adds for each of its values; None if not found."""
        blocks: dict[Any, list[tuple[int, int, Term]]] = {}
        for place, factor, part, variable in self._members:
            blocks.setdefault(self._head(variable), []).append((place, factor, part))
        found = []
        for head, members in blocks.items():
            checkpoint()
            entry = entry_of.get(head)
            rows = self._rows(members, entry)
            if rows is None:
                return None
            found.append((entry, rows))
        return found

    def _rows(self, members: Sequence[tuple[int, int, Term]], entry: int | None) -> list[Contribution] | None:
        """Return the amounts that a block adds, found once for those that are made alike."""
        terms = reachable([part for _, _, part in members])
        if len(terms) > self.most_terms:
            return None
        place = {term: number for number, term in enumerate(terms)}
        shape = tuple([(type(term), self._content(term), *[place[kid] for kid in children(term)]) for term in terms])
        key = (shape, tuple([(number, factor, place[part]) for number, factor, part in members]))
        if key not in self._known:
            own = [self.entries] if entry is None else map(OneEntry, self.program.inputs[entry].values)
            rows = [self._row(members, entries) for entries in own]
            self._known[key] = None if None in rows else rows  # type: ignore[assignment]
        return self._known[key]

    def _content(self, term: Term) -> Any:
        """Return the content of a term without its arguments; variables by their possible values."""
        if isinstance(term, Input):
            fixed = self.reads is None
            return typed(self.entries[term.index] if fixed else self.program.inputs[term.index].values)
        if isinstance(term, Coin):
            return coin_content(self.program.coins[term.index])
        if isinstance(term, Const):
            return typed(term.value)
        return term.operation if isinstance(term, Apply) else typed(getattr(term, "keys", ()))

    def _row(self, members: Sequence[tuple[int, int, Term]], entries: Sequence[Any]) -> Contribution | None:
        """Return the distribution of the amount added on some entries, over all outcomes of its coins."""
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
                added = [evaluate(part, entries, coins, known) for _, _, part in members]
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
            vector = [0] * len(self.constant)
            for (place, factor, _), one in zip(members, added, strict=True):
                vector[place] += factor * one
            masses[tuple(vector)] = masses.get(tuple(vector), Fraction(0)) + weight
        return tuple(sorted(masses.items()))


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


def coin_content(coin: CoinVariable) -> Any:
    """Return a key that coins with equal outcomes and weights share; very long ones only if they are one object."""
    weights = coin.weights
    if isinstance(weights, Shifted):
        return weights.noise.key, weights.center, weights.low, weights.high
    if len(weights) > _LONG or coin.kinds != {Fraction}:
        return (typed(coin.outcomes), weights) if len(weights) <= _SHORT else (id(coin.outcomes), id(weights))
    return typed(coin.outcomes), tuple([weight.as_integer_ratio() for weight in weights])
