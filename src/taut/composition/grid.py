"""Composition on a grid, where exact ratios become too many: a certified interval for delta at every gamma.

Let a loss be the logarithm of a ratio. Losses are sorted into cells of width h; the loss of an atom in cell e of its
part is a + h e + r, with a small rest r. Runs add up cells, offsets and rests, so the composed cell e holds outputs of
loss A + h e + R, where |R| is at most the sum of the largest rests. Three sums over its outputs are carried per cell:

    P = sum of p,    Q = sum of p exp(-R),    S = sum of p exp(R)

Each is a product of polynomials. With t = gamma exp(-(A + h e)), the cell's delta is the sum of p (1 - t exp(-R))^+,
the mean of (X - t)^+ for X = exp(R) under the measure p exp(-R), whose mass, first and second moment are Q, P and S. So

    (P - t Q)^+  <=  delta of the cell  <=  (sqrt(Q (S - 2 t P + t^2 Q)) + P - t Q) / 2

(Jensen; Cauchy and Schwarz for |X - t|). Cells whose losses all lie above log gamma have exactly P - t Q, those below
nothing: only cells within the largest R of log gamma are uncertain.

Numbers are integers over 2^96, and products are multiplied without error. Rounding them keeps a part of each cell's
outputs: P is rounded down, the rest is *lost* and counts as if only x could give it in the upper end, and not at all
in the lower end; Q is rounded down and S up, so that they bound those of the part that is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from taut.composition.products import Mass, Part, mass_of
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.limits import checkpoint

__all__ = ["GridComposition", "TooCoarse", "lattice_of"]

_CELLS = 1 << 19
_BITS = 96
_WORDS = _BITS // 32
_SLOT = 2 * _WORDS + 1
"""Words of a coefficient of a product: twice as many, and one for sums of up to 2^32 products."""
_CANDIDATES = 1 << 22
_DIVISORS = 9
_ALIKE = 1e-12
_RESTS = 1e-9
"""The largest distance of the losses of all runs together from a lattice."""
_NEGLIGIBLE = 2.0**-72
_DIGITS = 160
Words = npt.NDArray[np.uint32]


class TooCoarse(Exception):
    """The runs are so many that the rests of a cell add up to more than its sums can hold."""


@dataclass(frozen=True)
class _Cells:
    """P, Q and S of consecutive cells, as rows of words with the lowest first; ``start`` is the first cell."""

    start: int
    sums: tuple[Words, Words, Words]


class GridComposition:
    """The composition of some pairs of distributions: at every gamma a certified interval for its delta.

    Guarantee:
        For rational gamma > 0, ``interval(gamma)`` holds the delta of all runs together.

    Raises:
        TooCoarse: there are too many runs for a grid.
    """

    def __init__(self, parts: Sequence[Part], cells: int = _CELLS, measured: Mass = mass_of) -> None:
        finite = [([atom for atom in atoms if atom[0] != INFINITY and atom[1] > 0], count) for atoms, count in parts]
        with in_precision():
            self._compose(finite, cells, measured(parts), measured)

    def _compose(self, finite: Sequence[Part], cells: int, whole: Fraction, measured: Mass) -> None:
        losses = [np.array([float(_log(ratio).mid()) for ratio, _, _ in atoms]) for atoms, _ in finite]
        shares = [np.array([float(mass) for _, mass, _ in atoms]) for atoms, _ in finite]
        runs = [count for _, count in finite]
        width, offsets = _grid(losses, shares, runs, cells)
        self.width = flint.arb(width)
        self.offset, rest, lost_mass = flint.arb(0), flint.arb(0), flint.arb(1)
        bases = []
        for (atoms, count), loss, offset in zip(finite, losses, offsets, strict=True):
            places = np.rint((loss - offset) / width).astype(np.int64).tolist()
            rests = [
                _log(ratio) - flint.arb(offset) - self.width * cell
                for (ratio, _, _), cell in zip(atoms, places, strict=True)
            ]
            self.offset += flint.arb(offset) * count
            rest += count * max((abs(one).upper() for one in rests), key=float)
            lost_mass *= (
                sum((_exact(mass) * (-one).exp() for (_, mass, _), one in zip(atoms, rests, strict=True)), flint.arb(0))
                ** count
            )
            bases.append(_base(atoms, places, rests))
        self.rest = float(rest.upper()) * (1 + 1e-9)
        self._spare = math.ceil(math.exp(min(self.rest, _BITS))) + 1
        composed: _Cells | None = None
        for base, count in zip(bases, runs, strict=True):
            power = self._power(base, count)
            composed = power if composed is None else self._product(composed, power)
        assert composed is not None
        self.start = composed.start
        self.mass, self.tilted, self.square = (_integers(words) for words in composed.sums)
        self._sum(lost_mass)
        self.lost = whole - Fraction(self._above[0], 1 << _BITS)
        """Mass under x of outputs with an infinite ratio, and mass lost by rounding."""
        self.infinite = whole - measured(finite)

    def _sum(self, total: Any) -> None:
        """Sums over all cells from each one on: of P, and of Q exp(-h j) for the j-th cell from there."""
        factor = int((Ball((-self.width).exp()).lower * (1 << _DIGITS)) // 1)
        above, tilted = [0], [0]
        for mass, weight in zip(reversed(self.mass), reversed(self.tilted), strict=True):
            above.append(above[-1] + mass)
            tilted.append(weight + (tilted[-1] * factor >> _DIGITS))
        self._above, self._tilted_above = above[::-1], tilted[::-1]
        missing = Ball(total).upper * (1 << _BITS) - sum(self.tilted)
        self._missing = max(0, math.ceil(missing)) + len(self.mass) + 2
        """An upper bound of the mass under Q that any set of cells lacks, rounding of the sums above included."""

    # -- evaluation ----------------------------------------------------------------------------------------------

    def interval(self, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """Return a lower and an upper bound of delta at gamma."""
        with in_precision():
            ratio = _exact(gamma)
            level = float(((ratio.log() - self.offset) / self.width).mid()) - self.start
            reach = self.rest / float(self.width) + 2
            low = min(len(self.mass), max(0, math.floor(level - reach)))
            high = min(len(self.mass), max(0, math.ceil(level + reach)))
            lower = upper = flint.arb(0)
            missing = flint.arb(self._missing)
            unsure = missing.union(flint.arb(0))
            for cell in range(low, high):
                t = self._t(ratio, cell)
                mass, tilted, square = (flint.arb(part[cell]) for part in (self.mass, self.tilted, self.square))
                sure = mass - t * tilted
                lower += sure.max(flint.arb(0))
                tilted = tilted + unsure
                spread = (tilted * (square - 2 * t * mass + t * t * tilted)).upper()
                upper += ((spread.sqrt() if spread > 0 else 0) + sure) / 2
            if high < len(self.mass):
                rest = flint.arb(self._above[high]) - self._t(ratio, high) * flint.arb(self._tilted_above[high])
                lower, upper = lower + rest, upper + rest
            if low < len(self.mass):
                lower -= self._t(ratio, low) * missing
            scale = Fraction(1, 1 << _BITS)
            least = Ball(lower).lower * scale + self.infinite
            most = Ball(upper).upper * scale + self.lost
        return max(Fraction(0), least), min(max(Fraction(0), most), Fraction(1))

    def _loss(self, cell: int) -> Any:
        return self.offset + self.width * (self.start + cell)

    def _t(self, ratio: Any, cell: int) -> Any:
        return ratio * (-self._loss(cell)).exp()

    # -- products ------------------------------------------------------------------------------------------------

    def _power(self, base: _Cells, count: int) -> _Cells:
        power = base
        for digit in bin(count)[3:]:
            power = self._product(power, power)
            if digit == "1":
                power = self._product(power, base)
        return power

    def _product(self, a: _Cells, b: _Cells) -> _Cells:
        checkpoint()
        (mass, _), (tilted, _), (square, over) = (_convolved(x, y) for x, y in zip(a.sums, b.sums, strict=True))
        kept = _trim(mass)
        if over[kept].any():  # P is at most one, and Q may be rounded down, but S must not be
            raise TooCoarse
        mass, tilted, square = mass[kept], _less(tilted[kept], self._spare), _more(square[kept])
        empty = ~mass.any(axis=1)
        tilted[empty], square[empty] = 0, 0
        return _Cells(a.start + b.start + (kept.start or 0), (mass, tilted, square))


def lattice_of(
    losses: Sequence[Any], shares: Sequence[Any], runs: Sequence[int], cells: int = _CELLS
) -> tuple[float, list[float]] | None:
    """Return a width of cells of which the differences of losses are multiples, with an offset for each part.

    None if there is none, or too many cells would be needed.
    """
    gaps = [np.diff(np.unique(loss)) for loss in losses]
    gaps = [gap[gap > _ALIKE * max(1.0, float(np.abs(loss).max()))] for gap, loss in zip(gaps, losses, strict=True)]
    if not any(map(len, gaps)):
        return None
    least = min(float(gap.min()) for gap in gaps if len(gap))
    for divisor in range(1, _DIVISORS):
        width, rest = least / divisor, 0.0
        if _span(losses, shares, runs) > cells * width:
            return None
        for loss, count in zip(losses, runs, strict=True):
            turns = (loss - loss[0]) / width
            if len(loss) > 1:  # what is farthest away tells most about the width
                far = int(np.argmax(np.abs(turns)))
                width = float((loss[far] - loss[0]) / np.rint(turns[far]))
                turns = (loss - loss[0]) / width
            rest += count * float(np.abs(turns - np.rint(turns)).max()) * width
        if rest < _RESTS and all(_fits(loss, width) for loss in losses):
            return width, [float(loss[0]) for loss in losses]
    return None


def _fits(loss: Any, width: float) -> bool:
    turns = (loss - loss[0]) / width
    return bool(np.abs(turns - np.rint(turns)).max() * width < _RESTS)


def _span(losses: Sequence[Any], shares: Sequence[Any], runs: Sequence[int]) -> float:
    """Return the width of the losses of all runs that are likely enough to be kept."""
    variance = 0.0
    for loss, share, count in zip(losses, shares, runs, strict=True):
        weight = share / share.sum()
        variance += count * float(weight @ (loss - weight @ loss) ** 2)
    support = sum(count * float(np.ptp(loss)) for loss, count in zip(losses, runs, strict=True))
    return float(min(support, 19 * math.sqrt(variance) + 2 * max(float(np.ptp(loss)) for loss in losses)) or 1.0)


def _grid(losses: Sequence[Any], shares: Sequence[Any], runs: Sequence[int], cells: int) -> tuple[float, list[float]]:
    """Return a width of cells, and an offset for each part, for which the rests are small.

    Of many widths that make about as many cells, the one whose rests vary least is taken: with few atoms it can be far
    better than the others.
    """
    found = lattice_of(losses, shares, runs, cells)
    if found is not None:
        return found
    weights, span = [share / share.sum() for share in shares], _span(losses, shares, runs)
    tries = max(1, min(1 << 16, _CANDIDATES // sum(map(len, losses))))
    widths = span / cells * (1 + np.arange(tries) / tries)
    spread, offsets = np.zeros(tries), []
    for loss, weight, count in zip(losses, weights, runs, strict=True):
        turns = (loss - loss[0])[None, :] / widths[:, None]
        angle = np.angle(np.exp(2j * np.pi * turns) @ weight) / (2 * np.pi)
        rest = turns - angle[:, None]
        rest -= np.rint(rest)
        spread += count * (rest**2 @ weight) * widths**2
        offsets.append(loss[0] + (angle + rest @ weight) * widths)
    best = int(np.argmin(spread))
    return float(widths[best]), [float(offset[best]) for offset in offsets]


def _base(atoms: Any, cells: Sequence[int], rests: Sequence[Any]) -> _Cells:
    """Return one run on the grid: the kept mass of every atom, and the other two sums rounded down and up."""
    first = min(cells)
    sums = [[0] * (max(cells) - first + 1) for _ in range(3)]
    factors = [Ball(rest.exp()).upper for rest in rests]
    squares = [Fraction(0)] * len(sums[0])
    for (_, mass, _), cell, factor in zip(atoms, cells, factors, strict=True):
        squares[cell - first] += mass * factor
    room = 1 - Fraction(len(cells), 1 << _BITS)
    for (_, mass, _), cell, rest, factor in zip(atoms, cells, rests, factors, strict=True):
        share = min(Fraction(1), room / squares[cell - first])
        kept = math.floor(mass * share * (1 << _BITS))
        sums[0][cell - first] += kept
        sums[1][cell - first] += math.floor(kept * Ball((-rest).exp()).lower)
        sums[2][cell - first] += math.ceil(kept * factor)
    bytes_of = [b"".join(min(n, (1 << _BITS) - 1).to_bytes(4 * _WORDS, "little") for n in column) for column in sums]
    mass, tilted, square = (np.frombuffer(one, dtype="<u4").reshape(-1, _WORDS) for one in bytes_of)
    return _Cells(first, (mass, tilted, square))


def _convolved(a: Words, b: Words) -> tuple[Words, npt.NDArray[np.bool_]]:
    """Return the product of two polynomials, coefficients divided by 2^96 and rounded down, and a mask of those that
    overflow."""
    count = len(a) + len(b) - 1
    whole = _packed(a) * _packed(b)
    data = int(whole).to_bytes(4 * _SLOT * count, "little")
    slots = np.frombuffer(data, dtype="<u4").reshape(count, _SLOT)
    words, above = slots[:, _WORDS : 2 * _WORDS], slots[:, 2 * _WORDS]
    return words.copy(), (above > 0) | (words == 0xFFFFFFFF).all(axis=1)


def _packed(words: Words) -> Any:
    slots = np.zeros((len(words), _SLOT), dtype="<u4")
    slots[:, :_WORDS] = words
    return flint.fmpz(int.from_bytes(slots.tobytes(), "little"))


def _trim(mass: Words) -> slice:
    """Drop cells at both ends whose mass is negligible."""
    sizes = mass.astype(np.float64) @ (2.0 ** (32.0 * (np.arange(_WORDS) - _WORDS)))
    first = int(np.searchsorted(np.cumsum(sizes), _NEGLIGIBLE))
    last = int(np.searchsorted(np.cumsum(sizes[::-1]), _NEGLIGIBLE))
    return slice(first, len(mass) - last) if first + last < len(mass) else slice(0, len(mass))


def _more(words: Words) -> Words:
    """Return the numbers plus one."""
    result, carry = words.copy(), np.ones(len(words), dtype=np.uint64)
    for column in range(_WORDS):
        total = words[:, column].astype(np.uint64) + carry
        result[:, column] = (total & 0xFFFFFFFF).astype(np.uint32)
        carry = total >> np.uint64(32)
    return result


def _less(words: Words, amount: int) -> Words:
    """Return the numbers minus an amount, at least zero."""
    if amount >> _BITS:
        return np.zeros_like(words)
    result, borrow = words.copy(), np.zeros(len(words), dtype=np.int64)
    for column in range(_WORDS):
        total = words[:, column].astype(np.int64) - borrow - (amount >> 32 * column & 0xFFFFFFFF)
        borrow = (total < 0).astype(np.int64)
        result[:, column] = (total & 0xFFFFFFFF).astype(np.uint32)
    result[borrow.astype(bool)] = 0
    return result


def _integers(words: Words) -> list[int]:
    numbers = [0] * len(words)
    for column in reversed(words.T.tolist()):
        numbers = [(number << 32) | word for number, word in zip(numbers, column, strict=True)]
    return numbers


def _exact(value: Fraction) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _log(ratio: Fraction) -> Any:
    return _exact(ratio).log()
