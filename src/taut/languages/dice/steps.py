"""Walks over syntax trees of any depth: a visit is a value, or a generator that yields the visits it waits for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any

from taut.support.errors import TooLarge
from taut.support.limits import checkpoint

__all__ = ["Visit", "walk"]

Visit = Generator[Any, Any, Any]
_DEEPEST = 250_000


def walk(root: Any, count: Callable[[int], None] | None = None) -> Any:
    """Run a visit to its value without recursion; each yielded visit is run first, and its value is sent back.

    A visit that waits for nothing need not be a generator: it is its value. ``count`` is told of every visit.
    """
    if type(root) is not GeneratorType:
        return root
    stack = [root]
    value: Any = None
    for rounds in itertools.count(1):
        if not rounds & 255:
            checkpoint()
        try:
            needed = stack[-1].send(value)
        except StopIteration as end:
            stack.pop()
            value = end.value
            if not stack:
                break
            continue
        if count is not None:
            count(1)
        if type(needed) is not GeneratorType:
            value = needed
            continue
        stack.append(needed)
        value = None
        if len(stack) > _DEEPEST:
            raise TooLarge(f"the program is nested more than {_DEEPEST} deep.", value=_DEEPEST)
    return value
