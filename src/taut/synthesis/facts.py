"""Certified ends of the interval of a problem, which any solver may contribute, and intervals made narrower by them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from taut.questions.bound import Bound
from taut.questions.measure import Measure
from taut.questions.pair_measure import PairMeasure
from taut.support.exact import INFINITY

__all__ = ["Attained", "Fact", "Limit", "narrowed"]


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
    """The bound with its open end at a limit if that is closer, and with the reason."""
    end = bound.upper if measure.largest else bound.lower
    if measure.worse(end, fact.value):
        side = {"upper": fact.value} if measure.largest else {"lower": fact.value}
        return replace(_told(bound, fact.why), **side)
    return _told(bound, fact.why) if end == fact.value == INFINITY else bound


def _raised(bound: Bound, measure: Measure, fact: Attained) -> Bound:
    """The bound with its attained end at a case, if that is worse."""
    if not measure.worse(fact.value, bound.attained) and (bound.witnessed or fact.value != bound.attained):
        return bound
    limit = bound.upper if measure.largest else bound.lower
    made = measure.bound(fact.value, limit, method=bound.method, stats=bound.stats, witness=fact.witness)
    return replace(made, neighbors=bound.neighbors)


def _told(bound: Bound, why: str) -> Bound:
    """The bound with one more reason."""
    told = f"{bound.stats['why']}; {why}" if "why" in bound.stats else why
    return replace(bound, stats={**bound.stats, "why": told})
