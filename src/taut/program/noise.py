"""Noise around a centre: weights that know which noise they are of, so that only differences of centres matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

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


class Shifted(tuple[Any, ...]):
    """The weights of noise around ``center``, clamped to ``low``..``high``: a tuple that knows this."""

    noise: Noise
    center: int
    low: int
    high: int

    @classmethod
    def of(cls, weights: Iterable[Any], noise: Noise, center: int, low: int, high: int) -> Self:
        made = cls(weights)
        made.noise, made.center, made.low, made.high = noise, center, low, high
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)  # elsewhere the weights alone are needed
