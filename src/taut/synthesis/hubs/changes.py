"""Changes of statistics between neighbours: of statistics with entries of their own, and of those that share equal
entries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from taut.neighbors import Entrywise
from taut.program import Program
from taut.program.operations import typed
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint
from taut.synthesis.decompose.reach import Reach
from taut.synthesis.decompose.statistic import Statistic, sharing

__all__ = ["Block", "Change", "blocks_of"]

_MOST = 1 << 14
"""Limit for the totals of one statistic, with the numbers of entries spent."""


@dataclass(frozen=True)
class Change:
    """A change of one entry: its values on both sides, by their places, and the amount that it adds to each statistic
    that it changes.

    ``parts`` has for each such statistic its place and what the entry adds on either side.
    """

    block: Block
    entry: int
    sides: tuple[int, int]
    parts: tuple[tuple[int, int, int], ...]

    def others(self) -> Iterator[tuple[tuple[int, int], ...]]:
        """Return the choices of the other entries: for each part, how many add to it, and their total."""
        return self.block.others(self)


class Block:
    """Statistics that share entries: either one statistic, or several to one of which an entry adds something.

    Options of a statistic are pairs: the number of entries *spent* on it, which add to it, and their total. Entries are
    spent where there are several statistics; ``spare`` is True if some may be spent on none.
    """

    def __init__(self, program: Program, places: Sequence[int], statistics: Sequence[Statistic]) -> None:
        self.program, self.places, self.statistics = program, tuple(places), statistics
        self.entries = sorted({entry for place in places for entry in statistics[place].tables})
        self.shared = len(places) > 1
        self.spare = False
        if self.shared:
            self._values = self._owners()
        kinds: dict[Any, tuple[tuple[int, ...], list[int]]] = {}
        if self.shared:
            kinds[None] = ((), self.entries)
        else:
            for entry, table in statistics[places[0]].tables.items():
                kinds.setdefault((typed(program.inputs[entry].values), table), (table, []))[1].append(entry)
        self.kinds = list(kinds.values())
        self._options: dict[int, list[tuple[int, int]]] = {}

    def _owners(self) -> dict[int | None, list[tuple[int, int]]]:
        """Map each statistic (None for none) to the values of an entry that add to it, with their amounts."""
        first = self.entries[0]
        tables = {place: self.statistics[place].tables.get(first) for place in self.places}
        values = self.program.inputs[first].values
        for entry in self.entries:
            if self.program.inputs[entry].values != values or any(
                self.statistics[place].tables.get(entry) != tables[place] for place in self.places
            ):
                raise TooLarge("entries that statistics share are not alike.", value=entry)
        owners: dict[int | None, list[tuple[int, int]]] = {place: [] for place in self.places}
        owners[None] = []
        for position in range(len(values)):
            added = [(place, table[position]) for place, table in tables.items() if table is not None]
            own = [one for one in added if one[1]]
            if len(own) > 1:
                raise TooLarge("an entry adds to several statistics.", value=own)
            place, amount = own[0] if own else (None, 0)
            owners[place].append((position, amount))
        self.spare = bool(owners[None])
        self._owner = {at: (place, amount) for place, ones in owners.items() for at, amount in ones}
        return owners

    def options(self, place: int) -> list[tuple[int, int]]:
        """Return the options of a statistic: entries spent on it, and their total; those that spend most come first."""
        if place not in self._options:
            self._options[place] = self._found(place)
        return self._options[place]

    def _found(self, place: int) -> list[tuple[int, int]]:
        if not self.shared:
            return [(0, totals[0]) for totals in self._reach(None).totals()]
        added = sorted({amount for _, amount in self._values[place]})
        if not added:
            return [(0, 0)]
        found = [(0, 0)]
        totals = {0}
        for spent in range(1, len(self.entries) + 1):
            checkpoint()
            totals = {total + amount for total in totals for amount in added}
            found += [(spent, total) for total in sorted(totals)]
            if len(found) > _MOST:
                raise TooLarge("a statistic has too many totals.", value=len(found))
        return found[::-1]

    def changes(self, neighbors: Entrywise) -> Iterator[Change]:
        """Yield all different changes of one entry; entries that are alike count as one."""
        seen: set[Any] = set()
        for number, (table, entries) in enumerate(self.kinds):
            for own, start, stop in neighbors.changed(self.program.inputs[entries[0]].values):
                checkpoint()
                for other in range(start, stop):
                    parts = self._parts(own, other) if self.shared else ((self.places[0], table[own], table[other]),)
                    parts = tuple([part for part in parts if part[1] != part[2]])
                    if parts and (number, parts) not in seen:
                        seen.add((number, parts))
                        yield Change(self, entries[0], (own, other), parts)

    def _parts(self, own: int, other: int) -> tuple[tuple[int, int, int], ...]:
        (place, amount), (place_prime, amount_prime) = self._owner[own], self._owner[other]
        if place == place_prime:
            return () if place is None else ((place, amount, amount_prime),)
        parts = ((place, amount, 0), (place_prime, 0, amount_prime))
        return tuple([(one, before, after) for one, before, after in parts if one is not None])

    def others(self, change: Change) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield the choices of the entries besides a changing one, for each part of the change."""
        if not self.shared:
            number = next(n for n, (_, entries) in enumerate(self.kinds) if change.entry in entries)
            yield from (((0, totals[0]),) for totals in self._reach(number).totals())
            return
        for choice in itertools.product(*[self.options(place) for place, _, _ in change.parts]):
            if sum([spent for spent, _ in choice]) < len(self.entries):
                yield choice

    def _reach(self, without: int | None) -> Reach:
        """Return the totals of a single statistic; without one entry of a kind."""
        kinds = [
            ([(amount,) for amount in dict.fromkeys(table)], len(entries) - (number == without))
            for number, (table, entries) in enumerate(self.kinds)
        ]
        found = Reach(kinds, 1)
        if found.size > _MOST:
            raise TooLarge("a statistic has too many totals.", value=found.size)
        return found

    def choose(self, place: int, chosen: tuple[int, int], free: list[int], without: int | None, x: list[int]) -> None:
        """Set ``chosen`` entries so that they add up to a total; equal entries are taken from the free ones."""
        spent, total = chosen
        if self.shared:
            values = {amount: position for position, amount in reversed(self._values[place])}
            amounts = list(values)
            if spent:
                for number in Reach([([(amount,) for amount in amounts], spent)], 1).choice((total,))[0]:
                    x[free.pop(0)] = values[amounts[number]]
            return
        kind = next((n for n, (_, entries) in enumerate(self.kinds) if without in entries), None)
        for (table, entries), numbers in zip(self.kinds, self._reach(kind).choice((total,)), strict=True):
            added = list(dict.fromkeys(table))
            for entry, number in zip([one for one in entries if one != without], numbers, strict=True):
                x[entry] = table.index(added[number])

    def spend(self, free: Sequence[int], x: list[int]) -> None:
        """Set entries to a value that adds to no statistic."""
        for entry in free:
            x[entry] = self._values[None][0][0]


def blocks_of(program: Program, statistics: Sequence[Statistic]) -> list[Block]:
    """Return the statistics in blocks that share entries."""
    return [Block(program, places, statistics) for places in sharing([one.tables for one in statistics])]
