"""The claims on a mechanism with their verdicts, as reports and pages list them."""

from __future__ import annotations

from dataclasses import dataclass

from taut.interfaces.queries.query import Query
from taut.support.errors import TautError, TooLarge
from taut.verification.claims import claims_of

__all__ = ["CheckedClaims", "checked_claims"]


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
        """The name of that number, with the number of claims that are undecided; those have not failed."""
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
