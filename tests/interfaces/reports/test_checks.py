"""An undecided claim is no failed claim."""

from __future__ import annotations

from typing import Any

import pytest

from taut import bits, claim, flip, mechanism
from taut.interfaces.queries.query import Query
from taut.interfaces.reports.checks import CheckedClaims, checked_claims
from taut.support.errors import OutOfTime
from taut.verification.claims import Claim


@pytest.mark.parametrize(
    ("statuses", "count", "label", "good"),
    [
        (["holds"], "1 of 1", "claim that holds", True),
        (["holds", "undecided"], "1 of 2", "claims that hold; 1 undecided", True),
        (["undecided", "fails", "holds"], "1 of 3", "claims that hold; 1 undecided", False),
        (["error"], "0 of 1", "claim that holds", False),
    ],
)
def test_counts(statuses: list[str], count: str, label: str, good: bool) -> None:
    found = CheckedClaims([[status, "", ""] for status in statuses], [])
    assert (found.count, found.label, found.good) == (count, label, good)


def test_a_claim_without_time_for_it_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    @claim(x=bits(2), epsilon=1)
    @mechanism
    def noisy(x: Any) -> Any:
        return [bit ^ flip("1/3") for bit in x]

    def late(*_: Any) -> Any:
        raise OutOfTime("this is not done after 1 second.")

    query = Query("noisy", noisy, None, {"x": bits(2)})
    assert [row[0] for row in checked_claims(query).rows] == ["holds"]
    monkeypatch.setattr(Claim, "check", late)
    found = checked_claims(query)
    assert found.good and found.label == "claim that holds; 1 undecided"
