"""Verifying a bound as long as there is time for it, and how that ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from taut.support.errors import OutOfMemory, OutOfTime
from taut.support.limits import grace, limits

if TYPE_CHECKING:
    from taut.questions.bound import Bound, Verification
    from taut.questions.loss import LossDistribution

__all__ = ["Verified", "verified"]

_VERIFYING = 1.0
"""Seconds that verifying takes at most; ``bound.verify()`` has as many as it needs."""


@dataclass(frozen=True)
class Verified:
    """How verifying a bound ended: with an outcome, or why without one; and the seconds it took."""

    outcome: Verification | None
    reason: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        took = {"seconds": round(self.seconds, 6)}
        if self.outcome is None:
            return {"done": False, "reason": self.reason, **took}
        return {"done": True, "holds": self.outcome.holds, "method": self.outcome.method, **took}


def verified(bound: Bound | LossDistribution) -> Verified:
    """Replay the witness of a bound, or a pair of inputs, as long as there is time; Ctrl-C ends this, and only this."""
    start = time.perf_counter()
    outcome, reason = None, ""
    try:
        with grace(1.0), limits(seconds=_VERIFYING):
            outcome = bound.verify()
    except OutOfTime:
        reason = "time"
    except OutOfMemory:
        reason = "memory"
    except KeyboardInterrupt:
        reason = "interrupted"
    return Verified(outcome, reason, time.perf_counter() - start)
