"""Tables of whole numbers over variables with few values: multiplied, and summed over one variable."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Table", "product", "summed_out"]

_SHORT = 512
"""Bits of a number for which it is worth looking for a common divisor."""


@dataclass(frozen=True, eq=False)
class Table:
    """A number for each combination of values of the variables in ``scope``, the last variable changing first."""

    scope: tuple[int, ...]
    entries: list[int]


def product(tables: Sequence[Table], scope: tuple[int, ...], sizes: Sequence[int]) -> Table:
    """The product of some tables, as a table over ``scope``, which has all of their variables."""
    if not tables:
        return Table(scope, [1] * math.prod(sizes[variable] for variable in scope))
    first, *others = sorted(tables, key=lambda table: len(table.entries))
    entries = _spread(first, scope, sizes)
    for table in others:
        entries = list(map(operator.mul, entries, _spread(table, scope, sizes)))
    return Table(scope, entries)


def summed_out(table: Table, sizes: Sequence[int]) -> tuple[Table, int]:
    """The table summed over its first variable and divided by what all sums have in common; and that divisor.

    Long numbers are left as they are: looking for a divisor takes longer than all further work with it.
    """
    first, *rest = table.scope
    step = len(table.entries) // sizes[first]
    parts = [table.entries[start : start + step] for start in range(0, len(table.entries), step)]
    entries = list(map(sum, zip(*parts, strict=True))) if len(parts) != 2 else list(map(operator.add, *parts))
    common = 0
    for entry in entries:
        common = math.gcd(common, entry) if entry.bit_length() <= _SHORT else 1
        if common == 1:
            break
    if common > 1:
        entries = [entry // common for entry in entries]
    return Table(tuple(rest), entries), max(1, common)


def _spread(table: Table, scope: tuple[int, ...], sizes: Sequence[int]) -> list[int]:
    """The entries of a table for all combinations of values of more variables."""
    if table.scope == scope:
        return table.entries
    steps: dict[int, int] = {}
    step = 1
    for variable in reversed(table.scope):
        steps[variable] = step
        step *= sizes[variable]
    places = [0]
    for variable in scope:
        step, size = steps.get(variable, 0), sizes[variable]
        if step:
            offsets = range(0, step * size, step)
            places = [place + offset for place in places for offset in offsets]
        else:
            places = [place for place in places for _ in range(size)]
    return list(map(table.entries.__getitem__, places))
