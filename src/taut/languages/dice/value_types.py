"""The types of Dice, hash-consed, so that ``is`` compares them at any depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["MOST_BITS", "MOST_SLOTS", "WORD", "BoolType", "IntType", "ListType", "PairType", "Type", "Types", "spine"]

T = TypeVar("T")
WORD = 8
"""Integers of up to this many bits are one term with numeric values; wider ones are one term per bit."""
MOST_BITS = 1024
MOST_SLOTS = 20_000
_SHOWN = 80


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Type:
    """A type; ``slots`` is the number of terms for a value, capped at one above the limit.

    ``depth`` is how deep its values are nested in Python, where right-nested pairs are one tuple.
    """

    slots: int
    depth: int

    def __str__(self) -> str:
        """Return the type in Dice's syntax, shortened if it is long."""
        text = ""
        pending: list[Any] = [self]
        while pending:
            part = pending.pop()
            if isinstance(part, str):
                text += part
            elif isinstance(part, PairType):
                pending += [")", part.right, ", ", part.left, "("]
            elif isinstance(part, ListType):
                pending += [")", part.item, "list("]
            else:
                text += f"int({part.width})" if isinstance(part, IntType) else "bool"
            if len(text) > _SHOWN:
                return text[:_SHOWN] + "..."
        return text


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class BoolType(Type):
    pass


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class IntType(Type):
    width: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class PairType(Type):
    left: Type
    right: Type


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ListType(Type):
    """A list type: a length, and room for ``bound`` items."""

    item: Type
    bound: int


class Types:
    """The table of types of one program; lists hold up to ``list_bound`` items."""

    def __init__(self, list_bound: int) -> None:
        self.list_bound = list_bound
        self._table: dict[Any, Any] = {}
        self.bool = BoolType(1, 0)
        self.length = self.integer(list_bound.bit_length())

    def integer(self, width: int) -> IntType:
        return self._made(("int", width), lambda: IntType(1 if width <= WORD else _few(width), 0, width))

    def pair(self, left: Type, right: Type) -> PairType:
        depth = max(left.depth + 1, right.depth + (not isinstance(right, PairType)))
        return self._made((left, right), lambda: PairType(_few(left.slots + right.slots), depth, left, right))

    def list(self, item: Type) -> ListType:
        slots = _few(1 + self.list_bound * item.slots)
        return self._made((item,), lambda: ListType(slots, item.depth + 1, item, self.list_bound))

    def _made(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        found: T | None = self._table.get(key)
        if found is None:
            found = self._table[key] = make()
        return found


def spine(type_: Type) -> Iterator[Type]:
    """Yield the components of right-nested pairs: (a, (b, c)) has the components a, b and c; another type is its
    own.
    """
    while isinstance(type_, PairType):
        yield type_.left
        type_ = type_.right
    yield type_


def _few(slots: int) -> int:
    return min(slots, MOST_SLOTS + 1)
