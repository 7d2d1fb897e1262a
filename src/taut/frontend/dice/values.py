"""Values of Dice in Python, where right-nested pairs are one tuple and a list is a tuple; and as Dice prints them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from taut.frontend.dice.types import IntType, ListType, PairType, Type, spine

__all__ = ["count_rows", "order_key", "rows", "text_of"]


def text_of(type_: Type, value: Any) -> str:
    """The value as Dice prints it.

    >>> from taut.frontend.dice.types import Types
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


def order_key(type_: Type, value: Any) -> Any:
    """A key that sorts values as Dice lists them: true first, pairs from the left, lists by length."""
    if isinstance(type_, PairType):
        return tuple([order_key(part, item) for part, item in zip(spine(type_), value, strict=True)])
    if isinstance(type_, ListType):
        return (len(value), tuple([order_key(type_.item, item) for item in value]))
    return value if isinstance(type_, IntType) else not value


def count_rows(type_: Type) -> int:
    """How many values a type has."""
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
    """All values of a type in Dice's order."""
    if isinstance(type_, PairType):
        yield from itertools.product(*[rows(part) for part in spine(type_)])
    elif isinstance(type_, ListType):
        for length in range(type_.bound + 1):
            yield from itertools.product(rows(type_.item), repeat=length)
    elif isinstance(type_, IntType):
        yield from range(1 << type_.width)
    else:
        yield from (True, False)
