"""Epsilon at a delta: the smallest epsilon for which a mechanism is (epsilon, delta)-private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.composition.curve import Curve, lines_of
from taut.questions.bound import Bound, Interval, Verification, View, delta_below
from taut.questions.field import Numbers, asked
from taut.questions.loss import LossDistribution
from taut.questions.measure import Measure
from taut.questions.pair_measure import DivergenceBound, PairCase, PairMeasure, envelopes_of
from taut.questions.pairs import PairQuestion
from taut.questions.privacy import LargestRatio
from taut.questions.question import How, Question, question
from taut.questions.ratio import RATIO, epsilon_cell, epsilon_equals, epsilon_number, epsilon_of, required_delta
from taut.questions.rows import Headline, Number, Row, TextTable, epsilon_headline, epsilon_interval, pair_texts
from taut.questions.saved import Layout, SavedAnswer
from taut.questions.text import as_typed, float_dict, found_by, text_of
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, decimal, ends

__all__ = ["REPORTED_DELTAS", "Epsilon", "EpsilonBound", "SmallestEpsilon", "ratio_at", "same_but_for_rounding"]

REPORTED_DELTAS = ("1e-5", "1e-6", "1e-9")
"""The deltas at which reports give epsilon."""
_ROUNDING = Fraction(1, 2**150)
"""Relative tolerance: above the rounding of balls, and far below any digit that is shown."""


@dataclass(frozen=True)
class EpsilonBound(DivergenceBound):
    """The smallest e^epsilon for which a mechanism is (epsilon, delta)-differentially private, for a given delta.

    Guarantee:
        P(A(x) in S) <= max_ratio * P(A(x') in S) + delta for every related pair (x, x') and every set S of outputs; if
        ``exact``, no smaller ratio will do, as the witness shows.
    """

    delta: Any = None
    runs: int = 1
    """Number of composed runs; the bound of a composition has no worst pair."""
    tight: bool = True
    """True if a composition attains the bound; else it is an upper bound."""

    @property
    def max_ratio(self) -> Any:
        """e^epsilon, at least 1: a Fraction, a Ball or INFINITY; the upper end where the bound is not exact."""
        return self.upper

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio, rounded up: the smallest float that is not below it."""
        return epsilon_of(self.max_ratio)

    @property
    def complete(self) -> bool:
        """Also where the ends differ by rounding alone: probabilities with exp are turned into rationals."""
        return self.exact or same_but_for_rounding(self.lower, self.upper)

    def verify(self) -> Verification:
        """Replay the pair alone; where probabilities have exp, both ratios are rounded, and compared up to that."""
        if self.runs > 1:
            raise InvalidInput("verify: a composition has no worst pair to replay; verify its parts.", value=self)
        found = super().verify()
        close = not self.exact and same_but_for_rounding(found.replayed, self.lower)
        return replace(found, holds=found.holds or close)

    def _seen(self) -> View:
        if self.runs > 1:
            raise InvalidInput("plot: a composition has no worst pair to draw; plot its profile.", value=self)
        return super()._seen()

    def _named(self) -> str:
        return RATIO

    def _stated(self) -> str:
        return epsilon_equals(self.lower, self.upper)

    def _also(self) -> str:
        return f" at delta = {as_typed(self.delta)}"

    def _where(self) -> str:
        if self.runs == 1:
            return super()._where()
        kind = "tight" if self.tight else "an upper bound"
        return f", for {self.runs} runs ({kind}); {found_by(self.method)}{self._unfollowed()}"

    def _head(self) -> dict[str, Any]:
        return {
            "max_ratio": text_of(self.max_ratio),
            **float_dict("epsilon", self.epsilon, self.lower),
            "delta": text_of(self.delta),
            "neighbors": self.neighbors,
        }


def same_but_for_rounding(value: Any, other: Any) -> bool:
    """Return True if two finite ratios differ by no more than the rounding of balls to rationals."""
    return INFINITY not in (value, other) and bool(abs(value - other) <= _ROUNDING * max(abs(value), abs(other)))


def ratio_at(loss: LossDistribution, delta: Fraction) -> Any:
    """Return the smallest e^epsilon, at least 1, at which delta is enough for one pair; rounded down for balls."""
    return max(Fraction(1), Curve(lines_of(loss.rational(up=False))).inverse(delta))


@dataclass(frozen=True)
class SmallestEpsilon(PairMeasure):
    """The smallest e^epsilon, at least 1, at which a given delta is enough for all pairs."""

    monotone = True
    delta: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", required_delta(self.delta))

    @property
    def ignores_tiny(self) -> bool:  # type: ignore[override]
        return bool(self.delta > 0)

    @property
    def at_delta(self) -> Any:
        return self.delta

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> Bound:
        lower, upper = envelopes_of(cases, complete)
        attained, limit = (max(Fraction(1), curve.inverse(self.delta)) for curve in (lower, upper))
        return self.bound(attained, limit, witness=lower.line_reaching(self.delta).pair, **parts)

    def implied(self, other: Measure, limit: Any) -> Any:
        """Bound delta from a known largest ratio R (delta <= 1 - ratio / R), or from the delta at a ratio."""
        if isinstance(limit, Curve):
            return max(Fraction(1), limit.inverse(self.delta))
        if isinstance(other, LargestRatio):
            return max(Fraction(1), limit * (1 - self.delta))
        ratio = getattr(other, "kink", None)
        return None if ratio is None or limit > self.delta else max(Fraction(1), ends(ratio)[1])

    def at_pair(self, loss: LossDistribution) -> Any:
        """Return the smallest e^epsilon at which delta is enough for one pair."""
        return ratio_at(loss, self.delta)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return EpsilonBound(attained, limit, measure=RATIO, delta=self.delta, **parts)


@question
class Epsilon(PairQuestion[EpsilonBound]):
    """The smallest epsilon for which a mechanism is (epsilon, delta)-private, with a worst pair."""

    name = "epsilon"
    letter = "ε"
    title = "Epsilon at delta"
    menu = "Epsilon at a delta"
    weight = 1.0
    claimable = calibrated = False
    layout = Layout(Numbers(1, INFINITY, rational=True))

    delta: Any = asked(
        required_delta, help="Delta, between 0 and 1: 1e-6.", label="delta", first="1e-6", saved=Numbers(0, 1)
    )

    @property
    def label(self) -> str:
        return RATIO

    def to_measure(self) -> SmallestEpsilon:
        return SmallestEpsilon(self.delta)

    def composed(self, model: Any, runs: int, neighbors: Any = None, **limits: Any) -> EpsilonBound:
        """Return the bound for several runs together: that of the composed profile."""
        found: EpsilonBound
        if runs == 1:
            found = super().composed(model, runs, neighbors, **limits)
            return found
        found = model.profile(neighbors=neighbors, **limits).compose(runs).epsilon(self.delta)
        return replace(found, stats={**found.stats, "runs": runs}, question=self)

    def with_remainder(self, model: Any, how: How, remainder: Any) -> EpsilonBound:
        """Return the bound: at each ratio delta is at most ``remainder`` more, and (1 + ratio) * ``remainder`` less."""
        model, enough = model.by_items(), self.delta - remainder
        above = None if enough < 0 else model.solved(SmallestEpsilon(enough), how)
        most = INFINITY if above is None else above.upper
        wide, far = delta_below(self.delta, most, remainder)
        below = self.finished(model, model.solved(SmallestEpsilon(wide), how))
        measure = SmallestEpsilon(wide)

        def replay(witness: Any) -> tuple[Any, str]:
            loss, found = model.replayed_loss(witness)
            return min(far, measure.at_pair(loss)), found

        lower = min(far, below.lower)
        widened: EpsilonBound = replace(
            below, lower=lower, upper=most, delta=self.delta, remainder=remainder, replay=model.limited(replay)
        )
        return widened

    def good(self, bound: EpsilonBound) -> bool:
        return bool(bound.max_ratio != INFINITY)

    def rows(self, bound: EpsilonBound) -> list[Row]:
        enough = "" if bound.lower != INFINITY else ": delta is too small for any"
        return [
            ("eps", f"{epsilon_number(bound.lower, bound.upper)}{enough}"),
            ("at", f"delta = {as_typed(bound.delta)}"),
            *self.pair_rows(bound),
        ]

    def numbers(self, bound: EpsilonBound) -> list[Number]:
        at = f"at delta = {as_typed(bound.delta)}"
        return [
            Number("epsilon_at_delta", f"eps {at}", bound.epsilon, exact=False),
            Number("ratio_at_delta", f"{RATIO} {at}", bound.max_ratio),
        ]

    def bar(self, bound: EpsilonBound) -> Number:
        return Number("epsilon", "epsilon", bound.epsilon, exact=False)

    def certified(self, now: Interval) -> Interval:
        return epsilon_interval(now)

    def headline(self, bound: EpsilonBound) -> Headline:
        return epsilon_headline(bound, self.good(bound), f"at δ = {as_typed(bound.delta)}")

    @property
    def short(self) -> str:
        return f"at delta = {decimal(self.delta, 6)}"

    @classmethod
    def reported(cls) -> Sequence[Question[Any]]:
        return [cls(delta) for delta in REPORTED_DELTAS]

    @classmethod
    def compared(cls, label: str, bounds: Sequence[EpsilonBound]) -> TextTable:
        pairs = [pair_texts(one.witness if one.witnessed else None) for one in bounds]
        rows = [
            [as_typed(one.delta), epsilon_cell(one.lower, one.upper), *pair]
            for one, pair in zip(bounds, pairs, strict=True)
        ]
        return TextTable(f"Epsilon of {label}", ["delta", "eps", "x", "x'"], rows)

    @classmethod
    def settled(cls, saved: SavedAnswer) -> bool:
        return saved.exact or same_but_for_rounding(saved.lower, saved.upper)

    @classmethod
    def confirmed(cls, saved: SavedAnswer, value: Any) -> bool:
        if saved.complete and not saved.exact:
            return same_but_for_rounding(value, saved.attained)
        return super().confirmed(saved, value)

    @classmethod
    def valued(cls, value: Any) -> str:
        return epsilon_equals(value, value)

    @classmethod
    def reached(cls, saved: SavedAnswer) -> str:
        return f"with {epsilon_equals(saved.lower, saved.upper)}" if saved.complete else super().reached(saved)

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        delta = as_typed(saved.question["delta"])
        if saved.attained == INFINITY:
            return f"For {saved.neighbors} neighbours no epsilon is enough at delta = {delta}."
        return (
            f"For {saved.neighbors} neighbours and delta = {delta}, {epsilon_equals(saved.lower, saved.upper)}: "
            "every event is at most e^eps times as likely on one input as on a neighbour, plus delta."
        )
