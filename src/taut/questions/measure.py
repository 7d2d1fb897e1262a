"""Measures: the number of each case, and the choice of the case that a bound is about."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from taut.inference.channel import Channel
from taut.questions.bound import Bound
from taut.support.exact import ends, in_groups, largest, smallest

__all__ = ["Locate", "MassCase", "Measure", "OutputMeasure"]


Locate = Callable[[], Any]
"""Makes the witness of a case when it is asked for."""


class Measure(ABC):
    """A number for every case, of which the ``largest`` (or else the smallest) is asked for.

    A case is one input, or two neighbours: ``runs`` of the mechanism, with one output or all of them. Values are
    Fractions, Balls or INFINITY. Subclasses define how the outputs of a case combine.
    """

    cases: ClassVar[str]
    """Name of the cases in sentences."""
    runs: ClassVar[int]
    extremes: ClassVar[tuple[Any, Any] | None] = None
    """The interval of the answer for every mechanism and relation; None if unknown."""
    is_ratio: ClassVar[bool] = False
    """True if it is the ratio of the probabilities of one output on two inputs."""
    of_event: ClassVar[bool] = False
    """True if it is the probability that an event, the output of a program, is True."""

    @property
    @abstractmethod
    def largest(self) -> bool:
        """True if the worst case is the one with the largest value."""

    @abstractmethod
    def witness(self, inputs: Sequence[Any], y: Any) -> Any:
        """Return a case as results show it."""

    @abstractmethod
    def value_class(self, value: Any, count: int, locate: Locate) -> Any:
        """Return all cases of one value as results show them."""

    @abstractmethod
    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        """Return the result: the value of the witness, the limit beyond which no case lies, and all other parts."""

    def unknown(self, **parts: Any) -> Bound | None:
        """Return the interval that holds for every mechanism, or None."""
        if self.extremes is None:
            return None
        least, most = self.extremes if self.largest else self.extremes[::-1]
        return replace(self.bound(least, most, **parts), witnessed=False)

    def implied(self, other: Measure, limit: Any) -> Any:
        """Return a number that no case is worse than, if none is worse than a rational ``limit`` by another measure.

        Both are about the same neighbours. None if nothing follows.
        """
        return None

    def worse(self, value: Any, other: Any) -> bool:
        """Return True if one value is certainly worse than another."""
        if self.largest:
            return bool(ends(value)[0] > ends(other)[1])
        return bool(ends(value)[1] < ends(other)[0])

    def classes(self, cases: Iterable[tuple[Any, int, Locate]]) -> list[Any]:
        """Return the different values among cases, the worst first, each with its count and the first case that was
        met.

        Cases are given by their value, how many there are, and a witness; those without a value (None) do not count.
        Balls that overlap may be the same number: they are one class, whose value encloses the worst of them.
        """
        groups: dict[Any, tuple[int, Locate]] = {}
        for value, count, locate in cases:
            if value is not None:
                known = groups.get(value, (0, locate))
                groups[value] = (known[0] + count, known[1])
        values = list(groups)
        worst = largest if self.largest else smallest
        classes = []
        for positions in reversed(in_groups(values)) if self.largest else in_groups(values):
            members = [values[position] for position in positions]
            shown = (max if self.largest else min)(members, key=lambda value: sum(ends(value)))
            count = sum(groups[member][0] for member in members)
            classes.append(self.value_class(worst(members), count, groups[shown][1]))
        return classes


@dataclass(frozen=True)
class MassCase:
    """All cases with the same probabilities in every run, and a function that finds one of them."""

    masses: tuple[Any, ...]
    count: int
    locate: Locate


class OutputMeasure(Measure):
    """A measure whose cases have one output each: the product of its probabilities, each to the exponent of its run."""

    exponents: ClassVar[tuple[int, ...]]

    @abstractmethod
    def value(self, *masses: Any) -> Any:
        """Return the value of a case, from the probability of its output in each run; None if no run can give it."""

    @abstractmethod
    def fixed_outputs(self, channel: Channel) -> Mapping[int, int] | None:
        """Return the outputs that count, as output variables with a fixed position; None if none ever occurs."""
