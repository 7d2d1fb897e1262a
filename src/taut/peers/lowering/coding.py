"""How the values of a program are written as Booleans and integers: themselves where possible, else as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from taut.ir.operations import typed
from taut.ir.values import Interval
from taut.peers.lowering.expressions import Node

__all__ = ["MOST_VALUES", "Coded", "Coding", "Possible", "coding_of", "distinct", "listed", "union"]

MOST_VALUES = 4096
"""Sets of values are kept up to this size; beyond, integers are known by their bounds."""
_WIDEST = 1 << 30

Possible = tuple[Any, ...] | Interval
"""What a term can be, True told from 1: all its values, or bounds of integers."""


@dataclass(frozen=True)
class Coding:
    """``bool``: false and true stand for two values. ``int``: integers are themselves. ``code``: places in a list."""

    kind: str
    values: tuple[Any, ...] = ()

    def code(self, value: Any) -> int | bool:
        """What a value is written as."""
        if self.kind == "int":
            return int(value)
        wanted = typed(value)
        position = next(position for position, known in enumerate(self.values) if typed(known) == wanted)
        return bool(position) if self.kind == "bool" else position

    def value(self, code: int | bool) -> Any:
        """What a number or truth value stands for."""
        return code if self.kind == "int" else self.values[code]

    def same(self, other: Coding) -> bool:
        """Whether both write all values alike, True told from 1."""
        return self.kind == other.kind and typed(self.values) == typed(other.values)

    @property
    def plain(self) -> bool:
        """Whether values are written as themselves, so that nothing has to be explained."""
        return self.kind == "int" or (self.kind == "bool" and self.values == (0, 1))

    @property
    def truth(self) -> bool:
        """Whether true is written as true, and false or 0 as false."""
        return self.kind == "bool" and self.plain


@dataclass(frozen=True)
class Coded:
    """An expression together with what its values stand for."""

    node: Node
    coding: Coding
    values: Possible

    @property
    def integral(self) -> bool:
        """Whether all values are integers or Booleans."""
        return isinstance(self.values, Interval) or all(isinstance(value, int) for value in self.values)


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """The values without repetition, True told from 1."""
    return tuple({typed(value): value for value in values}.values())


def listed(values: Possible) -> tuple[Any, ...]:
    """All values, one by one."""
    return tuple(values) if isinstance(values, Interval) else values


def union(parts: Sequence[Possible]) -> Possible:
    """What a value taken from one of the parts can be."""
    if any(isinstance(part, Interval) for part in parts) and all(_only_integers(part) for part in parts):
        bounds = [end for part in parts for end in _ends(part)]
        return Interval(min(bounds), max(bounds))
    return distinct(value for part in parts for value in listed(part))


def _only_integers(part: Possible) -> bool:
    return isinstance(part, Interval) or all(type(value) is int for value in part)


def _ends(part: Possible) -> tuple[int, int]:
    return (part.low, part.high) if isinstance(part, Interval) else (min(part), max(part))


def coding_of(values: Possible) -> Coding:
    """The most natural coding for a set of values."""
    if isinstance(values, Interval):
        return Coding("int")
    if values and all(isinstance(value, bool) for value in values):
        return Coding("bool", (False, True))
    if values and all(type(value) is int for value in values):
        if set(values) <= {0, 1}:
            return Coding("bool", (0, 1))
        if max(abs(value) for value in values) <= _WIDEST:
            return Coding("int")
    return Coding("bool" if len(values) == 2 else "code", _sorted(values))


def _sorted(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """In their order if they have one, so that the same program is always written in the same way."""
    try:
        return tuple(sorted(values))
    except TypeError:
        return values
