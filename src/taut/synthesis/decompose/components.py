"""Neighbours that differ in any number of entries: components of cells that share no entry, each at its worst."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taut.neighbors import Entrywise
from taut.program import Program
from taut.support.errors import TooLarge
from taut.support.exact import Ball
from taut.support.limits import checkpoint
from taut.synthesis.decompose.cells import Cell, Cells
from taut.synthesis.decompose.changes import Case, Finder
from taut.synthesis.decompose.kernel import Kernel, Loss
from taut.synthesis.decompose.mixtures import MixedLoss
from taut.synthesis.decompose.reach import Reach, Vector
from taut.synthesis.decompose.statistic import Statistic, sharing

__all__ = ["Components"]

_MOST_CASES = 1 << 12
_MOST_PAIRS = 1 << 21
_FIRST = 1 << 14
"""Number of values of statistics by which it is told whether they would need too many diagrams."""

Parts = tuple[tuple[Cell, Loss | MixedLoss], ...]


@dataclass(frozen=True, eq=False)
class _Component:
    """Cells that share entries, and the kinds of these entries.

    ``moves`` has, for each kind, the amounts that two related (or equal) values add on the first side and how much more
    on the other, with the first such pair of values.
    """

    cells: Sequence[Cell]
    statistics: Sequence[Statistic]
    kinds: Sequence[Sequence[int]]
    moves: Sequence[Mapping[Vector, tuple[int, int]]]
    content: tuple[Any, ...]
    """The values of the entries of each kind, and the amounts that they add to the statistics."""
    differences: bool
    """True if only differences matter, so that values on the first side are left open."""

    @property
    def key(self) -> Any:
        places = {one: place for place, one in enumerate(self.statistics)}
        cells = tuple([(cell.kernel.number, tuple([places[one] for one in cell.statistics])) for cell in self.cells])
        return cells, self.content, tuple(map(len, self.kinds)), tuple([one.constant for one in self.statistics])


@dataclass(frozen=True, eq=False)
class _Worst:
    """A combination of losses of the cells of a component, and the totals that lead to it."""

    losses: tuple[tuple[int, Loss], ...]
    """The places of the cells that change, each with its loss."""
    reach: Reach
    totals: Vector


class Components(Finder):
    """The pairs of neighbours where any number of entries may change, one for each different loss.

    A change in a component never lowers the loss, so every component changes. Equal components are evaluated once.
    """

    changing = "them"

    def __init__(self, program: Program, cells: Cells, neighbors: Entrywise, *, largest: bool) -> None:
        if not all(isinstance(cell.kernel, Kernel) for cell in cells.cells):
            raise TooLarge("coins are inside sums, and any number of entries may change.", value=program)
        super().__init__(program, cells, largest=largest)
        self.neighbors = neighbors
        self._related: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
        for one in program.inputs:
            if one.values not in self._related:
                changed = [(own, to) for own, start, stop in neighbors.changed(one.values) for to in range(start, stop)]
                self._related[one.values] = changed
        self.related = any(self._related.values())
        self.components = self._made()

    def _made(self) -> list[_Component]:
        """Return cells in groups that share no entry."""
        cells = self.cells.cells
        groups = sharing([[entry for one in cell.statistics for entry in one.tables] for cell in cells])
        return [
            self._component([cells[n] for n in group]) for group in groups if any(cells[n].statistics for n in group)
        ]

    def _component(self, cells: Sequence[Cell]) -> _Component:
        checkpoint()
        statistics = list({one: None for cell in cells for one in cell.statistics})
        added = len(cells) == 1 and len(statistics) == 1 and statistics[0].values is None
        translation = cells[0].kernel.translation if isinstance(cells[0].kernel, Kernel) else None
        differences = added and translation is not None and translation.geometric
        kinds: dict[Any, list[int]] = {}
        for entry in sorted({entry for one in statistics for entry in one.tables}):
            values = self.program.inputs[entry].values
            kinds.setdefault((values, tuple([one.tables.get(entry) for one in statistics])), []).append(entry)
        moves = []
        for values, tables in kinds:
            own: dict[Vector, tuple[int, int]] = {}
            for pair in itertools.chain([(place, place) for place in range(len(values))], self._related[values]):
                first = () if differences else tuple([0 if t is None else t[pair[0]] for t in tables])
                own.setdefault((*first, *[0 if t is None else t[pair[1]] - t[pair[0]] for t in tables]), pair)
            moves.append(own)
        return _Component(cells, statistics, list(kinds.values()), moves, tuple(kinds), differences)

    def cases(self) -> Iterator[Case]:
        """Yield one case for each combination of losses of all components."""
        alike: dict[Any, list[_Component]] = {}
        for one in self.components:
            alike.setdefault(one.key, []).append(one)
        self.different = len(alike)
        choices = []
        number = 1
        for group in alike.values():
            worst = self._worst(group[0])
            if worst:
                number *= math.comb(len(group) + len(worst) - 1, len(worst) - 1)
                if number > _MOST_CASES:
                    raise TooLarge("components have too many combinations of losses.", value=number)
                choices.append([list(zip(group, chosen, strict=True)) for chosen in _multisets(worst, len(group))])
        for combination in itertools.product(*choices):
            checkpoint()
            chosen = [one for group in combination for one in group]
            parts = [(one.cells[place], loss) for one, worst in chosen for place, loss in worst.losses]
            found = [(one, worst.reach, worst.totals) for one, worst in chosen]
            yield Case(tuple(parts), lambda found=found: self._pair(found), ())  # type: ignore[misc]

    def _worst(self, one: _Component) -> list[_Worst]:
        """Return the different losses of a component; for the largest ratio, the largest of them only."""
        kinds = [(list(moves), len(kind)) for moves, kind in zip(one.moves, one.kinds, strict=True)]
        width = len(one.statistics) * (1 if one.differences else 2)
        reach = Reach(kinds, width)
        places = {statistic: place for place, statistic in enumerate(one.statistics)}
        uses = [
            (place, cell.kernel, [places[s] for s in cell.statistics])
            for place, cell in enumerate(one.cells)
            if isinstance(cell.kernel, Kernel)
        ]
        alike: set[Any] = set()
        found: dict[Any, _Worst] = {}
        if not one.differences:
            self._require_few(kinds, uses, len(one.statistics))
        for totals in reach.totals():
            self.looked_at += 1
            if self.looked_at > _MOST_PAIRS:
                raise TooLarge("too many values of statistics are reachable.", value=self.looked_at)
            if not any(totals[-len(one.statistics) :]):
                continue
            if one.differences and (abs(totals[0]) in alike):
                continue
            alike.add(abs(totals[0]) if one.differences else None)
            values = self._values(one, reach, totals)
            sides: list[tuple[int, Kernel, tuple[Any, ...], tuple[Any, ...]]] = []
            for place, kernel, used in uses:
                a, b = (tuple([side[spot] for spot in used]) for side in values)
                if a != b:
                    sides.append((place, kernel, a, b))
            key = tuple([(place, kernel.likeness(a, b)) for place, kernel, a, b in sides])
            if key in alike:
                continue
            alike.add(key)
            losses = tuple([(place, k.best(a, b) if self.largest else k.loss(a, b)) for place, k, a, b in sides])
            found.setdefault(
                tuple([(one.cells[place].kernel.number, loss.number) for place, loss in losses]),
                _Worst(losses, reach, totals),
            )
        worst = list(found.values())
        if self.largest and worst and not any(isinstance(loss.ratio, Ball) for one in worst for _, loss in one.losses):
            return [max(worst, key=lambda one: math.prod([loss.ratio for _, loss in one.losses]))]
        return worst

    def _require_few(
        self,
        kinds: Sequence[tuple[Sequence[Vector], int]],
        uses: Sequence[tuple[int, Kernel, Sequence[int]]],
        width: int,
    ) -> None:
        """Refuse, before any diagram is made, components whose rows need too many of them."""
        own = Reach([(list(dict.fromkeys([move[:width] for move in moves])), count) for moves, count in kinds], width)
        first = list(itertools.islice(own.totals(), _FIRST))
        for _, kernel, used in uses:
            kernel.require_few(len({tuple([totals[place] for place in used]) for totals in first}))

    def _values(self, one: _Component, reach: Reach, totals: Vector) -> tuple[list[Any], list[Any]]:
        """Return the statistics on both sides; those of some neighbours where totals do not determine them."""
        if one.differences:
            x, x_prime = self._pair([(one, reach, totals)])
            return [s.at(x) for s in one.statistics], [s.at(x_prime) for s in one.statistics]
        width = len(one.statistics)
        return (
            [s.value(totals[place]) for place, s in enumerate(one.statistics)],
            [s.value(totals[place] + totals[width + place]) for place, s in enumerate(one.statistics)],
        )

    def _pair(self, chosen: Sequence[tuple[_Component, Reach, Vector]]) -> tuple[list[int], list[int]]:
        """Return the positions of two neighbours with these losses."""
        x = [0] * len(self.program.inputs)
        x_prime = list(x)
        for one, reach, totals in chosen:
            for kind, moves, numbers in zip(one.kinds, one.moves, reach.choice(totals), strict=True):
                pairs = list(moves.values())
                for entry, number in zip(kind, numbers, strict=True):
                    x[entry], x_prime[entry] = pairs[number]
        if x == x_prime:
            for entry, variable in enumerate(self.program.inputs):
                for x[entry], x_prime[entry] in self._related[variable.values][:1]:
                    return x, x_prime
        return x, x_prime

    def told(self) -> str:
        return "any number of entries may change, so the losses of all components that share no entry multiply"


def _multisets(worst: Sequence[_Worst], size: int) -> Iterator[tuple[_Worst, ...]]:
    return itertools.combinations_with_replacement(worst, size)
