"""Results of earlier work on one mechanism that later questions about it share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

__all__ = ["Known"]

T = TypeVar("T")
_MOST = 16
"""Results that are kept: there are few relations and sizes of room that are asked for again."""


class Known:
    """Results by their keys, the oldest forgotten first.

    A result is a function of its key and of the mechanism, so an answer does not depend on what was asked before; work
    that a limit ended raises an error, or is not ``lasting``, and leaves nothing behind.
    """

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._results)

    def once(self, key: Hashable, make: Callable[[], T], lasting: Callable[[T], bool] = lambda _: True) -> T:
        """Return the result of ``make``, called unless a result of this key is known."""
        if key in self._results:
            return cast(T, self._results[key])
        made = make()
        if lasting(made):
            self._results[key] = made
            if len(self._results) > _MOST:
                del self._results[next(iter(self._results))]
        return made
