"""Neighbours of a program whose statistics are any functions of the entries: the pairs of values that walks find."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from taut.neighbors import Entrywise
from taut.program import Program
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint
from taut.synthesis.decompose.cells import Cell, Cells
from taut.synthesis.decompose.changes import Case
from taut.synthesis.decompose.statistics import Dependence, Statistic
from taut.synthesis.decompose.walks import Walk

__all__ = ["Walked", "walked_values"]

_MOST_PAIRS = 1 << 21
_FEW_VALUES = 1 << 8
"""Of entries with more values nothing is counted beforehand."""


class Walked:
    """All changes of one entry, each different one once, by walks; with ``largest``, losses have that quotient only."""

    def __init__(self, program: Program, cells: Cells, neighbors: Entrywise, *, largest: bool) -> None:
        self.program, self.cells, self.neighbors, self.largest = program, cells, neighbors, largest
        self.statistics = _statistics(cells)
        self.looked_at = 0
        self.everywhere = False
        self.related = any(True for one in program.inputs for _ in neighbors.changed(one.values))
        if _pairs_told(program, self.statistics, neighbors) > _MOST_PAIRS:
            raise TooLarge("too many values of statistics are reachable.", value=len(self.statistics))
        self.walk = _walk(program, self.statistics)
        self.different = len(self.walk.blocks)

    def cases(self) -> Iterator[Case]:
        """Cases of which every pair of neighbours has the losses of one."""
        places = {one: place for place, one in enumerate(self.statistics)}
        uses = [(cell, [places[one] for one in cell.statistics]) for cell in self.cells.cells]
        alike: set[Any] = set()
        seen: set[Any] = set()
        for (own, primed), positions in self.walk.pairs(self.neighbors):
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
            for cell, _, _ in sides if self.looked_at == 1 else ():
                cell.kernel.require_few(self.looked_at)
            key = tuple([(cell.kernel.number, cell.kernel.likeness(a, b)) for cell, a, b in sides])
            if key in alike:
                continue
            alike.add(key)
            parts = [(c, c.kernel.best(a, b) if self.largest else c.kernel.loss(a, b)) for c, a, b in sides]
            found = tuple([(cell.kernel.number, loss.number) for cell, loss in parts])
            if found not in seen:
                seen.add(found)
                yield Case(tuple(parts), positions, tuple([a for _, a, _ in sides]))
        if not seen and self.related:
            yield Case((), self._any_pair, ())

    def _any_pair(self) -> tuple[list[int], list[int]]:
        """Two neighbours, which nothing tells apart."""
        x = [0] * len(self.program.inputs)
        for entry, one in enumerate(self.program.inputs):
            for place, start, _ in self.neighbors.changed(one.values):
                return [*x[:entry], place, *x[entry + 1 :]], [*x[:entry], start, *x[entry + 1 :]]
        raise AssertionError("some values are related")

    def told(self) -> str:
        """What was done, for people."""
        return "statistics are functions of how many entries have each value, which a walk goes through in order"


def walked_values(program: Program, cell: Cell) -> list[tuple[tuple[Any, ...], Callable[[], list[int]]]]:
    """All values of the statistics of a cell, each with positions of the values of an input that has them."""
    return list(_walk(program, list(cell.statistics)).values())


def _statistics(cells: Cells) -> list[Statistic]:
    return list({one: None for cell in cells.cells for one in cell.statistics})


def _pairs_told(program: Program, statistics: list[Statistic], neighbors: Entrywise) -> int:
    """Count the pairs of neighbours that functions of single entries tell apart; a walk goes through no fewer."""
    dependence = Dependence(program)
    told: dict[int, list[Statistic]] = {}
    for one in statistics:
        entry = dependence.only(one.term)
        if entry is not None and len(program.inputs[entry].values) <= _FEW_VALUES:
            told.setdefault(entry, []).append(one)
    values, share = 1, Fraction(0)
    first = [0] * len(program.inputs)
    for entry, functions in told.items():
        spelled = program.inputs[entry].values
        rows = [
            tuple([one.at([*first[:entry], place, *first[entry + 1 :]]) for one in functions])
            for place in range(len(spelled))
        ]
        changes = {
            frozenset((rows[own], rows[other]))
            for own, start, stop in neighbors.changed(spelled)
            for other in range(start, stop)
            if rows[own] != rows[other]
        }
        values *= len(set(rows))
        share += Fraction(len(changes), len(set(rows)))
        if values * share > _MOST_PAIRS:
            break
    return math.floor(values * share)


def _walk(program: Program, statistics: list[Statistic]) -> Walk:
    return Walk(program, Dependence(program), [one.term for one in statistics])
