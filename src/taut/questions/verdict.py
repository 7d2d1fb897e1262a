"""Verdicts on claims: one holds, fails with a counterexample, or could not be decided."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from taut.questions.bound import Bound
from taut.questions.event import Event
from taut.questions.text import equals, plain, shown, text_of
from taut.support.errors import InvalidInput, TooLarge
from taut.support.exact import INFINITY, Ball, may_be_equal

__all__ = ["Counterexample", "Replay", "Verdict", "together"]

_FEW = 8
_LISTED = 1000


@dataclass(frozen=True)
class Replay:
    """The probabilities of a counterexample, found again without any diagram, and how."""

    probability: Any
    probability_prime: Any
    holds: bool
    """True if they are those of the counterexample."""
    method: str

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class Counterexample:
    """A case at which a claim fails.

    For a claim about privacy: neighbours x and x', an event (a set of outputs), and its probabilities on both. For a
    claim about accuracy: an input x, the outputs that are close enough there, and their probability; ``x_prime`` and
    ``probability_prime`` are None. Claims about divergences fail for a pair as a whole: there is no event.
    """

    x: Any
    x_prime: Any = None
    event: Iterable[Any] | None = field(default=None, compare=False)
    probability: Any = None
    probability_prime: Any = None
    again: Callable[[], tuple[Any, Any, str]] | None = field(default=None, repr=False, compare=False)

    def replay(self) -> Replay:
        """Find the two probabilities again without any diagram, by the user's function where there is one.

        Raises
        ------
        OutOfTime, OutOfMemory
            A limit that is in force was passed.
        """
        if self.again is None:
            raise InvalidInput("replay: this counterexample was pickled, which leaves its model behind.", value=self)
        own, other, method = self.again()
        same = _same(own, self.probability) and _same(other, self.probability_prime)
        return Replay(own, other, same, method)

    def __getstate__(self) -> dict[str, Any]:
        event = self.event if self.event is None or isinstance(self.event, Event) else tuple(self.event)
        return {**self.__dict__, "event": event, "again": None}

    def outputs(self, most: int = _LISTED) -> list[Any] | None:
        """The outputs of the event; None if there is no event, or if it has more than ``most`` of them."""
        if self.event is None:
            return None
        try:
            listed = list(itertools.islice(self.event, most + 1))
        except TooLarge:
            return None
        return listed if len(listed) <= most else None

    def __str__(self) -> str:
        at = f"x={self.x}" if self.x_prime is None else f"x={self.x}, x'={self.x_prime}"
        if self.event is None:
            return at
        listed = self.outputs()
        if listed is None:
            event = "an event of many outputs"
        else:
            event = "{" + ", ".join(map(str, listed[:_FEW])) + (", ..." if len(listed) > _FEW else "") + "}"
        own = f"P({event}) = {shown(self.probability)}"
        if self.x_prime is None:
            return f"{at}: {own}"
        return f"{at}: {own} on x, {shown(self.probability_prime)} on x'"

    def to_dict(self) -> dict[str, Any]:
        """The counterexample for machines: fractions as 'p/q'; ``event`` is None where it cannot be listed."""
        listed = self.outputs()
        return {
            "x": plain(self.x),
            "x_prime": plain(self.x_prime),
            "event": None if listed is None else [plain(y) for y in listed],
            "probability": _text(self.probability),
            "probability_prime": _text(self.probability_prime),
        }


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim; it counts as true only if the claim certainly holds.

    If a claim has several parts (privacy and accuracy), this is the verdict of the part that decides: the first that
    fails, else the first that is undecided, else the first; ``parts`` has all of them.
    """

    claim: str
    """The claim in words."""
    holds: bool | None
    """None if it could only be decided up to an interval."""
    claimed: Any
    """The number that was claimed."""
    value: Any
    """The exact number beside it: e^eps, delta, 1-beta, ...; the safe end of the interval if it is not exact."""
    bound: Bound = field(repr=False)
    """The bound that the verdict rests on."""
    measure: str = ""
    """Name of ``value``."""
    slack: Any = None
    """Distance of the mechanism from the limit of the claim, where it holds."""
    counterexample: Counterexample | None = None
    said: str = ""
    """The exact number in words, where it is not ``measure`` and ``value``."""
    others: tuple[Verdict, ...] = field(default=(), repr=False)

    @property
    def parts(self) -> tuple[Verdict, ...]:
        """The verdicts of all parts of the claim."""
        return self.others or (self,)

    @property
    def status(self) -> str:
        """'holds', 'fails' or 'undecided'."""
        return {True: "holds", False: "fails", None: "undecided"}[self.holds]

    def __bool__(self) -> bool:
        return self.holds is True

    def __str__(self) -> str:
        if self.others:
            return "\n".join(map(str, self.others))
        relation = "" if self.bound.neighbors is None else f" for {self.bound.neighbors} neighbours"
        head = f"{self.status}: {self.claim}{relation}; {self.found}"
        if self.holds:
            return f"{head}, slack {_short(self.slack)}"
        return head if self.counterexample is None else f"{head}, at {self.counterexample}"

    @property
    def found(self) -> str:
        """The exact number, or the interval, as text."""
        if self.said:
            return self.said
        if self.bound.exact:
            return f"{self.measure} = {_short(self.value)}"
        return f"{equals(self.measure, self.bound.lower, self.bound.upper)}{self.bound._unfollowed()}"

    def to_dict(self) -> dict[str, Any]:
        """The verdict for machines."""
        if self.others:
            return {"status": self.status, "parts": [part.to_dict() for part in self.others]}
        return {
            "claim": self.claim,
            "status": self.status,
            "holds": self.holds,
            "measure": self.measure,
            "claimed": _text(self.claimed),
            "value": _text(self.value),
            "lower": _text(self.bound.lower),
            "upper": _text(self.bound.upper),
            "exact": self.bound.exact,
            "slack": _text(self.slack),
            "neighbors": self.bound.neighbors,
            "method": self.bound.method,
            **({"remainder": text_of(self.bound.remainder)} if self.bound.remainder else {}),
            "counterexample": None if self.counterexample is None else self.counterexample.to_dict(),
        }


def together(verdicts: list[Verdict]) -> Verdict:
    """One verdict of several parts."""
    if len(verdicts) == 1:
        return verdicts[0]
    order = {False: 0, None: 1, True: 2}
    first = min(verdicts, key=lambda verdict: order[verdict.holds])
    values = {name: getattr(first, name) for name in ("claim", "holds", "claimed", "value", "bound", "measure")}
    rest: dict[str, Any] = {"slack": first.slack, "counterexample": first.counterexample, "said": first.said}
    return Verdict(**values, **rest, others=tuple(verdicts))


def _same(a: Any, b: Any) -> bool:
    return may_be_equal(a, b) if isinstance(a, Ball) or isinstance(b, Ball) else bool(a == b)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) and value != INFINITY else shown(value)


def _text(value: Any) -> Any:
    if value is None or (isinstance(value, float) and abs(value) != INFINITY):
        return value
    return text_of(value)
