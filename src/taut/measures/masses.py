"""The probabilities of a case themselves, not yet compared: what closed forms are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from taut.channel.channel import Channel
from taut.measures.divergence import PairCase, PairMeasure
from taut.measures.event import EventProbability
from taut.measures.measure import Locate, OutputMeasure
from taut.measures.ratio import LargestRatio
from taut.results import Bound

__all__ = ["Collected", "EventMasses", "LossDistributions", "MassCase", "PairOfMasses"]


@dataclass(frozen=True)
class MassCase:
    """All cases with the same probabilities in every run: these, and how to find one of them."""

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


@dataclass(frozen=True)
class Collected(Bound):
    """All different loss distributions; ``complete`` if no pair was left out."""

    cases: tuple[PairCase, ...] = ()
    complete: bool = True


class LossDistributions(PairMeasure):
    """The loss distributions of all pairs themselves; which is the worst is not decided here."""

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> Collected:
        return Collected(None, None, **parts, cases=tuple(cases), complete=complete)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        raise NotImplementedError("loss distributions are asked for, not a bound")
