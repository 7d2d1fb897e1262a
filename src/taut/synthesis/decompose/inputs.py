"""Single inputs: the values of the statistics that inputs reach, for the probability of an event."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from taut.program import Program
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.synthesis.decompose.cells import Cell, Cells, cells_of
from taut.synthesis.decompose.reach import Reach
from taut.synthesis.decompose.walked import walked_values

__all__ = ["event_cases"]

_MOST = 1 << 14


def event_cases(program: Program) -> list[tuple[Any, Callable[[], list[int]]]]:
    """The probability of True for every value of the statistics, each with positions of an input that has it.

    Raises
    ------
    TooLarge
        There is more than one cell, or there are too many values.
    """
    try:
        return _of_sums(program, _cells(program, False))
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        (cell,) = _cells(program, True).cells
    cases: list[tuple[Any, Callable[[], list[int]]]] = []
    for values, positions in walked_values(program, cell):
        if len(cases) > _MOST:
            raise TooLarge("too many values of statistics are reachable.", value=len(cases)) from None
        cases.append((_chance(cell, values), positions))
    return cases


def _cells(program: Program, whole: bool) -> Cells:
    cells = cells_of(program, whole=whole)
    if cells is None or len(cells.cells) != 1:
        raise TooLarge("an event has one cell.", value=program)
    return cells


def _chance(cell: Cell, values: tuple[Any, ...]) -> Any:
    """The probability of True where the statistics have these values."""
    row = cell.kernel.row(values)
    masses = [weight for outcome, weight in zip(row.outcomes, row.weights, strict=True) if outcome == 1]
    return sum(masses[1:], masses[0]) if masses else Fraction(0)


def _of_sums(program: Program, cells: Cells) -> list[tuple[Any, Callable[[], list[int]]]]:
    """The same where statistics are sums."""
    (cell,) = cells.cells
    kinds: dict[Any, list[int]] = {}
    for entry in sorted({entry for one in cell.statistics for entry in one.tables}):
        size = len(program.inputs[entry].values)
        tables = [one.tables.get(entry, (0,) * size) for one in cell.statistics]
        kinds.setdefault(tuple(zip(*tables, strict=True)), []).append(entry)
    choices = [list(dict.fromkeys(vectors)) for vectors in kinds]
    reach = Reach([(c, len(entries)) for c, entries in zip(choices, kinds.values(), strict=True)], len(cell.statistics))
    if reach.size > _MOST:
        raise TooLarge("too many values of statistics are reachable.", value=reach.size)
    cell.kernel.require_few(reach.size)

    def located(totals: tuple[int, ...]) -> Callable[[], list[int]]:
        def positions() -> list[int]:
            x = [0] * len(program.inputs)
            for (vectors, entries), chosen, numbers in zip(kinds.items(), choices, reach.choice(totals), strict=True):
                for entry, number in zip(entries, numbers, strict=True):
                    x[entry] = vectors.index(chosen[number])
            return x

        return positions

    cases = []
    for totals in reach.totals():
        values = tuple([one.value(total) for one, total in zip(cell.statistics, totals, strict=True)])
        cases.append((_chance(cell, values), located(totals)))
    return cases
