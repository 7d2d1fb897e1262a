"""Claims about a question's number: requirements, budgets, verdicts and counterexamples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from taut.questions.bound import Bound
from taut.questions.field import Field
from taut.questions.pair_measure import Event
from taut.questions.ratio import below_ratio
from taut.questions.text import brief, brief_interval, plain, shown, text_of
from taut.support.errors import InvalidInput, InvalidNumber, InvalidProbability, TooLarge, WrongArguments
from taut.support.exact import INFINITY, Ball, ends, may_be_equal, number

if TYPE_CHECKING:
    from taut.questions.question import Question

__all__ = [
    "Claimed",
    "Counterexample",
    "Goal",
    "Replay",
    "Requirement",
    "Verdict",
    "gap_below",
    "limit_below",
    "limit_of",
    "positive",
    "probability_claimed",
    "runs_of",
    "together",
    "typed",
]


@dataclass(frozen=True)
class Requirement:
    """One claimed limit: a question, and the largest value that its answer may have."""

    question: Question[Any]
    limit: Any
    """The limit as it was typed."""

    @property
    def words(self) -> str:
        """The claim as one would say it."""
        return f"{self.question.label} <= {typed(self.limit)}"

    @property
    def measure(self) -> str:
        """The name of the number that is compared."""
        return self.question.label

    def verdict(self, model: Any, **limits: Any) -> Verdict:
        """Return the verdict on a model; a claim about several runs has no single case at which it fails."""
        bound = model.ask(self.question, **limits)
        holds = self.holds(model, bound, **limits)
        slack = self.slack(bound) if holds else None
        failing = self.counterexample(model, bound) if holds is False and bound.stats.get("runs", 1) == 1 else None
        limit, said = limit_of(self.limit), self.said(holds, bound)
        return Verdict(self.words, holds, limit, self.value(bound), bound, self.measure, slack, failing, said)

    def holds(self, model: Any, bound: Any, **limits: Any) -> bool | None:
        """Return True if the bound keeps to the limit; None if its interval cannot tell."""
        return below_ratio(bound.lower, bound.upper, self.limit)

    def value(self, bound: Any) -> Any:
        """Return the number that is compared with the limit."""
        return bound.upper

    def slack(self, bound: Any) -> Any:
        """Return the distance from the limit of a claim that holds."""
        return limit_of(self.limit) - self.value(bound) if self.limit != INFINITY else None

    def counterexample(self, model: Any, bound: Any) -> Counterexample | None:
        """Return the case at which the claim fails: the pair as a whole, without an event."""
        return Counterexample(bound.witness.x, getattr(bound.witness, "x_prime", None))

    def said(self, holds: bool | None, bound: Any) -> str:
        """Return the exact number in words if it differs from the value of the bound."""
        return ""


@dataclass(frozen=True)
class Goal:
    """A requirement of calibration: a question, and the largest (or, if ``least``, smallest) value of its answer."""

    question: Question[Any]
    text: str
    limit: Any
    """None for what is only drawn."""
    least: bool = False


class Claimed:
    """The part of a question that ``@claim``, ``check`` and ``calibrate`` use."""

    name: ClassVar[str]
    fields: ClassVar[tuple[Field, ...]]
    claims: ClassVar[Mapping[str, str]] = {}
    """The keywords of claims that it reads, each with what it limits in words; its name if it declares none."""
    about_target: ClassVar[bool] = False
    claimable: ClassVar[bool] = True
    """True if claims can limit its number."""
    of_runs: ClassVar[Callable[[Any, int], Any] | None] = None
    """Its number for several runs, from that of one run and their number: the same case in every run attains it."""
    calibrated: ClassVar[bool] = True
    """True if its number can be calibrated: it is one number, and the smaller (or the larger), the better."""

    @classmethod
    def keywords(cls) -> tuple[str, ...]:
        """Return the keywords of claims that it reads."""
        return tuple(cls.limits())

    @classmethod
    def limits(cls) -> Mapping[str, str]:
        """Return the keywords of claims with what each limits, in words; fields that come before have commas."""
        parts = [one.name.upper() for one in cls.fields if one.required]
        form = f", as {','.join([*parts, 'LIMIT'])}" if parts else ""
        return cls.claims or {cls.name: f"the largest {cls.name}{form}"}

    @classmethod
    def claimed(cls, given: Mapping[str, Any]) -> Sequence[Requirement]:
        """Return what the keywords of a claim require: ``name=limit``, with fields ``name=(field, ..., limit)``.

        Raises
        ------
        InvalidInput, InvalidNumber, InvalidProbability
            Parts are missing, or a number is out of its range.
        """
        if given.get(cls.name) is None:
            return []
        *values, limit = cls.parts(given[cls.name], "claim")
        positive(limit, f"{cls.name}: limit")
        asked: Any = cls(*values)
        return [Requirement(asked, limit)]

    @classmethod
    def budgeted(cls, given: Mapping[str, Any]) -> Sequence[Goal]:
        """Return the requirements of the keywords of ``calibrate``, by default as for claims."""
        if not cls.calibrated or given.get(cls.name) is None:
            return []
        *values, limit = cls.parts(given[cls.name], "calibrate")
        asked: Any = cls(*values)
        return [Goal(asked, f"{asked.label} <= {typed(limit)}", number(limit, f"calibrate: {cls.name}"))]

    def repeated(self, model: Any, runs: int, neighbors: Any = None, **limits: Any) -> tuple[Any, Any]:
        """Return two ends of the bound for several runs together, which may depend on each other's answers.

        Raises
        ------
        InvalidInput
            Nothing is known about several runs.
        """
        alone, rule = runs == 1 or self.about_target, type(self).of_runs  # each run answers for its own accuracy
        if not alone and rule is None:
            raise InvalidInput(f"compose: {self.name} has no rule for several runs; leave compose out.", value=runs)
        bound = model.ask(self, neighbors=neighbors, **limits)
        if alone or rule is None:
            return bound.lower, bound.upper
        return rule(bound.lower, runs), rule(bound.upper, runs)

    def composed(self, model: Any, runs: int, neighbors: Any = None, **limits: Any) -> Any:
        """Return the bound for several runs together, which may depend on each other's answers; it has no case."""
        bound = model.ask(self, neighbors=neighbors, **limits)
        if runs == 1 or self.about_target:
            return bound
        lower, upper = self.repeated(model, runs, neighbors, **limits)
        return bound.of_runs(runs, lower, upper)

    @classmethod
    def parts(cls, given: Any, where: str, limit: str = "limit", sizes: Sequence[int] = ()) -> Sequence[Any]:
        """Return the required fields and the limit of a claim or a budget, as they were written."""
        needed = [one.name for one in cls.fields if one.required]
        lengths = sizes or (len(needed) + 1,)
        if not needed:
            return [given]
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) not in lengths:
            form = f"({', '.join([*needed, limit])})"
            if where == "calibrate":
                raise WrongArguments(f"calibrate: {cls.name} is written {form}; got {given!r}.", value=given)
            raise InvalidInput(f"claim: {cls.name} is written {cls.name}={form}; got {given!r}.", value=given)
        return list(given)


def runs_of(given: Any, what: str) -> int:
    """Return a number of runs; refuse any other value."""
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise InvalidInput(f"{what}: compose must be a whole number of runs, at least 1; got {given!r}.", value=given)
    return given


def positive(value: Any, what: str) -> Any:
    """Return a claimed number that is not negative."""
    read = number(value, f"claim: {what}")
    if ends(read)[0] < 0:
        raise InvalidNumber(f"claim: {what} must not be negative; got {value}.", value=value)
    return read


def probability_claimed(value: Any, what: str) -> Fraction:
    """Return a claimed probability."""
    read = number(value, f"claim: {what}")
    if isinstance(read, Ball) or not 0 <= read <= 1:
        raise InvalidProbability(f"claim: {what} must be a rational number in [0, 1]; got {value}.", value=value)
    return read


def limit_of(value: Any) -> Any:
    """Return a claimed number; infinity stays what it is."""
    return value if value == INFINITY else number(value, "claim")


def limit_below(limit: Any, bits: int = 100) -> Fraction:
    """Return the limit if it is rational; of a ball the largest number of ``bits`` bits that is not above it."""
    if not isinstance(limit, Ball):
        return Fraction(limit)
    scale = Fraction(2) ** (bits - (limit.lower.numerator.bit_length() - limit.lower.denominator.bit_length()))
    return Fraction(math.floor(limit.lower * scale)) / scale


def gap_below(claimed: Any, value: float) -> float:
    """Return a float that is surely not above claimed - value, which is not negative; ``value`` is rounded up."""
    gap = Fraction(ends(limit_of(claimed))[0]) - Fraction(value)
    return max(0.0, math.nextafter(float(gap), -math.inf))


def typed(value: Any) -> str:
    """Return a claimed number as it was typed."""
    return str(value) if isinstance(value, (int, float, str)) else str(text_of(value))


_FEW, _SHORT = 8, 60
"""Outputs of an event that are shown, and letters that they may have together."""
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
        if self.probability is None:
            raise InvalidInput("replay: this claim fails for two inputs as a whole; there is no event.", value=self)
        if self.again is None:
            raise InvalidInput("replay: this counterexample was pickled, which leaves its model behind.", value=self)
        own, other, method = self.again()
        same = may_be_equal(own, self.probability) and may_be_equal(other, self.probability_prime)
        return Replay(own, other, same, method)

    def __getstate__(self) -> dict[str, Any]:
        event = self.event if self.event is None or isinstance(self.event, Event) else tuple(self.event)
        return {**self.__dict__, "event": event, "again": None}

    def outputs(self, most: int = _LISTED) -> list[Any] | None:
        """Return the outputs of the event; None if there is no event, or if it has more than ``most`` of them."""
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
            words = [str(one) for one in listed[:_FEW]]
            while len(words) > 1 and sum(map(len, words)) > _SHORT:
                words.pop()
            event = "{" + ", ".join([*words, *(["..."] if len(listed) > len(words) else [])]) + "}"
        own = f"P({event}) = {shown(self.probability)}"
        if self.x_prime is None:
            return f"{at}: {own}"
        return f"{at}: {own} on x, {shown(self.probability_prime)} on x'"

    def to_dict(self) -> dict[str, Any]:
        """Return the counterexample as plain data: fractions as 'p/q'; ``event`` is None where it cannot be listed."""
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
    """None if the claim is undecided, since only an interval is known."""
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
        return f"{self.measure} {brief_interval(self.bound.lower, self.bound.upper)}{self.bound._unfollowed()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
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
    """Return one verdict of several parts."""
    if len(verdicts) == 1:
        return verdicts[0]
    order = {False: 0, None: 1, True: 2}
    first = min(verdicts, key=lambda verdict: order[verdict.holds])
    values = {name: getattr(first, name) for name in ("claim", "holds", "claimed", "value", "bound", "measure")}
    rest: dict[str, Any] = {"slack": first.slack, "counterexample": first.counterexample, "said": first.said}
    return Verdict(**values, **rest, others=tuple(verdicts))


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) and value != INFINITY else brief(value)


def _text(value: Any) -> Any:
    if value is None or (isinstance(value, float) and abs(value) != INFINITY):
        return value
    return text_of(value)
