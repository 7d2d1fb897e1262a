"""Budget of a search: time and memory. Loops ask whether it is exhausted, and end early if it is."""

from __future__ import annotations

from taut.support.limits import exceeded, reason_of

__all__ = ["SearchBudget"]


class SearchBudget:
    """The limits of time and memory in force, and a number of items; once exhausted it stays so, and says why.

    Guarantee:
        After ``exhausted()`` was True, whatever was being computed is incomplete and must not be concluded from; each
        function that takes a budget says what it returns in that case.
    """

    def __init__(self, max_beliefs: int | None = None) -> None:
        self.max_beliefs = max_beliefs
        self.stopped: str | None = None
        """Reason for ending before the search is done; None as long as it goes on."""

    def exhausted(self) -> bool:
        """Return True if the search is to end now."""
        if self.stopped is None:
            error = exceeded()
            if error is not None:
                self.stopped = reason_of(error)
        return self.stopped is not None

    def hold(self, items: int) -> None:
        """Note how many items and vectors are held: too many exhaust the budget."""
        if self.max_beliefs is not None and items > self.max_beliefs:
            self.stopped = f"max_beliefs={self.max_beliefs}"
