"""A result as its file says it, and the value that its witness attains when it is evaluated again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.model.model import Model
from taut.questions.question import Question
from taut.questions.registry import named
from taut.support.exact import INFINITY, Ball, ends, may_be_equal
from taut.verification.saved.schema import Damaged

__all__ = ["SavedResult"]

_ROUNDING = Fraction(1, 2**150)
"""The largest radius of a ball that is a rounded number and not an interval, relative or absolute."""


@dataclass(frozen=True)
class SavedResult:
    """A result read from a file: well-formed, but not yet checked."""

    path: Path
    language: str
    name: str
    file: Path | None
    file_sha256: str | None
    sources: Mapping[str, str]
    sha256: str
    arguments: Mapping[str, Any]
    neighbors: str | None
    question: Mapping[str, Any]
    """Its kind, and the numbers and functions that it was asked with."""
    witness: Mapping[str, Any] | None
    """The case that attains the value; None if no case was looked at."""
    lower: Any
    upper: Any
    versions: Mapping[str, str]

    def __post_init__(self) -> None:
        assert self.asked.layout is not None
        wrong = None
        if not self.asked.layout.value.listed and ends(self.lower)[0] > ends(self.upper)[1]:
            wrong = "the lower end is above the upper one"
        wrong = wrong or self.asked.check(self)
        if wrong is not None:
            raise Damaged(wrong)

    @property
    def kind(self) -> str:
        return str(self.question["kind"])

    @property
    def exact(self) -> bool:
        """True if the interval is a single number."""
        return bool(self.lower == self.upper)

    @property
    def asked(self) -> type[Question[Any]]:
        """The question that was asked."""
        return named(self.kind)

    @property
    def complete(self) -> bool:
        """True if the ends are the same but for rounding."""
        return self.asked.settled(self)

    @property
    def attained(self) -> Any:
        """The value that the witness attains; of a profile, delta at every corner."""
        return self.upper if self.asked.attains_upper(self.question) else self.lower

    @property
    def limit(self) -> Any:
        """The other end of the interval, which no case passes."""
        return self.lower if self.asked.attains_upper(self.question) else self.upper

    @property
    def inputs(self) -> list[Any]:
        """The inputs of the witness."""
        pairs = [x for pair in self.pairs for x in pair]
        return pairs or ([] if self.witness is None else [self.witness["x"]])

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The two neighbours of the witness, or of each piece of a profile; none for a result about single inputs."""
        if self.witness is None or self.asked.about_target:
            return []
        if "pairs" in self.witness:
            return list(self.witness["pairs"])
        return [(self.witness["x"], self.witness["x_prime"])]

    def again(self, model: Model, **functions: Any) -> tuple[Any, str]:
        """Return the value that the witness attains, evaluated anew without any diagram, and how.

        Functions that were asked with are given by name, since a file has their names only.
        """
        return self.asked.again(model, self, **functions)

    def confirmed_by(self, value: Any) -> bool:
        """Return True if a value is the one that was saved: up to rounding where exp occurs, to a billionth for rho."""
        claimed = self.attained
        if isinstance(value, tuple) or value is None or INFINITY in (value, claimed):
            return bool(value == claimed)
        if isinstance(value, Ball) or isinstance(claimed, Ball):
            narrow = _radius(claimed) <= max(_radius(value), _ROUNDING * max(Fraction(1), abs(_middle(value))))
            return narrow and may_be_equal(_ball(value), _ball(claimed))
        return self.asked.confirmed(self, value)


def _ball(value: Any) -> Ball:
    return value if isinstance(value, Ball) else Ball(value)


def _radius(value: Any) -> Fraction:
    return value.radius if isinstance(value, Ball) else Fraction(0)


def _middle(value: Any) -> Fraction:
    return value.mid if isinstance(value, Ball) else Fraction(value)
