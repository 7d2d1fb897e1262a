"""Pools: the different vectors at one block of a cut, each once and without its scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from taut.diagrams.semirings import ProjectiveSemiring
from taut.support.limits import checkpoints

__all__ = ["TINY", "Pool", "log_of"]

Objects = npt.NDArray[np.object_]
Ids = npt.NDArray[np.int64]
TINY = 1e-290
"""Floats of positive entries never vanish, but below this nothing is concluded from them."""


class Pool:
    """Different primitive vectors over the nodes of a block; 0 is one of them, with any scale."""

    def __init__(self, semiring: ProjectiveSemiring[Any], width: int) -> None:
        self.semiring = semiring
        self.width = width
        self.rows: list[list[Any]] = []
        self.index: dict[Any, int] = {}
        self._matrix: Objects | None = None
        self._floats: npt.NDArray[np.float64] | None = None
        self._zero: npt.NDArray[np.bool_] | None = None
        self._tops: npt.NDArray[np.float64] | None = None
        self._parts: dict[int, list[tuple[int, Any]]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def intern(self, vectors: Sequence[list[Any]]) -> tuple[Ids, list[Any]]:
        """The numbers of given vectors, and the scales that were taken out of them."""
        ids = np.empty(len(vectors), dtype=np.int64)
        scales: list[Any] = []
        semiring, index, rows = self.semiring, self.index, self.rows
        for position, vector in enumerate(checkpoints(map(semiring.plain, vectors))):
            row, scale = semiring.primitive(vector) if any(vector) else (vector, 1)
            key = semiring.key(row)
            number = index.get(key)
            if number is None:
                number = index[key] = len(rows)
                rows.append(row)
            else:
                rows[number] = semiring.joined(rows[number], row)
            ids[position] = number
            scales.append(scale)
        self._matrix = self._floats = self._zero = None
        self._parts = {}
        return ids, scales

    def parts(self, number: int) -> list[tuple[int, Any]]:
        """The entries of a row that are not 0, with their places: of beliefs often one among hundreds."""
        parts = self._parts.get(number)
        if parts is None:
            parts = self._parts[number] = [(node, mass) for node, mass in enumerate(self.rows[number]) if mass]
        return parts

    @property
    def matrix(self) -> Objects:
        if self._matrix is None:
            self._matrix = np.empty((len(self.rows), self.width), dtype=object)
            for number, row in enumerate(self.rows):
                self._matrix[number] = row
        return self._matrix

    def only(self, used: Ids) -> Pool:
        """A pool of some of the rows, in their order."""
        pool = Pool(self.semiring, self.width)
        pool.rows = [self.rows[number] for number in used.tolist()]
        return pool

    @property
    def zero(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows that are 0."""
        if self._zero is None:
            self._zero = np.array([not any(row) for row in self.rows], dtype=bool)
        return self._zero

    @property
    def support(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the entries that are not 0, exactly: the floats of positive entries are positive."""
        return self.floats > 0

    @property
    def floats(self) -> npt.NDArray[np.float64]:
        """The rows divided by their largest entries, to within two rounding errors."""
        self._measure()
        assert self._floats is not None
        return self._floats

    @property
    def tops(self) -> npt.NDArray[np.float64]:
        """The logarithms of the rows' largest entries."""
        self._measure()
        assert self._tops is not None
        return self._tops

    def _measure(self) -> None:
        if self._floats is not None:
            return
        try:
            floats = self.matrix.astype(np.float64)
            most = floats.max(axis=1, initial=0.0)
            most[most == 0] = 1.0
            tops = np.log(most)
            floats /= most[:, None]
        except OverflowError:
            floats, tops = np.zeros((len(self.rows), self.width)), np.zeros(len(self.rows))
            for number, row in enumerate(self.rows):
                if any(row):
                    largest = max(row, key=_magnitude)
                    floats[number] = [_float(entry, largest) if entry else 0.0 for entry in row]
                    tops[number] = log_of(largest)
        positive = self.matrix != 0
        floats[positive] = np.maximum(floats[positive], TINY / 1e16)
        self._floats, self._tops = floats, tops


def log_of(number: Any) -> float:
    """The logarithm of a positive exact number, or of the middle of a ball, however large; -inf for 0."""
    if isinstance(number, flint.fmpq):
        return _log_quotient(int(number.p), int(number.q))
    if isinstance(number, (int, Fraction)):
        return _log_quotient(number.numerator, number.denominator)
    return float(number.mid().log().mid())


def _log_quotient(p: int, q: int) -> float:
    if p == 0:
        return -math.inf
    shift = p.bit_length() - q.bit_length()
    if -900 < shift < 900:
        return math.log(p / q)
    return math.log(p / (q << shift) if shift > 0 else (p << -shift) / q) + shift * math.log(2.0)


def _magnitude(entry: Any) -> Any:
    return entry if isinstance(entry, int) else entry.mid()


def _float(entry: Any, most: Any) -> float:
    return entry / most if isinstance(entry, int) and isinstance(most, int) else float((entry / most).mid())
