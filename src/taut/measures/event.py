"""The smallest probability of an event: 1 - beta, where the event is that the output is close (Algorithm 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from taut.channel.channel import Channel
from taut.measures.measure import Locate, OutputMeasure
from taut.numbers import INFINITY, Ball
from taut.results import AccuracyBound, AccuracyWitness, InputClass

__all__ = ["EventProbability", "ProbabilityOfTrue"]


class ProbabilityOfTrue(OutputMeasure):
    """The probability that a channel whose outputs are True and False gives True, on one input after the other."""

    cases: ClassVar[str] = "inputs"
    runs: ClassVar[int] = 1
    exponents: ClassVar[tuple[int, ...]] = (1,)

    def value(self, *masses: Any) -> Any:
        return masses[0]

    def fixed_outputs(self, channel: Channel) -> Mapping[int, int] | None:
        (output,) = channel.relation.outputs
        return {0: output.values.index(True)} if True in output.values else None

    def witness(self, inputs: Sequence[Any], y: Any) -> AccuracyWitness:
        return AccuracyWitness(*inputs)

    def value_class(self, value: Any, count: int, locate: Locate) -> InputClass:
        return InputClass(value, count, locate())

    @staticmethod
    def at_most_one(limit: Any) -> Any:
        """A limit of probabilities: the best numerator over the least evidence need not be one."""
        return Fraction(1) if limit == INFINITY or (limit.lower if isinstance(limit, Ball) else limit) > 1 else limit


@dataclass(frozen=True)
class EventProbability(ProbabilityOfTrue):
    """The probability of True: the smallest, or with ``best`` the largest, over all inputs.

    ``alpha`` says how close is close, and is only shown.
    """

    alpha: Any = 0
    best: bool = False
    extremes: ClassVar[tuple[Any, Any] | None] = (Fraction(0), Fraction(1))

    @property
    def largest(self) -> bool:
        return self.best

    def bound(self, attained: Any, limit: Any, **parts: Any) -> AccuracyBound:
        limit = self.at_most_one(limit)
        lower, upper = (attained, limit) if self.best else (limit, attained)
        return AccuracyBound(lower, upper, **parts, alpha=self.alpha, best=self.best)
