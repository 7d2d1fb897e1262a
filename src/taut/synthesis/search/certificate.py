"""The certificate: at any moment the interval in which the answer lies, and the witness that attains its end.

One end is the best value attained, v*. The other is the least, over all layers completed so far on either side, of the
largest bound in the layer, or v* if that is better (Theorem 9).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from taut.support.exact import INFINITY
from taut.synthesis.search.frontier import log_of
from taut.synthesis.search.question import SearchQuestion
from taut.synthesis.search.witness import Path

__all__ = ["BestSoFar", "Certificate"]


class BestSoFar(NamedTuple):
    """A value, a path that attains it, and the cut at which it was known."""

    value: Any
    path: Path
    cut: int


class Certificate:
    """Knowledge about one question: ``best`` is attained, and nothing is beyond ``bound``."""

    def __init__(self, question: SearchQuestion) -> None:
        self.question = question
        self.best: BestSoFar | None = None
        """Replaced as a whole, so that an interruption cannot separate a value from its path."""
        self.overall: Any = None
        """A bound for every value, exactly; None as long as it is not known."""
        self._open = math.inf
        self._sign = 1 if question.largest else -1

    @property
    def value(self) -> Any:
        """The best value attained; None as long as there is none."""
        return None if self.best is None else self.best.value

    @property
    def logarithm(self) -> float:
        """The logarithm of the best value, with the sign that makes better ones larger."""
        return -math.inf if self.best is None else self._sign * log_of(self.best.value)

    def offer(self, value: Any, path: Callable[[], Path], cut: int) -> None:
        """Take an attained value if it is better; with balls, enclose the better of the two in any case."""
        best = self.best
        if best is None or value == INFINITY:
            self.best = BestSoFar(value, path(), cut)
        elif best.value == INFINITY:
            return
        elif self.question.beats(value, best.value):
            self.best = BestSoFar(self.question.better(best.value, value), path(), cut)
        elif self.question.plan.balls:
            self.best = best._replace(value=self.question.better(best.value, value))

    def close_layer(self, bound: float) -> None:
        """Note the largest bound of a completed layer, as a logarithm that is larger for better values."""
        self._open = min(self._open, bound)

    @property
    def settled(self) -> bool:
        """True if the best value is proved to be the best."""
        if self.best is None:
            return False
        if self.best.value == INFINITY or (self.best.value == 0 and not self.question.largest):
            return True
        return self.attains(self.overall)

    def attains(self, bound: Any) -> bool:
        """Return True if the best value attains a bound."""
        if self.best is None or self.best.value == INFINITY or bound is None or self.question.plan.balls:
            return False
        return bool(bound == Fraction(int(self.best.value.p), int(self.best.value.q)))

    @property
    def bound(self) -> Any:
        """The bound that no case passes, rounded outwards where limits are not exact; None if there is none."""
        overall = self.overall
        if overall is None or overall == 0 or (overall == INFINITY and self._open == math.inf):
            return None if overall == INFINITY else overall
        if overall != INFINITY and self._open >= self._sign * log_of(overall) - 1e-8:
            return overall
        return _rounded_out(self._sign * self._open, self._sign)


def _rounded_out(logarithm: float, sign: int) -> Fraction:
    """e to a power, as a number that is certainly not smaller (or not larger)."""
    twos = math.floor(logarithm / math.log(2.0))
    near = Fraction(math.exp(logarithm - twos * math.log(2.0))) * Fraction(2) ** twos
    return near * (1 + sign * Fraction(1, 10**9))
