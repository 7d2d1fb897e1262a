"""Reachable totals: the sums that some entries can add up to, and entries that reach a given sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from taut.support.errors import TooLarge
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property

__all__ = ["Reach", "Vector"]

Vector = tuple[int, ...]
"""The vector that a value of an entry adds to some totals."""
_MOST_BITS = 1 << 24
"""Limit for the combinations of totals, reachable or not."""
_MOST_WORK = 1 << 36
"""Limit for these combinations times values of entries: the bits that are moved."""
_LISTED, _BITS_OF_ONE = 1 << 10, 1 << 8
"""Number of multisets of vectors up to which totals are listed, and the factor by which bits for all codes must exceed
it.
"""


class Reach:
    """The totals that entries can add up to together, where each adds one of some vectors.

    Totals are coded as whole numbers. A set of totals is a whole number with a bit for each code, so that adding a
    vector shifts all totals at once; few totals among many combinations are listed instead. No set is made where every
    kind can add all integers between two ends, since all codes are then reached, nor where each entry adds one to a
    single total, or nothing. Only the sets after some of the entries are kept; those between are made again when values
    of the entries are asked for.

    Parameters:
        kinds: what the entries of a kind can add, and how many there are of the kind; the order of kinds is kept.

    Raises:
        TooLarge: there are too many combinations of totals.
    """

    def __init__(self, kinds: Sequence[tuple[Sequence[Vector], int]], width: int) -> None:
        self.kinds, self.width = kinds, width
        self.count = sum(count for _, count in kinds)
        self._choices: dict[Vector, list[list[int]]] = {}
        lows = [sum(min(v[c] for v in added) * count for added, count in kinds) for c in range(width)]
        highs = [sum(max(v[c] for v in added) * count for added, count in kinds) for c in range(width)]
        self._lows, self._sizes = lows, [high - low + 1 for low, high in zip(lows, highs, strict=True)]
        self.size = math.prod(self._sizes)
        self._solid = width == 1 and all(_consecutive(added) for added, _ in kinds)
        moves = sum(len(set(added)) * count for added, count in kinds)
        multisets = math.prod(math.comb(count + len(set(added)) - 1, count) for added, count in kinds)
        self._listed = multisets <= _LISTED and multisets * _BITS_OF_ONE < self.size
        self._single = width > 1 and all(_adds_one(added, width) for added, _ in kinds)
        quick = self._listed or self._solid or self._single
        if not quick and (self.size > _MOST_BITS or self.size * moves > _MOST_WORK):
            raise TooLarge("too many combinations of totals.", value=self.size)

    def totals(self) -> Iterator[Vector]:
        """Return all combinations of totals that are reached, in order."""
        return _sums_up_to(self.count, self.width) if self._single else map(self._decoded, self._last.ordered())

    def middle(self) -> Vector:
        """Return reachable totals; a single one, next to the middle of the largest and the least."""
        if self._single:
            return (0,) * self.width
        return self._decoded(self._last.nearest(self.size // 2 if self.width == 1 else 0))

    def __contains__(self, totals: Vector) -> bool:
        if self._single:
            return min(totals) >= 0 and sum(totals) <= self.count
        code = self._code([total - low for total, low in zip(totals, self._lows, strict=True)])
        return code is not None and code in self._last

    def choice(self, totals: Vector) -> list[list[int]]:
        """Return, for each kind, the numbers of the vectors that its entries add to reach these totals."""
        if totals not in self._choices:
            self._choices = {totals: self._chosen(totals)}  # changes of the same others follow one another
        return self._choices[totals]

    def _chosen(self, totals: Vector) -> list[list[int]]:
        if self._single:
            return self._shared_out(totals)
        code = self._code([total - low for total, low in zip(totals, self._lows, strict=True)])
        assert code is not None
        if self._solid:
            return self._spread(code)
        chosen: list[list[int]] = [[] for _ in self.kinds]
        steps = self._steps
        for block in range(len(self._kept) - 1, -1, -1):
            start, stop = block * self._stride, min((block + 1) * self._stride, len(steps))
            masks = [self._kept[block]]
            for step in steps[start:stop]:
                masks.append(masks[-1].moved(self._moves[step]))
            for step, before in zip(reversed(steps[start:stop]), reversed(masks[:-1]), strict=True):
                number, shift = next(
                    (number, shift)
                    for number, shift in enumerate(self._moves[step])
                    if shift <= code and code - shift in before
                )
                chosen[step].append(number)
                code -= shift
        return chosen

    def _shared_out(self, totals: Vector) -> list[list[int]]:
        """Return the vectors of entries of which each adds one to a single total, or nothing."""
        columns = [column for column, total in enumerate(totals) for _ in range(total)]
        columns += [self.width] * (self.count - len(columns))
        chosen = []
        for added, count in self.kinds:
            place = {v.index(1) if 1 in v else self.width: number for number, v in reversed(list(enumerate(added)))}
            chosen.append([place[column] for column in columns[:count]])
            columns = columns[count:]
        return chosen

    def _spread(self, left: int) -> list[list[int]]:
        """Return the vectors of entries that add a number to the least total, as much as possible by the last ones."""
        chosen: list[list[int]] = []
        for added, count in reversed(self.kinds):
            place = {v[0]: number for number, v in reversed(list(enumerate(added)))}
            least, most = min(place), max(place)
            whole, rest = divmod(min(left, count * (most - least)), max(1, most - least))
            own = ([place[least + rest]] if whole < count else []) + [place[most]] * whole
            left -= whole * (most - least) + (rest if whole < count else 0)
            chosen.append([place[least]] * (count - len(own)) + own)
        return chosen[::-1]

    @cached_property
    def _moves(self) -> list[list[int]]:
        """Return for each kind the shifts by which its vectors move a set of totals."""
        moves = []
        for added, _ in self.kinds:
            least = [min(v[c] for v in added) for c in range(self.width)]
            shifts = [self._code([total - low for total, low in zip(v, least, strict=True)]) for v in added]
            moves.append([shift for shift in shifts if shift is not None])
        return moves

    @property
    def _steps(self) -> list[int]:
        return [kind for kind, (_, count) in enumerate(self.kinds) for _ in range(count)]

    @cached_property
    def _stride(self) -> int:
        return max(1, math.isqrt(self.count))

    @cached_property
    def _kept(self) -> list[_Bits | _Codes]:
        """Return the sets of totals kept before every so many entries."""
        mask: _Bits | _Codes = self._none
        kept: list[_Bits | _Codes] = []
        for place, step in enumerate(self._steps):
            if place % self._stride == 0:
                kept.append(mask)
                checkpoint()
            mask = mask.moved(self._moves[step])
        self._whole = mask
        return kept

    @property
    def _last(self) -> _Bits | _Codes | _AllCodes:
        if self._solid:
            return _AllCodes(self.size)
        return self._whole if self._kept else self._none

    @property
    def _none(self) -> _Bits | _Codes:
        """The totals of no entries."""
        return _Codes(frozenset([0])) if self._listed else _Bits(1)

    def _code(self, offsets: Sequence[int]) -> int | None:
        code = 0
        for offset, size in zip(offsets, self._sizes, strict=True):
            if not 0 <= offset < size:
                return None
            code = code * size + offset
        return code

    def _decoded(self, code: int) -> Vector:
        found: list[Any] = []
        for low, size in zip(reversed(self._lows), reversed(self._sizes), strict=True):
            code, offset = divmod(code, size)
            found.append(low + offset)
        return tuple(reversed(found))


@dataclass(frozen=True)
class _Bits:
    """A set of codes as the bits of a whole number."""

    bits: int

    def __contains__(self, code: int) -> bool:
        return bool(self.bits >> code & 1)

    def moved(self, shifts: Sequence[int]) -> _Bits:
        """Return the set with any of some shifts added."""
        moved = 0
        for shift in dict.fromkeys(shifts):
            moved |= self.bits << shift
        return _Bits(moved)

    def ordered(self) -> Iterator[int]:
        data = self.bits.to_bytes((self.bits.bit_length() + 7) // 8, "little")
        for number, byte in enumerate(data):
            if not number & 4095:
                checkpoint()
            while byte:
                low = byte & -byte
                yield 8 * number + low.bit_length() - 1
                byte ^= low

    def nearest(self, middle: int) -> int:
        """Return the code next to a number; the larger of two."""
        above, below = self.bits >> middle, self.bits & ((1 << middle) - 1)
        upper = middle + (above & -above).bit_length() - 1 if above else None
        lower = below.bit_length() - 1 if below else None
        if upper is None or (lower is not None and middle - lower < upper - middle):
            upper = lower
        assert upper is not None
        return upper


@dataclass(frozen=True)
class _Codes:
    """A set of codes, listed."""

    codes: frozenset[int]

    def __contains__(self, code: int) -> bool:
        return code in self.codes

    def moved(self, shifts: Sequence[int]) -> _Codes:
        """Return the set with any of some shifts added."""
        return _Codes(frozenset([code + shift for code in checkpoints(self.codes, 4096) for shift in shifts]))

    def ordered(self) -> Iterator[int]:
        return iter(sorted(self.codes))

    def nearest(self, middle: int) -> int:
        """Return the code next to a number; the larger of two."""
        return min(self.codes, key=lambda code: (abs(code - middle), -code))


@dataclass(frozen=True)
class _AllCodes:
    """The set of all codes below a size."""

    size: int

    def __contains__(self, code: int) -> bool:
        return 0 <= code < self.size

    def ordered(self) -> Iterator[int]:
        return iter(checkpoints(range(self.size), 4096))

    def nearest(self, middle: int) -> int:
        """Return the code next to a number."""
        return min(middle, self.size - 1)


def _consecutive(added: Sequence[Vector]) -> bool:
    """Return True if what an entry can add is all integers between two."""
    values = {v[0] for v in added}
    return max(values) - min(values) + 1 == len(values)


def _adds_one(added: Sequence[Vector], width: int) -> bool:
    """Return True if an entry adds one to any single total, or nothing: it is counted in one of some bins."""
    units = {tuple([int(place == column) for place in range(width)]) for column in range(width)}
    return set(added) == {(0,) * width, *units}


def _sums_up_to(most: int, width: int) -> Iterator[Vector]:
    """Yield all vectors of whole numbers that add up to a number at most, in order."""
    if not width:
        yield ()
        return
    for first in checkpoints(range(most + 1), 64):
        for rest in _sums_up_to(most - first, width - 1):
            yield (first, *rest)
