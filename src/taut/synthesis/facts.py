"""Knowledge about a problem besides its solver's answer: certified ends, shared results, and what is reached so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from taut.questions.bound import Bound
from taut.questions.measure import Locate, Measure
from taut.questions.pair_measure import PairMeasure
from taut.support.exact import INFINITY

__all__ = ["Attained", "Fact", "Known", "Limit", "Reached", "narrowed"]


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


@dataclass(frozen=True)
class Limit:
    """A limit that no case exceeds, with its reason; the limit may be trivial."""

    value: Any
    why: str


@dataclass(frozen=True)
class Attained:
    """The value of a case, and the case."""

    value: Any
    witness: Any


Fact = Limit | Attained


def narrowed(bound: Bound, measure: Measure, facts: Iterable[Fact]) -> Bound:
    """Return the interval with every fact that makes it narrower; an exact bound stays as it is.

    Facts are in the numbers of the measure. So are bounds, except where the measure scales them, which has no extremes.
    """
    if measure.extremes is None and not isinstance(measure, PairMeasure):
        return bound
    for fact in facts:
        if bound.exact:
            break
        bound = _limited(bound, measure, fact) if isinstance(fact, Limit) else _raised(bound, measure, fact)
    return bound


def _limited(bound: Bound, measure: Measure, fact: Limit) -> Bound:
    """Return the bound with its open end at a limit if that is closer, and with the reason."""
    end = bound.upper if measure.largest else bound.lower
    if measure.worse(end, fact.value):
        side = {"upper": fact.value} if measure.largest else {"lower": fact.value}
        return replace(_told(bound, fact.why), **side)
    return _told(bound, fact.why) if end == fact.value == INFINITY else bound


def _raised(bound: Bound, measure: Measure, fact: Attained) -> Bound:
    """Return the bound with its attained end at a case, if that is worse."""
    if not measure.worse(fact.value, bound.attained) and (bound.witnessed or fact.value != bound.attained):
        return bound
    limit = bound.upper if measure.largest else bound.lower
    made = measure.bound(fact.value, limit, method=bound.method, stats=bound.stats, witness=fact.witness)
    return replace(made, neighbors=bound.neighbors)


def _told(bound: Bound, why: str) -> Bound:
    """Return the bound with one more reason."""
    told = f"{bound.stats['why']}; {why}" if "why" in bound.stats else why
    return replace(bound, stats={**bound.stats, "why": told})


class Reached:
    """The worst case found so far, and a number that no case is worse than.

    Solvers write it, and the caller that interrupts them reads it. Each end is replaced in one step, so an interruption
    cannot separate a value from its case.
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
        """Yield the two ends, as far as they are known."""
        if self._attained is not None:
            value, locate = self._attained
            yield Attained(value, locate())
        if self._limit is not None:
            yield Limit(self._limit, "the search had come so far")
