"""Approximate differential privacy: the smallest delta at an epsilon, and the event that attains it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from taut.composition.curve import Curve
from taut.questions.bound import Bound
from taut.questions.claimed import Counterexample, Goal, Requirement, limit_below, probability_claimed, typed
from taut.questions.epsilon import Epsilon
from taut.questions.field import Numbers, asked
from taut.questions.measure import Measure
from taut.questions.pair_measure import (
    DeltaWitness,
    Divergence,
    DivergenceBound,
    Event,
    PairWitness,
    StrategyWitness,
    positive_part,
)
from taut.questions.pairs import DivergenceQuestion
from taut.questions.privacy import (
    PRIVACY_CLAIMS,
    LargestRatio,
    budget_ratio,
    check_claimed_ratio,
    claimed_ratio,
    is_claimed,
)
from taut.questions.question import How, question
from taut.questions.ratio import RATIO, below_epsilon, brief_epsilon, epsilon_equals, epsilon_of, ratio_of
from taut.questions.rows import Headline, Number, Row, Swept
from taut.questions.saved import Layout, SavedAnswer, is_text, limit_text
from taut.questions.text import plain, text_of, vector_text
from taut.support.errors import InvalidNumber, WrongArguments
from taut.support.exact import INFINITY, Ball, decimal, ends, exp, number, probability, surely_above
from taut.support.options import options
from taut.support.process import cached_property

__all__ = ["Delta", "DeltaBound", "HockeyStick"]

_MOST_EVENT = 6


@dataclass(frozen=True)
class DeltaBound(DivergenceBound):
    """The smallest delta for which a mechanism is (epsilon, delta)-differentially private, for a given epsilon.

    Guarantee:
        P(A(x) in S) <= e^epsilon P(A(x') in S) + delta for every related pair (x, x') and every set S of outputs; if
        ``exact``, the witness and its event attain it.
    """

    ratio: Any = None
    """e^epsilon, a Fraction or a Ball."""
    at_epsilon: Any = None
    """The epsilon that was asked for, if that was given."""

    @property
    def delta(self) -> Any:
        """A Fraction, or a Ball for irrational e^epsilon; the upper end where the bound is not exact."""
        return self.upper

    @property
    def epsilon(self) -> Any:
        """The epsilon that was asked for; for a given ratio its logarithm, rounded up."""
        return epsilon_of(self.ratio) if self.at_epsilon is None else self.at_epsilon

    def _named(self) -> str:
        return "delta"

    @property
    def place(self) -> str:
        """The epsilon at which delta was asked for: 'eps = 1' or 'eps = 0.405465 (e^eps = 3/2)'."""
        return brief_epsilon(self.ratio, self.ratio) if self.at_epsilon is None else f"eps = {self.at_epsilon}"

    def _also(self) -> str:
        return f" at {self.place}"

    def _head(self) -> dict[str, Any]:
        epsilon = self.epsilon if self.at_epsilon is None else str(self.at_epsilon)
        at = {"ratio": text_of(self.ratio), "epsilon": epsilon}
        return {"delta": text_of(self.delta), **at, "neighbors": self.neighbors}

    def _plain_witness(self) -> dict[str, Any] | None:
        """Return the event as a list, None where its outputs are many, and undecided outputs beside it."""
        found = super()._plain_witness()
        if found is None:
            return None
        event = getattr(self.witness, "event", None)
        outputs, undecided = (None, None) if event is None else (event.few(), event.undecided())
        rest = {"undecided": [plain(y) for y in undecided]} if undecided else {}
        return {**found, "event": None if outputs is None else [plain(y) for y in outputs], **rest}


@dataclass(frozen=True)
class HockeyStick(Divergence):
    """The sum of max(0, p - ratio * q): delta at e^epsilon = ratio.

    A Fraction if ratio is rational, a Ball if it is e^epsilon with epsilon given (``taut.exp``).

    Parameters
    ----------
    ratio
        e^epsilon: a number of at least 0, as text or as a number.
    """

    monotone = True
    ratio: Any
    epsilon: Any = field(default=None)
    """The epsilon that was asked for, if that was given and not the ratio; only shown."""

    def __post_init__(self) -> None:
        ratio = number(self.ratio, "HockeyStick: ratio")
        if (ratio.lower if isinstance(ratio, Ball) else ratio) < 0:
            raise InvalidNumber(
                f"HockeyStick: ratio = e^epsilon must be at least 0; got {self.ratio}.", value=self.ratio
            )
        object.__setattr__(self, "ratio", ratio)

    @property
    def kink(self) -> Any:
        return self.ratio

    @property
    def name(self) -> str:
        return "delta"

    def phi(self, p: Any, q: Any) -> Any:
        return positive_part(p - self.ratio * q)

    def implied(self, other: Measure, limit: Any) -> Any:
        """From the largest ratio R, p - ratio * q <= p (1 - ratio / R); and delta falls with the ratio.

        A curve is a limit of delta at every ratio.
        """
        ratio = ends(self.ratio)[0]
        if isinstance(limit, Curve):
            return min(Fraction(1), limit(Fraction(ratio)))
        if isinstance(other, LargestRatio):
            return max(Fraction(0), 1 - Fraction(ratio) / limit)
        if isinstance(other, HockeyStick):
            return limit if ends(other.ratio)[1] <= ratio else None
        delta = getattr(other, "at_delta", None)  # of a measure whose limit is the ratio that suffices at a delta
        return None if delta is None or limit > ratio else delta

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return DeltaBound(attained, limit, measure=self.name, ratio=self.ratio, at_epsilon=self.epsilon, **parts)


@question
class Delta(DivergenceQuestion[DeltaBound]):
    """The smallest delta for which a mechanism is (epsilon, delta)-private, with a worst pair and event."""

    name = "delta"
    letter = "δ"
    menu = "Delta at an epsilon, and the profile"
    beside = ("profile",)
    claims = PRIVACY_CLAIMS
    color = 1
    layout = Layout(Numbers(0, 1))

    epsilon: Any = asked(
        lambda given: number(given, "delta: epsilon"),
        default=None,
        help="Epsilon, a number of at least 0.",
        label="epsilon, or ratio=3/2 for e^ε",
        first="1",
    )
    ratio: Any = asked(
        lambda given: number(given, "delta: ratio"),
        default=None,
        kw_only=True,
        help="e^epsilon exactly, instead of epsilon: 3/2.",
        saved=Numbers(0, INFINITY),
    )

    def __post_init__(self) -> None:
        _ = self.gamma  # refuses what makes no sense, with the value as it was given
        super().__post_init__()

    @cached_property
    def gamma(self) -> Any:
        """e^epsilon, a Fraction or a Ball."""
        return ratio_of(self.epsilon, self.ratio)

    @property
    def label(self) -> str:
        return "delta"

    def to_measure(self) -> HockeyStick:
        return HockeyStick(self.gamma, self.epsilon)

    def algebraic(self) -> HockeyStick:
        if self.epsilon is not None:
            raise InvalidNumber(
                "delta: with a parameter left free, give e^epsilon itself as a rational number, such as "
                "ratio='2.7182818'; the exponential of epsilon is not rational.",
                value=self.epsilon,
            )
        return self.to_measure()

    def formula_label(self) -> str:
        ratio = str(self.ratio) if len(str(self.ratio)) < 12 else decimal(self.ratio)
        return f"delta (at e^eps = {ratio})"

    def answer(self, model: Any, how: How) -> DeltaBound:
        bound = super().answer(model, how)
        if not bound.witnessed or isinstance(bound.witness, StrategyWitness):
            return bound
        event = _event_of(model, bound.witness, self.gamma)
        return replace(bound, witness=DeltaWitness(bound.witness.x, bound.witness.x_prime, event))

    # -- showing -----------------------------------------------------------------------------------------------------

    def good(self, bound: DeltaBound) -> bool:
        return bool(bound.delta != 1)

    def rows(self, bound: DeltaBound) -> list[Row]:
        value, *rest = super().rows(bound)
        place = next(position for position, row in enumerate(rest) if row[0] == "neighbours")
        return [value, *rest[:place], ("event", _event_text(bound)), *rest[place:]]

    def place(self) -> list[Row]:
        at = f"eps = {self.epsilon}" if self.ratio is None else epsilon_equals(self.ratio, self.ratio)
        return [("at", at)]

    def headline(self, bound: DeltaBound) -> Headline:
        at = f"ε = {self.epsilon}" if self.ratio is None else brief_epsilon(self.ratio, self.ratio, "ε", "e^ε")
        return Headline(self.letter, bound.lower, bound.upper, f"at {at}", self.good(bound))

    def picture_title(self) -> str:
        return "The worst pair and its event"

    def numbers(self, bound: DeltaBound) -> list[Number]:
        return [Number("delta", f"delta at {bound.place}", bound.delta)]

    def swept(self, bound: DeltaBound) -> Swept:
        return Swept(bound.delta, f"Delta at {bound.place}", "$\\delta$")

    # -- saving ------------------------------------------------------------------------------------------------------

    def saved_fields(self, bound: DeltaBound) -> dict[str, Any]:
        return {"ratio": self.gamma}

    @classmethod
    def again(cls, model: Any, saved: SavedAnswer, **functions: Any) -> tuple[Any, str]:
        assert saved.witness is not None
        loss, how = model.replayed_loss(PairWitness(saved.witness["x"], saved.witness["x_prime"]))
        return HockeyStick(saved.question["ratio"]).at_pair(loss), how  # the file may have a ratio below 1

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        ratio = saved.question["ratio"]
        return (
            f"For {saved.neighbors} neighbours and {epsilon_equals(ratio, ratio)}, delta {is_text(saved)} "
            f"{limit_text(saved)}: no event has a larger P(on x) - e^eps P(on x')."
        )

    # -- claims ------------------------------------------------------------------------------------------------------

    @classmethod
    def claimed(cls, given: Mapping[str, Any]) -> Sequence[Requirement]:
        delta = given.get("delta")
        if delta is None:
            return []
        if not is_claimed(given):
            raise WrongArguments("claim: delta needs epsilon, or ratio= for e^epsilon exactly.", value=delta)
        epsilon, ratio = given.get("epsilon"), claimed_ratio(given)
        check_claimed_ratio(epsilon, ratio)
        if not probability_claimed(delta, "delta"):
            return []  # which is pure privacy
        gamma = number(ratio, "ratio") if epsilon is None else _largest_exp(epsilon)
        at = f"{RATIO} = {typed(ratio)}" if epsilon is None else f"eps = {typed(epsilon)}"
        return [ApproximateRequirement(cls(ratio=gamma), delta, at, epsilon)]

    def repeated(self, model: Any, runs: int, neighbors: Any = None, **limits: Any) -> tuple[Any, Any]:
        """Return the ends of delta of all runs: those of the composed profile."""
        if runs == 1:
            return super().repeated(model, runs, neighbors, **limits)
        one = model.profile(neighbors=neighbors, **limits)
        low, high = one.compose(runs).delta_interval(self.epsilon, ratio=self.ratio)
        # without a pair that is the worst at every ratio, no number above 0 is known to be attained
        return low if one.tight else Fraction(0), high

    @classmethod
    def budgeted(cls, given: Mapping[str, Any]) -> Sequence[Goal]:
        delta = given.get("delta")
        if delta is None:
            return []
        if not is_claimed(given):
            raise WrongArguments("calibrate: delta needs epsilon= or ratio= beside it.", value=delta)
        gamma, base = budget_ratio(given)
        most = probability(delta, "calibrate: delta")
        below = max(limit_below(gamma, 64), Fraction(1))
        return [Goal(cls(ratio=below), f"delta <= {most} at {base}", most)]


@dataclass(frozen=True)
class ApproximateRequirement(Requirement):
    """Delta at an epsilon is at most what is claimed."""

    at: str = ""
    epsilon: Any = None
    """Epsilon as it was typed; None where e^epsilon is given."""

    @property
    def words(self) -> str:
        return f"delta <= {typed(self.limit)} at {self.at}"

    def holds(self, model: Any, bound: DeltaBound, **limits: Any) -> bool | None:
        holds = super().holds(model, bound)
        if holds is None and bound.stats.get("stopped") is None and self.epsilon is not None:
            # delta is a ball around the claim: compare epsilons instead, which is possible without rounding
            smallest = model.ask(Epsilon(probability_claimed(self.limit, "delta")), **limits)
            return below_epsilon(smallest.lower, smallest.upper, self.epsilon)
        return holds

    def counterexample(self, model: Any, bound: DeltaBound) -> Counterexample | None:
        if bound.remainder:
            return super().counterexample(model, bound)
        pair, gamma = bound.witness, bound.ratio

        def masses(loss: Any) -> tuple[Any, Any]:
            atoms = [atom for atom in loss.atoms if surely_above(atom.mass, gamma * atom.mass_prime)]
            return sum(atom.mass for atom in atoms), sum(atom.mass_prime for atom in atoms)

        def again() -> tuple[Any, Any, str]:
            loss, how = model.replayed_loss(PairWitness(pair.x, pair.x_prime))
            return *masses(loss), how

        own, other = masses(model.loss(pair.x, pair.x_prime))
        return Counterexample(pair.x, pair.x_prime, getattr(pair, "event", None), own, other, again)


def _largest_exp(epsilon: Any) -> Any:
    """Return e^epsilon; for a float that of the largest real number that rounds to it, as in ``PrivacyBound.holds``."""
    if epsilon == 0:
        return Fraction(1)
    if isinstance(epsilon, float):
        return exp((Fraction(epsilon) + Fraction(math.nextafter(epsilon, math.inf))) / 2)
    return exp(epsilon)


def _event_of(model: Any, witness: PairWitness, ratio: Any) -> Event:
    """Return the outputs that are more than ``ratio`` times as likely on x as on x'."""

    def holds(y: Any) -> bool | None:
        return surely_above(model.probability(witness.x, y), ratio * model.probability(witness.x_prime, y))

    def listed(most: int | None) -> dict[Any, bool | None]:
        with options(**({} if most is None else {"max_outcomes": most})):
            own, other = model.distribution(witness.x), model.distribution(witness.x_prime)
        verdicts = {y: surely_above(p, ratio * other.get(y, 0)) for y, p in own.items()}
        return {y: verdict for y, verdict in verdicts.items() if verdict is not False}

    return Event(holds, listed)


def _event_text(bound: DeltaBound) -> str:
    """Return the event in words, and its outputs where they are few."""
    words = "the outputs that are more than e^eps times as likely on x as on x'"
    outputs = bound.witness.event.few() if isinstance(bound.witness, DeltaWitness) else None
    if outputs is None or len(outputs) > _MOST_EVENT:
        return words if outputs is None else f"{words}, {len(outputs)} of them"
    return f"{', '.join(vector_text(y) for y in outputs)}: {words}" if outputs else f"empty; {words}"
