"""Error bounds: a statistic of the distance between output and target, at the input where it is largest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from taut.results.accuracy import AccuracyWitness
from taut.results.bound import Bound
from taut.results.text import shown, text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ErrorBound"]


@dataclass(frozen=True)
class ErrorBound(Bound):
    """The largest value, over all inputs, of one statistic of the distance between output and target.

    Guarantee:
        On every input the statistic is at most ``value``; if ``exact``, the witness attains it.
    """

    statistic: str = "mean"
    """Which: 'mean', 'mean square', 'variance', 'moment 3', 'quantile 19/20'."""
    witness: AccuracyWitness = field(default=AccuracyWitness(None))

    @property
    def value(self) -> Any:
        """The largest value: a Fraction, or a Ball where exp occurs; the upper end where the bound is not exact."""
        return self.upper

    _pictured = "error"

    def _figure(self, title: str | None) -> Figure:
        from taut.results.distance_figure import error_figure

        return error_figure(self, self._seen(), title)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        if self.exact:
            head = f"{self.statistic} of the distance = {shown(self.value)} exactly"
        else:
            head = f"{shown(self.lower)} <= {self.statistic} of the distance <= {shown(self.upper)}"
        return f"{head}, at x={self.witness.x}; found by {self.method}"

    def _head(self) -> dict[str, Any]:
        return {"statistic": self.statistic, "value": text_of(self.value)}
