"""Coding of a program's values as Booleans and integers: unchanged if possible, else by numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from taut.peers.lowering.expressions import Node
from taut.program.operations import typed
from taut.program.values import IntegerRange

__all__ = ["MOST_VALUES", "Coded", "Coding", "Possible", "coding_of", "distinct", "listed", "union"]

MOST_VALUES = 4096
"""Size up to which a set of values is kept; larger sets of integers are represented by their bounds."""
_WIDEST = 1 << 30

Possible = tuple[Any, ...] | IntegerRange
"""The possible values of a term (with True distinct from 1), or bounds of integers."""


@dataclass(frozen=True)
class Coding:
    """A coding: ``bool`` maps false and true to two values, ``int`` keeps integers, ``code`` numbers a list of
    values.
    """

    kind: str
    values: tuple[Any, ...] = ()

    def code(self, value: Any) -> int | bool:
        """Return the code of a value."""
        if self.kind == "int":
            return int(value)
        wanted = typed(value)
        position = next(position for position, known in enumerate(self.values) if typed(known) == wanted)
        return bool(position) if self.kind == "bool" else position

    def value(self, code: int | bool) -> Any:
        """Return the value of a code."""
        return code if self.kind == "int" else self.values[code]

    def same(self, other: Coding) -> bool:
        """Return True if both codings agree on all values, with True distinct from 1."""
        return self.kind == other.kind and typed(self.values) == typed(other.values)

    @property
    def plain(self) -> bool:
        """Return True if values are coded as themselves, so that no legend is needed."""
        return self.kind == "int" or (self.kind == "bool" and self.values == (0, 1))

    @property
    def truth(self) -> bool:
        """Return True if true is coded as true, and false or 0 as false."""
        return self.kind == "bool" and self.plain


@dataclass(frozen=True)
class Coded:
    """An expression with the coding of its values."""

    node: Node
    coding: Coding
    values: Possible

    @property
    def integral(self) -> bool:
        """Return True if all values are integers or Booleans."""
        return isinstance(self.values, IntegerRange) or all(isinstance(value, int) for value in self.values)


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values without repetition, with True distinct from 1."""
    return tuple({typed(value): value for value in values}.values())


def listed(values: Possible) -> tuple[Any, ...]:
    """All values, one by one."""
    return tuple(values) if isinstance(values, IntegerRange) else values


def union(parts: Sequence[Possible]) -> Possible:
    """Return the possible values of a choice among the parts."""
    if any(isinstance(part, IntegerRange) for part in parts) and all(_only_integers(part) for part in parts):
        bounds = [end for part in parts for end in _ends(part)]
        return IntegerRange(min(bounds), max(bounds))
    return distinct(value for part in parts for value in listed(part))


def _only_integers(part: Possible) -> bool:
    return isinstance(part, IntegerRange) or all(type(value) is int for value in part)


def _ends(part: Possible) -> tuple[int, int]:
    return (part.low, part.high) if isinstance(part, IntegerRange) else (min(part), max(part))


def coding_of(values: Possible) -> Coding:
    """The most natural coding for a set of values."""
    if isinstance(values, IntegerRange):
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
    """Sort the values if they are comparable, so that a program is always written in the same way."""
    try:
        return tuple(sorted(values))
    except TypeError:
        return values
