"""The largest ratio of two sums of products, by branch and bound over the values of the unchanged entries.

A ratio is sum(a w) / sum(b w) over the values of the hub, where w is a product of vectors, one chosen for each
statistic that does not change. Docs: decompose.md, "Hubs", Theorems 14 to 16.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.support.errors import TooLarge
from taut.support.exact import INFINITY
from taut.support.limits import checkpoint
from taut.support.process import cached_property

__all__ = ["Best", "Family", "Group", "Head", "Heads", "Maximum", "Part", "Vector"]

Vector = Sequence[int]
_Floats = npt.NDArray[np.float64]
_LOST = 1e-300
"""Margin above the error of products of floats below the smallest normal number."""
_LARGE = 1e300
_ULP = 2.0**-50
_NEAR = 1e-11
"""Margin above the rounding error of a ratio in floats."""
_MOST_ITEMS = 1 << 16
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Family:
    """The vectors that a statistic can contribute, each with its cost in entries; integers over one denominator.

    Vectors with the highest costs come first.
    """

    vectors: tuple[Vector, ...]
    costs: tuple[int, ...]
    totals: tuple[int, ...]

    @cached_property
    def scales(self) -> _Floats:
        """The approximate logarithm of the largest entry of each vector."""
        return np.array([math.log2(max(vector) or 1) for vector in self.vectors])

    @cached_property
    def floats(self) -> _Floats:
        return np.array([[value / (max(vector) or 1) for value in vector] for vector in self.vectors])

    def kept(self, up: bool) -> Family:
        """Return vectors that include the best one whatever follows, if a / b rises (or falls) along the hub."""
        found = self._best.get(up)
        if found is None:
            found = self._best[up] = self._undominated(up)
        return found

    @cached_property
    def _best(self) -> dict[bool, Family]:
        return {}

    def _undominated(self, up: bool) -> Family:
        ends = range(len(self.vectors))
        order = sorted(ends, key=lambda place: self._lean[place], reverse=up)
        kept: list[int] = []
        for place in order:
            checkpoint()
            if not any(
                self.costs[one] == self.costs[place] and _leads(self.vectors[one], self.vectors[place], up)
                for one in kept
            ):
                kept.append(place)
        kept.sort()
        vectors, costs, totals = ([row[p] for p in kept] for row in (self.vectors, self.costs, self.totals))
        return Family(tuple(vectors), tuple(costs), tuple(totals))  # type: ignore[arg-type]

    @cached_property
    def _lean(self) -> list[float]:
        """Return the mean place of each vector along the hub, which gives the order of trials."""
        weights = self.floats / np.maximum(self.floats.sum(1, keepdims=True), _LOST)
        return [float(mean) for mean in weights @ np.arange(weights.shape[1])]

    @cached_property
    def growth(self) -> tuple[_Floats, _Floats]:
        """For each suffix of the vectors the least and the largest ratio of neighbouring entries.

        A ratio counts where the first entry is positive; it is 0 where a vector ends.
        """
        width = len(self.vectors[0]) - 1
        least, most = np.full((len(self.vectors) + 1, width), np.inf), np.zeros((len(self.vectors) + 1, width))
        for number, vector in enumerate(self.vectors):
            for place, (low, high) in enumerate(itertools.pairwise(vector)):
                if low:
                    least[number, place] = high / low
                    most[number, place] = least[number, place]
        least = np.minimum.accumulate(least[::-1], 0)[::-1]
        most = np.maximum.accumulate(most[::-1], 0)[::-1]
        return np.where(np.isinf(least), 0.0, least), most

    @cached_property
    def begins(self) -> npt.NDArray[np.bool_]:
        """The places at which some vector begins to be positive."""
        positive = np.array([[value > 0 for value in vector] for vector in self.vectors])
        before = np.concatenate([np.zeros((len(positive), 1), np.bool_), positive[:, :-1]], 1)
        return np.asarray((positive & ~before).any(0))


def _leads(one: Vector, other: Vector, up: bool) -> bool:
    """Return True if one / other rises (or falls) from place to place, and is positive where the other is."""
    return all(a or not b for a, b in zip(one, other, strict=True)) and _rises(one, other, up)


def _rises(one: Vector, other: Vector, up: bool) -> bool:
    """Return True if one / other rises (or falls) from place to place, where one of them is positive."""
    last: tuple[int, int] | None = None
    for a, b in zip(one, other, strict=True):
        if not a and not b:
            continue
        if last is not None:
            cross = a * last[1] - last[0] * b
            if (cross < 0) if up else (cross > 0):
                return False
        last = (a, b)
    return True


@dataclass(frozen=True, eq=False)
class Group:
    """Statistics that are alike: the family of one, how many there are, and whether they spend entries."""

    family: Family
    count: int
    spends: bool
    places: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """A statistic that changes: its vectors on both sides, also as floats up to one scale.

    ``limit`` is the largest ratio of their entries.
    """

    own: Vector
    other: Vector
    own_floats: _Floats
    other_floats: _Floats
    scale: float
    """The approximate logarithm by which the floats were scaled."""
    limit: Any


@dataclass(frozen=True, eq=False)
class Head:
    """A change: the statistics that change, and the number of entries that are left for the others."""

    parts: tuple[Part, ...]
    budget: int
    change: Any

    @cached_property
    def limit(self) -> Any:
        """Return an upper bound of the ratios of this change: the ratio with the hub revealed."""
        return (
            INFINITY if any(part.limit == INFINITY for part in self.parts) else math.prod(p.limit for p in self.parts)
        )

    def side(self, own: bool, constant: Vector) -> Vector:
        """Return the product of the vectors of one side."""
        product = constant
        for part in self.parts:
            product = [a * b for a, b in zip(product, part.own if own else part.other, strict=True)]
        return product


@dataclass(frozen=True, eq=False)
class Heads:
    """Changes with the same other statistics; ``spare`` tells that not all entries need be spent.

    ``constant`` is a factor of both sides.
    """

    heads: Sequence[Head]
    groups: Sequence[Group]
    spare: bool
    constant: Vector
    scale: float
    """The approximate logarithm of the denominator of all products."""
    output: Any


@dataclass(frozen=True, eq=False)
class Best:
    """The largest ratio that was found, and where."""

    value: Any
    heads: Heads
    head: Head
    chosen: tuple[tuple[tuple[int, int], ...], ...]
    """For each group, the entries spent on each of its statistics and their total."""


@dataclass(eq=False)
class _Items:
    """Partial choices, in rows: vectors of both sides, up to one scale; the head, the entries left, the choices."""

    own: _Floats
    other: _Floats
    head: npt.NDArray[np.int64]
    budget: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    chosen: npt.NDArray[np.int16]
    lost: _Floats
    """Amount by which entries may be larger, since floats lose what is below the smallest of them."""
    scale: _Floats
    """The approximate logarithm by which both vectors were scaled."""

    def __len__(self) -> int:
        return len(self.head)

    def at(self, which: Any) -> _Items:
        return _Items(*[getattr(self, one.name)[which] for one in fields(self)])


class Maximum:
    """The largest ratio of all heads that were added."""

    def __init__(self, met: Callable[[Best], None] = lambda best: None) -> None:
        self.best: Best | None = None
        self._met = met
        self._low = 0.0
        self.items = 0

    def search(self, all_heads: Sequence[Heads]) -> None:
        """Search some heads, the most promising first.

        Raises:
            TooLarge: too many choices are left.
        """
        batches = [_Batch(heads) for heads in all_heads if heads.heads]
        for batch in batches:
            self._leaves(batch, batch.guessed())
        for batch in batches:
            for part in self._directed(batch, self._kept(batch, batch.start(), 0)):
                items = self._kept(part, part.start(), 0)
                for depth in range(len(part.steps)):
                    items = self._grown(part, items, depth)
                self._leaves(part, items)

    def telling(self, all_heads: Sequence[Heads], ratios: Sequence[float], most: int) -> list[Best]:
        """Return the most promising changes, by the mass of an output above multiples of that on the other side."""
        found: list[tuple[float, int, _Batch, int, list[int]]] = []
        for heads in all_heads:
            checkpoint()
            batch = _Batch(heads)
            items = batch.guessed()
            if not len(items):
                continue
            mass, mass_prime = (side.sum(1) * np.exp2(items.scale) for side in (items.own, items.other))
            for number, ratio in enumerate(ratios):
                gain = np.maximum(mass - ratio * mass_prime, (1 - mass) - ratio * (1 - mass_prime))
                for place in np.argsort(-gain)[:most].tolist():
                    found.append((-gain[place], number, batch, int(items.head[place]), items.chosen[place].tolist()))
        kept: list[Best] = []
        for number in range(len(ratios)):
            own = sorted([one for one in found if one[1] == number], key=lambda one: one[0])[:most]
            kept += [Best(None, b.heads, b.heads.heads[head], b.told(chosen)) for _, _, b, head, chosen in own]
        return kept

    def _directed(self, batch: _Batch, items: _Items) -> Iterator[_Batch]:
        """Yield heads whose ratio a / b rises, those where it falls, and others; with the best vectors for each."""
        parts: dict[bool | None, list[Head]] = {}
        heads = batch.heads
        for place in items.head.tolist():
            checkpoint()
            head = heads.heads[place]
            sides = [head.side(own, heads.constant) for own in (True, False)]
            if any(sides[0]) and not self._settled(head):
                up = next((up for up in (True, False) if _rises(sides[0], sides[1], up)), None)
                parts.setdefault(up, []).append(head)
        for up, own in parts.items():
            groups = [g if up is None else replace(g, family=g.family.kept(up)) for g in heads.groups]
            yield _Batch(replace(heads, heads=own, groups=groups))

    def _settled(self, head: Head) -> bool:
        """Return True if a head cannot exceed the best ratio so far."""
        return self.best is not None and head.limit <= self.best.value

    def _grown(self, batch: _Batch, items: _Items, depth: int) -> _Items:
        group = batch.heads.groups[batch.steps[depth]]
        width = max(1, _CHUNK // max(1, len(group.family.vectors) * batch.width))
        found: list[_Items] = []
        for start in range(0, len(items), width):
            checkpoint()
            part = batch.grown(items.at(slice(start, start + width)), depth)
            found.append(self._kept(batch, part, depth + 1))
            self.items += len(part)
            if sum(map(len, found)) > _MOST_ITEMS:
                raise TooLarge("too many choices are left.", value=len(found))
        return _joined(found) if found else items

    def _kept(self, batch: _Batch, items: _Items, depth: int) -> _Items:
        """Return the items that may exceed the best ratio so far."""
        if self.best is None or not len(items):
            return items
        if self._low == INFINITY:
            return items.at(slice(0, 0))
        items = items.at(np.array([not self._settled(batch.heads.heads[one]) for one in items.head.tolist()], np.bool_))
        return items.at(batch.may_exceed(items, depth, self._low))

    def _leaves(self, batch: _Batch, items: _Items) -> None:
        """Compare complete choices, exactly where floats do not tell."""
        with np.errstate(all="ignore"):
            about = items.own.sum(1) / items.other.sum(1)
        about = np.where(np.isnan(about), -1.0, about)
        for place in np.argsort(-about).tolist():
            if about[place] < self._low * (1 - _NEAR):
                break
            if self._settled(batch.heads.heads[int(items.head[place])]):
                continue
            checkpoint()
            value = batch.value(int(items.head[place]), items.chosen[place].tolist())
            if value is not None and (self.best is None or value > self.best.value):
                head = batch.heads.heads[int(items.head[place])]
                self.best = Best(value, batch.heads, head, batch.told(items.chosen[place].tolist()))
                self._low = INFINITY if value == INFINITY else float(value) * (1 - 2.0**-50)
                self._met(self.best)


def _joined(parts: Sequence[_Items]) -> _Items:
    return _Items(*[np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(_Items)])


class _Batch:
    """Heads with the same other statistics, in floats."""

    def __init__(self, heads: Heads) -> None:
        self.heads = heads
        groups = self.heads.groups
        self.steps = [number for number, group in enumerate(groups) for _ in range(group.count)]
        self.width = len(heads.constant)
        self.begins = np.zeros(self.width, np.bool_)
        self.begins[0] = True
        for group in groups:
            self.begins |= group.family.begins
        self._products: dict[tuple[int, ...], Vector] = {}
        self._slack = (len(self.steps) + 8) * 64 * _ULP

    def start(self) -> _Items:
        heads = self.heads.heads
        most = max(self.heads.constant) or 1
        constant = np.array([value / most for value in self.heads.constant])
        own, other = np.tile(constant, (len(heads), 1)), np.tile(constant, (len(heads), 1))
        for number in range(max(len(head.parts) for head in heads)):
            own *= np.array([head.parts[number].own_floats for head in heads])
            other *= np.array([head.parts[number].other_floats for head in heads])
        number = len(heads)
        items = _Items(
            own,
            other,
            np.arange(number),
            np.array([head.budget for head in heads]),
            np.zeros(number, np.int64),
            np.zeros((number, len(self.steps)), np.int16),
            np.full(number, _LOST),
            np.array([sum(part.scale for part in head.parts) for head in heads]) + math.log2(most) - self.heads.scale,
        )
        _scale(items)
        return items.at(self._payable(items, 0))

    def guessed(self) -> _Items:
        """Return complete choices as first guesses: for every head all other statistics at one of a few vectors."""
        found = []
        for share in ("even", "first", "last"):
            items = self.start()
            for depth, number in enumerate(self.steps):
                group = self.heads.groups[number]
                if group.spends:
                    left = sum(self.heads.groups[one].spends for one in self.steps[depth:])
                    aim = (
                        -(-items.budget // left) if share == "even" or left == 1 else items.budget * (share == "first")
                    )
                    costs = np.array(group.family.costs)
                    place = np.searchsorted(-costs, -np.minimum(aim, items.budget), "left")
                    items.budget = items.budget - costs[place]
                else:
                    size = len(group.family.vectors)
                    place = np.full(len(items), {"even": size // 2, "first": 0, "last": size - 1}[share])
                vectors = group.family.floats[place]
                items.own, items.other = items.own * vectors, items.other * vectors
                items.scale = items.scale + group.family.scales[place]
                items.chosen[:, depth] = place
                _scale(items)
            found.append(items.at(items.budget == 0) if not self.heads.spare else items)
        return _joined(found)

    def grown(self, items: _Items, depth: int) -> _Items:
        """Return the items with one more vector each."""
        group = self.heads.groups[self.steps[depth]]
        size = len(group.family.vectors)
        first = np.zeros(len(items), np.int64)
        if depth and self.steps[depth - 1] == self.steps[depth]:
            first = items.last
        allowed = np.arange(size)[None, :] >= first[:, None]
        if group.spends:
            allowed &= np.array(group.family.costs)[None, :] <= items.budget[:, None]
        rows, choice = np.nonzero(allowed)
        vectors = group.family.floats[choice]
        part = items.at(rows)
        part.own, part.other, part.last = part.own * vectors, part.other * vectors, choice
        part.chosen[:, depth] = choice
        if group.spends:
            part.budget = part.budget - np.array(group.family.costs)[choice]
            part = part.at(self._payable(part, depth + 1))
        _scale(part)
        return part

    def _payable(self, items: _Items, depth: int) -> npt.NDArray[np.bool_]:
        """Return the items whose remaining entries the following groups can spend, or leave over."""
        if self.heads.spare:
            return np.ones(len(items), np.bool_)
        most = np.zeros(len(items), np.int64)
        for number in range(len(self.heads.groups)):
            group, count = self._left(number, depth)
            if group.spends and count:
                start = self._suffix(number, items, depth)
                costs = np.array([*group.family.costs, 0])
                most += costs[start] * count
        return np.asarray(most >= items.budget)

    def _left(self, number: int, depth: int) -> tuple[Group, int]:
        return self.heads.groups[number], sum(one == number for one in self.steps[depth:])

    def _suffix(self, number: int, items: _Items, depth: int) -> npt.NDArray[np.int64]:
        """Return the first vector of a group that each item may still take."""
        group = self.heads.groups[number]
        start = np.zeros(len(items), np.int64)
        if depth and self.steps[depth - 1] == number:
            start = items.last
        if group.spends:
            start = np.maximum(start, np.searchsorted(-np.array(group.family.costs), -items.budget, "left"))
        return start

    def may_exceed(self, items: _Items, depth: int, limit: float) -> npt.NDArray[np.bool_]:
        """Return the items that may lead to a larger ratio than a limit; all others certainly do not.

        Whatever follows is a vector whose neighbouring entries have ratios between two numbers. The largest
        sum((a - limit b) g) over all such g is computed from the last place on, rounded up in every step.
        """
        least, most = np.ones((len(items), self.width - 1)), np.ones((len(items), self.width - 1))
        for number in range(len(self.heads.groups)):
            group, count = self._left(number, depth)
            if count:
                start = self._suffix(number, items, depth)
                low, high = group.family.growth
                least *= low[start] ** count
                most *= high[start] ** count
        least, most = least * (1 - self._slack), most * (1 + self._slack)
        least, lost = np.minimum(least, _LARGE), items.lost[:, None]
        up = items.own * (1 + self._slack) + lost
        down = limit * np.maximum(items.other * (1 - self._slack) - lost, 0)
        gain = up - down + 8 * _ULP * (up + down)
        worth = gain[:, -1]
        exceeding = (worth > 0) & self.begins[-1]
        with np.errstate(all="ignore"):
            for place in range(self.width - 2, -1, -1):
                after = np.where(worth > 0, most[:, place] * worth, least[:, place] * worth)
                worth = gain[:, place] + after + 8 * _ULP * (np.abs(gain[:, place]) + np.abs(after))
                worth = np.where(np.isnan(worth), np.inf, worth)
                if self.begins[place]:
                    exceeding |= worth > 0
        return np.asarray(exceeding)

    def value(self, head: int, chosen: Sequence[int]) -> Any:
        """Return the ratio of a complete choice; None if the output is impossible on both sides."""
        key = tuple(chosen)
        if key not in self._products:
            self._products = {key: self._product(key)} if len(self._products) > 512 else self._products
            self._products.setdefault(key, self._product(key))
        weights, own = self._products[key], self.heads.heads[head]
        above, below = (
            sum([a * w for a, w in zip(own.side(one, self.heads.constant), weights, strict=True)])
            for one in (True, False)
        )
        if not above:
            return None
        return Fraction(above, below) if below else INFINITY

    def _product(self, chosen: Sequence[int]) -> Vector:
        product = [1] * self.width
        for number, place in zip(self.steps, chosen, strict=True):
            vector = self.heads.groups[number].family.vectors[place]
            product = [p * v for p, v in zip(product, vector, strict=True)]
        return product

    def told(self, chosen: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Return the choices by groups, as costs and totals of the statistics."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.heads.groups]
        for number, place in zip(self.steps, chosen, strict=True):
            family = self.heads.groups[number].family
            found[number].append((family.costs[place], family.totals[place]))
        return tuple(map(tuple, found))


def _scale(items: _Items) -> None:
    """Divide both vectors of each item by their largest entry."""
    if len(items):
        most = np.maximum(items.own.max(1), items.other.max(1))[:, None]
        most[most < _LOST] = _LOST
        items.own, items.other = items.own / most, items.other / most
        items.lost, items.scale = (items.lost + _LOST) / most[:, 0], items.scale + np.log2(most[:, 0])
