"""Checks shown beside answers: the replay of a witness, and the claims on a mechanism."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from taut.interfaces.queries.query import Query
from taut.support.errors import OutOfMemory, OutOfTime, TautError, TooLarge
from taut.support.limits import grace, limits
from taut.verification.claims import claims_of

if TYPE_CHECKING:
    from taut.questions.bound import Bound, Verification
    from taut.questions.loss import LossDistribution

__all__ = ["CheckedClaims", "Verified", "checked_claims", "verified"]


_VERIFYING = 1.0
"""Limit for the seconds of verification by commands; ``bound.verify()`` has no limit."""


@dataclass(frozen=True)
class Verified:
    """The end of a verification: its outcome, or the reason why there is none; and the seconds it took."""

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
    """Replay the witness of a bound, or a pair of inputs, within the time limit; Ctrl-C ends only the replay."""
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


@dataclass(frozen=True)
class CheckedClaims:
    """A row for each part of each claim (verdict, claim, exact number), and sentences about those that do not hold."""

    rows: list[list[str]]
    sentences: list[str]

    headings = ("verdict", "claim", "exact")

    @property
    def count(self) -> str:
        """The number of claims that hold, of all."""
        return f"{self._number('holds')} of {len(self.rows)}"

    @property
    def label(self) -> str:
        """Return the label of ``count``, with the number of undecided claims."""
        name = "claim that holds" if len(self.rows) == 1 else "claims that hold"
        undecided = self._number("undecided")
        return f"{name}; {undecided} undecided" if undecided else name

    @property
    def good(self) -> bool:
        """False if a claim fails, or cannot be checked at all."""
        return not self._number("fails") and not self._number("error")

    def _number(self, status: str) -> int:
        return sum(row[0] == status for row in self.rows)


def checked_claims(query: Query) -> CheckedClaims:
    """Check all claims on a mechanism; the arguments of the query fill what a claim leaves open."""
    rows, sentences = [], []
    for claim in claims_of(query.mechanism):
        try:
            verdict = claim.check(query.mechanism, query.arguments)
        except TautError as problem:
            rows.append(["undecided" if isinstance(problem, TooLarge) else "error", claim.words, str(problem)])
            continue
        rows += [[part.status, part.claim, part.found] for part in verdict.parts]
        sentences += [str(part) for part in verdict.parts if not part.holds]
    return CheckedClaims(rows, sentences)
