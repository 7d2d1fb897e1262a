"""The best certified interval of a problem that is being solved, kept where it outlives an interruption."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from taut.questions.measure import Locate, Measure
from taut.synthesis.facts import Attained, Fact, Limit

__all__ = ["Reached"]


class Reached:
    """The worst case that a solver has met, and a number that no case is worse than.

    Solvers write it, and whoever ends them reads it. Each end is replaced as a whole, so that an exception from outside
    cannot part a value from its case.
    """

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._attained: tuple[Any, Locate] | None = None
        self._limit: Any = None

    def attain(self, value: Any, locate: Locate) -> None:
        """Record the value of a case if it is the worst so far; ``locate`` makes the case."""
        if self._attained is None or self._measure.worse(value, self._attained[0]):
            self._attained = (value, locate)

    def limit(self, value: Any) -> None:
        """Record a limit that no case exceeds, if it is the closest so far."""
        if self._limit is None or self._measure.worse(self._limit, value):
            self._limit = value

    def facts(self) -> Iterator[Fact]:
        """The two ends, as far as they are known."""
        if self._attained is not None:
            value, locate = self._attained
            yield Attained(value, locate())
        if self._limit is not None:
            yield Limit(self._limit, "the search had come so far")
