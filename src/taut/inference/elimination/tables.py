"""Tables of whole numbers over variables with few values: multiplied, and summed over one variable."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass

from taut.support.limits import checkpoint, require_room

__all__ = ["FactorTable", "product", "summed_product"]

_SHORT = 512
"""Bits of a number for which it is worth looking for a common divisor."""
_BYTES = 64
"""Least number of bytes of an entry."""


@dataclass(frozen=True, eq=False)
class FactorTable:
    """A number for each combination of values of the variables in ``scope``, the last variable changing first."""

    scope: tuple[int, ...]
    entries: list[int]


def product(tables: Sequence[FactorTable], scope: tuple[int, ...], sizes: Sequence[int]) -> FactorTable:
    """The product of some tables, as a table over ``scope``, which has all of their variables."""
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
