"""The largest ratios of an outcome's probabilities in two distributions: exact, and about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.program.operations import typed
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property

__all__ = ["SLACK", "Numbers", "Quotients", "Row"]

Row = tuple[Sequence[Any], Sequence[Any]]
"""Outcomes and their weights."""
Numbers = npt.NDArray[Any]
SLACK = 1e-9
"""More than the roundings of a difference of logarithms."""
_CELLS = 1 << 22
"""Logarithms that are compared at once."""
_MOST_CELLS = 1 << 28


class Quotients:
    """The largest ratios of pairs of rows: floats find outcomes near the top, fractions decide."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._known: dict[int, tuple[int, Any]] = {}
        self._numbers: dict[Any, int] = {}

    @property
    def values(self) -> list[Any]:
        """The different ratios so far; they are numbered in this order."""
        return list(self._numbers)

    def numbers(self, own: Numbers, other: Numbers) -> Numbers:
        """The number of the largest ratio of an outcome's probabilities, for each two rows."""
        used, which = np.unique(own.astype(np.int64) * len(self._rows) + other, return_inverse=True)
        found: Numbers = np.array([self._of(code)[0] for code in checkpoints(used.tolist())], dtype=np.int64)[which]
        return found

    def logs(self, own: Numbers, other: Numbers) -> npt.NDArray[np.float64]:
        """The logarithm of that ratio, about, for each two rows."""
        used, which = np.unique(own.astype(np.int64) * len(self._rows) + other, return_inverse=True)
        logs, found = self._table.logs, np.empty(len(used))
        if len(used) * logs.shape[1] > _MOST_CELLS:
            raise TooLarge("too many pairs of rows are chosen.", value=len(used))
        step = max(1, _CELLS // logs.shape[1])
        for start in range(0, len(used), step):
            checkpoint()
            mine, theirs = (logs[row] for row in divmod(used[start : start + step], len(self._rows)))
            with np.errstate(invalid="ignore"):
                found[start : start + step] = np.where(mine == -math.inf, -math.inf, mine - theirs).max(axis=1)
        result: npt.NDArray[np.float64] = found[which]
        return result

    def outcome(self, own: int, other: int) -> Any:
        """An outcome that has the largest ratio of two rows."""
        return self._of(own * len(self._rows) + other)[1]

    def _of(self, code: int) -> tuple[int, Any]:
        found = self._known.get(code)
        if found is None:
            quotient, outcome = self._computed(*divmod(code, len(self._rows)))
            found = self._known[code] = (self._numbers.setdefault(quotient, len(self._numbers)), outcome)
        return found

    def _computed(self, own: int, other: int) -> tuple[Any, Any]:
        if own == other:
            return Fraction(1), self._rows[own][0][0]
        table = self._table
        mine = np.flatnonzero(table.logs[own] > -math.inf)
        differences = table.logs[own, mine] - table.logs[other, mine]
        top = differences.max()
        if math.isinf(top):
            return INFINITY, table.outcomes[mine[int(differences.argmax())]]
        one, two, best = 0, 1, -1
        for place in mine[differences >= top - SLACK].tolist():
            a, b = table.weights[own][place], table.weights[other][place]
            if a * two > one * b:
                one, two, best = a, b, place
        return Fraction(one * table.scales[other], two * table.scales[own]), table.outcomes[best]

    @cached_property
    def _table(self) -> _Table:
        columns: dict[Any, int] = {}
        for outcomes, _ in self._rows:
            for outcome in outcomes:
                columns.setdefault(typed(outcome), len(columns))
        table = _Table([None] * len(columns), [], [], np.full((len(self._rows), len(columns)), -math.inf))
        for number, (outcomes, shares) in enumerate(self._rows):
            checkpoint()
            scale = math.lcm(*[share.denominator for share in shares])
            row = [0] * len(columns)
            for outcome, share in zip(outcomes, shares, strict=True):
                place = columns[typed(outcome)]
                table.outcomes[place], row[place] = outcome, share.numerator * (scale // share.denominator)
                if share:
                    table.logs[number, place] = math.log(row[place]) - math.log(scale)
            table.weights.append(row)
            table.scales.append(scale)
        return table


@dataclass(frozen=True)
class _Table:
    """Rows over the same outcomes: whole weights, with a scale for each row by which they are divided; logarithms."""

    outcomes: list[Any]
    weights: list[list[int]]
    scales: list[int]
    logs: npt.NDArray[np.float64]
