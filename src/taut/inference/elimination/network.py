"""A program without inputs as a Bayesian network: its variables, and tables of their conditional probabilities.

Terms and coins that are used in several places are variables. A term that is used in one place is a part of its user:
given the variables that a term looks at, its parts are independent of each other and of everything else, so the table
of a term is made from the distributions of its parts. A table of conditional probabilities, written as nested
conditions with a draw at each end, becomes that table again, however many coins it has.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taut.inference.elimination.conditionals import FOLDED, Conditionals, Key, Piece, Unfit, holds
from taut.program import Apply, Coin, CoinVariable, Const, Ite, Select, Term
from taut.program.program import children, reachable
from taut.program.values import Anything
from taut.support.limits import checkpoint, require_room

__all__ = ["FactorTable", "Network", "network_of", "product", "summed_product"]


_SHORT = 512
"""Bits of a number up to which common factors are divided out."""
_BYTES = 64
"""Least number of bytes of an entry."""


@dataclass(frozen=True, eq=False)
class FactorTable:
    """A number for each combination of values of the variables in ``scope``, the last variable changing first."""

    scope: tuple[int, ...]
    entries: list[int]


def product(tables: Sequence[FactorTable], scope: tuple[int, ...], sizes: Sequence[int]) -> FactorTable:
    """Return the product of some tables, as a table over ``scope``, which has all of their variables."""
    total = math.prod(sizes[variable] for variable in scope)
    require_room(total * _BYTES)
    if not tables:
        return FactorTable(scope, [1] * total)
    first, *others = sorted(tables, key=lambda table: len(table.entries))
    entries = _spread(first.entries, _places(first.scope, scope, sizes))
    for table in others:
        checkpoint()
        entries = list(map(operator.mul, entries, _spread(table.entries, _places(table.scope, scope, sizes))))
    return FactorTable(scope, entries)


def summed_product(
    tables: Sequence[FactorTable], variable: int, scope: tuple[int, ...], sizes: Sequence[int]
) -> tuple[FactorTable, int]:
    """Multiply tables, sum over a variable, and divide by the common factor, which is returned too.

    ``scope`` has all other variables of the tables. The values of the variable are gone through one by one, so that
    the product need never be there as a whole. Long numbers are not divided: looking for a divisor takes longer than
    all further work with it.
    """
    require_room(math.prod(sizes[other] for other in scope) * _BYTES)
    parts: list[tuple[list[int], int, list[int] | None]] = []
    for table in sorted(tables, key=lambda table: len(table.entries)):
        rest = tuple([other for other in table.scope if other != variable])
        columns = _spread(table.entries, _places(table.scope, (variable, *rest), sizes))
        parts.append((columns, len(columns) // sizes[variable], _places(rest, scope, sizes)))
    sums: list[int] | None = None
    for value in range(sizes[variable]):
        checkpoint()
        block: list[int] | None = None
        for columns, length, places in parts:
            factor = _spread(columns[value * length : (value + 1) * length], places)
            block = factor if block is None else list(map(operator.mul, block, factor))
        assert block is not None
        sums = block if sums is None else list(map(operator.add, sums, block))
    assert sums is not None
    common = 0
    for entry in sums:
        common = math.gcd(common, entry) if entry.bit_length() <= _SHORT else 1
        if common == 1:
            break
    if common > 1:
        sums = [entry // common for entry in sums]
    return FactorTable(scope, sums), max(1, common)


def _places(few: tuple[int, ...], many: tuple[int, ...], sizes: Sequence[int]) -> list[int] | None:
    """Return the position in a small table of the entry for each combination of many variables; None if unchanged."""
    if few == many:
        return None
    steps: dict[int, int] = {}
    step = 1
    for variable in reversed(few):
        steps[variable] = step
        step *= sizes[variable]
    places = [0]
    for variable in many:
        step, size = steps.get(variable, 0), sizes[variable]
        if step:
            offsets = range(0, step * size, step)
            places = [place + offset for place in places for offset in offsets]
        else:
            places = [place for place in places for _ in range(size)]
    return places


def _spread(entries: list[int], places: list[int] | None) -> list[int]:
    return entries if places is None else list(map(entries.__getitem__, places))


_DEEPEST = 40
"""Depth of nested operations beyond which a term is a variable, however it is used."""
_SMALL = 64
"""Entries up to which a table is not split into smaller ones."""
_LARGE = 1 << 14
"""Entries beyond which a table is split into smaller ones, unless it has rows over the same variables."""
_ROWS = 16
"""A part gets a table of its own if its combinations are this many times its values."""
_FREE, _EACH = 1 << 12, 64
"""Entries that the tables of any program may have, and how many more for each of its terms and outcomes."""
_LENGTH = 256
"""Bits of a denominator beyond which a term becomes a variable, because fractions in lowest terms get slow; tables use
integers instead."""
_MOST_BITS = 4096
"""Bits of the denominator that the numbers of one table may have in common."""


@dataclass(frozen=True, eq=False)
class Network:
    """Variables by number, each with its values; tables whose product, divided by ``scale``, is the joint distribution.

    ``slots`` are the variables that were asked for, in their order. Values that contradict the evidence have weight 0.
    ``size`` counts the terms and the outcomes of coins that it was made of.
    """

    values: list[list[Any]]
    tables: list[FactorTable]
    scale: int
    slots: list[int]
    size: int


def network_of(
    slots: Sequence[Term], evidence: Sequence[Term], coins: Sequence[CoinVariable], most: int, thorough: bool = False
) -> Network:
    """Return the joint distribution of terms without inputs, where all terms of the evidence are true.

    Raises:
        Unfit: there are terms of which no table can be made, or the tables would have more than ``most`` entries, or
            (unless ``thorough``) many more than the program has terms and outcomes of coins.
    """
    return _Builder(slots, evidence, coins, most, thorough).network()


class _Builder(Conditionals):
    """Makes variables, each with its table, of some terms; parts come before their users."""

    def __init__(
        self, slots: Sequence[Term], evidence: Sequence[Term], coins: Sequence[CoinVariable], most: int, thorough: bool
    ) -> None:
        self.slots, self.evidence = slots, evidence
        self.terms = reachable([*slots, *evidence])
        outcomes = sum(len(coins[term.index].outcomes) for term in self.terms if isinstance(term, Coin))
        self.size = len(self.terms) + outcomes
        super().__init__(coins, most if thorough else min(most, _FREE + _EACH * self.size))
        self.uses = dict.fromkeys(self.terms, 0)
        for part in (*evidence, *[part for term in self.terms for part in children(term)]):
            self.uses[part] += 1
        self.depth: dict[Term, int] = {}
        self.tables: list[FactorTable] = []
        self.scale = 1

    def network(self) -> Network:
        asked = set(self.slots)
        for count, term in enumerate(self.terms):
            if not count & 255:
                checkpoint()
            if isinstance(term, Apply) and self._is_long(term):
                self._make_chain(term)
                continue
            self._look(term)
            seen, shared = self.looks_at[term], self.uses[term] > 1
            if term in asked or (shared and (self.random[term] or len(seen) > 1)) or self.depth[term] > _DEEPEST:
                self._make_variable(term)
            elif not seen and children(term):
                shares = self.settle(term)
                self.depth[term] = 0
                if any(share.denominator.bit_length() > _LENGTH for share in shares.values()):
                    self._make_variable(term)
        for part in self.evidence:
            self._observe(part)
        values = [[value for _, value in keys] for keys in self.keys]
        return Network(values, self.tables, self.scale, [self.number[slot] for slot in self.slots], self.size)

    def _is_long(self, term: Apply) -> bool:
        """Return True if an operation has many arguments that look at many variables, and can be done two by two."""
        if term.operation.name not in FOLDED or len(term.args) < 3:
            return False
        return math.prod(len(self.keys[variable]) for variable in self._seen(term.args)) > _SMALL

    def _make_chain(self, term: Apply) -> None:
        """Make variables of an operation on the first two arguments, on that and the third, and so on."""
        made, *rest = term.args
        for arg in rest:
            made = Apply(term.serial, term.values, term.failure, term.operation, (made, arg))
            self._look(made)
            self._make_variable(made)
        self.number[term] = self.number[made]
        self.looks_at[term], self.random[term], self.depth[term] = self.looks_at[made], False, 0

    def _look(self, term: Term) -> None:
        """Record the variables that a term depends on, its own coins, and its depth."""
        if not isinstance(term, (Const, Coin, Apply, Ite, Select)):
            raise Unfit
        parts = children(term)
        decider = term.test if isinstance(term, Ite) else term.index if isinstance(term, Select) else None
        if decider is not None and self.random[decider] and any(self.looks_at[part] for part in parts[1:]):
            self._make_variable(decider)
        seen = self._seen(parts)
        total = math.prod(len(self.keys[variable]) for variable in seen)
        if total > _SMALL:
            self._split(term, seen, total)
            seen = self._seen(parts)
        depth = max([self.depth[part] + (part not in self.number) for part in parts], default=0)
        if decider is not None and (decider in self.number or self.is_function(decider)):
            depth = max(self.depth[part] for part in parts)  # the ways are looked at one after the other
        self.looks_at[term], self.depth[term] = tuple(seen), depth
        self.random[term] = isinstance(term, Coin) or any(self.random[part] for part in parts)

    def _seen(self, parts: Sequence[Term]) -> dict[int, int]:
        """Return the variables that parts look at, each with the number of parts that do."""
        seen: dict[int, int] = {}
        for part in dict.fromkeys(parts):
            for variable in self.looks_at[part]:
                seen[variable] = seen.get(variable, 0) + 1
        return seen

    def _split(self, term: Term, seen: Mapping[int, int], total: int) -> None:
        """Turn parts with fewer values than the variables below them into variables.

        The ways of a choice are left together as long as that is possible: the rows of one table look like that.
        """
        for place, part in enumerate(dict.fromkeys(children(term))):
            if part in self.number or self.is_function(part) or isinstance(part.values, Anything):
                continue
            alone = math.prod(len(self.keys[variable]) for variable in self.looks_at[part] if seen[variable] == 1)
            way = isinstance(term, (Ite, Select)) and place > 0
            if alone > len(part.values) and not (way and (total <= _LARGE or alone < _ROWS * len(part.values))):
                self._make_variable(part)

    def _make_variable(self, term: Term) -> None:
        keys: dict[Key, int] = {}
        columns = []
        pieces = self._pieces_of(term)
        for _, shares in pieces:
            column = [0] * len(keys)
            for key, share in shares.items():
                place = keys.setdefault(key, len(keys))
                if place < len(column):
                    column[place] = share
                else:
                    column.append(share)
            columns.append(column)
        number = len(self.keys)
        self._add_table((number,), self.looks_at[term], pieces, columns)
        self.keys.append(list(keys))
        self.number[term] = number
        if not isinstance(term, Const):  # a constant that is asked for is still one wherever it is used
            self.looks_at[term], self.random[term], self.depth[term] = (number,), False, 0

    def _observe(self, part: Term) -> None:
        """Add a table with the weight of a term being true."""
        if part in self.number:
            number = self.number[part]
            self.tables.append(FactorTable((number,), [int(holds(key)) for key in self.keys[number]]))
        else:
            pieces = self._pieces_of(part)
            columns = [[sum(share for key, share in shares.items() if holds(key))] for _, shares in pieces]
            self._add_table((), self.looks_at[part], pieces, columns)

    def _pieces_of(self, term: Term) -> list[Piece]:
        if math.prod(len(self.keys[variable]) for variable in self.looks_at[term]) > self.left:
            raise Unfit
        return self.given_all(term)

    def _add_table(
        self, first: tuple[int, ...], scope: tuple[int, ...], pieces: Sequence[Piece], columns: Sequence[Sequence[Any]]
    ) -> None:
        """Add a table over ``scope`` from pieces, with the weights of each piece below each other."""
        sizes = [len(self.keys[variable]) for variable in scope]
        steps = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]
        total, height = math.prod(sizes), max(map(len, columns))
        self.spend(total * height)
        common = self._common_denominator(columns)
        entries = [0] * (total * height)
        for (sets, _), column in zip(pieces, columns, strict=True):
            places = [0]
            for step, numbers in zip(steps, sets, strict=True):
                places = [place + step * value for place in places for value in numbers]
            for row, share in enumerate(column):
                if share:
                    weight, start = share.numerator * (common // share.denominator), row * total
                    for place in places:
                        entries[start + place] = weight
        self.tables.append(FactorTable((*first, *scope), entries))
        self.scale *= common

    @staticmethod
    def _common_denominator(columns: Iterable[Iterable[Any]]) -> int:
        common = 1
        for column in columns:
            for share in column:
                if common % share.denominator:
                    common = math.lcm(common, share.denominator)
                    if common.bit_length() > _MOST_BITS:
                        raise Unfit
        return common
