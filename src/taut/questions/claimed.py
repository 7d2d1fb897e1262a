"""Requirements of claims and budgets on a question's number, and the verdict on a model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from taut.questions.field import Field
from taut.questions.ratio import below_ratio
from taut.questions.text import text_of
from taut.questions.verdict import Counterexample, Verdict
from taut.support.errors import InvalidInput, InvalidNumber, InvalidProbability, WrongArguments
from taut.support.exact import INFINITY, Ball, ends, number

if TYPE_CHECKING:
    from taut.questions.question import Question

__all__ = [
    "Budget",
    "Claimed",
    "Requirement",
    "gap_below",
    "limit_below",
    "limit_of",
    "positive",
    "probability_claimed",
    "runs_of",
    "typed",
]


@dataclass(frozen=True)
class Requirement:
    """One number that a mechanism has to keep to: a question, and the largest value that its answer may have."""

    question: Question[Any]
    limit: Any
    """As it was typed."""

    @property
    def words(self) -> str:
        """The claim as one would say it."""
        return f"{self.question.label} <= {typed(self.limit)}"

    def verdict(self, model: Any, **limits: Any) -> Verdict:
        """Return whether a model keeps to it."""
        bound = model.ask(self.question, **limits)
        holds = below_ratio(bound.lower, bound.upper, self.limit)
        slack = limit_of(self.limit) - bound.upper if holds and self.limit != INFINITY else None
        failing = self.counterexample(model, bound) if holds is False else None
        return self.decided(holds, bound, bound.upper, self.question.label, slack, failing)

    def counterexample(self, model: Any, bound: Any) -> Counterexample:
        """Return where the claim fails: the pair as a whole, without an event."""
        return Counterexample(bound.witness.x, getattr(bound.witness, "x_prime", None))

    def decided(
        self, holds: bool | None, bound: Any, value: Any, name: str, slack: Any, failing: Counterexample | None
    ) -> Verdict:
        """Return the verdict; a claim about several runs has no single case at which it fails."""
        failing = failing if bound.stats.get("runs", 1) == 1 else None
        return Verdict(
            self.words, holds, limit_of(self.limit), value, bound, name, slack, failing, self.said(holds, bound)
        )

    def said(self, holds: bool | None, bound: Any) -> str:
        """Return the exact number in words if it differs from the value of the bound."""
        return ""


@dataclass(frozen=True)
class Budget:
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
    """True if it can be claimed that its number is at most (or at least) another."""
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
    def budgeted(cls, given: Mapping[str, Any]) -> Sequence[Budget]:
        """Return the requirements of the keywords of ``calibrate``, by default as for claims."""
        if not cls.calibrated or given.get(cls.name) is None:
            return []
        *values, limit = cls.parts(given[cls.name], "calibrate")
        asked: Any = cls(*values)
        return [Budget(asked, f"{asked.label} <= {typed(limit)}", number(limit, f"calibrate: {cls.name}"))]

    def repeated(self, model: Any, runs: int, neighbors: Any = None, **limits: Any) -> tuple[Any, Any]:
        """Return two ends of the bound for several runs together, which may depend on each other's answers.

        Raises
        ------
        InvalidInput
            Nothing is known about several runs.
        """
        if runs > 1 and not self.about_target:  # each run answers for its own accuracy
            raise InvalidInput(f"compose: {self.name} has no rule for several runs; leave compose out.", value=runs)
        bound = model.ask(self, neighbors=neighbors, **limits)
        return bound.lower, bound.upper

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
    """Return a number of runs, or refuse what is none."""
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
    """Return the limit if it is rational; of a ball the largest number with so many bits that is not above it."""
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
