"""Facts that answers prove about one mechanism, from which later questions about it start."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import is_dataclass
from typing import Any

from taut.questions.bound import Bound
from taut.questions.loss import loss_between
from taut.questions.measure import Measure, OutputMeasure
from taut.questions.pair_measure import PairMeasure
from taut.support.errors import TautError
from taut.support.exact import INFINITY, ends
from taut.support.limits import grace
from taut.synthesis.facts import Attained, Fact, Limit
from taut.synthesis.problem import Problem

__all__ = ["Proved"]

_MOST = 1024
"""Limit for the answers that are remembered."""
_PAIRS = 4
"""Limit for the pairs of inputs that a later question evaluates."""
_OUTPUTS = 4096
_GRACE = 0.3


class Proved:
    """The ends of all answers about one mechanism, by neighbours and measure.

    They narrow the intervals of later questions by their own ends, by ends of other measures that imply one (e^epsilon
    gives delta, ``Measure.implied``), or by the worst pairs of other measures. An exact answer is never touched, so it
    does not depend on what was asked before.
    """

    def __init__(self) -> None:
        self._ends: dict[tuple[Any, Hashable], tuple[Measure, Any, tuple[Any, Any] | None]] = {}

    def note(self, problem: Problem, bound: Bound) -> None:
        """Remember an answer, or an interval, that is about all cases."""
        key = _key(problem.measure)
        if key is None:
            return
        largest = problem.measure.largest
        end = bound.lower if largest else bound.upper
        attained = (end if bound.attained is end and _number(end) else None, bound.witness) if bound.witnessed else None
        limit = bound.upper if largest else bound.lower
        self._ends[problem.neighbors, key] = (problem.measure, limit, attained)
        if len(self._ends) > _MOST:
            del self._ends[next(iter(self._ends))]

    def facts(self, problem: Problem) -> Iterator[Fact]:
        """Yield the ends that follow for a problem from what was answered before."""
        key, measure = _key(problem.measure), problem.measure
        for (neighbors, other_key), (other, limit, attained) in list(self._ends.items()):
            if neighbors != problem.neighbors:
                continue
            if other_key == key:
                yield Limit(limit, "an earlier answer is no worse")
                if attained is not None and attained[0] is not None:
                    yield Attained(*attained)
                continue
            value = None if limit == INFINITY else measure.implied(other, ends(limit)[1] if _number(limit) else limit)
            if value is not None:
                yield Limit(value, f"that follows from an earlier answer ({type(other).__name__})")
        yield from self._at_pairs(problem)

    def _at_pairs(self, problem: Problem) -> Iterator[Fact]:
        """Yield the values of a measure at the worst pairs of other measures."""
        measure = problem.measure
        pairs = {
            (attained[1].x, attained[1].x_prime): None
            for (neighbors, _), (_, _, attained) in list(self._ends.items())
            if neighbors is not None and neighbors == problem.neighbors and attained is not None
        }
        try:
            with grace(_GRACE):
                for inputs in list(pairs)[-_PAIRS:]:
                    own, other = (problem.distribution(x, _OUTPUTS) for x in inputs)
                    if isinstance(measure, PairMeasure):
                        value = measure.at_pair(loss_between(*inputs, own, other))
                        yield Attained(value, measure.witness(inputs, None))
                    elif isinstance(measure, OutputMeasure) and measure.runs == 2:
                        for y in own:
                            value = measure.value(own[y], other.get(y, 0))
                            if value is not None:
                                yield Attained(value, measure.witness(inputs, y))
        except (TautError, NotImplementedError):
            return


def _number(limit: Any) -> bool:
    return isinstance(limit, (int, float)) or hasattr(limit, "numerator") or hasattr(limit, "arb")


def _key(measure: Measure) -> Hashable | None:
    """Return a key shared by equal measures, or None."""
    if is_dataclass(measure):
        try:
            hash(measure)
        except TypeError:
            return None
        return type(measure), measure
    return None if vars(measure) else type(measure)
