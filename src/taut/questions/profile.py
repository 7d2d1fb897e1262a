"""The privacy profile: delta for every epsilon at once, also of several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from taut.composition.curve import Curve, Line, lines_of
from taut.questions.drawn import SeveralBounds, not_saved
from taut.questions.epsilon import REPORTED_DELTAS, Epsilon
from taut.questions.field import Numbers, asked, literal, several
from taut.questions.measure import Measure
from taut.questions.pair_measure import PairCase, PairMeasure, PairWitness, envelope_of, envelopes_of, pair_of
from taut.questions.pairs import PairQuestion
from taut.questions.privacy import LargestRatio
from taut.questions.privacy_profile import PrivacyProfile
from taut.questions.question import How, Variant, question
from taut.questions.ratio import (
    brief_epsilon,
    epsilon_alone,
    epsilon_cell,
    epsilon_equals,
    epsilon_of,
    ratio_of,
    required_delta,
)
from taut.questions.rows import Headline, Number, Row, TextTable, epsilon_headline, method_rows, pair_texts, plural
from taut.questions.saved import Layout, SavedAnswer
from taut.questions.text import as_typed, between, brief_interval, outward, rounded_up, shown, text_of, vector_text
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, decimal

__all__ = ["Profile", "WholeProfile"]


class WholeProfile(PairMeasure):
    """Delta at every epsilon: the upper envelope of the hockey-stick curves of all pairs."""

    monotone = whole_curve = profile = ignores_tiny = True

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> PrivacyProfile:
        lower, upper = envelopes_of(cases, complete)
        exact = all(case.loss.exact for case in cases)
        tight = complete and exact and _one_is_worst(lower, cases)
        if complete and not exact:
            parts["mirrored"] = tuple(envelope_of(cases, up=up, exchanged=True) for up in (False, True))
        return self.bound(lower, upper, tight=tight, **parts)

    def implied(self, other: Measure, limit: Any) -> Any:
        """From the largest ratio R, delta is at most 1 - ratio / R."""
        if not isinstance(other, LargestRatio):
            return None
        return Curve([Line(Fraction(0), Fraction(0)), Line(Fraction(1), 1 / Fraction(limit))])

    def worse(self, value: Any, other: Any) -> bool:
        """Return True if a curve is nowhere below another from ratio 1 on, and above it somewhere."""
        if value.lines[0].mass_prime > other.lines[0].mass_prime:
            return False
        places = {Fraction(1), *[ratio for curve in (value, other) for ratio, _ in curve.corners if ratio > 1]}
        beyond = max(places) + 1
        pairs = [(value(ratio), other(ratio)) for ratio in (*places, beyond)]
        return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> PrivacyProfile:
        return PrivacyProfile(attained, limit, witness=attained.line_at(Fraction(1)).pair, **parts)


def _one_is_worst(envelope: Curve, cases: Sequence[PairCase]) -> bool:
    """Return True if one of the pairs has the whole envelope for its curve."""
    steepest, wanted = envelope.lines[-1], {line.pair for line in envelope.lines}
    corners = [(line.mass, line.mass_prime) for line in envelope.lines]
    for case in cases:
        if pair_of(case.loss) in wanted or sum(a.mass_prime for a in case.loss.atoms if a.mass) == steepest.mass_prime:
            own = Curve(lines_of(case.loss.rational(up=True)))
            if [(line.mass, line.mass_prime) for line in own.lines] == corners:
                return True
    return False


def _read_runs(given: Any) -> int:
    """Read the number of runs of a mechanism."""
    runs = int(given) if isinstance(given, str) and given.strip().isdigit() else given
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise InvalidInput(f"--compose must be a whole number of at least 1; got {given}.", value=given)
    return runs


def _place(kind: str) -> Any:
    """Return a reader of the places at which delta is shown: as they were typed, with e^epsilon."""

    def read(given: Any) -> tuple[str, str, Any]:
        gamma = ratio_of(given, None) if kind == "epsilon" else ratio_of(None, given)
        return kind, str(given), gamma

    return several(lambda given: given if isinstance(given, tuple) else read(given))


@question
class Profile(PairQuestion[PrivacyProfile]):
    """Delta for every epsilon at once, with the worst pair on each piece; of several runs with --compose."""

    name = "profile"
    title = "Profile"
    menu = "Privacy profile"
    weight = 2.0
    variants = (
        Variant(
            "composition",
            "Composition",
            "Composition: several runs",
            {"compose": ("runs", "10"), "delta": ("delta", "1e-6")},
            [{"compose": runs, "delta": "1e-6"} for runs in ("1", "3", "10")],
            weight=2.0,
        ),
    )
    claimable = calibrated = False
    layout = Layout(
        Numbers(0, 1, rational=True, listed=True),
        ("pairs",),
        {"ratios": Numbers(0, INFINITY, rational=True, listed=True)},
    )

    compose: Any = asked(_read_runs, default=1, kw_only=True, help="How many times the mechanism is run.")
    epsilon: Any = asked(
        _place("epsilon"), default=(), kw_only=True, kind="texts", help="Also delta at these: 0.5,1,2."
    )
    ratio: Any = asked(
        _place("ratio"), default=(), kw_only=True, kind="texts", help="Also delta at these e^epsilon: 3/2,2."
    )
    delta: Any = asked(
        several(required_delta), default=(), kw_only=True, kind="texts", help="Also epsilon at these: 1e-6,1e-9."
    )

    @property
    def label(self) -> str:
        return "delta"

    def to_measure(self) -> WholeProfile:
        return WholeProfile()

    def answer(self, model: Any, how: How) -> PrivacyProfile:
        once = super().answer(model, how)
        return once if self.compose == 1 else replace(once.compose(self.compose), question=self)

    def with_remainder(self, model: Any, how: How, remainder: Any) -> PrivacyProfile:
        once = replace(super().answer(model.by_items(), how), remainder=remainder, tight=False)
        return once if self.compose == 1 else replace(once.compose(self.compose), question=self)

    @staticmethod
    def at_delta(delta: Any) -> Epsilon:
        """Return the question of epsilon at a delta, which the profile answers too."""
        return Epsilon(delta)

    # -- showing -----------------------------------------------------------------------------------------------------

    def good(self, bound: PrivacyProfile) -> bool:
        return bool(bound.delta_interval(ratio=1)[1] != 1)

    def rows(self, bound: PrivacyProfile) -> list[Row]:
        rows = [("delta", f"{between(*bound.delta_interval(ratio=1))} at eps = 0")]
        if bound.exact:
            last, limit = bound.corners[-1]
            rows.append(("", f"{shown(limit)} from {epsilon_equals(last, last)} on"))
            rows.append(("pieces", str(len(bound.pieces))))
        elif bound.complete:
            rows.append(("", "a certified interval at every epsilon"))
        rows.append(("Gaussian", _gaussian(bound)))
        if bound.parts:
            tight = "attained" if bound.tight else "an upper bound, perhaps not attained"
            runs = sum(count for _, count in bound.parts)
            rows.append(("runs", f"{runs}, each of which may depend on the answers before it; {tight}"))
        one = bound.parts[0][0] if bound.parts else bound
        return [*rows, ("neighbours", str(one.neighbors)), *method_rows(one)]

    def tables(self, bound: PrivacyProfile) -> list[TextTable]:
        places = [(f"eps = {at}" if kind == "epsilon" else brief_epsilon(g, g), g) for kind, at, g in self._places]
        deltas = [[at, brief_interval(*bound.delta_interval(ratio=gamma)).removeprefix("= ")] for at, gamma in places]
        found = [bound.epsilon(one) for one in self._deltas]
        epsilons = [[as_typed(one.delta), epsilon_cell(one.lower, one.upper)] for one in found]
        return [
            *_pieces(bound),
            *([TextTable("Delta", ["at", "delta"], deltas)] if deltas else []),
            *([TextTable("Epsilon", ["at delta", "eps"], epsilons)] if epsilons else []),
        ]

    def record(self, bound: PrivacyProfile) -> dict[str, Any]:
        neighbors = (bound.parts[0][0] if bound.parts else bound).neighbors
        intervals = [(kind, at, *bound.delta_interval(ratio=gamma)) for kind, at, gamma in self._places]
        deltas = [{kind: at, "lower": text_of(low), "upper": text_of(high)} for kind, at, low, high in intervals]
        epsilons = [{**bound.epsilon(one).to_dict(), "neighbors": neighbors} for one in self._deltas]
        return {**bound.to_dict(), "neighbors": neighbors, "deltas": deltas, "epsilons": epsilons}

    @property
    def _places(self) -> list[tuple[str, str, Any]]:
        return [*self.epsilon, *self.ratio]

    @property
    def _deltas(self) -> tuple[Any, ...]:
        read = self.delta
        return read or (() if self.compose == 1 else tuple(map(required_delta, REPORTED_DELTAS)))

    def headline(self, bound: PrivacyProfile) -> Headline:
        if bound.parts and self._deltas:
            note = f"at δ = {decimal(self._deltas[0], 6)}, {'attained' if bound.tight else 'an upper bound'}"
            return epsilon_headline(bound.epsilon(self._deltas[0]), self.good(bound), f"{self.short} {note}")
        return Headline("δ at ε = 0", *bound.delta_interval(ratio=1), "falling with ε", self.good(bound))

    @property
    def short(self) -> str:
        return f"{self.compose} {plural('run', self.compose)}"

    @classmethod
    def compared(cls, label: str, bounds: Sequence[PrivacyProfile]) -> TextTable:
        deltas = bounds[0].question._deltas
        rows = []
        for one in bounds:
            found = [one.epsilon(delta) for delta in deltas]
            bound = "attained" if one.tight or not one.parts else "an upper bound"
            epsilons = [epsilon_alone(each.lower, each.upper) for each in found]
            rows.append([str(one.question.compose), *epsilons, bound])
        headings = ["runs", *[f"eps at delta = {decimal(delta, 6)}" for delta in deltas], ""]
        return TextTable(f"Several runs of {label}", headings, rows)

    def picture_title(self) -> str:
        return "The privacy profile"

    def numbers(self, bound: PrivacyProfile) -> list[Number]:
        return [Number("total_variation", "delta at eps = 0", bound.delta_interval(ratio=1)[1])]

    def program(self, more: Sequence[str] = ()) -> list[str]:
        runs = "" if self.compose == 1 else f".compose({self.compose})"
        profile = f"model.profile({', '.join(more)}){runs}"
        asked = [
            *[f"delta({kind}={literal(at)})" for kind, at, _ in self._places],
            *[f"epsilon({literal(delta)})" for delta in self._deltas],
        ]
        if not asked:
            return [f"print({profile})"]
        return [f"profile = {profile}", *[f"print(profile.{one})" for one in asked]]

    def bar(self, bound: PrivacyProfile) -> Number:
        if not self._deltas:
            return super().bar(bound)
        delta = self._deltas[0]
        return Number("epsilon", f"epsilon at delta = {decimal(delta, 6)}", bound.epsilon(delta).epsilon, exact=False)

    @classmethod
    def drawn(cls, bounds: Mapping[str, Any]) -> Any:
        return SeveralBounds(bounds, "Several runs")

    def replayable(self, bound: PrivacyProfile) -> Any:
        return bound.parts[0][0] if bound.parts else bound

    # -- saving ------------------------------------------------------------------------------------------------------

    def unsaved(self) -> str | None:
        return None if self.compose == 1 else "a file has the profile of one run; leave --compose out."

    def saved_fields(self, bound: PrivacyProfile) -> dict[str, Any]:
        if not bound.exact:  # which it is not either where runs were not followed
            raise not_saved(bound, "only exact profiles are: this one is rounded, or was not finished")
        return {"ratios": bound.places}

    def saved_witness(self, bound: PrivacyProfile) -> dict[str, Any]:
        return {"pairs": [(pair.x, pair.x_prime) for pair in bound.pairs]}

    def saved_interval(self, bound: PrivacyProfile) -> tuple[Any, Any]:
        deltas = [bound.lower(place) for place in bound.places]
        return deltas, deltas

    @classmethod
    def check(cls, saved: SavedAnswer) -> str | None:
        if not saved.exact or len(saved.lower) != len(saved.question["ratios"]) or saved.witness is None:
            return "a profile has one delta at each ratio, and a witness"
        return None

    @classmethod
    def again(cls, model: Any, saved: SavedAnswer, **functions: Any) -> tuple[Any, str]:
        losses = [model.replayed_loss(PairWitness(*pair)) for pair in saved.pairs]
        curve = Curve(line for loss, _ in losses for line in lines_of(loss.rational(up=False)))
        hows = dict.fromkeys(how for _, how in losses)
        return tuple(curve(place) for place in saved.question["ratios"]), ", ".join(hows)

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        return (
            f"For {saved.neighbors} neighbours delta is known exactly for every epsilon, from "
            f"{shown(saved.attained[0])} at eps = 0 down to {shown(min(saved.attained))}."
        )

    @classmethod
    def worst(cls, saved: SavedAnswer) -> str:
        pairs = [f"x={vector_text(x)} and x'={vector_text(x_prime)}" for x, x_prime in saved.pairs]
        return f"It is attained by {'; '.join(pairs)}."


def _pieces(bound: PrivacyProfile) -> list[TextTable]:
    """Return the table of the pairs that are worst on each piece; none where that is not known."""
    if bound.parts or not bound.exact:
        return []
    rows = []
    for pair, pieces in groupby((piece for piece in bound.pieces if piece.mass), key=lambda piece: piece.witness):
        run = list(pieces)
        ends = [epsilon_of(run[0].low), epsilon_of(run[-1].high)]
        deltas = [bound.delta(ratio=run[0].low), bound.delta(ratio=min(run[-1].high, bound.corners[-1][0]))]
        rows.append([*[decimal(value, 6) for value in (*ends, *deltas)], *pair_texts(pair)])
    headings = ["epsilon from", "to", "delta from", "to", "x", "x'"]
    title = "Worst pairs (numbers rounded)"
    return [TextTable(title, headings, rows, cut=True)] if rows else []


def _gaussian(profile: PrivacyProfile) -> str:
    """Return, as text, the mu of a Gaussian mechanism that is at most as private, or why none is known."""
    if profile.gaussian < INFINITY:
        return f"mu = {rounded_up(profile.gaussian, 10)}, rounded up: no easier to tell apart than N(0, 1) and N(mu, 1)"
    if profile.gaussian_lower == INFINITY:
        return "none: no mu is large enough"
    why = "the probabilities are not known precisely enough" if profile.complete else "the profile is not finished"
    return f"not known, since {why}; mu is at least {outward(profile.gaussian_lower, 10, up=False)}"
