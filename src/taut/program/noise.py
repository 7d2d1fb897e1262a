"""Noise around a centre: weights that know which noise they are of, so that only differences of centres matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

__all__ = ["Noise", "Shifted"]


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

    Where only differences of centres matter, as in a sum of a thousand entries, nobody looks.
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
