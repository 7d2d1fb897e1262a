"""Statistics: the functions of the entries that random terms use, as sums of amounts that single entries add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taut.diagrams.compile.linear import all_parts, are_integers, is_linear
from taut.program import UNDEFINED, Apply, Coin, Const, Input, OneEntry, Program, Term, operation
from taut.program.enumerator import evaluate
from taut.program.operations import typed
from taut.program.program import children, reachable
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property

__all__ = ["Dependence", "Statistic", "Statistics", "Whole", "sharing"]

_EQ, _NE = operation("eq"), operation("ne")
_NONE, _MANY = -1, -2
_MOST_PARTS = 1 << 22
"""Parts of all sums together."""
_DEPTH = 64
"""Limit for the operations between a sum and the random term that uses it."""


@dataclass(frozen=True, eq=False)
class Statistic:
    """A function of the entries that is a sum of what each entry adds, or a function of one entry.

    ``tables`` has, for each entry that it reads, the amount that each value adds. The total is ``constant`` plus these
    amounts; where there are ``values``, the statistic is the one at the place of the total.
    """

    term: Term
    tables: Mapping[int, tuple[int, ...]]
    constant: int
    values: tuple[Any, ...] | None = None

    def value(self, total: int) -> Any:
        """Return the value of the statistic where the entries add up to a total."""
        return self.constant + total if self.values is None else self.values[total]

    def step(self, before: int, after: int) -> int:
        """Return how much larger an integer statistic gets if an entry adds ``after`` in place of ``before``."""
        return after - before if self.values is None else int(self.values[after]) - int(self.values[before])

    def at(self, positions: Sequence[int]) -> Any:
        """Return the value of the statistic at an input, given by the positions of the values of its entries."""
        return self.value(sum([table[positions[entry]] for entry, table in self.tables.items()]))

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The least and the largest total."""
        own = {id(table): table for table in self.tables.values()}
        ends = {key: (min(table), max(table)) for key, table in own.items()}
        both = [ends[id(table)] for table in self.tables.values()]
        return sum([low for low, _ in both]), sum([high for _, high in both])


@dataclass(frozen=True, eq=False)
class Whole(Statistic):
    """A term without coins as it is, of any number of entries; it takes some of ``values``."""

    program: Program | None = None

    def at(self, positions: Sequence[int]) -> Any:
        assert self.program is not None
        entries = [variable.values[place] for variable, place in zip(self.program.inputs, positions, strict=True)]
        return evaluate(self.term, entries, {})

    @cached_property
    def ends(self) -> tuple[int, int]:
        assert self.values is not None
        return 0, len(self.values) - 1


def sharing(sets: Sequence[Iterable[Any]]) -> list[list[int]]:
    """Return the places of sets in groups that share no member with each other."""
    leader = list(range(len(sets)))

    def head(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    owner: dict[Any, int] = {}
    for place, members in enumerate(sets):
        for member in members:
            leader[head(owner.setdefault(member, place))] = head(place)
    groups: dict[int, list[int]] = {}
    for place in range(len(sets)):
        groups.setdefault(head(place), []).append(place)
    return list(groups.values())


class Dependence:
    """For every term of a program, and ``more`` made of them: whether a coin is in it, and which entry, if it is one
    only."""

    def __init__(self, program: Program, more: Sequence[Term] = ()) -> None:
        self.random: set[Term] = set()
        self._entry: dict[Term, int] = {}
        self.terms = reachable([program.output, program.evidence, *more])
        for term in checkpoints(self.terms, 4096):
            if isinstance(term, Input):
                self._entry[term] = term.index
                continue
            entry = _NONE
            if isinstance(term, Coin):
                self.random.add(term)
            else:
                for child in children(term):
                    if child in self.random:
                        self.random.add(term)
                    below = self._entry[child]
                    if below != _NONE:
                        entry = below if entry in (_NONE, below) else _MANY
            self._entry[term] = entry

    def reads(self, term: Term) -> bool:
        """Return True if some entry is in the term."""
        return self._entry[term] != _NONE

    def only(self, term: Term) -> int | None:
        """Return the entry in the term, where there is one and no other."""
        entry = self._entry[term]
        return entry if entry >= 0 else None


class Statistics:
    """The statistics that the terms of a program use, each made once.

    A term without coins is a sum of what single entries add, or it is a function of such sums, or it is no statistic.
    """

    def __init__(self, program: Program, dependence: Dependence) -> None:
        self.program, self.dependence = program, dependence
        self._known: dict[Term, tuple[Statistic, ...] | None] = {}
        self._tables: dict[Any, tuple[Any, ...]] = {}
        self._multiples: dict[tuple[int, int], tuple[int, ...] | None] = {}
        self._amounts: dict[tuple[int, int], tuple[int, ...] | None] = {}
        self._places: dict[int, tuple[tuple[Any, ...], dict[Any, int] | None]] = {}
        self._parts = 0
        self._inputs = {term.index: term for term in dependence.terms if isinstance(term, Input)}

    def of(self, term: Term, depth: int = 0) -> tuple[Statistic, ...] | None:
        """Return the statistics of which a term without coins is a function; None if they are not found."""
        if term not in self._known:
            self._known[term] = self._found(term, depth) if depth < _DEPTH else None
        return self._known[term]

    def _found(self, term: Term, depth: int) -> tuple[Statistic, ...] | None:
        checkpoint()
        if not self.dependence.reads(term):
            return ()
        entry = self.dependence.only(term)
        if entry is not None:
            return self._of_one(term, entry)
        if is_linear(term):
            one = self._sum(term)
            if one is not None:
                return (one,)
        found: dict[Statistic, None] = {}
        for child in children(term):
            own = self.of(child, depth + 1)
            if own is None or any(one.values is not None for one in own):
                return None
            found.update(dict.fromkeys(own))
        return tuple(found)

    def whole(self, one: Statistic) -> Statistic:
        """Return the entry of which a statistic is a function, as a statistic."""
        (entry,) = one.tables
        found = self.of(self._inputs[entry])
        assert found is not None
        return found[0]

    def _of_one(self, term: Term, entry: int) -> tuple[Statistic, ...] | None:
        """Return a function of one entry, whose different values are numbered."""
        table = self.table(term, entry)
        if UNDEFINED in table:
            return None
        numbers: dict[Any, int] = {}
        objects = {id(value): value for value in table}
        known = {key: numbers.setdefault(typed(value), len(numbers)) for key, value in objects.items()}
        places = tuple([known[id(value)] for value in table])
        values = tuple([table[places.index(number)] for number in range(len(numbers))])
        return (Statistic(term, {entry: places}, 0, values),)

    def _sum(self, term: Term) -> Statistic | None:
        """Return a sum of integers, each of one entry or of none."""
        parts = all_parts(term)
        self._parts += len(parts)
        if self._parts > _MOST_PARTS:
            return None
        tables: dict[int, tuple[int, ...]] = {}
        constant = 0
        for factor, part in checkpoints(parts, 4096):
            entry = part.index if type(part) is Input else self.dependence.only(part)
            if entry is None:
                if not are_integers(part.values):
                    return None
                if self.dependence.reads(part):
                    return None
                value = evaluate(part, (), {})
                if not isinstance(value, int):
                    return None
                constant += factor * value
                continue
            added = self._added(part, entry, factor)
            if added is None:
                return None
            known = tables.get(entry)
            tables[entry] = added if known is None else tuple(map(sum, zip(known, added, strict=True)))
        return Statistic(term, tables, constant)

    def _added(self, part: Term, entry: int, factor: int) -> tuple[int, ...] | None:
        """Return what a multiple of a term of one entry adds for each value of it; None if that is no integer."""
        if type(part) is not Input:
            return self._multiple(self.table(part, entry), factor) if are_integers(part.values) else None
        key = (id(self.program.inputs[entry].values), factor)  # entries of a database share their values
        if key not in self._amounts:
            self._amounts[key] = self._multiple(self.table(part, entry), factor)
        return self._amounts[key]

    def _multiple(self, table: tuple[Any, ...], factor: int) -> tuple[int, ...] | None:
        """Return a table of integers times a factor, made once; None if there are others in it."""
        key = (id(table), factor)
        if key not in self._multiples:
            whole = all(isinstance(value, int) for value in table)
            self._multiples[key] = tuple([factor * value for value in table]) if whole else None
        return self._multiples[key]

    def table(self, part: Term, entry: int) -> tuple[Any, ...]:
        """Return the value of a term of one entry for each value of that entry, found once for terms of equal
        structure.
        """
        values = self.program.inputs[entry].values
        key = (tuple(_shape(part)), id(values) if len(values) > 8 else typed(values))
        found = self._tables.get(key)
        if found is None:
            found = self._compared(part, values)
            if found is None:
                found = tuple([evaluate(part, OneEntry(value), {}) for value in checkpoints(values, 64)])
            self._tables[key] = found
        return found

    def _compared(self, part: Term, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Return the table of a term that compares the entry with a constant; None for other terms.

        A thousand answers of one client about a thousand values are a million comparisons; here each takes one look-up.
        """
        if not (isinstance(part, Apply) and part.operation in (_EQ, _NE)):
            return None
        constant, other = part.args if isinstance(part.args[0], Const) else part.args[::-1]
        if not (isinstance(constant, Const) and isinstance(other, Input) and _plain(constant.value)):
            return None
        places = self._places_of(values)
        if places is None:
            return None
        place, equal = places.get(constant.value), part.operation is _EQ
        table = [not equal] * len(values)
        if place is not None:
            table[place] = equal
        return tuple(table)

    def _places_of(self, values: tuple[Any, ...]) -> dict[Any, int] | None:
        """Return the place of each value, where values are integers or texts, of which equal ones are the same."""
        if id(values) not in self._places:
            places = {value: place for place, value in enumerate(values)} if all(map(_plain, values)) else None
            self._places[id(values)] = (values, places)
        return self._places[id(values)][1]


def _plain(value: Any) -> bool:
    return type(value) in (int, str)


def _shape(term: Term) -> Iterator[Any]:
    """Yield the structure of a term of one entry, without the entry."""
    place: dict[Term, int] = {}
    stack = [term]
    while stack:
        part = stack.pop()
        if part in place:
            yield place[part]
            continue
        place[part] = len(place)
        if isinstance(part, Const):
            yield Const, typed(part.value)
        elif isinstance(part, Input):
            yield Input
        else:
            kids = children(part)
            yield type(part), part.operation if isinstance(part, Apply) else typed(getattr(part, "keys", ())), len(kids)
            stack += kids
