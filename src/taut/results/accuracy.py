"""Accuracy bounds: the smallest probability of coming close, its witness, and inputs that are equally accurate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from taut.results.bound import Bound
from taut.results.text import class_dict, shown, surely, text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["AccuracyBound", "AccuracyWitness", "InputClass"]


@dataclass(frozen=True)
class AccuracyWitness:
    """The input on which the mechanism is least (or most) accurate."""

    x: Any


@dataclass(frozen=True)
class InputClass:
    """All inputs on which the mechanism is equally accurate: 1 - beta there, how many there are, and one of them."""

    value: Any
    count: int
    witness: AccuracyWitness

    def to_dict(self) -> dict[str, Any]:
        """The class for machines."""
        return class_dict(self)


@dataclass(frozen=True)
class AccuracyBound(Bound):
    """The smallest probability, over all inputs, that the output lies within alpha of its target.

    Guarantee:
        P(distance(A(x), target(x)) <= alpha) >= probability for every x; if ``exact``, the witness attains it.
    """

    alpha: Any = 0
    witness: AccuracyWitness = field(default=AccuracyWitness(None))
    best: bool = False
    """Whether this is the largest probability, of the best case, instead of the smallest."""

    @property
    def probability(self) -> Any:
        """1 - beta; the lower end where the bound is not exact (for a best case the upper end)."""
        return self.upper if self.best else self.lower

    @property
    def beta(self) -> Any:
        return 1 - self.probability

    @property
    def attained(self) -> Any:
        return self.lower if self.best else self.upper

    _saved = True
    _pictured = "accuracy"

    def _figure(self, title: str | None) -> Figure:
        from taut.results.distance_figure import accuracy_figure

        return accuracy_figure(self, self._seen(), title)

    def __str__(self) -> str:
        if not self.exact:
            head = f"{shown(self.lower)} <= 1-beta <= {shown(self.upper)}"
        else:
            head = f"1-beta = {surely(self.probability)}"
        if not self.witnessed:
            return f"{head} for alpha = {self.alpha}; no case was looked at"
        return f"{head} for alpha = {self.alpha}, at x={self.witness.x}; found by {self.method}"

    def _head(self) -> dict[str, Any]:
        return {
            "probability": text_of(self.probability),
            "beta": text_of(self.beta),
            "alpha": text_of(self.alpha),
        }
