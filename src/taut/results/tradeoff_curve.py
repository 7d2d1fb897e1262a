"""The trade-off curve of a mechanism, as a bound."""

from __future__ import annotations

import html
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.notebook import html_table
from taut.results.bound import Bound, Verification
from taut.results.divergence import PairWitness
from taut.results.text import shown, vector_text
from taut.results.tradeoff import Corner, TradeoffFunction, error_of_the_first_kind, least, tests_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["TradeoffCurve"]


@dataclass(frozen=True)
class TradeoffCurve(Bound):
    """The least error of the second kind over all pairs of neighbours, for every error of the first kind.

    The hypothesis is that the output comes from x, the alternative that it comes from x'; tests may be randomized.

    Guarantee:
        Every test that rejects x with probability at most alpha on x accepts it with probability at least curve(alpha)
        on x', for every related pair; if ``exact``, some pair and test attain it. The smallest of convex functions need
        not be convex: ``convex()`` is the largest convex function below it.
    """

    witness: PairWitness = field(default=PairWitness(None, None))
    """The pair that is told apart best at alpha = 1/2."""

    def __call__(self, alpha: Any) -> Fraction:
        """The least error of the second kind at alpha, given as a Fraction or as text; the lower end if not exact."""
        value: Fraction = self.lower(error_of_the_first_kind(alpha))
        return value

    def interval(self, alpha: Any) -> tuple[Fraction, Fraction]:
        """Two numbers between which the least error of the second kind lies."""
        value = error_of_the_first_kind(alpha)
        return self.lower(value), self.upper(value)

    def worst(self, alpha: Any) -> PairWitness | None:
        """The pair that attains the value at alpha; None if it is not known."""
        pair: PairWitness | None = self.upper.pair_at(error_of_the_first_kind(alpha))
        return pair

    @property
    def corners(self) -> list[Corner]:
        """The points (alpha, beta, pair) between which the curve is straight, exactly."""
        return list(self.lower.corners)

    def convex(self) -> TradeoffCurve:
        """The largest convex curve below this one: what cannot be undercut by mixing pairs at random either."""
        lower: TradeoffFunction = self.lower.convex()
        return replace(self, lower=lower, upper=lower if self.exact else self.upper.convex())

    _pictured = "trade-off curve"

    def _figure(self, title: str | None) -> Figure:
        from taut.results.tradeoff_figure import tradeoff_figure

        return tradeoff_figure(self, title)

    @property
    def complete(self) -> bool:
        return self.exact or not self.stats.get("stopped")

    @property
    def attained(self) -> Any:
        return self.upper(Fraction(1, 2))

    def verify(self) -> Verification:
        """Replay the pairs of all pieces through the enumerator: the smallest of their curves has to be this one."""
        replay = self._replayed()
        pairs = list(dict.fromkeys(corner.pair for corner in self.upper.corners if corner.pair is not None))
        replayed = [replay(pair) for pair in pairs]
        again = least([tests_of(loss.rational(up=True), pair) for (loss, _), pair in zip(replayed, pairs, strict=True)])
        points = [corner.alpha for corner in self.upper.corners]
        values, replays = [self.upper(a) for a in points], [again(a) for a in points]
        close = all(abs(a - b) < Fraction(1, 2**150) for a, b in zip(values, replays, strict=True))
        method = ", ".join(dict.fromkeys(method for _, method in replayed))
        return Verification(values == replays or (not self.exact and close), values, replays, method)

    def __str__(self) -> str:
        low, high = self.interval(Fraction(1, 2))
        value = shown(low) if low == high else f"between {shown(low)} and {shown(high)}"
        count = len(self.corners) - 1
        kind = f"{count} piece{'s' if count > 1 else ''}, beta =" if self.exact else "certified intervals, beta"
        size = f"{'' if self.complete else 'not finished, '}{kind} {value} at alpha = 1/2"
        relation = "" if self.neighbors is None else f", for {self.neighbors} neighbours"
        return f"trade-off curve: {size}{relation}; found by {self.method}"

    def _repr_html_(self) -> str:
        rows = [
            [
                shown(alpha),
                shown(beta),
                *(["", ""] if pair is None else [vector_text(pair.x), vector_text(pair.x_prime)]),
            ]
            for alpha, beta, pair in self.corners
        ]
        return (
            f"<p>{html.escape(str(self))}</p>"
            + html_table(["alpha", "beta", "x", "x'"], rows, len(rows))
            + self._inline_picture()
        )

    def to_dict(self) -> dict[str, Any]:
        found = {"exact": self.exact, "method": self.method, "neighbors": self.neighbors}
        return {**found, **self.lower.to_dict(), "stats": dict(self.stats)}
