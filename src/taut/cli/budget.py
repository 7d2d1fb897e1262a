"""The time of a command: one limit for reading, computing and verifying, and what is said when it ends."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.errors import InvalidOption, OutOfMemory, OutOfTime
from taut.limits import grace, limits
from taut.options import options

if TYPE_CHECKING:
    from taut.results import Bound, LossDistribution, Verification

__all__ = ["MORE_TIME", "SECONDS", "TimeLimit", "Verified", "budget", "verified"]

SECONDS = 60.0
_LONGEST = 10_000_000
_VERIFYING = 10.0
"""Seconds that verifying takes at most, and one second it has even where all time is used up."""
MORE_TIME = "Give it more time with --time-limit 600, in seconds; 0 is no limit."

TimeLimit = Annotated[
    float,
    typer.Option(help="Seconds for everything, reading and verifying included; 0 for no limit.", show_default="60"),
]


@contextlib.contextmanager
def budget(seconds: float) -> Iterator[None]:
    """The time limit of a command; 0 is no limit."""
    if not 0 <= seconds <= _LONGEST:
        raise InvalidOption(f"--time-limit must lie between 0 and {_LONGEST} seconds; got {seconds:g}.", value=seconds)
    with options(time_limit=seconds or None):
        yield


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
