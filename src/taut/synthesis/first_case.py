"""Ties between worst cases: the first case that attains a bound is shown, whichever solver found the bound."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from taut.composition.curve import Curve
from taut.questions.bound import Bound
from taut.questions.pair_measure import PairMeasure
from taut.support.errors import TautError
from taut.support.exact import Ball
from taut.synthesis.problem import Budget, Problem, Solver

__all__ = ["with_first_case"]

_FEW_CASES, _FEW_PAIRS, _ROOM = 1 << 17, 1 << 11, 1 << 11
"""Limits for the cases, the pairs and their different prefixes, so that the search takes a few hundredths of a second.
"""
_TELLING = ("witness", "tight")
"""Attributes of bounds that depend on the case that is shown, besides the pairs of a curve."""


def with_first_case(problem: Problem, bound: Bound, budget: Budget) -> Bound:
    """Return an exact bound with the case that comes first by ``CaseOrder`` among those that attain it.

    Only where all cases are little work; beyond that a bound keeps the case that its solver has met. The value is never
    touched: where looking at all cases gave another one, the bound is left as it is.
    """
    if not bound.exact or not bound.witnessed or bound.method == "exhaustive":
        return bound
    try:
        few = _FEW_PAIRS if isinstance(problem.measure, PairMeasure) else _FEW_CASES
        every = _looks_at_all(problem)
        if problem.many_outputs or problem.more_pairs_than(few) or every.refuses(problem) is not None:
            return bound
        problem.compile()
        if problem.cases > few:
            return bound
        whole = every.solve(problem, Budget(min(_ROOM, budget.max_beliefs), in_pieces=False))
    except (TautError, KeyboardInterrupt):  # the answer is known, and is not lost for its witness
        return bound
    if not whole.exact or not _same(bound.lower, whole.lower):
        return bound
    shown: dict[str, Any] = {one.name: getattr(whole, one.name) for one in fields(whole) if one.name in _TELLING}
    if isinstance(bound.lower, Curve):
        shown |= {"lower": whole.lower, "upper": whole.upper}
    return replace(bound, **shown)


def _looks_at_all(problem: Problem) -> Solver:
    """Return the solver that looks at all cases of a problem, imported where it is asked."""
    if isinstance(problem.measure, PairMeasure):
        from taut.synthesis.pairs.all_pairs import AllPairs

        return AllPairs()
    from taut.synthesis.exhaustive.solver import Exhaustive

    return Exhaustive()


def _same(value: Any, other: Any) -> bool:
    """Return True if two values are equal, or are overlapping balls."""
    if isinstance(value, Curve):
        return _points(value) == _points(other)
    if isinstance(value, Ball) and isinstance(other, Ball):
        return bool(value.arb.overlaps(other.arb))
    return bool(value == other)


def _points(curve: Curve) -> list[tuple[Any, Any]]:
    return [(line.mass, line.mass_prime) for line in curve.lines]
