"""The distribution of a term given the variables that it looks at, piece by piece."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from taut.program import UNDEFINED, Apply, Coin, CoinVariable, Const, Ite, Select, Term
from taut.program.operations import Operation
from taut.support.limits import checkpoint

__all__ = ["FOLDED", "Conditionals", "Key", "Piece", "Sets", "Shares", "Unfit", "holds"]

FOLDED = frozenset({"add", "and", "or", "min", "max"})
"""Associative operations, which can be folded pairwise from the left."""

Key = tuple[type, Any]
"""A value that tells 1 from True and from Fraction(1)."""
Shares = Mapping[Key, Any]
"""A distribution: the weights of values."""
Rows = Mapping[tuple[Key, ...], Any]
"""The weights of several values together."""
Sets = tuple[tuple[int, ...], ...]
"""For each variable that a term looks at, the numbers of the values that it may have."""
Piece = tuple[Sets, Shares]
"""The distribution of a term wherever the variables have these values."""


class Unfit(Exception):
    """Raised for a program that no table of reasonable size can hold."""


class Conditionals:
    """The terms of a program as a network: variables with their values, and the variables that other terms read.

    A term that is no variable and has coins of its own is used in one place only. So given the variables, the parts of
    a term are independent of each other.
    """

    def __init__(self, coins: Sequence[CoinVariable], most: int) -> None:
        self.coins = coins
        self.left = most
        """Remaining budget of combinations of values and of table entries."""
        self.number: dict[Term, int] = {}
        """Numbers of the terms that are variables."""
        self.keys: list[list[Key]] = []
        """For each variable its values."""
        self.looks_at: dict[Term, tuple[int, ...]] = {}
        self.random: dict[Term, bool] = {}
        """True if a term that is no variable has coins of its own."""
        self._settled: dict[Term, Shares] = {}
        """The distributions of terms that depend on no variable."""
        self._functions: dict[Term, list[Key]] = {}
        self._place: dict[int, int] = {}
        """Position of each variable in the sets of the current term."""

    def is_function(self, term: Term) -> bool:
        """Return True if a term is no variable, has no coins, and looks at one variable only."""
        return term not in self.number and not self.random[term] and len(self.looks_at[term]) == 1

    def spend(self, steps: int) -> None:
        """Count entries and refuse too many."""
        self.left -= steps
        if self.left < 0:
            raise Unfit

    def settle(self, term: Term) -> Shares:
        """Compute the distribution of a term that depends on no variable, once for all its users."""
        ((_, shares),) = self.pieces(term, ())
        self._settled[term] = shares
        return shares

    def given_all(self, term: Term) -> list[Piece]:
        """Return the distribution of a term for all values of the variables it looks at, in disjoint pieces."""
        scope = self.looks_at[term]
        self._place = {variable: place for place, variable in enumerate(scope)}
        return self.pieces(term, tuple([tuple(range(len(self.keys[variable]))) for variable in scope]))

    def pieces(self, root: Term, sets: Sets) -> list[Piece]:
        """Return the distribution of a term given the variables it looks at; its pieces partition the sets."""
        found: list[Piece] = []
        stack: list[tuple[Term, Sets]] = [(root, sets)]
        while stack:
            if not len(found) & 255:
                checkpoint()
            term, sets = stack.pop()
            if isinstance(term, Const):
                found.append((sets, {_key(term.value): 1}))
            elif term in self.number:
                place = self._place[self.number[term]]
                keys = self.keys[self.number[term]]
                found += [(_narrowed(sets, place, (value,)), {keys[value]: 1}) for value in sets[place]]
            elif term in self._settled:
                found.append((sets, self._settled[term]))
            elif isinstance(term, Coin):
                found.append((sets, self._tossed(term)))
            elif self.is_function(term):
                found += self._grouped(term, sets)
            elif isinstance(term, Apply):
                found += self._applied(term, sets)
            else:
                assert isinstance(term, (Ite, Select))
                self._choose(term, sets, stack, found)
        return found

    def _tossed(self, term: Coin) -> Shares:
        coin = self.coins[term.index]
        shares: dict[Key, Any] = {}
        for value, share in zip(coin.outcomes, coin.weights, strict=True):
            key = _key(value)
            shares[key] = shares[key] + share if key in shares else share
        return shares

    def _grouped(self, term: Term, sets: Sets) -> Iterable[Piece]:
        """Return the pieces of a function of one variable: values with equal results are one piece."""
        place = self._place[self.looks_at[term][0]]
        function = self._function(term)
        groups: dict[Key, list[int]] = {}
        for value in sets[place]:
            groups.setdefault(function[value], []).append(value)
        return [(_narrowed(sets, place, tuple(group)), {key: 1}) for key, group in groups.items()]

    def _function(self, term: Term) -> list[Key]:
        """Return the result of a function of one variable for each value of the variable."""
        found = self._functions.get(term)
        if found is None:
            (variable,) = self.looks_at[term]
            if isinstance(term, Apply) and all(arg in self.number or isinstance(arg, Const) for arg in term.args):
                values = [value for _, value in self.keys[variable]]
                columns = [itertools.repeat(arg.value) if isinstance(arg, Const) else values for arg in term.args]
                found = [_key(value) for value in map(term.operation, *columns)]
            else:
                before, self._place = self._place, {variable: 0}
                sets: list[Sets] = [((value,),) for value in range(len(self.keys[variable]))]
                found = [key for one in sets for _, shares in self._evaluated(term, one) for key in shares]
                self._place = before
            self._functions[term] = found
        return found

    def _evaluated(self, term: Term, sets: Sets) -> list[Piece]:
        """Return the pieces of a function of one variable by evaluating it on each value."""
        if isinstance(term, Apply):
            return self._applied(term, sets)
        assert isinstance(term, (Ite, Select))
        found: list[Piece] = []
        stack: list[tuple[Term, Sets]] = []
        self._choose(term, sets, stack, found)
        return found + [piece for part, inner in stack for piece in self.pieces(part, inner)]

    def _applied(self, term: Apply, sets: Sets) -> list[Piece]:
        operation = term.operation
        if operation.name in FOLDED and len(term.args) > 1:
            first, *rest = term.args
            pieces = self.pieces(first, sets)
            for arg in rest:
                pieces = [
                    (narrow, self._combined(operation, shares, more))
                    for inner, shares in pieces
                    for narrow, more in self.pieces(arg, inner)
                ]
            return pieces
        rows: list[tuple[Sets, Rows]] = [(sets, {(): 1})]
        for arg in term.args:
            rows = [
                (narrow, self._together(shares, more))
                for inner, shares in rows
                for narrow, more in self.pieces(arg, inner)
            ]
        return [(inner, _applied(operation, shares)) for inner, shares in rows]

    def _together(self, rows: Rows, more: Shares) -> Rows:
        self.spend(len(rows) * len(more) - 1)
        return {(*row, key): share * weight for row, share in rows.items() for key, weight in more.items()}

    def _combined(self, operation: Operation, left: Shares, right: Shares) -> Shares:
        self.spend(len(left) * len(right) - 1)
        found: dict[Key, Any] = {}
        for (_, a), share in left.items():
            for (_, b), weight in right.items():
                key = _key(operation(a, b))
                found[key] = found.get(key, 0) + share * weight
        return found

    def _choose(self, term: Ite | Select, sets: Sets, stack: list[tuple[Term, Sets]], found: list[Piece]) -> None:
        """Find the pieces of a choice: those of the chosen term if it is certain, else of the mixture."""
        decider = term.test if isinstance(term, Ite) else term.index
        for inner, shares in self.pieces(decider, sets):
            ways: dict[Term | None, Any] = {}
            for key, share in shares.items():
                chosen = _chosen(term, key)
                ways[chosen] = ways.get(chosen, 0) + share
            if len(ways) == 1 and None not in ways:
                stack.append((next(iter(ways)), inner))  # type: ignore[arg-type]
                continue
            mixed: list[Piece] = [(inner, {})]
            for chosen, share in ways.items():
                mixed = [
                    (narrow, _mixed(before, share, more))
                    for now, before in mixed
                    for narrow, more in ([(now, _LOST)] if chosen is None else self.pieces(chosen, now))
                ]
            found += mixed


def _key(value: Any) -> Key:
    if isinstance(value, tuple):
        raise Unfit
    return type(value), value


_LOST: Shares = {(type(UNDEFINED), UNDEFINED): 1}


def holds(key: Key) -> bool:
    return key[1] is not UNDEFINED and bool(key[1])


def _chosen(term: Ite | Select, key: Key) -> Term | None:
    """Return the part that a value selects, or None."""
    value = key[1]
    if isinstance(term, Ite):
        return None if value is UNDEFINED else term.then if value else term.other
    return next((item for name, item in zip(term.keys, term.items, strict=True) if name == value), None)


def _narrowed(sets: Sets, place: int, values: tuple[int, ...]) -> Sets:
    return (*sets[:place], values, *sets[place + 1 :])


def _mixed(before: Shares, share: Any, more: Shares) -> Shares:
    mixed = dict(before)
    for key, weight in more.items():
        part = share * weight
        mixed[key] = mixed[key] + part if key in mixed else part
    return mixed


def _applied(operation: Operation, rows: Rows) -> Shares:
    found: dict[Key, Any] = {}
    for row, share in rows.items():
        key = _key(operation(*[value for _, value in row]))
        found[key] = found.get(key, 0) + share
    return found
