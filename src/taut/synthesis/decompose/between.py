"""A bound from two: what a pair attains, and what no pair exceeds because all are functions of a wider one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from taut.questions.bound import Bound
from taut.questions.privacy_profile import PrivacyProfile
from taut.questions.tradeoff import TradeoffCurve
from taut.support.exact import Ball, in_precision

__all__ = ["between", "joined"]


def joined(attained: Any, limit: Any) -> tuple[Any, Any]:
    """Two ends of an interval; where they are balls that overlap, one ball that holds both."""
    if isinstance(attained, Ball) and isinstance(limit, Ball) and attained.arb.overlaps(limit.arb):
        with in_precision():
            both = Ball(attained.arb.union(limit.arb))
        return both, both
    return attained, limit


def between(attained: Bound, beyond: Bound) -> Bound:
    """The bound whose lower end is attained, and whose upper end is that of wider pairs."""
    if isinstance(attained, TradeoffCurve):
        return replace(attained, lower=beyond.lower)
    if isinstance(attained, PrivacyProfile):
        assert isinstance(beyond, PrivacyProfile)
        mirrored = attained.mirrored
        if mirrored is not None and beyond.mirrored is not None:
            mirrored = (mirrored[0], beyond.mirrored[1])
        return replace(attained, upper=beyond.upper, tight=False, mirrored=mirrored)
    lower, upper = joined(attained.lower, beyond.upper)
    return replace(attained, lower=lower, upper=upper)
