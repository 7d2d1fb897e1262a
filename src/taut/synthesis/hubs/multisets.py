"""The largest ratio of two sums of products where each factor brings a vector to both sides, by branch and bound.

A ratio is sum(c prod u) / sum(c prod v) over the values of the hub, with a pair of vectors (u, v) for each statistic,
chosen from a family; what counts is how often each pair is chosen. Docs: decompose.md, "Hubs", Theorems 25 and 26.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.support.errors import TooLarge
from taut.support.exact import INFINITY
from taut.support.limits import checkpoint
from taut.support.process import cached_property

__all__ = ["Choices", "Kind", "Largest", "Pair"]

_Floats = npt.NDArray[np.float64]
_Counts = tuple[tuple[int, ...], ...]
"""For each kind how often each of its pairs is chosen."""

_MOST_REGIONS = 20_000
_MOST_CORNERS = 1 << 14
_CLOSE = 1e-9
"""Margin above the error of a logarithm of a ratio in floats, relative to the largest logarithm in use."""
_BELOW = 100.0
"""Distance, below the least logarithm, of the number that stands for the logarithm of 0 in upper bounds."""
_CORNERS = 2
_FEW, _STEPS = 4, 40
"""Summands that are bounded one by one, and steps towards the largest value of each."""
_MOST_HEADS = 1 << 13
_LEADERS = 4
"""The number of choices that others are compared with."""
_SLACKS = (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 10))
"""Relative widths of intervals, tried one after the other."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Contributions of a statistic to both sides: integers over one denominator, with the change that it stands for."""

    own: Sequence[int]
    other: Sequence[int]
    change: tuple[int, int]


class Kind:
    """Pairs of vectors from which statistics that are alike choose, without those that another one leads."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = _undominated(pairs)
        self.logs = np.array([[*_logs(pair.own), *_logs(pair.other)] for pair in self.pairs])

    @cached_property
    def limits(self) -> list[Any]:
        """The largest ratio of any pair at each value of the hub; None where every pair is 0 on both sides."""
        found: list[Any] = []
        for place in range(len(self.pairs[0].own)):
            both = [(pair.own[place], pair.other[place]) for pair in self.pairs if pair.own[place]]
            if not both:
                found.append(None)
            elif any(not below for _, below in both):
                found.append(INFINITY)
            else:
                found.append(max([Fraction(*one) for one in both]))
        return found

    @cached_property
    def direction(self) -> bool | None:
        """True if the ratios of all pairs rise along the hub, False if all fall; None otherwise."""
        if any(a and not b for pair in self.pairs for a, b in zip(pair.own, pair.other, strict=True)):
            return None
        return next((up for up in (True, False) if all(_rises(pair, up) for pair in self.pairs)), None)

    @cached_property
    def shifts(self) -> dict[tuple[int, int], Fraction]:
        """Map places h and k to r where all pairs have own[h] = r * other[k], r positive."""
        width = len(self.pairs[0].own)
        own, other = self.logs[:, :width], self.logs[:, width:]
        found = {}
        for here in range(width):
            checkpoint()
            with np.errstate(invalid="ignore"):
                apart = own[:, here, None] - other
            near = np.isfinite(apart).all(0) & (np.ptp(np.where(np.isfinite(apart), apart, 0), 0) < 1e-6)
            for there in np.flatnonzero(near).tolist():
                first = self.pairs[0]
                a, b = first.own[here], first.other[there]
                if all(pair.own[here] * b == pair.other[there] * a for pair in self.pairs):
                    found[here, there] = Fraction(a, b)
        return found


def _rises(one: Pair, up: bool) -> bool:
    """Return True if own / other rises (or falls) from place to place, where one of them is positive."""
    both = [(a, b) for a, b in zip(one.own, one.other, strict=True) if a or b]
    crosses = [later[0] * b - a * later[1] for (a, b), later in itertools.pairwise(both)]
    return all(cross >= 0 if up else cross <= 0 for cross in crosses)


def _logs(vector: Sequence[int]) -> list[float]:
    return [math.log(value) if value else -math.inf for value in vector]


def _undominated(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs without those that another exceeds on its own side and falls below on the other, everywhere."""
    own = np.array([_logs(pair.own) for pair in pairs])
    other = np.array([_logs(pair.other) for pair in pairs])
    kept = np.ones(len(pairs), np.bool_)
    for place, pair in enumerate(pairs):
        checkpoint()
        near = (own >= own[place] - _CLOSE).all(1) & (other <= other[place] + _CLOSE).all(1) & kept
        near[place] = False
        kept[place] = not any(_covers(pairs[one], pair) for one in np.flatnonzero(near).tolist())
    return [pair for pair, own_ in zip(pairs, kept.tolist(), strict=True) if own_]


def _covers(one: Pair, pair: Pair) -> bool:
    above = all(a >= b for a, b in zip(one.own, pair.own, strict=True))
    return above and all(a <= b for a, b in zip(one.other, pair.other, strict=True))


@dataclass(frozen=True, eq=False)
class Choices:
    """An output: the weights of the hub on both sides, and for each kind how many statistics choose a pair of it."""

    own: Sequence[int]
    other: Sequence[int]
    kinds: Sequence[Kind]
    counts: tuple[int, ...]
    output: Any
    fixed: Callable[[_Counts], _Counts] = lambda chosen: chosen
    """Adds the choices of kinds whose vectors are in the weights already."""

    @cached_property
    def limit(self) -> Any:
        """The largest ratio with the hub revealed."""
        found: list[Any] = []
        for place, (weight, weight_prime) in enumerate(zip(self.own, self.other, strict=True)):
            own = [kind.limits[place] for kind in self.kinds]
            if not weight or any(one is None for one in own):
                continue
            infinite = not weight_prime or any(one == INFINITY for one in own)
            powers = [one**number for one, number in zip(own, self.counts, strict=True) if not infinite]
            found.append(INFINITY if infinite else math.prod(powers, start=Fraction(weight, weight_prime)))
        return max(found, default=Fraction(0))

    def value(self, chosen: _Counts) -> Any:
        """Return the ratio of a choice; None if the output is impossible on both sides."""
        above, below = (
            sum(_product(self.kinds, chosen, constant, side)) for side, constant in enumerate((self.own, self.other))
        )
        if not above:
            return None
        return Fraction(above, below) if below else INFINITY

    def heads(self, known: dict[Any, list[_Head]]) -> list[Choices]:
        """Return the choices with all kinds but the commonest fixed, without those that others lead.

        ``known`` keeps what other outputs fixed.
        """
        if len(self.kinds) < 2:
            return [self]
        main = max(range(len(self.kinds)), key=lambda place: self.counts[place])
        kinds = [kind for place, kind in enumerate(self.kinds) if place != main]
        counts = [number for place, number in enumerate(self.counts) if place != main]
        if math.prod([math.comb(len(k.pairs) + n - 1, n) for k, n in zip(kinds, counts, strict=True)]) > _MOST_HEADS:
            return [self]
        key = (id(self.kinds[main]), *map(id, kinds), *counts)
        if key not in known:
            known[key] = _heads(kinds, counts, self.kinds[main], len(self.own))

        def made(head: _Head) -> Choices:
            def fixed(chosen: _Counts) -> _Counts:
                return (*head.chosen[:main], *chosen, *head.chosen[main:])

            own, other = (
                [a * b for a, b in zip(one, vector, strict=True)]
                for one, vector in ((self.own, head.own), (self.other, head.other))
            )
            return Choices(own, other, [self.kinds[main]], (self.counts[main],), self.output, fixed)

        return [made(head) for head in known[key]]


def _product(kinds: Sequence[Kind], chosen: _Counts, constant: Sequence[int], side: int) -> list[int]:
    product = list(constant)
    for kind, numbers in zip(kinds, chosen, strict=True):
        for pair, number in zip(kind.pairs, numbers, strict=True):
            if number:
                vector = pair.other if side else pair.own
                product = [a * b**number if a else 0 for a, b in zip(product, vector, strict=True)]
    return product


@dataclass(frozen=True, eq=False)
class _Head:
    """Choices of some kinds, and the products of their vectors."""

    chosen: _Counts
    own: Sequence[int]
    other: Sequence[int]


def _heads(kinds: Sequence[Kind], counts: Sequence[int], main: Kind, width: int) -> list[_Head]:
    """Return all choices of some kinds but those that others lead, whatever is chosen from the main kind."""
    ways = [
        [tuple([one.count(place) for place in range(len(kind.pairs))]) for one in _multisets(len(kind.pairs), number)]
        for kind, number in zip(kinds, counts, strict=True)
    ]
    found = []
    alive = [int(limit is not None) for limit in main.limits]
    for chosen in itertools.product(*ways):
        checkpoint()
        found.append(_Head(chosen, *[_product(kinds, chosen, alive, side) for side in (0, 1)]))
    direction = main.direction
    if direction is None or not found:
        return found
    found.sort(key=lambda head: -sum([_rough_ratio(a, b) for a, b in zip(head.own, head.other, strict=True)]))
    kept: list[_Head] = []
    for head in found:
        checkpoint()
        if not any(_leads(one, head, direction) for one in kept[:_LEADERS]):
            kept.append(head)
    return kept


def _multisets(size: int, number: int) -> Iterator[tuple[int, ...]]:
    return itertools.combinations_with_replacement(range(size), number)


def _rough_ratio(above: int, below: int) -> float:
    return 2.0 ** min(900, above.bit_length() - below.bit_length()) * bool(above)


def _leads(one: _Head, head: _Head, up: bool) -> bool:
    """Return True if a choice is at least as bad as another one, whatever pairs whose ratio rises (or falls) follow."""
    if any(b and not a for a, b in zip(one.own, head.own, strict=True)):
        return False
    own, other, own_prime, other_prime = (
        np.array(vector, dtype=object) for vector in (one.own, one.other, head.own, head.other)
    )
    crossed = own[:, None] * other_prime[None, :] - own_prime[:, None] * other[None, :]
    if (crossed + crossed.T < 0).any():
        return False
    leading = np.tril(crossed) if up else np.triu(crossed)
    return not (leading < 0).any()


class Largest:
    """The largest ratio over all choices, or an interval for it."""

    def __init__(self, met: Callable[[Any, Choices, _Counts], None] = lambda value, choices, chosen: None) -> None:
        self.value: Any = None
        self.choices: Choices | None = None
        self.chosen: _Counts | None = None
        self.regions = 0
        self._met = met

    def search(self, outputs: Sequence[Choices]) -> Any:
        """Return an upper bound of all ratios, which is the largest one found if that is proved.

        Raises:
            TooLarge: no bound near the largest ratio found is proved.
        """
        for one in sorted(outputs, key=lambda one: one.limit, reverse=True):
            if self.value is None or one.limit > self.value:
                self._climb(one)
        if self.value is None:
            raise TooLarge("no output was found to be possible.", value=outputs)
        known: dict[Any, list[_Head]] = {}
        outputs = [head for one in outputs if one.limit > self.value for head in one.heads(known)]
        for slack in _SLACKS:
            while True:
                before = self.value
                proved = self._proved(outputs, slack)
                if not proved:
                    break
                if self.value == before:
                    return self.value * (1 + slack)
        raise TooLarge("no bound near the largest ratio found was proved.", value=self.value)

    def meet(self, choices: Choices, chosen: _Counts) -> None:
        """Keep a choice if its ratio is larger than all before."""
        value = choices.value(chosen)
        if value is not None and (self.value is None or value > self.value):
            self.value, self.choices, self.chosen = value, choices, choices.fixed(chosen)
            self._met(value, choices, self.chosen)

    def _climb(self, choices: Choices) -> None:
        """Start where all statistics of a kind choose one pair, at the most promising of such choices, and climb."""
        about = _Sums(choices, None)
        for corner in about.corners(_CORNERS):
            self.meet(choices, about.climbed(corner, about.whole))

    def _proved(self, outputs: Sequence[Choices], slack: Fraction) -> bool:
        """Return True if no ratio exceeds the largest one found by more than a slack, or if a larger one was found."""
        if self.value == INFINITY:
            return True
        regions = 0
        for one in outputs:
            checkpoint()
            limit = self.value * (1 + slack)
            if one.limit <= limit:
                continue
            about = _Sums(one, limit)
            stack = [about.whole]
            while stack:
                checkpoint()
                regions += 1
                self.regions += 1
                if regions > _MOST_REGIONS:
                    return False
                region = stack.pop()
                center = about.climbed(region.corner(), region)
                if about.log(center) > -about.margin:
                    before = self.value
                    self.meet(one, center)
                    if self.value != before:
                        return True
                if about.bound(region, center) > -about.margin:
                    stack += region.without(center)
        return True


@dataclass(frozen=True, eq=False)
class _Region:
    """Choices in which each pair is chosen at least and at most so many times."""

    least: _Counts
    most: _Counts
    counts: tuple[int, ...]

    @property
    def free(self) -> list[int]:
        """Return the number of statistics of each kind that are left to choose."""
        return [count - sum(own) for count, own in zip(self.counts, self.least, strict=True)]

    def corner(self) -> _Counts:
        """Return one of the choices: the first pairs are taken as often as may be."""
        found = []
        for left, low, high in zip(self.free, self.least, self.most, strict=True):
            own = list(low)
            for place in range(len(own)):
                more = min(left, high[place] - low[place])
                own[place] += more
                left -= more
            found.append(tuple(own))
        return tuple(found)

    def without(self, center: _Counts) -> Iterator[_Region]:
        """Yield regions with all choices but one: each has some pair more often."""
        most = [list(own) for own in self.most]
        for kind, own in enumerate(center):
            for place, number in enumerate(own):
                if number < self.most[kind][place]:
                    least = [list(one) for one in self.least]
                    least[kind][place] = number + 1
                    found = _Region(tuple(map(tuple, least)), tuple(map(tuple, most)), self.counts)
                    if found.possible:
                        yield found
                most[kind][place] = number

    @property
    def possible(self) -> bool:
        return all(
            sum(low) <= count <= sum(high) and all(a <= b for a, b in zip(low, high, strict=True))
            for low, high, count in zip(self.least, self.most, self.counts, strict=True)
        )


class _Sums:
    """An output's ratio against a limit, as sum(positive) / sum(negative) of monomials, in logarithms.

    The monomials are those of sum(c prod u) - limit * sum(c prod v); those that are multiples of each other for all
    choices are joined. Without a limit the two sums are taken as they are.
    """

    def __init__(self, choices: Choices, limit: Fraction | None) -> None:
        self.choices = choices
        width = len(choices.own)
        coefficients: dict[int, Any] = {place: Fraction(weight) for place, weight in enumerate(choices.own) if weight}
        for place, weight in enumerate(choices.other):
            if weight:
                coefficients[width + place] = -Fraction(weight) * (1 if limit is None else limit)
        if limit is not None:
            self._join(coefficients, width)
        zero = np.zeros(2 * width, np.bool_)
        some = np.zeros(2 * width, np.bool_)
        for kind in choices.kinds:
            nothing = np.isneginf(kind.logs)
            zero |= nothing.all(0)
            some |= nothing.any(0)
        places = [place for place, value in coefficients.items() if value and not zero[place]]
        self.above = [place for place in places if coefficients[place] > 0]
        # what may be 0 is left out of the denominator, which raises the ratio; unless it serves as a guide only
        self.below = [place for place in places if coefficients[place] < 0 and (limit is None or not some[place])]
        self._places = [*self.above, *self.below]
        self._logs = [_finite(kind.logs)[:, self._places] for kind in choices.kinds]
        self._constant = np.array([_log(abs(coefficients[place])) for place in self._places])
        steps = sum(choices.counts) + 8
        largest = max([float(np.abs(own).max(initial=1)) for own in self._logs])
        self.margin = max(1e-12, 2.0**-50 * steps * (largest * steps + float(np.abs(self._constant).max(initial=0))))

    def _join(self, coefficients: dict[int, Any], width: int) -> None:
        """Join monomials of both sides that are multiples of each other."""
        kinds = self.choices.kinds
        for here, there in kinds[0].shifts if kinds else ():
            if here not in coefficients or width + there not in coefficients:
                continue
            if all((here, there) in kind.shifts for kind in kinds):
                scale = math.prod(
                    [kind.shifts[here, there] ** n for kind, n in zip(kinds, self.choices.counts, strict=True)]
                )
                coefficients[width + there] += coefficients.pop(here) * scale

    @property
    def whole(self) -> _Region:
        counts = self.choices.counts
        least = tuple([(0,) * len(kind.pairs) for kind in self.choices.kinds])
        most = tuple([(n,) * len(kind.pairs) for kind, n in zip(self.choices.kinds, counts, strict=True)])
        return _Region(least, most, counts)

    def corners(self, most: int) -> list[_Counts]:
        """Return the most promising choices in which all statistics of a kind choose one pair."""
        total = self._constant[None, :]
        sizes = [len(logs) for logs in self._logs]
        if not self._places:
            return []
        if math.prod(sizes) > _MOST_CORNERS:
            raise TooLarge("too many pairs of vectors.", value=sizes)
        for logs, number in zip(self._logs, self.choices.counts, strict=True):
            total = (total[:, None, :] + number * logs[None, :, :]).reshape(-1, len(self._places))
        number = len(self.above)
        values = _sums(total[:, :number]) - _sums(total[:, number:])
        found = []
        for place in np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")[:most]:
            at = [int(one) for one in np.unravel_index(place, sizes)]
            counts = zip(at, sizes, self.choices.counts, strict=True)
            found.append(tuple([tuple([n * (one == own) for one in range(size)]) for own, size, n in counts]))
        return found

    def _at(self, chosen: Sequence[Sequence[float] | _Floats]) -> _Floats:
        total = self._constant.copy()
        for logs, numbers in zip(self._logs, chosen, strict=True):
            total += np.array(numbers, np.float64) @ logs
        return total

    def log(self, chosen: _Counts) -> float:
        """Return the logarithm of the ratio; infinity without a denominator."""
        total = self._at(chosen)
        return _sum(total[: len(self.above)]) - _sum(total[len(self.above) :])

    def climbed(self, start: _Counts, region: _Region) -> _Counts:
        """Return a choice of the region that no exchange of some pairs for others makes larger."""
        chosen = [list(own) for own in start]
        number = len(self.above)
        total = self._at(start)
        best = _sum(total[:number]) - _sum(total[number:])
        if not math.isfinite(best):
            return start
        while True:
            checkpoint()
            found = None
            for kind, logs in enumerate(self._logs):
                own = np.array(chosen[kind])
                give = own - np.array(region.least[kind])
                take = np.array(region.most[kind]) - own
                rows, columns = np.nonzero((give[:, None] > 0) & (take[None, :] > 0))
                different = rows != columns
                rows, columns = rows[different], columns[different]
                if not len(rows):
                    continue
                for share in (1.0, 0.5, 0.1, 0.0):
                    many = np.maximum(1, (np.minimum(give[rows], take[columns]) * share).astype(np.int64))
                    sums = total + many[:, None] * (logs[columns] - logs[rows])
                    values = _sums(sums[:, :number]) - _sums(sums[:, number:])
                    at = int(np.argmax(values))
                    if values[at] > best + self.margin:
                        best = float(values[at])
                        found = (kind, int(rows[at]), int(columns[at]), int(many[at]), sums[at])
            if found is None:
                return tuple(map(tuple, chosen))
            kind, row, column, many_, total = found
            chosen[kind][row] -= many_
            chosen[kind][column] += many_

    def bound(self, region: _Region, center: _Counts) -> float:
        """Return an upper bound of the logarithm of the ratio in a region, by tangents at one of its choices.

        Each summand is a monomial over a sum of monomials, whose logarithm is concave; so it lies below its tangent.
        The sum of the exponentials of tangents is convex, hence largest at a corner.
        """
        number = len(self.above)
        if not number or number == len(self._places):
            return -math.inf if not number else math.inf
        together = float(_sums(self._tangents(region, center, slice(0, number))).max())
        if together <= -self.margin or number > _FEW:
            return together
        alone = [
            self._tangents(region, self._summit(place, region), slice(place, place + 1)) for place in range(number)
        ]
        return min(together, _sum(np.array([float(one.max()) for one in alone])))

    def _tangents(self, region: _Region, center: Sequence[Sequence[float] | _Floats], which: slice) -> _Floats:
        """Return the logarithms of tangents of some summands, touching at a center, at all corners of a region."""
        number = len(self.above)
        total = self._at(center)
        below = _sum(total[number:])
        weights = np.exp(total[number:] - below)
        corners = (total[which] - below)[None, :]
        for logs, least, most, own, left in zip(
            self._logs, region.least, region.most, center, region.free, strict=True
        ):
            slopes = logs[:, which] - (logs[:, number:] @ weights)[:, None]
            fixed = (np.array(least, np.float64) - np.array(own)) @ slopes
            allowed = [place for place in range(len(least)) if least[place] < most[place]] if left else []
            ends = fixed + left * slopes[allowed] if allowed else fixed[None, :]
            corners = (corners[:, None, :] + ends[None, :, :]).reshape(-1, corners.shape[1])
            if len(corners) > _MOST_CORNERS:
                raise TooLarge("too many corners of a region.", value=len(corners))
        return corners

    def _summit(self, place: int, region: _Region) -> list[_Floats]:
        """Return a point, of real numbers, near the one where one summand is largest."""
        chosen = [np.array(own, np.float64) for own in region.corner()]
        number = len(self.above)
        total = self._at(chosen)
        best = float(total[place]) - _sum(total[number:])
        for _ in range(_STEPS):
            found = None
            for kind, logs in enumerate(self._logs):
                give = chosen[kind] - np.array(region.least[kind])
                take = np.array(region.most[kind]) - chosen[kind]
                rows, columns = np.nonzero((give[:, None] > 0) & (take[None, :] > 0))
                for share in (1.0, 0.3, 0.1, 0.01, 0.001):
                    many = np.minimum(give[rows], take[columns]) * share
                    sums = total + many[:, None] * (logs[columns] - logs[rows])
                    values = sums[:, place] - _sums(sums[:, number:])
                    if len(values) and values.max() > best:
                        at = int(np.argmax(values))
                        best, found = float(values[at]), (kind, int(rows[at]), int(columns[at]), float(many[at]))
            if found is None:
                break
            kind, row, column, step = found
            chosen[kind][row] -= step
            chosen[kind][column] += step
            total = self._at(chosen)
        return chosen


def _finite(logs: _Floats) -> _Floats:
    """Return logarithms with a number far below all others in place of minus infinity."""
    some = np.isfinite(logs)
    return np.where(some, logs, logs[some].min(initial=0.0) - _BELOW)


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _sum(logs: _Floats) -> float:
    """Return the logarithm of the sum of exponentials."""
    if not len(logs):
        return -math.inf
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).sum())) if math.isfinite(most) else most


def _sums(logs: _Floats) -> _Floats:
    if not logs.shape[1]:
        return np.full(len(logs), -np.inf)
    most = logs.max(1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).sum(1)))
