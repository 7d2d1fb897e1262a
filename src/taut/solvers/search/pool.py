"""Pools: the different vectors at one block of a cut, each once and without its scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import flint
import numpy as np
import numpy.typing as npt

from taut.limits import checkpoints

__all__ = ["BALLS", "INTEGERS", "TINY", "Arithmetic", "Pool", "log_of"]

Objects = npt.NDArray[np.object_]
Ids = npt.NDArray[np.int64]
_KEY_BITS = 120
TINY = 1e-290
"""Floats of positive entries never vanish, but below this nothing is concluded from them."""


class Arithmetic(Protocol):
    """How vectors are made primitive and told apart, and which numbers quotients of scales are."""

    one: Any

    def plain(self, row: list[Any]) -> list[Any]:
        """A vector in which every 0 is the integer."""

    def primitive(self, row: list[Any]) -> tuple[list[Any], Any]:
        """A vector that is not 0 without its scale, and that scale."""

    def key(self, row: list[Any]) -> Any:
        """What equal vectors share."""

    def joined(self, row: list[Any], other: list[Any]) -> list[Any]:
        """One vector for two with the same key."""

    def spread(self, row: list[Any]) -> Any:
        """By how much vectors with the same key can differ: a factor that encloses all quotients of their masses."""

    def larger(self, a: Any, b: Any) -> Any:
        """The maximum of two scales."""

    def smaller(self, a: Any, b: Any) -> Any:
        """The minimum of two scales."""


class _Integers:
    """Integer vectors divided by their greatest common divisor: equal exactly if they are proportional."""

    one = flint.fmpq(1)

    def plain(self, row: list[Any]) -> list[Any]:
        return row

    def primitive(self, row: list[Any]) -> tuple[list[Any], Any]:
        factor = math.gcd(*row)
        return (row, 1) if factor == 1 else ([entry // factor for entry in row], factor)

    def key(self, row: list[Any]) -> Any:
        return tuple(row)

    def joined(self, row: list[Any], other: list[Any]) -> list[Any]:
        return row

    def spread(self, row: list[Any]) -> Any:
        return 1

    def larger(self, a: Any, b: Any) -> Any:
        return a if a >= b else b

    def smaller(self, a: Any, b: Any) -> Any:
        return a if a <= b else b


class _Balls:
    """Vectors of balls, divided by the middle of their largest entry: by an exact number, which makes no ball wider.

    Vectors whose entries all agree to 120 bits, and are 0 in the same places, are joined into one that encloses both:
    what is computed from it encloses what either would have given, so no bound becomes wrong, only wider by as much.
    """

    one = flint.arb(1)

    def plain(self, row: list[Any]) -> list[Any]:
        return [0 if entry == 0 else entry for entry in row]

    def primitive(self, row: list[Any]) -> tuple[list[Any], Any]:
        factor = max(flint.arb(entry).mid() for entry in row)
        return [flint.arb(entry) / factor if entry else 0 for entry in row], factor

    def key(self, row: list[Any]) -> Any:
        return tuple(_rounded(entry) for entry in row)

    def joined(self, row: list[Any], other: list[Any]) -> list[Any]:
        return [flint.arb(a).union(flint.arb(b)) if a else 0 for a, b in zip(row, other, strict=True)]

    def spread(self, row: list[Any]) -> Any:
        found = flint.arb(1)
        for entry in row:
            if entry:
                found = found.union(flint.arb(entry) / flint.arb(entry))
        return found

    def larger(self, a: Any, b: Any) -> Any:
        return a.max(b)

    def smaller(self, a: Any, b: Any) -> Any:
        return a.min(b)


INTEGERS, BALLS = _Integers(), _Balls()


class Pool:
    """Different primitive vectors over the nodes of a block; 0 is one of them, with any scale."""

    def __init__(self, arithmetic: Arithmetic, width: int) -> None:
        self.arithmetic = arithmetic
        self.width = width
        self.rows: list[list[Any]] = []
        self.index: dict[Any, int] = {}
        self._matrix: Objects | None = None
        self._floats: npt.NDArray[np.float64] | None = None
        self._zero: npt.NDArray[np.bool_] | None = None
        self._tops: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def intern(self, vectors: Sequence[list[Any]]) -> tuple[Ids, list[Any]]:
        """The numbers of given vectors, and the scales that were taken out of them."""
        ids = np.empty(len(vectors), dtype=np.int64)
        scales: list[Any] = []
        arithmetic, index, rows = self.arithmetic, self.index, self.rows
        for place, vector in enumerate(checkpoints(map(arithmetic.plain, vectors))):
            row, scale = arithmetic.primitive(vector) if any(vector) else (vector, 1)
            key = arithmetic.key(row)
            number = index.get(key)
            if number is None:
                number = index[key] = len(rows)
                rows.append(row)
            else:
                rows[number] = arithmetic.joined(rows[number], row)
            ids[place] = number
            scales.append(scale)
        self._matrix = self._floats = self._zero = None
        return ids, scales

    @property
    def matrix(self) -> Objects:
        if self._matrix is None:
            self._matrix = np.empty((len(self.rows), self.width), dtype=object)
            for place, row in enumerate(self.rows):
                self._matrix[place] = row
        return self._matrix

    def only(self, used: Ids) -> Pool:
        """A pool of some of the rows, in their order."""
        found = Pool(self.arithmetic, self.width)
        found.rows = [self.rows[number] for number in used.tolist()]
        return found

    @property
    def zero(self) -> npt.NDArray[np.bool_]:
        """Which rows are 0."""
        if self._zero is None:
            self._zero = np.array([not any(row) for row in self.rows], dtype=bool)
        return self._zero

    @property
    def support(self) -> npt.NDArray[np.bool_]:
        """Where the rows are not 0, exactly: the floats of positive entries are positive."""
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
            found = self.matrix.astype(np.float64)
            most = found.max(axis=1, initial=0.0)
            most[most == 0] = 1.0
            tops = np.log(most)
            found /= most[:, None]
        except OverflowError:
            found, tops = np.zeros((len(self.rows), self.width)), np.zeros(len(self.rows))
            for place, row in enumerate(self.rows):
                if any(row):
                    largest = max(row, key=_magnitude)
                    found[place] = [_float(entry, largest) if entry else 0.0 for entry in row]
                    tops[place] = log_of(largest)
        positive = self.matrix != 0
        found[positive] = np.maximum(found[positive], TINY / 1e16)
        self._floats, self._tops = found, tops


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


def _rounded(entry: Any) -> tuple[int, ...]:
    """The middle of an entry to 120 bits, as an odd number and a power of two; 0 is like nothing else.

    A ball that is wider than that is only like itself: joined with others it would become wider still.
    """
    ball = flint.arb(entry)
    mantissa, power = (int(part) for part in ball.mid().man_exp())
    if mantissa == 0:
        return 0, 0
    if ball.rel_accuracy_bits() < _KEY_BITS:
        return mantissa, power, *(int(part) for part in ball.rad().man_exp())
    cut = max(0, mantissa.bit_length() - _KEY_BITS)
    rounded = (mantissa + (1 << cut >> 1)) >> cut
    twos = (rounded & -rounded).bit_length() - 1
    return rounded >> twos, power + cut + twos
