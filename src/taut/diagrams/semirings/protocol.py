"""Protocols for numbers: folds add and multiply them, the search also divides vectors by a scale."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["ProjectiveSemiring", "Row", "Semiring"]

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


class ProjectiveSemiring(Semiring[T], Protocol[T]):
    """A semiring with keys of vectors up to a factor, by which the search merges beliefs.

    In vectors, 0 is the integer, whatever the other entries are.
    """

    unit: Any
    """One, as a number that can be divided: ratios of scales start with it."""

    def plain(self, vector: list[Any]) -> list[Any]:
        """A vector in which every 0 is the integer."""
        ...

    def primitive(self, vector: list[Any]) -> tuple[list[Any], Any]:
        """A vector that is not 0 without its scale, and that scale."""
        ...

    def key(self, vector: list[Any]) -> Hashable:
        """Return a hashable key; vectors that count as equal have the same one."""
        ...

    def joined(self, vector: list[Any], other: list[Any]) -> list[Any]:
        """One vector for two with the same key."""
        ...

    def spread(self, vector: list[Any]) -> Any:
        """A factor that encloses the ratios of masses of vectors with the same key."""
        ...

    def larger(self, a: Any, b: Any) -> Any:
        """The maximum of two ratios of scales."""
        ...

    def smaller(self, a: Any, b: Any) -> Any:
        """The minimum of two ratios of scales."""
        ...
