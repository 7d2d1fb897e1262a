"""The probabilities of a case themselves, not yet compared: what closed forms are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from taut.inference.channel import Channel
from taut.questions.accuracy import EventProbability
from taut.questions.bound import Bound
from taut.questions.measure import Locate, OutputMeasure
from taut.questions.privacy import LargestRatio

__all__ = ["EventMasses", "MassCase", "PairOfMasses"]


@dataclass(frozen=True)
class MassCase:
    """All cases with the same probabilities in every run, and a function that finds one of them."""

    masses: tuple[Any, ...]
    count: int
    locate: Locate


class PairOfMasses(OutputMeasure):
    """P(A(x) = y) and P(A(x') = y) for all neighbours x, x' and outputs y; which is the worst is not decided here."""

    cases: ClassVar[str] = "triples"
    runs: ClassVar[int] = 2
    exponents: ClassVar[tuple[int, ...]] = (1, -1)

    @property
    def largest(self) -> bool:
        return True

    def value(self, *masses: Any) -> Any:
        return masses

    def fixed_outputs(self, channel: Channel) -> Mapping[int, int]:
        return {}

    def witness(self, inputs: Sequence[Any], y: Any) -> Any:
        return LargestRatio().witness(inputs, y)

    def classes(self, cases: Iterable[tuple[Any, int, Locate]]) -> list[Any]:
        return [MassCase(masses, count, locate) for masses, count, locate in cases]

    def value_class(self, value: Any, count: int, locate: Locate) -> MassCase:
        return MassCase(value, count, locate)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        raise NotImplementedError("classes are asked for, not a bound")


class EventMasses(EventProbability):
    """The probability of an event at all inputs; which is the worst is not decided here."""

    def classes(self, cases: Iterable[tuple[Any, int, Locate]]) -> list[Any]:
        return [MassCase((mass,), count, locate) for mass, count, locate in cases]
