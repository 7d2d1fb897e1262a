"""The trade-off of errors: the least error of the second kind for every error of the first kind."""

from __future__ import annotations

import bisect
import html
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from taut.questions.bound import Bound, Verification
from taut.questions.field import asked, call, literal, several
from taut.questions.pair_measure import PairCase, PairMeasure, PairWitness, pair_of
from taut.questions.pairs import PairQuestion
from taut.questions.question import question
from taut.questions.rows import Headline, Number, Row, TextTable, method_rows, pair_texts, plural
from taut.questions.text import between, found_by, plain_case, shown, text_of, vector_text
from taut.support.errors import InvalidProbability, OutOfMemory, OutOfTime
from taut.support.exact import Ball, decimal, number
from taut.support.limits import checkpoints, grace, reason_of
from taut.support.pictures.notebook import html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Corner",
    "Tradeoff",
    "TradeoffCurve",
    "TradeoffFunction",
    "TradeoffOfErrors",
    "error_of_the_first_kind",
    "least",
    "tests_of",
]


class Corner(NamedTuple):
    """A point of a trade-off curve, and the pair of inputs that has it on the piece to its right."""

    alpha: Fraction
    beta: Fraction
    pair: Any = None


class TradeoffFunction:
    """A continuous, decreasing, piecewise linear function on [0, 1] that ends at 0, given by its corners."""

    def __init__(self, corners: Iterable[Corner]) -> None:
        self.corners = _without_needless(corners)
        self._alphas = [corner.alpha for corner in self.corners]

    def __eq__(self, other: object) -> bool:
        """The same corners, with the same pairs."""
        return self.corners == other.corners if isinstance(other, TradeoffFunction) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.corners))

    def __repr__(self) -> str:
        return f"<trade-off function of {len(self.corners)} corners, {decimal(self(Fraction(1, 2)))} at 1/2>"

    def to_dict(self) -> dict[str, Any]:
        """Return the corners as plain data: fractions as 'p/q', each with the pair of inputs that has it."""
        rows = [
            {"alpha": text_of(alpha), "beta": text_of(beta), "witness": plain_case(pair)}
            for alpha, beta, pair in self.corners
        ]
        return {"corners": rows}

    def __call__(self, alpha: Fraction) -> Fraction:
        place = max(0, min(bisect.bisect_right(self._alphas, alpha), len(self.corners) - 1) - 1)
        left, right = self.corners[place], self.corners[min(place + 1, len(self.corners) - 1)]
        if left.alpha == right.alpha:
            return left.beta
        return left.beta + (right.beta - left.beta) * (alpha - left.alpha) / (right.alpha - left.alpha)

    def pair_at(self, alpha: Fraction) -> Any:
        """Return the pair of inputs that attains the value at alpha."""
        place = max(0, min(bisect.bisect_right(self._alphas, alpha), len(self.corners) - 1) - 1)
        return self.corners[place].pair

    def convex(self) -> TradeoffFunction:
        """Return the largest convex function below this one: what mixtures of pairs and tests can reach."""
        hull: list[Corner] = []
        for corner in self.corners:
            while len(hull) > 1 and _above_chord(hull[-2], hull[-1], corner):
                hull.pop()
            hull.append(corner)
        return TradeoffFunction(hull)


def tests_of(atoms: Sequence[tuple[Any, Fraction, Fraction]], pair: Any) -> TradeoffFunction:
    """Return the trade-off function of one pair, given by its atoms with the largest ratio first.

    The hypothesis is x, the alternative x'. The best tests reject x for the outputs with the smallest ratios
    (Neyman and Pearson), at random on the last of them. Masses need not sum to one.
    """
    alpha, power = Fraction(0), Fraction(0)
    corners: list[Corner] = []
    for _, mass, mass_prime in reversed(atoms):
        if mass and not corners:
            corners.append(Corner(Fraction(0), max(Fraction(0), 1 - power), pair))
        power += mass_prime
        if not mass:
            continue
        beta = max(Fraction(0), 1 - power)
        if alpha + mass > 1:
            beta += (corners[-1].beta - beta) * (alpha + mass - 1) / mass
        alpha = min(Fraction(1), alpha + mass)
        corners.append(Corner(alpha, beta, pair))
    if alpha < 1:
        corners.append(Corner(Fraction(1), Fraction(0), pair))
    return TradeoffFunction(corners)


def least(functions: Sequence[TradeoffFunction]) -> TradeoffFunction:
    """Return the smallest of some functions at every alpha; it need not be convex.

    Raises:
        OutOfTime, OutOfMemory: a limit in force was passed.
    """
    rest = list(functions)
    while len(rest) > 1:
        paired = itertools.zip_longest(rest[::2], rest[1::2])
        rest = [a if b is None else _smaller(a, b) for a, b in checkpoints(paired, every=16)]
    return rest[0]


def error_of_the_first_kind(alpha: Any) -> Fraction:
    """Return alpha as it was typed, or a refusal."""
    value = number(alpha, "tradeoff: alpha")
    if isinstance(value, Ball) or not 0 <= value <= 1:
        raise InvalidProbability(
            f"tradeoff: alpha, the error of the first kind, must be a rational number in [0, 1]; got {text_of(value)}.",
            value=alpha,
        )
    return value


def _smaller(f: TradeoffFunction, g: TradeoffFunction) -> TradeoffFunction:
    alphas = sorted({*f._alphas, *g._alphas})
    points = set(alphas)
    values = {alpha: (f(alpha), g(alpha)) for alpha in alphas}
    for a, b in itertools.pairwise(alphas):
        left, right = values[a][0] - values[a][1], values[b][0] - values[b][1]
        if left * right < 0:
            points.add(a + (b - a) * left / (left - right))
    ordered = sorted(points)
    corners = []
    for place, alpha in enumerate(ordered):
        middle = (alpha + ordered[place + 1]) / 2 if place + 1 < len(ordered) else alpha
        better = f if f(middle) <= g(middle) else g
        corners.append(Corner(alpha, min(f(alpha), g(alpha)), better.pair_at(middle)))
    return TradeoffFunction(corners)


def _above_chord(before: Corner, corner: Corner, after: Corner) -> bool:
    return (corner.beta - before.beta) * (after.alpha - before.alpha) >= (after.beta - before.beta) * (
        corner.alpha - before.alpha
    )


def _without_needless(corners: Iterable[Corner]) -> list[Corner]:
    """Return corners without those at which neither the slope nor the pair changes."""
    kept: list[Corner] = []
    for corner in corners:
        if kept and kept[-1].alpha == corner.alpha:
            kept[-1] = corner._replace(beta=min(corner.beta, kept[-1].beta))
            continue
        while len(kept) > 1 and kept[-2].pair == kept[-1].pair and _straight(kept[-2], kept[-1], corner):
            kept.pop()
        kept.append(corner)
    return kept


def _straight(before: Corner, corner: Corner, after: Corner) -> bool:
    return (corner.beta - before.beta) * (after.alpha - before.alpha) == (after.beta - before.beta) * (
        corner.alpha - before.alpha
    )


_FEW = 32
"""Number of pairs whose curves are compared if there is no time for all."""
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

    def limited_by(self, beyond: TradeoffCurve) -> Self:
        return replace(self, lower=beyond.lower)

    def __call__(self, alpha: Any) -> Fraction:
        """The least error of the second kind at alpha, given as a Fraction or as text; the lower end if not exact."""
        value: Fraction = self.lower(error_of_the_first_kind(alpha))
        return value

    def interval(self, alpha: Any) -> tuple[Fraction, Fraction]:
        """Return two numbers between which the least error of the second kind lies."""
        value = error_of_the_first_kind(alpha)
        return self.lower(value), self.upper(value)

    def worst(self, alpha: Any) -> PairWitness | None:
        """Return the pair that attains the value at alpha; None if it is not known."""
        pair: PairWitness | None = self.upper.pair_at(error_of_the_first_kind(alpha))
        return pair

    @property
    def corners(self) -> list[Corner]:
        """The points (alpha, beta, pair) between which the curve is straight, exactly."""
        return list(self.lower.corners)

    def convex(self) -> TradeoffCurve:
        """Return the largest convex curve below this one: a lower bound also for random mixtures of pairs."""
        lower: TradeoffFunction = self.lower.convex()
        return replace(self, lower=lower, upper=lower if self.exact else self.upper.convex())

    _pictured = "trade-off curve"

    def _figure(self, title: str | None) -> Figure:
        from taut.questions.figures.curve_figure import tradeoff_figure

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
        rounded = not self.exact or not all(loss.exact for loss, _ in replayed)
        return Verification(values == replays or (rounded and close), values, replays, method)

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

    monotone = whole_curve = ignores_tiny = True

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
    """Return the smallest trade-off function; with ``up``, masses are rounded so that it is never below the truth."""
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
