"""How long the parts of a computation take."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["Clock"]

T = TypeVar("T")


class Clock:
    """Seconds since it was made, and those spent waiting for the items of an iterable."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.waited = 0.0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def timed(self, items: Iterable[T]) -> Iterator[T]:
        """The same items; the time that making them takes is counted in ``waited``."""
        source = iter(items)
        while True:
            start = time.perf_counter()
            try:
                item = next(source)
            except StopIteration:
                self.waited += time.perf_counter() - start
                return
            self.waited += time.perf_counter() - start
            yield item

    def stats(self) -> dict[str, float]:
        """Inference is what was waited for, synthesis the rest."""
        return {
            "inference_seconds": round(self.waited, 6),
            "synthesis_seconds": round(self.seconds - self.waited, 6),
        }
