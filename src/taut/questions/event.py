"""Events: the outputs that tell two neighbours apart best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from taut.questions.pair_measure import PairWitness
from taut.support.errors import TooLarge

if TYPE_CHECKING:
    pass

__all__ = ["DeltaWitness", "Event"]

_FEW_OUTPUTS = 512
"""Outputs that a mechanism may have for an event to be shown as a list."""


class Event:
    """The outputs y with P(A(x) = y) > ratio * P(A(x') = y): the event that tells x from x' best.

    Ask ``y in event`` or ``event(y)``; iterate over it where its outputs can be listed, ``few()`` where they are few.
    Where probabilities are balls, the event has the outputs for which the inequality certainly holds; those for which
    the two sides may be equal are ``undecided()``. Whichever of them are added, delta changes by rounding only.
    """

    def __init__(
        self, holds: Callable[[Any], bool | None], listed: Callable[[int | None], dict[Any, bool | None]]
    ) -> None:
        self._holds, self._listed = holds, listed

    def __call__(self, y: Any) -> bool:
        """Return True if an output certainly belongs to the event."""
        return self._holds(y) is True

    __contains__ = __call__

    def __iter__(self) -> Iterator[Any]:
        return iter(_where(self._listed(None), True))

    def few(self) -> list[Any] | None:
        """The outputs of the event, in the order of their size where they have one; None if there are many."""
        return self._few(True)

    def undecided(self) -> list[Any] | None:
        """The outputs that may or may not belong to the event, since balls overlap; None if all outputs are many."""
        return self._few(None)

    def _few(self, verdict: bool | None) -> list[Any] | None:
        try:
            outputs = _where(self._listed(_FEW_OUTPUTS), verdict)
        except TooLarge:
            return None
        try:
            return sorted(outputs)
        except TypeError:
            return outputs

    def __repr__(self) -> str:
        outputs = self.few()
        if outputs is None:
            return "<event of many outputs>"
        few = ", ".join(map(repr, outputs[:8]))
        undecided = self.undecided()
        rest = f"; {len(undecided)} undecided" if undecided else ""
        return f"<event of {len(outputs)} outputs: {few}{', ...' if len(outputs) > 8 else ''}{rest}>"

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            return _event_of, (self._listed(_FEW_OUTPUTS),)
        except TooLarge:
            return _event_of, (None,)


def _where(verdicts: dict[Any, bool | None], verdict: bool | None) -> list[Any]:
    return [y for y, found in verdicts.items() if found is verdict]


def _event_of(verdicts: dict[Any, bool | None] | None) -> Event:
    """An event that was pickled: its outputs and the undecided ones; None if they are many."""

    def listed(most: int | None) -> dict[Any, bool | None]:
        if verdicts is None:
            raise TooLarge("this event was pickled without its outputs, which are many; ask the model again.")
        return verdicts

    return Event(lambda y: listed(None).get(y, False), listed)


@dataclass(frozen=True)
class DeltaWitness(PairWitness):
    """Neighbours x and x', and the event that tells them apart best; P(event on x) - e^eps P(event on x') is delta."""

    event: Event = field(compare=False)
