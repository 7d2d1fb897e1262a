"""Dice values in Python (right-nested pairs and lists are tuples), and their text in Dice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from taut.languages.dice.value_types import IntType, ListType, PairType, Type, spine

__all__ = ["count_rows", "order_key", "rows", "text_of", "value_of"]


def text_of(type_: Type, value: Any) -> str:
    """Format a value as Dice prints it.

    >>> from taut.languages.dice.value_types import Types
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
