"""The types of Dice, hash-consed, so that ``is`` compares them at any depth; their values in Python and their text."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = [
    "MOST_BITS",
    "MOST_SLOTS",
    "WORD",
    "BoolType",
    "IntType",
    "ListType",
    "PairType",
    "Type",
    "Types",
    "count_rows",
    "order_key",
    "rows",
    "spine",
    "text_of",
    "value_of",
]

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
    """Yield the components of right-nested pairs: a, b and c of (a, (b, c)); another type is its own component."""
    while isinstance(type_, PairType):
        yield type_.left
        type_ = type_.right
    yield type_


def _few(slots: int) -> int:
    return min(slots, MOST_SLOTS + 1)


def text_of(type_: Type, value: Any) -> str:
    """Format a value as Dice prints it.

    >>> from taut.languages.dice.values import Types
    >>> types = Types(10)
    >>> text_of(types.pair(types.bool, types.pair(types.integer(2), types.list(types.bool))), (True, 3, (False,)))
    '(true, (3, [false]))'
    """
    if isinstance(type_, PairType):
        parts = [text_of(part, item) for part, item in zip(spine(type_), value, strict=True)]
        return f"({', ('.join(parts[:-1])}, {parts[-1]}{')' * (len(parts) - 1)}"
    if isinstance(type_, ListType):
        return f"[{', '.join(text_of(type_.item, item) for item in value)}]"
    return str(value) if isinstance(type_, IntType) else str(bool(value)).lower()


def value_of(type_: Type, slots: Sequence[Any]) -> Any:
    """Return the value with these slot values."""
    if isinstance(type_, PairType):
        parts, start = [], 0
        for part in spine(type_):
            parts.append(value_of(part, slots[start : start + part.slots]))
            start += part.slots
        return tuple(parts)
    if isinstance(type_, ListType):
        step = type_.item.slots
        return tuple([value_of(type_.item, slots[1 + n * step : 1 + (n + 1) * step]) for n in range(slots[0])])
    if isinstance(type_, IntType) and type_.slots > 1:
        return sum(1 << place for place, bit in enumerate(reversed(slots)) if bit)
    return slots[0]


def order_key(type_: Type, value: Any) -> Any:
    """Return a key that sorts values as Dice does: true first, pairs from the left, lists by length."""
    if isinstance(type_, PairType):
        return tuple([order_key(part, item) for part, item in zip(spine(type_), value, strict=True)])
    if isinstance(type_, ListType):
        return (len(value), tuple([order_key(type_.item, item) for item in value]))
    return value if isinstance(type_, IntType) else not value


def count_rows(type_: Type) -> int:
    """Return the number of values of a type."""
    if isinstance(type_, PairType):
        total = 1
        for part in spine(type_):
            total *= count_rows(part)
        return total
    if isinstance(type_, ListType):
        items = count_rows(type_.item)
        return sum(items**length for length in range(type_.bound + 1))
    return 1 << type_.width if isinstance(type_, IntType) else 2


def rows(type_: Type) -> Iterator[Any]:
    """Yield all values of a type in Dice's order."""
    if isinstance(type_, PairType):
        yield from itertools.product(*[rows(part) for part in spine(type_)])
    elif isinstance(type_, ListType):
        for length in range(type_.bound + 1):
            yield from itertools.product(rows(type_.item), repeat=length)
    elif isinstance(type_, IntType):
        yield from range(1 << type_.width)
    else:
        yield from (True, False)
