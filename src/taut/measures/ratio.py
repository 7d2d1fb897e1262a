"""The largest quotient of the probabilities of one output on two neighbours: e^epsilon (Algorithm 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from taut.channel.channel import Channel
from taut.measures.measure import Locate, OutputMeasure
from taut.numbers import INFINITY, quotient
from taut.results import PrivacyBound, RatioClass, Witness

__all__ = ["LargestRatio"]


@dataclass(frozen=True)
class LargestRatio(OutputMeasure):
    """P(A(x) = y) / P(A(x') = y), the largest over neighbours x, x' and outputs y; INFINITY where only x gives y."""

    cases: ClassVar[str] = "triples"
    runs: ClassVar[int] = 2
    exponents: ClassVar[tuple[int, ...]] = (1, -1)
    extremes: ClassVar[tuple[Any, Any] | None] = (Fraction(1), INFINITY)
    """Two distributions both sum to 1, so some output is at least as likely on x as on x'."""

    @property
    def largest(self) -> bool:
        return True

    def value(self, *masses: Any) -> Any:
        return quotient(*masses)

    def fixed_outputs(self, channel: Channel) -> Mapping[int, int]:
        return {}

    def witness(self, inputs: Sequence[Any], y: Any) -> Witness:
        x, x_prime = inputs
        return Witness(x, x_prime, y)

    def value_class(self, value: Any, count: int, locate: Locate) -> RatioClass:
        return RatioClass(value, count, locate)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> PrivacyBound:
        return PrivacyBound(attained, limit, **parts)
