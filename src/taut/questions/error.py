"""Errors: mean, variance, moments and quantiles of the distance to a target, on the worst input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from taut.program import AtLeast, AtMost, replay_distribution, weighed
from taut.questions.accuracy import (
    AccuracyBound,
    AccuracyWitness,
    EventProbability,
    InputMeasure,
    ProbabilityOfTrue,
    function_name,
)
from taut.questions.bound import Bound
from taut.questions.field import as_given, asked, call, literal
from taut.questions.measure import Measure
from taut.questions.question import How, Question, question
from taut.questions.rows import Headline, Number, Row, TextTable, case_rows, cell_text, method_rows
from taut.questions.text import between, case_text, equals, found_by, shown, text_of, vector_text
from taut.support.errors import InvalidInput, OutOfMemory, OutOfTime
from taut.support.exact import Ball, ends, number
from taut.support.limits import checkpoint, exceeded, reason_of
from taut.support.process import cached_property

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DistanceError", "Error", "ErrorBound", "ExpectedValue", "Variance"]

Statistic = tuple[str, Any]
"""A kind, 'moment', 'variance' or 'quantile', and its order or share."""


@dataclass(frozen=True)
class ErrorBound(Bound):
    """The largest value, over all inputs, of one statistic of the distance between output and target.

    Guarantee:
        On every input the statistic is at most ``value``; if ``exact``, the witness attains it.
    """

    statistic: str = "mean"
    """Name of the statistic: 'mean', 'mean square', 'variance', 'moment 3', 'quantile 19/20'."""
    witness: AccuracyWitness = field(default=AccuracyWitness(None))

    @property
    def value(self) -> Any:
        """The largest value: a Fraction, or a Ball where exp occurs; the upper end where the bound is not exact."""
        return self.upper

    _pictured = "error"

    def _figure(self, title: str | None) -> Figure:
        from taut.questions.figures.case_figure import error_figure

        return error_figure(self, self._seen(), title)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        head = equals(f"{self.statistic} of the distance", self.lower, self.upper)
        if not self.witnessed:
            return f"{head}; no case was looked at"
        return f"{head}, at x={case_text(self.witness.x)}; {found_by(self.method)}"

    def _head(self) -> dict[str, Any]:
        return {"statistic": self.statistic, "value": text_of(self.value)}


@dataclass(frozen=True)
class ExpectedValue(ProbabilityOfTrue):
    """``low + span * P(True)``, the largest over all inputs, of a channel made by ``weighed``.

    Weights are scaled to reach from 0 to 1; ``low`` is the value of weight 0, and ``low + span`` that of weight 1.
    """

    statistic: str
    low: Any
    span: Any

    @property
    def largest(self) -> bool:
        return True

    def unknown(self, **parts: Any) -> ErrorBound:
        """Return the interval of all possible values."""
        return replace(self.bound(Fraction(0), Fraction(1), **parts), witnessed=False)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> ErrorBound:
        lower, upper = (self.low + self.span * end for end in (attained, self.at_most_one(limit)))
        return ErrorBound(lower, upper, **parts, statistic=self.statistic)


@dataclass(frozen=True)
class Variance(InputMeasure):
    """E(d^2) - E(d)^2 of the number d that a channel returns; ``span`` is that of all such numbers, if it is known."""

    span: Any = None

    def value(self, distribution: Mapping[Any, Any]) -> Any:
        mean = sum(mass * d for d, mass in distribution.items())
        return sum(mass * (d - mean) ** 2 for d, mass in distribution.items())

    def bound(self, attained: Any, limit: Any, **parts: Any) -> ErrorBound:
        return ErrorBound(attained, limit, **parts, statistic="variance")

    def unknown(self, **parts: Any) -> ErrorBound | None:
        """Return the interval up to half of the two ends each, the largest variance between them."""
        if self.span is None:
            return None
        return replace(self.bound(Fraction(0), Fraction(self.span) ** 2 / 4, **parts), witnessed=False)


def read_statistic(given: Any) -> Statistic:
    """Read a statistic: 'mean', 'mean_square', 'variance', 'moment 3', 'quantile 0.95'."""
    if isinstance(given, tuple):
        kind, value = given
    else:
        kind, _, value = str(given).strip().replace("mean square", "mean_square").partition(" ")
        kind, value = {"mean": ("moment", 1), "mean_square": ("moment", 2)}.get(kind, (kind, value))
    if kind == "moment":
        order = int(value) if isinstance(value, str) and value.strip().isdigit() else value
        if isinstance(order, bool) or not isinstance(order, int) or order < 1:
            raise InvalidInput(f"the order of a moment is a whole number of at least 1; got {value!r}.", value=value)
        return kind, order
    if kind == "quantile":
        wanted = number(value, "quantile")
        if isinstance(wanted, Ball) or not 0 < wanted <= 1:
            raise InvalidInput(f"a quantile is for a probability above 0 and up to 1; got {value!r}.", value=value)
        return kind, wanted
    if kind != "variance":
        raise InvalidInput(
            f"a statistic is mean, mean_square, variance, 'moment 3' or 'quantile 0.95'; got {given!r}.", value=given
        )
    return kind, None


@question
class Error(Question[ErrorBound]):
    """The exact mean, mean square and variance of the distance to a target, each with its worst input."""

    name = "error"
    title = "Error"
    menu = "Error: mean and quantiles of the distance"
    about_target = True
    claimable = calibrated = False

    target: Any = asked(as_given, kind="target", help="What is estimated", label="target", first="sum", usual="sum")
    statistic: Any = asked(
        read_statistic,
        default=("moment", 1),
        kw_only=True,
        each="statistics",
        help="mean, mean_square, variance, 'moment 3' or 'quantile 0.95', with commas.",
        label="statistics, with commas",
        first="mean, mean_square, variance",
        usual="mean, mean_square, variance",
    )
    distance: Any = asked(
        as_given,
        default=None,
        kw_only=True,
        kind="distance",
        help="The distance of an output to the target",
        label="distance",
        first="absolute",
        usual="absolute",
    )
    quantile: Any = asked(
        as_given,
        default=(),
        kw_only=True,
        kind="texts",
        help="Also the smallest alpha that is kept with this probability; may be repeated.",
    )
    shared: Any = asked(
        as_given, default=None, kw_only=True, kind="python", help="The distances that several statistics share."
    )

    @property
    def label(self) -> str:
        kind, value = self.statistic
        if kind == "moment":
            return {1: "mean", 2: "mean square"}.get(value, f"moment {value}")
        return kind if value is None else f"{kind} {value}"

    def answer(self, model: Any, how: How) -> ErrorBound:
        distances = (self.shared or _Shared()).of(model, self.target, self.distance)
        return replace(distances.bound(self.statistic, self.label, how), question=self)

    def rows(self, bound: ErrorBound) -> list[Row]:
        value = shown(bound.value) if bound.exact else between(bound.lower, bound.upper)
        return [
            (f"{self.label} of the distance", value),
            *case_rows([("x", bound.witness.x)], bound),
            *method_rows(bound),
        ]

    @classmethod
    def several_of(cls, texts: Mapping[str, Any]) -> list[Question[Any]]:
        given = {**texts, "quantile": None, "shared": _Shared()}
        quantiles = texts.get("quantile") or ""
        shares = quantiles.split(",") if isinstance(quantiles, str) else quantiles
        typed = {share: cls.of_texts({**given, "statistic": f"quantile {share}"}) for share in shares if share}
        given["shared"].typed |= {one.label: f"quantile {share}" for share, one in typed.items()}
        asked = super().several_of(given)
        late = [one for one in asked if one.label == "variance"]  # which not every method and size can have
        return [*[one for one in asked if one not in late], *typed.values(), *late]

    @classmethod
    def recorded(cls, records: Sequence[tuple[Question[Any], dict[str, Any]]]) -> dict[str, Any]:
        names = [(_typed(asked), record) for asked, record in records]
        return {name.replace("mean square", "mean_square"): record for name, record in names}

    @classmethod
    def drawn(cls, bounds: Mapping[str, Any]) -> Any:
        return next(iter(bounds.values()))

    @classmethod
    def compared(cls, label: str, bounds: Sequence[Any]) -> TextTable:
        aim, far = function_name(bounds[0].question.target), function_name(bounds[0].question.distance)
        rows = []
        for bound in bounds:
            rows.append([bound.statistic, cell_text(bound), vector_text(bound.witness.x)])
        title = f"Distance of {label} to {aim} ({far or 'absolute'})"
        return TextTable(title, ["", "largest value", "at x"], rows)

    def numbers(self, bound: ErrorBound) -> list[Number]:
        return [Number(self.label.replace(" ", "_"), f"{self.label} of the distance", bound.value)]

    def headline(self, bound: ErrorBound) -> Headline:
        return Headline(f"{self.label} of the distance", bound.lower, bound.upper, "on the worst input")

    def picture_title(self) -> str:
        return "The worst input"

    def program(self, more: Sequence[str] = ()) -> list[str]:
        kind, value = self.statistic
        part = kind if value is None else f"{kind}({literal(value)})"
        return [f"print({call(self, more, without=('statistic', 'shared'))}.{part})"]


def _typed(asked: Any) -> str:
    """Return the statistic of a question as it was typed."""
    return str(asked.shared.typed.get(asked.label, asked.label))


class _Shared:
    """The distances that several statistics of one model share, found when the first is asked for."""

    def __init__(self) -> None:
        self._known: _Distances | None = None
        self.typed: dict[str, str] = {}
        """Statistics as they were typed, by their labels."""

    def of(self, model: Any, target: Any, distance: Any) -> _Distances:
        """Return the distances of a model."""
        if self._known is None or self._known.model is not model:
            self._known = _Distances(model, target, distance)
        return self._known


@dataclass(frozen=True, eq=False)
class _Distances:
    """The distance between the output of a model and a target, shared by its statistics."""

    model: Any
    target: Any
    distance: Any

    @cached_property
    def gap(self) -> Any:
        """The model that returns the distance."""
        return self.model.gap(self.target, self.distance)

    @cached_property
    def values(self) -> list[Any]:
        """The distances that can occur, the smallest first; refused if they are not numbers."""
        values: list[Any] = self.model.distances(self.gap, self.distance)
        return values

    def bound(self, statistic: Statistic, name: str, how: How) -> ErrorBound:
        """Return the largest value of a statistic over all inputs."""
        kind, value = statistic
        if kind != "moment" and any(isinstance(d, (AtLeast, AtMost)) for d in self.values):
            raise InvalidInput(
                "the noise has no ends, so neither has the distance; ask for the mean, mean_square or a "
                "moment, for accuracy within an alpha, or give the noise low and high.",
                value=name,
            )
        if kind == "variance":
            return self._variance(how)
        return self._moment(value, name, how) if kind == "moment" else self._quantile(value, name, how)

    def _variance(self, how: How) -> ErrorBound:
        if how.method == "search":
            raise InvalidInput(
                "method='search' finds means and quantiles; a variance is not an expected value. Leave method out, or "
                "ask for mean_square, which is never smaller.",
                value=how.method,
            )
        span = Fraction(self.values[-1]) - Fraction(self.values[0])  # refuses distances that are not numbers
        return self._solved(self.gap, Variance(span), how, Variance().value)

    def _moment(self, order: int, name: str, how: How) -> ErrorBound:
        powers = {d: self._power(d, order) for d in self.values}
        low, high = min(powers.values()), max(powers.values())
        weights = {d: (power - low) / (high - low) if high > low else Fraction(0) for d, power in powers.items()}

        def value(distribution: Mapping[Any, Any]) -> Any:
            return sum(mass * self._power(d, order) for d, mass in distribution.items())

        weighted = self.model.derived(weighed(self.gap.program, weights))
        return self._solved(weighted, ExpectedValue(name, low, high - low), how, value)

    def _power(self, distance: Any, order: int) -> Fraction:
        """Return the expected power of a distance; of one beyond a bound, the bound and a geometric number of steps."""
        if not isinstance(distance, (AtLeast, AtMost)):
            return Fraction(distance) ** order
        tails = [(ratio, tail) for ratio, own in self.gap.program.ends.groups for tail in own]
        ratio, tail = next((ratio, tail) for ratio, tail in tails if tail.mark == distance)
        if not isinstance(ratio, Fraction):
            raise InvalidInput(
                "error: the noise has no ends and an irrational ratio, so the mean of its distance is no fraction; "
                "give it low and high, or ask for accuracy.",
                value=distance,
            )
        step = tail.step if isinstance(distance, AtLeast) else -tail.step
        moments = geometric_moments(ratio, order)
        return sum(
            (comb(order, k) * Fraction(distance.bound) ** (order - k) * step**k * moments[k] for k in range(order + 1)),
            start=Fraction(0),
        )

    def _quantile(self, wanted: Fraction, name: str, how: How) -> ErrorBound:
        """Find a quantile by bisection over the possible distances; when stopped, return the interval left."""
        least, *_, most = self.values if len(self.values) > 1 else 2 * self.values
        try:
            return self._bisected(wanted, name, how)
        except (OutOfTime, OutOfMemory) as error:
            stats = {"stopped": reason_of(error), "build_seconds": how.seconds()}
            ends = Fraction(least), Fraction(most)
            return ErrorBound(*ends, method="none", stats=stats, statistic=name, witnessed=False)

    def _bisected(self, wanted: Fraction, name: str, how: How) -> ErrorBound:
        """Find the quantile by the probabilities of being within single distances."""
        asked: dict[int, AccuracyBound] = {}

        def within(place: int) -> AccuracyBound:
            if place not in asked:
                asked[place] = self._within(self.values[place], how)
            return asked[place]

        _, upper = _first(lambda place: ends(within(place).lower)[0] >= wanted, len(self.values))
        lower, _ = _first(lambda place: ends(within(place).upper)[1] >= wanted, upper + 1)
        failed = max(0, lower - 1)
        # once out of time, nothing more is asked
        worst = within(failed if failed in asked or not asked else max(asked))
        least = Fraction(self.values[lower])
        if lower < upper:  # smaller alphas fail at the witness, but what it needs may be more than the next one
            least = _quantile_of(replay_distribution(self.gap.program, worst.witness.x)[0], wanted)
        return ErrorBound(
            least,
            Fraction(self.values[upper]),
            method=worst.method,
            stats={**worst.stats, "build_seconds": how.seconds()},
            statistic=name,
            witness=worst.witness,
            view=worst.view,
            replay=self._replayed(lambda distribution: _quantile_of(distribution, wanted)),
        )

    def _within(self, alpha: Any, how: How) -> AccuracyBound:
        """Return the bound on the probability that the distance is at most alpha."""
        program = self.gap.program
        event = replace(program, output=program.terms.apply("le", program.output, program.terms.const(alpha)))
        bound: AccuracyBound = self._asked(self.model.derived(event), EventProbability(alpha), how, None)
        if not bound.witnessed:  # no input was looked at: nothing can be said, not even an input at which alpha fails
            checkpoint()
        return bound

    def _solved(
        self, derived: Any, measure: Measure, how: How, value: Callable[[Mapping[Any, Any]], Any]
    ) -> ErrorBound:
        """Return the bound of a model's outputs by a measure; its witness is replayed with the distances themselves."""
        bound: ErrorBound = self._asked(derived, measure, how, self._replayed(value))
        return bound

    def _asked(self, derived: Any, measure: Measure, how: How, replayed: Any) -> Any:
        view = self.model.view_of_target(self.target, self.distance)
        return replace(derived.solved(measure, how), replay=replayed, view=view)

    def _replayed(self, value: Callable[[Mapping[Any, Any]], Any]) -> Callable[[Any], tuple[Any, str]]:
        """Evaluate the distances at a witness without any diagram: through the user's functions, if there are any."""

        def replayed(witness: AccuracyWitness) -> tuple[Any, str]:
            distribution, how = self.model.replayed_distances(witness.x, self.target, self.distance, self.gap)
            return value(distribution), how

        limited: Callable[[Any], tuple[Any, str]] = self.model.limited(replayed)
        return limited


def geometric_moments(ratio: Fraction, order: int) -> list[Fraction]:
    """Return E(G^k) for k = 0, ..., order, where P(G = g) = (1 - r) r^g.

    G is 0 with probability 1 - r, and else 1 more than such a number: E(G^k) = r E((G + 1)^k), solved for E(G^k).

    >>> geometric_moments(Fraction(1, 2), 2)
    [Fraction(1, 1), Fraction(1, 1), Fraction(3, 1)]
    """
    moments = [Fraction(1)]
    for k in range(1, order + 1):
        moments.append(ratio / (1 - ratio) * sum((comb(k, j) * moments[j] for j in range(k)), start=Fraction(0)))
    return moments


@dataclass(frozen=True, eq=False)
class DistanceError:
    """The distance between a mechanism's output and a target, by its worst input; made by ``Model.error``.

    Every statistic is computed when it is first asked for, and has a worst input of its own.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import rr_count
    >>> error = rr_count(bits(4), lam="1/5").error(sum)
    >>> error.mean.value, error.mean.witness.x
    (Fraction(4, 5), (0, 0, 0, 0))
    >>> error.quantile("0.95").value
    Fraction(2, 1)
    """

    model: Any = field(repr=False)
    """Not pickled; a pickle keeps only the statistics that were asked for before."""
    target: Any
    distance: Any = None
    limits: Mapping[str, Any] = field(default_factory=dict)
    _known: dict[Any, ErrorBound] = field(repr=False, default_factory=dict)

    @property
    def mean(self) -> ErrorBound:
        """The largest expected distance."""
        return self.moment(1)

    @property
    def mean_square(self) -> ErrorBound:
        """The largest expected square of the distance: the mean squared error where the distance is absolute."""
        return self.moment(2)

    @property
    def variance(self) -> ErrorBound:
        """The largest variance of the distance.

        For the variance of the output itself, give ``distance=lambda output, wanted: output``.

        Raises
        ------
        InvalidInput
            The method is 'search'. A variance is not an expected value: all inputs are looked at, or one of each orbit
            of the symmetries.
        """
        return self._kept(("variance", None))

    def moment(self, order: int) -> ErrorBound:
        """Return the largest expected power of the distance.

        Parameters
        ----------
        order
            A whole number of at least 1: 1 is the mean, 2 the mean square.
        """
        return self._kept(("moment", order))

    def quantile(self, share: Any) -> ErrorBound:
        """Return the smallest alpha such that, on every input, the distance is at most alpha with this probability.

        Parameters
        ----------
        share
            A probability above 0: "0.95", Fraction(19, 20).

        Returns
        -------
        ErrorBound
            The witness is an input on which every smaller alpha fails.
        """
        return self._kept(("quantile", share))

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics that were asked for so far, as plain data."""
        return {"statistics": [bound.to_dict() for bound in self._known.values()]}

    def __repr__(self) -> str:
        names = f"target={function_name(self.target)}, distance={function_name(self.distance)}"
        method, seconds = self.limits.get("method", "auto"), self.limits.get("time_limit")
        return f"DistanceError({names}, method={method!r}, time_limit={seconds})"

    def __getstate__(self) -> dict[str, Any]:
        names = {"target": function_name(self.target), "distance": function_name(self.distance)}
        limits = {name: self.limits[name] for name in ("method", "time_limit") if name in self.limits}
        return {**names, "limits": limits, "_known": self._known}

    @cached_property
    def _shared(self) -> _Shared:
        return _Shared()

    def _kept(self, statistic: Statistic) -> ErrorBound:
        wanted = read_statistic(statistic)
        if wanted not in self._known:
            if not hasattr(self, "model"):
                raise InvalidInput(
                    "error: this was pickled, which leaves its model behind; only statistics that were asked for "
                    "before are known.",
                    value=statistic,
                )
            asked = Error(self.target, statistic=wanted, distance=self.distance, shared=self._shared)
            self._known[wanted] = self.model.ask(asked, **self.limits)
        return self._known[wanted]


def _first(holds: Callable[[int], bool], count: int) -> tuple[int, int]:
    """Bisect for the first place at which a monotone condition holds; return the two places between which it lies.

    They are one place unless a limit was passed: every question takes a grace of its own then, so no more are asked.
    """
    low, high = 0, count - 1
    while low < high and exceeded() is None:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low, high


def _quantile_of(distribution: Mapping[Any, Any], wanted: Fraction) -> Fraction:
    """Return the smallest distance that is not exceeded with the wanted probability, or may be the smallest."""
    total: Any = 0
    for distance in sorted(distribution, key=Fraction):
        total = total + distribution[distance]
        if ends(total)[1] >= wanted:
            break
    return Fraction(distance)
