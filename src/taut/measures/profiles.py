"""What is asked of all loss distributions together: the profile, epsilon at a delta, the trade-off curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.errors import OutOfMemory, OutOfTime
from taut.limits import grace, reason_of
from taut.measures.divergence import PairCase, PairMeasure
from taut.results import (
    Bound,
    EpsilonBound,
    LossDistribution,
    PairWitness,
    PrivacyProfile,
    TradeoffCurve,
)
from taut.results.curve import Curve, Line, lines_of
from taut.results.profile import ratio_at, required_delta
from taut.results.tradeoff import Corner, TradeoffFunction, least, tests_of

__all__ = ["SmallestEpsilon", "Tradeoff", "WholeProfile"]

_FEW = 32
"""Pairs whose curves are still compared where there is no time for all."""


class WholeProfile(PairMeasure):
    """Delta at every epsilon: the upper envelope of the hockey-stick curves of all pairs."""

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> PrivacyProfile:
        exact = all(case.loss.exact for case in cases)
        lower = _envelope(cases, up=False)
        if not complete:
            upper = Curve([Line(Fraction(1), Fraction(0))])
        else:
            upper = lower if exact else _envelope(cases, up=True)
        tight = complete and exact and _one_is_worst(lower, cases)
        if complete and not exact:
            parts["mirrored"] = tuple(_envelope(cases, up=up, exchanged=True) for up in (False, True))
        return self.bound(lower, upper, tight=tight, **parts)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> PrivacyProfile:
        return PrivacyProfile(attained, limit, witness=attained.line_at(Fraction(1)).pair, **parts)


@dataclass(frozen=True)
class SmallestEpsilon(PairMeasure):
    """The smallest e^epsilon, at least 1, at which a given delta is enough for all pairs."""

    delta: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", required_delta(self.delta))

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> EpsilonBound:
        return replace(WholeProfile().worst(cases, complete, **parts).epsilon(self.delta), **parts)

    def at_pair(self, loss: LossDistribution) -> Any:
        """The smallest e^epsilon at which delta is enough for one pair."""
        return ratio_at(loss, self.delta)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return EpsilonBound(attained, limit, measure="e^eps", delta=self.delta, **parts)


class Tradeoff(PairMeasure):
    """The least error of the second kind for every error of the first kind: the smallest over all pairs."""

    @property
    def largest(self) -> bool:
        return False

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> TradeoffCurve:
        exact = all(case.loss.exact for case in cases)
        try:
            upper = _least(cases, up=True)
        except (OutOfTime, OutOfMemory) as error:
            if len(cases) <= _FEW:
                raise
            stats = {**parts["stats"], "stopped": reason_of(error)}
            with grace(1.0):
                return self.worst(cases[:_FEW], False, **{**parts, "stats": stats})
        if not complete:
            lower = TradeoffFunction([Corner(Fraction(0), Fraction(0)), Corner(Fraction(1), Fraction(0))])
        else:
            lower = upper if exact else _least(cases, up=False)
        return self.bound(upper, lower, **parts)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> TradeoffCurve:
        return TradeoffCurve(limit, attained, witness=attained.pair_at(Fraction(1, 2)), **parts)


def _envelope(cases: Sequence[PairCase], *, up: bool, exchanged: bool = False) -> Curve:
    losses = (case.loss for case in cases)
    return Curve(line for loss in losses for line in lines_of(loss.rational(up=up, exchanged=exchanged), _pair(loss)))


def _least(cases: Sequence[PairCase], *, up: bool) -> TradeoffFunction:
    """The smallest trade-off function; with ``up``, masses are rounded so that it is nowhere below the truth."""
    return least([tests_of(case.loss.rational(up=up), _pair(case.loss)) for case in cases])


def _pair(loss: LossDistribution) -> PairWitness:
    return PairWitness(loss.x, loss.x_prime)


def _one_is_worst(envelope: Curve, cases: Sequence[PairCase]) -> bool:
    """Whether one of the pairs has the whole envelope for its curve."""
    steepest, wanted = envelope.lines[-1], {line.pair for line in envelope.lines}
    corners = [(line.mass, line.mass_prime) for line in envelope.lines]
    for case in cases:
        if _pair(case.loss) in wanted or sum(a.mass_prime for a in case.loss.atoms if a.mass) == steepest.mass_prime:
            own = Curve(lines_of(case.loss.rational(up=True)))
            if [(line.mass, line.mass_prime) for line in own.lines] == corners:
                return True
    return False
