"""Neighbours that differ in one entry: the values of statistics on both sides, one pair for each different loss."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from taut.neighbors import Entrywise
from taut.program import Program
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.support.exact import large
from taut.support.limits import checkpoint
from taut.support.process import cached_property
from taut.synthesis.decompose.cells import Cell, Cells
from taut.synthesis.decompose.kernel import Kernel, Loss
from taut.synthesis.decompose.mixtures import MixedLoss, Mixture
from taut.synthesis.decompose.reach import Reach, Vector
from taut.synthesis.decompose.statistic import Dependence, Statistic
from taut.synthesis.decompose.walks import Walk

__all__ = ["Case", "Changes", "Finder", "NewLosses", "Walked", "walked_values"]

_MOST_CASES = 1 << 21


@dataclass(frozen=True, eq=False)
class Case:
    """A class of neighbours with equal losses: the cells whose statistics change, each with its loss.

    ``pair`` gives the positions of the values of both inputs.
    """

    parts: tuple[tuple[Cell, Loss | MixedLoss], ...]
    pair: Callable[[], tuple[list[int], list[int]]]
    values: tuple[tuple[Any, ...], ...]
    """The values of the statistics of these cells, on the first side."""


Sides = tuple[tuple[Cell, tuple[Any, ...], tuple[Any, ...]], ...]
"""Cells with the values of their statistics on both sides."""


class NewLosses:
    """The losses of changes, each combination once; with ``largest``, they have the largest ratio only."""

    def __init__(self, *, largest: bool) -> None:
        self.largest = largest
        self._alike: set[Any] = set()
        self._seen: set[Any] = set()

    def seen(self, sides: Sides) -> bool:
        """Return True if sides with surely equal losses were met."""
        return self._key(sides) in self._alike

    def of(self, sides: Sides) -> tuple[tuple[Cell, Loss | MixedLoss], ...] | None:
        """Return the cells with their losses; None if these were met."""
        alike = self._key(sides)
        if alike in self._alike:
            return None
        self._alike.add(alike)
        parts = tuple([(c, c.kernel.best(a, b) if self.largest else c.kernel.loss(a, b)) for c, a, b in sides])
        found = tuple([(cell.kernel.number, loss.number) for cell, loss in parts])
        if found in self._seen:
            return None
        self._seen.add(found)
        return parts

    def _key(self, sides: Sides) -> Any:
        return tuple([(cell.kernel.number, cell.kernel.likeness(own, primed)) for cell, own, primed in sides])


class Finder(ABC):
    """The changes that neighbours can have, one for each different loss; with ``largest``, losses have the largest
    ratio only.
    """

    changing: ClassVar[str] = "one"
    """The entries that change, in words."""

    def __init__(self, program: Program, cells: Cells, *, largest: bool) -> None:
        self.program, self.cells, self.largest = program, cells, largest
        self.statistics = list({one: None for cell in cells.cells for one in cell.statistics})
        self.related = False
        """True if some inputs are neighbours."""
        self.different = 0
        """Number of entries that differ in what they do."""
        self.looked_at = 0

    @abstractmethod
    def cases(self) -> Iterator[Case]:
        """Yield cases such that every pair of neighbours has the losses of one of them."""

    @property
    def pairs(self) -> int:
        """The number of pairs of values that stand for all."""
        return self.looked_at

    @abstractmethod
    def told(self) -> str:
        """Describe the work in words, besides the numbers."""


@dataclass(frozen=True, eq=False)
class _Kind:
    """A class of entries with equal values that add equal amounts to the same statistics."""

    entries: list[int]
    values: tuple[Any, ...]
    tables: Mapping[int, tuple[int, ...]]

    @cached_property
    def usual(self) -> Mapping[int, int]:
        """Return the most frequent amount that values add to each statistic."""
        return {number: Counter(table).most_common(1)[0][0] for number, table in self.tables.items()}

    @cached_property
    def unusual(self) -> Sequence[Sequence[int]]:
        """Return for each value the statistics to which it adds another amount than the usual one."""
        found: list[list[int]] = [[] for _ in self.values]
        for number, table in self.tables.items():
            usual = self.usual[number]
            for place, added in enumerate(table):
                if added != usual:
                    found[place].append(number)
        return found

    @cached_property
    def _places(self) -> Mapping[int, Sequence[int]]:
        """Return for each statistic the values that add another amount than the usual one."""
        found: dict[int, list[int]] = {}
        for place, numbers in enumerate(self.unusual):
            for number in numbers:
                found.setdefault(number, []).append(place)
        return found

    def vectors(self, columns: Sequence[int]) -> dict[Vector, int]:
        """Return the different vectors that values add to some statistics, each with the first such value."""
        tables = [self.tables.get(number) for number in columns]
        places = {place for number in columns for place in self._places.get(number, ())}
        first = next((place for place in range(len(self.values)) if place not in places), None)
        found: dict[Vector, int] = {}
        for place in ([] if first is None else [first]) + sorted(places):
            found.setdefault(tuple([0 if table is None else table[place] for table in tables]), place)
        return found


class Changes(Finder):
    """All changes of one entry, without repetitions.

    Statistics are numbered through all cells; entries with equal values and equal contributions are one kind.
    """

    def __init__(self, program: Program, cells: Cells, neighbors: Entrywise, *, largest: bool) -> None:
        super().__init__(program, cells, largest=largest)
        self.neighbors = neighbors
        self._number = {one: number for number, one in enumerate(self.statistics)}
        self._users: list[list[int]] = [[] for _ in self.statistics]
        for place, cell in enumerate(cells.cells):
            for one in cell.statistics:
                self._users[self._number[one]].append(place)
        self.kinds = self._made_kinds()
        self._known: dict[Any, Reach] = {}
        self._new = NewLosses(largest=largest)
        self.translated = 0
        self.everywhere = True

    @property
    def pairs(self) -> int:
        return self.looked_at + self.translated

    def told(self) -> str:
        if self.translated and self.everywhere and not self.looked_at:
            return (
                "the noise is the same around every centre, so that only differences matter, and the answer is the "
                "same for any number of such entries"
            )
        if not self.translated:
            return ""
        several = "difference" if self.translated == 1 else "differences"
        return f"{large(self.translated)} {several} of centres stand for all: noise is the same around each"

    def _made_kinds(self) -> list[_Kind]:
        marks: dict[Any, int] = {}
        marked = [marks.setdefault(id(variable.values), len(marks)) for variable in self.program.inputs]
        steps: list[Any] = [None] * len(marks)
        for number, one in enumerate(self.statistics):
            for entry, table in one.tables.items():  # many entries have the same tables, which are few objects
                step = (marked[entry], number, id(table))
                mark = marks.get(step)
                if mark is None:
                    mark = marks[step] = len(steps)
                    steps.append((marked[entry], number, table))
                marked[entry] = mark
        groups: dict[int, list[int]] = {}
        for entry, mark in enumerate(marked):
            groups.setdefault(mark, []).append(entry)
        found: dict[Any, _Kind] = {}
        for mark, entries in groups.items():
            values = self.program.inputs[entries[0]].values
            taken = []
            while steps[mark] is not None:
                mark, number, table = steps[mark]
                taken.append((number, table))
            tables = dict(reversed(taken))
            found.setdefault((values, tuple(tables.items())), _Kind([], values, tables)).entries.extend(entries)
        for kind in found.values():
            kind.entries.sort()
        return list(found.values())

    def cases(self) -> Iterator[Case]:
        kinds_done: set[Any] = set()
        done: set[Any] = set()
        for kind in self.kinds:
            alike = self._likeness(kind)
            if alike in kinds_done:
                continue
            kinds_done.add(alike)
            self.different += 1
            signs, alone, sums = self._signs(kind), self._alone(kind), self._noisy_sums(kind)
            for place, start, stop in self.neighbors.changed(kind.values):
                self.related = True
                checkpoint()
                for other in range(start, stop):
                    if signs is not None:
                        signed = (signs[place], signs[other], _meet(kind.unusual[place], kind.unusual[other]))
                        if signed in done and not signed[2]:
                            continue
                        done.add(signed)
                    if self._looked_at(alone, place, other):
                        continue
                    if sums is not None:
                        case = self._amid_silence(kind, place, other, sums, done)
                        if case is not None:
                            yield from case
                            continue
                    change = self._change(kind, place, other)
                    moved = self._moved(change)
                    if moved is not None and moved not in done:
                        done.add(moved)
                        yield self._anywhere(kind, place, other, change)
                    elif moved is None and change.key not in done:
                        done.add(change.key)
                        yield from self._reached(kind, place, other, change)

    def _noisy_sums(self, kind: _Kind) -> Cell | None:
        """Return the cell that a kind of entries changes, if it returns noise around several random sums."""
        users = {place for number in kind.tables for place in self._users[number]}
        if len(users) != 1:
            return None
        cell = self.cells.cells[users.pop()]
        return cell if isinstance(cell.kernel, Mixture) and cell.kernel.noisy is not None else None

    def _amid_silence(self, kind: _Kind, place: int, other: int, cell: Cell, done: set[Any]) -> list[Case] | None:
        """Return a change with others that add nothing random to the same sums, unless one like it is done.

        None if the others cannot be silent.
        """
        assert isinstance(cell.kernel, Mixture) and cell.kernel.noisy is not None
        noisy, tables, entry = cell.kernel.noisy, cell.kernel.given.tables, kind.entries[0]
        before, after = tables[entry][place], tables[entry][other]
        key = (cell.kernel.number, noisy.key(before, after))
        if before == after or key in done:
            return []
        sums, x = noisy.told(before, after), [0] * len(self.program.inputs)
        silent = [noisy.silent(way, sums) for way in range(len(noisy.given.kinds))]
        ways: Counter[int] = Counter()
        for one, table in tables.items():
            chosen = next((position for position, way in enumerate(table) if silent[way]), None)
            if one != entry:
                if chosen is None:
                    return None
                x[one] = chosen
                ways[table[chosen]] += 1
        done.add(key)
        self.translated += 1
        loss = cell.kernel.inner.compared(*noisy.rows(before, after, ways))
        x[entry] = place
        x_prime = [*x[:entry], other, *x[entry + 1 :]]
        counts = tuple([one.at(x) for one in cell.statistics])
        return [Case(((cell, loss),), lambda: (x, x_prime), (counts,))]

    def _alone(self, kind: _Kind) -> tuple[Cell, Statistic, tuple[int, ...]] | None:
        """Return the cell and the statistic that belong to one entry alone; None if others use them."""
        if len(kind.tables) != 1:
            return None
        ((number, table),) = kind.tables.items()
        one, users = self.statistics[number], self._users[number]
        if len(users) != 1 or len(one.tables) > 1 or len(self.cells.cells[users[0]].statistics) > 1:
            return None
        return self.cells.cells[users[0]], one, table

    def _looked_at(self, alone: tuple[Cell, Statistic, tuple[int, ...]] | None, place: int, other: int) -> bool:
        """Return True if a change of an entry with its own cell repeats one that was seen."""
        if alone is None:
            return False
        cell, one, table = alone
        if table[place] == table[other]:
            return False
        values = [(one.value(table[side]),) for side in (place, other)]
        known = self._new.seen(((cell, values[0], values[1]),))
        self.looked_at += known
        return known

    def _signs(self, kind: _Kind) -> list[Any] | None:
        """Return signatures of the values of an entry whose cells no other entry uses; None if one does.

        Values with one sign add the same to statistics of cells that are alike. Two of them that concern different
        cells may be exchanged for two others of the same signs.
        """
        users = {place for number in kind.tables for place in self._users[number]}
        if any(len(self.cells.cells[place].statistics) > 1 for place in users):
            return None
        if any(len(self.statistics[number].tables) > 1 for number in kind.tables):
            return None
        signs = []
        for place, numbers in enumerate(kind.unusual):
            parts = [
                (sorted(self.cells.cells[user].kernel.number for user in self._users[n]), kind.usual[n], added)
                for n in numbers
                for added in [kind.tables[n][place]]
            ]
            signs.append(repr(sorted(parts)))
        return signs

    def _likeness(self, kind: _Kind) -> Any:
        """Return a key that kinds of entries share whose changes have the same losses."""
        users = sorted({place for number in kind.tables for place in self._users[number]})
        if len(users) > 1:
            return id(kind)
        if not users:
            return kind.values
        cell = self.cells.cells[users[0]]
        columns = [self._number[one] for one in cell.statistics]
        own = tuple(kind.tables.get(number) for number in columns)
        others = [
            (frozenset(other.vectors(columns)), len(other.entries) - (other is kind))
            for other in self._readers(columns)
        ]
        return kind.values, cell.kernel.number, own, frozenset(others)

    def _readers(self, columns: Sequence[int]) -> list[_Kind]:
        """Return the kinds of entries that some statistics read."""
        found: dict[int, _Kind] = {}
        for number in columns:
            for kind in self._kinds_of[number]:
                found[id(kind)] = kind
        return list(found.values())

    @property
    def _kinds_of(self) -> list[list[_Kind]]:
        if not hasattr(self, "_by_statistic"):
            self._by_statistic: list[list[_Kind]] = [[] for _ in self.statistics]
            for kind in self.kinds:
                for number in kind.tables:
                    self._by_statistic[number].append(kind)
        return self._by_statistic

    def _change(self, kind: _Kind, place: int, other: int) -> _Change:
        changed = {cell for n, table in kind.tables.items() if table[place] != table[other] for cell in self._users[n]}
        ordered = sorted(changed, key=lambda number: self._order(number, kind, place, other))
        touched = [self.cells.cells[number] for number in ordered]
        columns = list({self._number[one]: None for cell in touched for one in cell.statistics})
        numbers = {number: column for column, number in enumerate(columns)}
        before, after = (
            tuple([kind.tables[n][side] if n in kind.tables else 0 for n in columns]) for side in (place, other)
        )
        kinds = [
            (self._telling(touched, tuple(one.vectors(columns))), len(one.entries) - (one is kind), one)
            for one in self._readers(columns)
            if len(one.entries) > (one is kind)
        ]
        key = (
            tuple([(c.kernel.number, tuple([numbers[self._number[s]] for s in c.statistics])) for c in touched]),
            before,
            after,
            tuple(sorted([(tuple(sorted(vectors)), count) for vectors, count, _ in kinds])),
        )
        return _Change(key, touched, columns, before, after, kinds)

    def _telling(self, touched: Sequence[Cell], vectors: tuple[Vector, ...]) -> tuple[Vector, ...]:
        """Return the vectors of other entries, without those that only add independent noise to a single cell."""
        if len(touched) != 1 or not isinstance(touched[0].kernel, Mixture):
            return vectors
        return tuple(touched[0].kernel.telling(vectors))

    def _order(self, number: int, kind: _Kind, place: int, other: int) -> Any:
        cell = self.cells.cells[number]
        moves = [kind.tables.get(self._number[one]) for one in cell.statistics]
        return cell.kernel.number, [(-1, -1) if t is None else (t[place], t[other]) for t in moves], number

    def _moved(self, change: _Change) -> Any:
        """Return a key shared by changes that move the centres of noise alike; None if the losses depend on more than
        that.
        """
        if not change.cells:
            return None
        moves = []
        for cell in change.cells:
            found = cell.kernel.translation
            if found is None or not (found.geometric or (found.wide and len(change.cells) == 1 and not self.largest)):
                return None
            (one,) = cell.statistics
            column = change.columns.index(self._number[one])
            move = found.slope * one.step(change.before[column], change.after[column])
            moves.append((found.noise.key, abs(move)) if found.geometric else (cell.kernel.number, move))
        return tuple(sorted(moves, key=repr))

    def _anywhere(self, kind: _Kind, place: int, other: int, change: _Change) -> Case:
        """Return a change with one total of the others: any for geometric noise, the middle one for other noise."""
        reach: Reach | _First
        try:
            reach = self._reach(change)
        except (OutOfTime, OutOfMemory):
            raise
        except TooLarge:
            found = [cell.kernel.translation for cell in change.cells]
            if not all(one is not None and one.geometric for one in found):
                raise
            reach = _First(change.kinds, len(change.columns))
        totals = reach.middle()
        parts, values = [], []
        for cell in change.cells:
            (one,) = cell.statistics
            assert isinstance(cell.kernel, Kernel)  # as it draws noise around a centre
            column = change.columns.index(self._number[one])
            own, primed = (one.value(totals[column] + side[column]) for side in (change.before, change.after))
            parts.append((cell, cell.kernel.widest((own,), (primed,))))
            self.everywhere &= parts[-1][1].above is None
            values.append((own,))
        self.translated += 1
        return Case(tuple(parts), lambda: self._pair(kind, place, other, change, reach, totals), tuple(values))

    def _reach(self, change: _Change) -> Reach:
        """Return the totals that the unchanged entries can reach; cached for all changes."""
        kinds = tuple([(vectors, count) for vectors, count, _ in change.kinds])
        key = (kinds, len(change.columns))
        if key not in self._known:
            self._known[key] = Reach(*key)
        return self._known[key]

    def _reached(self, kind: _Kind, place: int, other: int, change: _Change) -> Iterator[Case]:
        """Yield one case for each different combination of losses that a change can have."""
        if not change.cells:
            yield Case((), lambda: self._pair(kind, place, other, change, None, ()), ())
            return
        reach, before, after = self._reach(change), change.before, change.after
        numbers = {number: column for column, number in enumerate(change.columns)}
        uses = [[(one, numbers[self._number[one]]) for one in cell.statistics] for cell in change.cells]
        for cell in change.cells:
            cell.kernel.require_few(reach.size)
        for totals in reach.totals():
            self.looked_at += 1
            if self.looked_at > _MOST_CASES:
                raise TooLarge("too many values of statistics are reachable.", value=self.looked_at)
            sides = tuple(
                [
                    (cell, _values(used, totals, before), _values(used, totals, after))
                    for cell, used in zip(change.cells, uses, strict=True)
                ]
            )
            parts = self._new.of(sides)
            if parts is not None:
                yield Case(
                    parts,
                    lambda totals=totals: self._pair(kind, place, other, change, reach, totals),  # type: ignore[misc]
                    tuple([own for _, own, _ in sides]),
                )

    def _pair(
        self, kind: _Kind, place: int, other: int, change: _Change, reach: Reach | _First | None, totals: Vector
    ) -> tuple[list[int], list[int]]:
        """Return the positions of two neighbours: the changed entry, the others as they add up to some totals."""
        x = [0] * len(self.program.inputs)
        if reach is not None:
            choice = iter(reach.choice(totals))
            for vectors, _, one in change.kinds:
                position = one.vectors(change.columns)
                entries = [entry for entry in one.entries if entry != kind.entries[0]]
                for entry, number in zip(entries, next(choice), strict=True):
                    x[entry] = position[vectors[number]]
        x_prime = list(x)
        x[kind.entries[0]], x_prime[kind.entries[0]] = place, other
        return x, x_prime


class _First:
    """The totals where all other entries add their first amount; used where any totals will do."""

    def __init__(self, kinds: Sequence[tuple[tuple[Vector, ...], int, Any]], width: int) -> None:
        self.kinds, self.width = kinds, width

    def middle(self) -> Vector:
        """Return the totals."""
        return tuple([sum(vectors[0][c] * count for vectors, count, _ in self.kinds) for c in range(self.width)])

    def choice(self, totals: Vector) -> list[list[int]]:
        """Return, for each kind, the numbers of the vectors that its entries add."""
        return [[0] * count for _, count, _ in self.kinds]


def _values(used: Sequence[tuple[Statistic, int]], totals: Vector, added: Vector) -> tuple[Any, ...]:
    """Return the values of statistics, each in a column, where an entry adds something to the totals of the others."""
    return tuple([one.value(totals[column] + added[column]) for one, column in used])


def _meet(one: Sequence[int], other: Sequence[int]) -> bool:
    return not set(one).isdisjoint(other)


@dataclass(frozen=True, eq=False)
class _Change:
    """A change of one entry: the cells that it touches, and what other entries can add to their statistics."""

    key: Any
    cells: Sequence[Cell]
    columns: Sequence[int]
    before: Vector
    after: Vector
    kinds: Sequence[tuple[tuple[Vector, ...], int, _Kind]]


_MOST_PAIRS = 1 << 21
_FIRST = 1 << 12
"""Pairs of a walk after which cells whose rows need too many diagrams are refused, before any is made."""
_MOST_TOGETHER = 1 << 20
_FEW_VALUES = 1 << 8
"""Of entries with more values nothing is counted beforehand."""


class Walked(Finder):
    """All changes of one entry, each different one once, by walks."""

    def __init__(self, program: Program, cells: Cells, neighbors: Entrywise, *, largest: bool) -> None:
        super().__init__(program, cells, largest=largest)
        self.neighbors = neighbors
        self.related = any(True for one in program.inputs for _ in neighbors.changed(one.values))
        if _pairs_told(program, self.statistics, neighbors) > _MOST_PAIRS:
            raise TooLarge("too many values of statistics are reachable.", value=len(self.statistics))
        if self.related:
            _require_few(program, cells)
        self.walk = _walk(program, self.statistics)
        self.different = len(self.walk.blocks)

    def cases(self) -> Iterator[Case]:
        places = {one: place for place, one in enumerate(self.statistics)}
        uses = [(cell, [places[one] for one in cell.statistics]) for cell in self.cells.cells]
        new, cases = NewLosses(largest=self.largest), 0
        pairs = self.walk.pairs(self.neighbors)
        first = list(itertools.islice(pairs, _FIRST))
        for cell, used in uses:
            changed = [[tuple([side[place] for place in used]) for side in pair] for pair, _ in first]
            cell.kernel.require_few(len({value for own, primed in changed if own != primed for value in (own, primed)}))
        for (own, primed), positions in itertools.chain(first, pairs):
            checkpoint()
            self.looked_at += 1
            if self.looked_at > _MOST_PAIRS:
                raise TooLarge("too many values of statistics are reachable.", value=self.looked_at)
            sides: list[tuple[Cell, tuple[Any, ...], tuple[Any, ...]]] = []
            for cell, used in uses:
                a, b = (tuple([side[place] for place in used]) for side in (own, primed))
                if a != b:
                    sides.append((cell, a, b))
            sides.sort(key=lambda one: one[0].kernel.number)
            parts = new.of(tuple(sides))
            if parts is not None:
                cases += 1
                yield Case(parts, positions, tuple([a for _, a, _ in sides]))
        if not cases and self.related:
            yield Case((), self._any_pair, ())

    def _any_pair(self) -> tuple[list[int], list[int]]:
        """Return any two neighbours, for a program that reveals nothing."""
        x = [0] * len(self.program.inputs)
        for entry, one in enumerate(self.program.inputs):
            for place, start, _ in self.neighbors.changed(one.values):
                return [*x[:entry], place, *x[entry + 1 :]], [*x[:entry], start, *x[entry + 1 :]]
        raise AssertionError("some values are related")

    def told(self) -> str:
        return "statistics are functions of how many entries have each value, which a walk goes through in order"


def walked_values(program: Program, cell: Cell) -> list[tuple[tuple[Any, ...], Callable[[], list[int]]]]:
    """Return all values of the statistics of a cell, each with positions of the values of an input that has them."""
    return list(_walk(program, list(cell.statistics)).values())


def _require_few(program: Program, cells: Cells) -> None:
    """Refuse, before a walk is begun, cells whose rows need too many diagrams, as single entries tell already."""
    dependence = Dependence(program, [one.term for cell in cells.cells for one in cell.statistics])
    for cell in cells.cells:
        rows = _rows_told(program, dependence, cell.statistics)
        cell.kernel.require_few(math.prod([len(set(of_entry)) for of_entry in rows.values()]))


def _rows_told(
    program: Program, dependence: Dependence, statistics: Sequence[Statistic]
) -> dict[int, list[tuple[Any, ...]]]:
    """Return, for each entry of which statistics are functions, their values at each of its values."""
    told: dict[int, list[Statistic]] = {}
    for one in statistics:
        entry = dependence.only(one.term)
        if entry is not None and len(program.inputs[entry].values) <= _FEW_VALUES:
            told.setdefault(entry, []).append(one)
    first = [0] * len(program.inputs)
    return {
        entry: [
            tuple([one.at([*first[:entry], place, *first[entry + 1 :]]) for one in functions])
            for place in range(len(program.inputs[entry].values))
        ]
        for entry, functions in told.items()
    }


def _pairs_told(program: Program, statistics: list[Statistic], neighbors: Entrywise) -> int:
    """Count the pairs of neighbours that functions of single entries tell apart; a walk goes through no fewer."""
    dependence = Dependence(program, [one.term for one in statistics])
    values, share = 1, Fraction(0)
    for entry, rows in _rows_told(program, dependence, statistics).items():
        changes = {
            frozenset((rows[own], rows[other]))
            for own, start, stop in neighbors.changed(program.inputs[entry].values)
            for other in range(start, stop)
            if rows[own] != rows[other]
        }
        values *= len(set(rows))
        share += Fraction(len(changes), len(set(rows)))
        if values * share > _MOST_PAIRS:
            break
    return math.floor(values * share)


def _walk(program: Program, statistics: list[Statistic]) -> Walk:
    terms = [one.term for one in statistics]
    dependence = Dependence(program, terms)
    single: dict[int, int] = {}
    for one in statistics:
        entry = dependence.only(one.term)
        if entry is not None:
            single[entry] = max(single.get(entry, 1), len(one.values or ()))
    if math.prod(single.values()) > _MOST_TOGETHER:
        raise TooLarge("functions of single entries have too many values together.", value=len(single))
    return Walk(program, dependence, terms)
