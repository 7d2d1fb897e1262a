"""Walks over syntax trees of any depth: a visit is a generator that yields the visits it waits for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from typing import Any

from taut.errors import TooLarge
from taut.limits import checkpoint

__all__ = ["Visit", "walk"]

Visit = Generator[Any, Any, Any]
_DEEPEST = 250_000


def walk(root: Visit, count: Callable[[int], None] | None = None) -> Any:
    """What a visit returns; each visit that it yields is walked first, and its value is what the yield gives.

    ``count`` is told of every visit.
    """
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
        stack.append(needed)
        value = None
        if count is not None:
            count(1)
        if len(stack) > _DEEPEST:
            raise TooLarge(f"the program is nested more than {_DEEPEST} deep.", value=_DEEPEST)
    return value
