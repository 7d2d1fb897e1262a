"""The one interface that folds know: numbers that can be added and multiplied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["Row", "Semiring"]

T = TypeVar("T")


@dataclass(frozen=True)
class Row(Generic[T]):
    """The weights of one variable, all multiplied by ``scale``; ``total`` is their sum, the weight of not looking."""

    weights: tuple[T, ...]
    total: T
    scale: T


class Semiring(Protocol[T]):
    """Numbers with an addition and a multiplication.

    A fold multiplies one weight of each row along a path and adds over paths, so its result is too large by the
    product of the rows' scales; ``value`` divides that out. Exact arithmetic uses it to stay in integers.
    """

    name: str
    zero: T
    one: T

    def add(self, a: T, b: T, /) -> T: ...

    def mul(self, a: T, b: T, /) -> T: ...

    def row(self, weights: Sequence[Any]) -> Row[T]:
        """The weights of one variable, Fractions or Balls, as numbers of this semiring."""
        ...

    def value(self, mass: T, scale: T) -> Any:
        """The number ``mass / scale`` as users see it."""
        ...
