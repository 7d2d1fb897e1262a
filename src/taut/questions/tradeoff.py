"""The trade-off of errors: the least error of the second kind for every error of the first kind."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.questions.bound import Bound, Verification
from taut.questions.calls import call, literal
from taut.questions.field import asked, several
from taut.questions.pair_measure import PairCase, PairMeasure, PairWitness, pair_of
from taut.questions.pairs import PairQuestion
from taut.questions.question import question
from taut.questions.rows import Headline, Number, Row, TextTable, method_rows, pair_texts, plural
from taut.questions.text import between, found_by, plain_case, shown, text_of, vector_text
from taut.questions.tradeoff_function import Corner, TradeoffFunction, error_of_the_first_kind, least, tests_of
from taut.support.errors import OutOfMemory, OutOfTime
from taut.support.limits import grace, reason_of
from taut.support.pictures.notebook import html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Tradeoff", "TradeoffCurve", "TradeoffOfErrors"]

_FEW = 32
"""Pairs whose curves are still compared where there is no time for all."""
_SOME_ALPHAS = ("0", "1/100", "1/20", "1/10", "1/4", "1/2", "3/4")
_FEW_CORNERS = 24


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
        from taut.questions.figures.tradeoff_figure import tradeoff_figure

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
        value = between(low, high)
        count = len(self.corners) - 1
        kind = f"{count} piece{'s' if count > 1 else ''}, beta =" if self.exact else "certified intervals, beta"
        size = f"{'' if self.complete else 'not finished, '}{kind} {value} at alpha = 1/2"
        relation = "" if self.neighbors is None else f", for {self.neighbors} neighbours"
        return f"trade-off curve: {size}{relation}; {found_by(self.method)}"

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


class Tradeoff(PairMeasure):
    """The least error of the second kind for every error of the first kind: the smallest over all pairs."""

    @property
    def largest(self) -> bool:
        return False

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> TradeoffCurve:
        exact = all(case.loss.exact for case in cases)
        try:
            upper = _least(cases, up=True)
        except (OutOfTime, OutOfMemory) as error:
            if len(cases) <= _FEW:
                raise
            stats = {**parts["stats"], "stopped": reason_of(error)}
            with grace(1.0):
                return self.worst(cases[:_FEW], False, **{**parts, "stats": stats})
        if not complete:
            lower = TradeoffFunction([Corner(Fraction(0), Fraction(0)), Corner(Fraction(1), Fraction(0))])
        else:
            lower = upper if exact else _least(cases, up=False)
        return self.bound(upper, lower, **parts)

    def worse(self, value: Any, other: Any) -> bool:
        """Return True if a curve is nowhere above another, and below it somewhere."""
        pairs = [
            (value(at), other(at)) for at in {corner.alpha for curve in (value, other) for corner in curve.corners}
        ]
        return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> TradeoffCurve:
        return TradeoffCurve(limit, attained, witness=attained.pair_at(Fraction(1, 2)), **parts)


def _least(cases: Sequence[PairCase], *, up: bool) -> TradeoffFunction:
    """The smallest trade-off function; with ``up``, masses are rounded so that it is never below the truth."""
    return least([tests_of(case.loss.rational(up=up), pair_of(case.loss)) for case in cases])


@question
class TradeoffOfErrors(PairQuestion[TradeoffCurve]):
    """The least error of the second kind with which neighbours can be told apart, for every error of the first."""

    name = "tradeoff"
    title = "Trade-off"
    menu = "Trade-off of errors"
    weight = 1.5
    claimable = calibrated = False
    layout = None

    alpha: Any = asked(
        several(error_of_the_first_kind),
        default=(),
        kw_only=True,
        kind="texts",
        help="Errors of the first kind, with commas: 1/10,1/2.",
        label="alpha, the error of the first kind",
        first="1/2",
    )

    @property
    def label(self) -> str:
        return "beta"

    def to_measure(self) -> Tradeoff:
        return Tradeoff()

    def replayed(self, model: Any, witness: PairWitness) -> tuple[Any, str]:
        found: tuple[Any, str] = model.replayed_loss(witness)
        return found

    def good(self, bound: TradeoffCurve) -> bool:
        return bound.interval("0")[0] != 0

    def rows(self, bound: TradeoffCurve) -> list[Row]:
        shape = "convex" if len(bound.convex().corners) == len(bound.corners) else "not convex"
        size = f"{len(bound.corners) - 1} {plural('piece', len(bound.corners) - 1)}"
        return [
            ("beta", f"{between(*bound.interval('1/2'))} at alpha = 1/2"),
            ("curve", f"{size}, {shape}" if bound.exact else "a certified interval at every alpha"),
            ("neighbours", str(bound.neighbors)),
            *method_rows(bound),
        ]

    def tables(self, bound: TradeoffCurve) -> list[TextTable]:
        cells = [[shown(at), between(low, high), *pair_texts(pair)] for at, low, high, pair in self._errors(bound)]
        return [TextTable("Errors", ["alpha, first kind", "beta, second kind", "x", "x'"], cells, cut=True)]

    def record(self, bound: TradeoffCurve) -> dict[str, Any]:
        rows = [
            {"alpha": text_of(at), "lower": text_of(low), "upper": text_of(high), "witness": plain_case(pair)}
            for at, low, high, pair in self._errors(bound)
        ]
        return {**bound.to_dict(), "values": rows}

    def headline(self, bound: TradeoffCurve) -> Headline:
        at = self.alpha[0] if self.alpha else Fraction(1, 2)
        return Headline("β, error of the second kind", *bound.interval(at), f"at α = {at}, error of the first kind")

    def picture_title(self) -> str:
        return "The trade-off curve"

    def numbers(self, bound: TradeoffCurve) -> list[Number]:
        at = self.alpha[0] if self.alpha else Fraction(1, 2)
        return [Number("beta", f"beta at alpha = {at}", bound.interval(at)[0])]

    def program(self, more: Sequence[str] = ()) -> list[str]:
        places = [f"print(*curve.interval({literal(at)}))" for at in self.alpha]
        return [f"curve = {call(self, more)}", "print(curve)", *places] if places else super().program(more)

    def _errors(self, curve: TradeoffCurve) -> list[tuple[Any, Any, Any, Any]]:
        """Return the points at the given errors of the first kind; if there are none, the corners, or some points."""
        alphas = list(self.alpha)
        if not alphas and curve.exact and len(curve.corners) <= _FEW_CORNERS:
            alphas = [corner.alpha for corner in curve.corners]
        places = alphas or [error_of_the_first_kind(one) for one in _SOME_ALPHAS]
        return [(alpha, *curve.interval(alpha), curve.worst(alpha)) for alpha in places]
