"""Statistics of a number that a channel returns, the largest over all inputs: its expected value, its variance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from taut.measures.event import ProbabilityOfTrue
from taut.measures.measure import Locate, Measure
from taut.results import AccuracyWitness, ErrorBound, InputClass

__all__ = ["ExpectedValue", "InputMeasure", "Variance"]


@dataclass(frozen=True)
class ExpectedValue(ProbabilityOfTrue):
    """``low + span * P(True)``, the largest over all inputs, of a channel made by ``weighed``.

    Weights are scaled to reach from 0 to 1; ``low`` is the value of weight 0, and ``low + span`` that of weight 1.
    """

    statistic: str
    low: Any
    span: Any

    @property
    def largest(self) -> bool:
        return True

    def bound(self, attained: Any, limit: Any, **parts: Any) -> ErrorBound:
        lower, upper = (self.low + self.span * end for end in (attained, self.at_most_one(limit)))
        return ErrorBound(lower, upper, **parts, statistic=self.statistic)


class InputMeasure(Measure):
    """A measure whose cases are inputs with all their outputs: it sees the whole distribution of each."""

    cases: ClassVar[str] = "inputs"
    runs: ClassVar[int] = 1

    @property
    def largest(self) -> bool:
        return True

    @abstractmethod
    def value(self, distribution: Mapping[Any, Any]) -> Any:
        """The value of an input, from the outputs that are possible there with their probabilities."""

    def witness(self, inputs: Sequence[Any], y: Any) -> AccuracyWitness:
        return AccuracyWitness(*inputs)

    def value_class(self, value: Any, count: int, locate: Locate) -> InputClass:
        return InputClass(value, count, locate())


@dataclass(frozen=True)
class Variance(InputMeasure):
    """E(d^2) - E(d)^2 of the number d that a channel returns."""

    def value(self, distribution: Mapping[Any, Any]) -> Any:
        mean = sum(mass * d for d, mass in distribution.items())
        return sum(mass * (d - mean) ** 2 for d, mass in distribution.items())

    def bound(self, attained: Any, limit: Any, **parts: Any) -> ErrorBound:
        return ErrorBound(attained, limit, **parts, statistic="variance")
