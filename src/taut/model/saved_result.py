"""A result as its file says it, and the value that its witness attains when it is evaluated again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.frontend.python.validation import Goal
from taut.measures import HockeyStick, RenyiMoment, SmallestEpsilon, ZeroConcentrated
from taut.model.model import Model
from taut.model.schema import Damaged
from taut.numbers import INFINITY, Ball, ends, may_be_equal, quotient
from taut.results import PairWitness
from taut.results.curve import Curve, lines_of
from taut.results.divergence import same_but_for_rounding

__all__ = ["SavedResult"]

_ROUNDING = Fraction(1, 2**150)
"""The largest radius of a ball that is a rounded number and not an interval, relative or absolute."""
_BILLIONTH = Fraction(1, 10**9)


@dataclass(frozen=True)
class SavedResult:
    """A result that was read from a file: what the file says, of the right shape, and not yet checked."""

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
        if self.kind == "profile":
            if not self.exact or len(self.lower) != len(self.question["ratios"]) or self.witness is None:
                raise Damaged("a profile has one delta at each ratio, and a witness")
        elif ends(self.lower)[0] > ends(self.upper)[1]:
            raise Damaged("the lower end is above the upper one")
        elif self.kind == "zcdp" and self.complete and self.upper - self.lower > self.lower * 2 * _BILLIONTH:
            raise Damaged("the ends of rho differ by more than rounding")

    @property
    def kind(self) -> str:
        return str(self.question["kind"])

    @property
    def exact(self) -> bool:
        """Whether the interval is a single number."""
        return bool(self.lower == self.upper)

    @property
    def complete(self) -> bool:
        """Whether the ends are the same but for rounding."""
        if self.exact or self.kind == "zcdp":
            return self.exact or self.upper != INFINITY
        return self.kind == "epsilon" and same_but_for_rounding(self.lower, self.upper)

    @property
    def attained(self) -> Any:
        """The value that the witness attains; of a profile, delta at every corner."""
        return self.upper if self.kind == "accuracy" and not self.question["best"] else self.lower

    @property
    def limit(self) -> Any:
        """The other end of the interval, which no case passes."""
        return self.lower if self.kind == "accuracy" and not self.question["best"] else self.upper

    @property
    def inputs(self) -> list[Any]:
        """The inputs of the witness."""
        pairs = [x for pair in self.pairs for x in pair]
        return pairs or ([] if self.witness is None else [self.witness["x"]])

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The two neighbours of the witness, or of each piece of a profile; none for a result about single inputs."""
        if self.witness is None or self.kind == "accuracy":
            return []
        if self.kind == "profile":
            return list(self.witness["pairs"])
        return [(self.witness["x"], self.witness["x_prime"])]

    def again(self, model: Model, goal: Goal | None) -> tuple[Any, str]:
        """Return the value that the witness attains, evaluated anew without any diagram, and how."""
        asked, case = self.question, self.witness
        assert case is not None
        if self.kind == "privacy":
            (p, how), (q, _) = (model.replayed(case[x], case["y"]) for x in ("x", "x_prime"))
            return quotient(p, q), how
        if self.kind == "accuracy":
            assert goal is not None
            return model.replayed_closeness(case["x"], goal)
        if self.kind == "profile":
            losses = [model.replayed_loss(PairWitness(*pair)) for pair in self.pairs]
            curve = Curve(line for loss, _ in losses for line in lines_of(loss.rational(up=False)))
            hows = dict.fromkeys(how for _, how in losses)
            return tuple(curve(place) for place in asked["ratios"]), ", ".join(hows)
        loss, how = model.replayed_loss(PairWitness(case["x"], case["x_prime"]))
        if self.kind == "epsilon":
            return SmallestEpsilon(asked["delta"]).at_pair(loss), how
        if self.kind == "zcdp":
            return ZeroConcentrated().at_pair(loss), how
        measure = HockeyStick(asked["ratio"]) if self.kind == "delta" else RenyiMoment(asked["order"])
        return loss.divergence(measure), how

    def confirmed_by(self, value: Any) -> bool:
        """Whether a value is the one that was saved: up to rounding where exp occurs, to a billionth for rho."""
        claimed = self.attained
        if isinstance(value, tuple) or value is None or INFINITY in (value, claimed):
            return bool(value == claimed)
        if isinstance(value, Ball) or isinstance(claimed, Ball):
            narrow = _radius(claimed) <= max(_radius(value), _ROUNDING * max(Fraction(1), abs(_middle(value))))
            return narrow and may_be_equal(_ball(value), _ball(claimed))
        if self.kind == "epsilon" and self.complete and not self.exact:
            return same_but_for_rounding(value, claimed)
        if self.kind == "zcdp":
            return bool(abs(value - claimed) <= claimed * _BILLIONTH)
        return bool(value == claimed)


def _ball(value: Any) -> Ball:
    return value if isinstance(value, Ball) else Ball(value)


def _radius(value: Any) -> Fraction:
    return value.radius if isinstance(value, Ball) else Fraction(0)


def _middle(value: Any) -> Fraction:
    return value.mid if isinstance(value, Ball) else Fraction(value)
