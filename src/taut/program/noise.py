"""Unbounded noise: its weights around a centre, and what lies beyond a window of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

__all__ = ["AtLeast", "AtMost", "Ends", "Noise", "Shifted", "Tail"]


@dataclass(frozen=True)
class Noise:
    """Symmetric noise Z on the integers, the same around every centre.

    ``row`` has the outcomes and weights of centre + Z clamped to an interval, all mass beyond an end on that end.
    """

    key: Any
    """Equal for equal noise."""
    row: Callable[[int, int, int], tuple[Sequence[Any], Sequence[Any]]]
    ratio: Any = None
    """r, if P(Z = z) is (1 - r) / (1 + r) times r^|z|; else None."""
    variance: Any = None
    """s, if P(Z = z) is proportional to exp(-z^2 / (2 s)); else None."""


class Shifted(Sequence[Any]):
    """The weights of noise around ``center``, clamped to ``low``..``high``: made when first looked at.

    A solver that needs only differences of centres, as for a sum of a thousand entries, never makes them.
    """

    __slots__ = ("_made", "_make", "center", "high", "low", "noise")

    def __init__(self, make: Callable[[], tuple[Any, ...]], noise: Noise, center: int, low: int, high: int) -> None:
        self._make, self._made = make, cast(tuple[Any, ...] | None, None)
        self.noise, self.center, self.low, self.high = noise, center, low, high

    @property
    def all(self) -> tuple[Any, ...]:
        """The weights as a tuple."""
        if self._made is None:
            self._made = self._make()
        return self._made

    @property
    def kinds(self) -> frozenset[type]:
        """The types of the weights; of geometric noise, that of its ratio."""
        return frozenset([type(self.noise.ratio)]) if self.noise.ratio is not None else frozenset(map(type, self.all))

    def __len__(self) -> int:
        return self.high - self.low + 1

    def __getitem__(self, place: Any) -> Any:
        return self.all[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.all)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Shifted) and (self._place() == other._place()):
            return True
        return self.all == (other.all if isinstance(other, Shifted) else other)

    def __hash__(self) -> int:
        return hash(self.all)

    def __repr__(self) -> str:
        return repr(self.all)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.all,)  # elsewhere the weights alone are needed

    def _place(self) -> Any:
        return self.noise.key, self.center, self.low, self.high


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The output of all runs that return a number of at least ``bound``; it equals only itself."""

    bound: int

    def __repr__(self) -> str:
        return f">= {self.bound}"


@dataclass(frozen=True, slots=True)
class AtMost:
    """The output of all runs that return a number of at most ``bound``; it equals only itself."""

    bound: int

    def __repr__(self) -> str:
        return f"<= {self.bound}"


@dataclass(frozen=True)
class Tail:
    """An item of the output, given by its path, that is ``mark`` where noise of ratio r falls beyond its window.

    Given the mark the item is ``mark.bound`` plus (for AtMost minus) ``step`` times G, with P(G = k) = (1 - r) r^k.
    """

    path: tuple[int, ...]
    mark: AtLeast | AtMost
    step: int

    def excess(self, item: Any) -> Any:
        """Return the steps from the bound to a number beyond it; None for any other value."""
        if type(item) not in (int, bool):
            return None
        far = item - self.mark.bound if isinstance(self.mark, AtLeast) else self.mark.bound - item
        return None if far < 0 else Fraction(far, self.step)

    def number(self, excess: int) -> int:
        """Return the number that is ``excess`` steps beyond the bound."""
        return self.mark.bound + (excess if isinstance(self.mark, AtLeast) else -excess) * self.step


@dataclass(frozen=True)
class Ends:
    """Unbounded noise of a program: a window for its draws, and the tails of its output.

    ``groups`` has tails with one G (items that return the same noise), each group with its ratio; other groups are
    independent of it, also given all marks. So the marks are a sufficient statistic of the output.
    """

    window: tuple[int, int]
    """The two ends to which all draws can be clamped without changing the distribution of the marked output."""
    groups: tuple[tuple[Any, tuple[Tail, ...]], ...] = ()

    def marked(self, output: Any) -> Any:
        """Return the output with every number beyond a bound as its mark."""
        marks: dict[tuple[int, ...], list[Tail]] = {}
        for _, tails in self.groups:
            for tail in tails:
                marks.setdefault(tail.path, []).append(tail)
        return _marked(output, (), marks) if marks else output

    def drawn(self, outputs: Sequence[Any], source: random.Random) -> list[Any]:
        """Return outputs with a number drawn in place of each mark."""
        return [self._drawn(output, source) for output in outputs]

    def _drawn(self, output: Any, source: random.Random) -> Any:
        chosen: dict[tuple[int, ...], int] = {}
        for ratio, tails in self.groups:
            excess = None
            for tail in tails:
                if _item(output, tail.path) == tail.mark:
                    excess = _steps(ratio, source) if excess is None else excess
                    chosen[tail.path] = tail.number(excess)
        return _filled(output, (), chosen) if chosen else output

    def share(self, output: Any) -> tuple[Any, Any]:
        """Return the marked output, and the probability of the output given that."""
        chance: Any = Fraction(1)
        for ratio, tails in self.groups:
            excesses = {tail.excess(_item(output, tail.path)) for tail in tails} - {None}
            if not excesses:
                continue
            (excess, *others) = excesses
            if others or excess.denominator != 1:
                return self.marked(output), Fraction(0)
            chance = chance * (1 - ratio) * ratio ** int(excess)
        return self.marked(output), chance


def _steps(ratio: Any, source: random.Random) -> int:
    """Draw a geometric number: the heads, each with probability ``ratio``, before the first tails."""
    count = 0
    while True:
        if isinstance(ratio, Fraction):
            if source.randrange(ratio.denominator) >= ratio.numerator:
                return count
        elif source.random() >= float(ratio):
            return count
        count += 1


def _filled(output: Any, path: tuple[int, ...], chosen: Mapping[tuple[int, ...], int]) -> Any:
    if isinstance(output, tuple):
        return tuple([_filled(item, (*path, place), chosen) for place, item in enumerate(output)])
    return chosen.get(path, output)


def _item(output: Any, path: tuple[int, ...]) -> Any:
    for place in path:
        if not isinstance(output, (tuple, list)) or place >= len(output):
            return None
        output = output[place]
    return output


def _marked(output: Any, path: tuple[int, ...], marks: Mapping[tuple[int, ...], list[Tail]]) -> Any:
    if isinstance(output, (tuple, list)):
        return tuple([_marked(item, (*path, place), marks) for place, item in enumerate(output)])
    return next((tail.mark for tail in marks.get(path, ()) if tail.excess(output) is not None), output)
