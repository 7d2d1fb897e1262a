"""How far off a mechanism is: mean, variance and quantiles of the distance to a target, on the worst input."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from taut.errors import InvalidInput
from taut.forks import cached_property
from taut.frontend.python.validation import Goal
from taut.ir import Program, replay_distribution, weighed
from taut.limits import checkpoint
from taut.measures import EventProbability, ExpectedValue, Measure, Variance
from taut.model.misfit import not_a_number
from taut.numbers import Ball, ends, is_number, number
from taut.options import working
from taut.results import AccuracyBound, AccuracyWitness, Bound, ErrorBound, Interval
from taut.solvers import solvers_of

if TYPE_CHECKING:
    from taut.model.accurate import AccuracyQuestions

__all__ = ["DistanceError"]


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

    model: AccuracyQuestions = field(repr=False)
    """Left behind by a pickle, which knows only what was asked for before."""
    target: Any
    distance: Any = None
    method: str = "auto"
    time_limit: float | None = None
    progress: Callable[[Interval], None] | bool | None = field(repr=False, default=None)
    executor: Executor | None = field(repr=False, default=None)
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
        if self.method == "search":
            raise InvalidInput(
                "method='search' finds means and quantiles; a variance is not an expected value. Leave method out, or "
                "ask for mean_square, which is never smaller.",
                value=self.method,
            )
        return self._kept("variance", self._variance)

    def moment(self, order: int) -> ErrorBound:
        """The largest expected power of the distance.

        Parameters
        ----------
        order
            A whole number of at least 1: 1 is the mean, 2 the mean square.
        """
        if isinstance(order, bool) or not isinstance(order, int) or order < 1:
            raise InvalidInput(f"the order of a moment is a whole number of at least 1; got {order!r}.", value=order)
        return self._kept(("moment", order), functools.partial(self._moment, order))

    def quantile(self, share: Any) -> ErrorBound:
        """The smallest alpha such that, on every input, the distance is at most alpha with at least this probability.

        Parameters
        ----------
        share
            A probability above 0: "0.95", Fraction(19, 20).

        Returns
        -------
        ErrorBound
            The witness is an input on which every smaller alpha fails.
        """
        wanted = number(share, "quantile")
        if isinstance(wanted, Ball) or not 0 < wanted <= 1:
            raise InvalidInput(f"a quantile is for a probability above 0 and up to 1; got {share!r}.", value=share)
        return self._kept(("quantile", wanted), functools.partial(self._quantile, wanted))

    def to_dict(self) -> dict[str, Any]:
        """The statistics that were asked for so far, for machines."""
        return {"statistics": [bound.to_dict() for bound in self._known.values()]}

    def __repr__(self) -> str:
        names = f"target={_name_of(self.target)}, distance={_name_of(self.distance)}"
        return f"DistanceError({names}, method={self.method!r}, time_limit={self.time_limit})"

    def __getstate__(self) -> dict[str, Any]:
        names = {"target": _name_of(self.target), "distance": _name_of(self.distance)}
        return {**names, "method": self.method, "time_limit": self.time_limit, "_known": self._known}

    # -- inside --------------------------------------------------------------------------------------------------

    def _kept(self, statistic: Any, compute: Callable[[float], ErrorBound]) -> ErrorBound:
        if statistic not in self._known:
            if not hasattr(self, "model"):
                raise InvalidInput(
                    "error: this was pickled, which leaves its model behind; only statistics that were asked for "
                    "before are known.",
                    value=statistic,
                )
            with working(self.model._settings, self.time_limit, self.executor):
                self._known[statistic] = compute(time.perf_counter())
        return self._known[statistic]

    def _variance(self, start: float) -> ErrorBound:
        self._distances  # noqa: B018  (refuses distances that are not numbers)
        return self._solved(self._gap, Variance(), start, Variance().value)

    def _moment(self, order: int, start: float) -> ErrorBound:
        powers = {d: Fraction(d) ** order for d in self._distances}
        low, high = min(powers.values()), max(powers.values())
        weights = {d: (power - low) / (high - low) if high > low else Fraction(0) for d, power in powers.items()}
        name = {1: "mean", 2: "mean square"}.get(order, f"moment {order}")
        measure = ExpectedValue(name, low, high - low)

        def value(distribution: Mapping[Any, Any]) -> Any:
            return sum(mass * Fraction(d) ** order for d, mass in distribution.items())

        return self._solved(weighed(self._gap, weights), measure, start, value)

    def _quantile(self, wanted: Fraction, start: float) -> ErrorBound:
        """By bisection over the distances that can occur: how surely is the output within each?"""
        distances = self._distances
        within = functools.cache(lambda place: self._within(distances[place], start))
        upper = _first(lambda place: ends(within(place).lower)[0] >= wanted, len(distances))
        lower = _first(lambda place: ends(within(place).upper)[1] >= wanted, upper + 1)
        worst = within(max(0, lower - 1))
        least = Fraction(distances[lower])
        if lower < upper:  # smaller alphas fail at the witness, but what it needs may be more than the next one
            least = _quantile_of(replay_distribution(self._gap, worst.witness.x)[0], wanted)
        return ErrorBound(
            least,
            Fraction(distances[upper]),
            method=worst.method,
            stats={**worst.stats, "build_seconds": round(time.perf_counter() - start, 6)},
            statistic=f"quantile {wanted}",
            witness=worst.witness,
            view=worst.view,
            replay=self._replayed(lambda distribution: _quantile_of(distribution, wanted)),
        )

    def _within(self, alpha: Any, start: float) -> AccuracyBound:
        """How surely the distance is at most alpha."""
        terms = self._gap.terms
        event = replace(self._gap, output=terms.apply("le", self._gap.output, terms.const(alpha)))
        bound = cast(AccuracyBound, self._asked(event, EventProbability(alpha), start, None))
        if not bound.witnessed:  # no input was looked at: nothing can be said, not even an input at which alpha fails
            checkpoint()
        return bound

    def _solved(
        self, program: Program, measure: Measure, start: float, value: Callable[[Mapping[Any, Any]], Any]
    ) -> ErrorBound:
        """The bound of a program's outputs by a measure; its witness is replayed with the distances themselves."""
        return cast(ErrorBound, self._asked(program, measure, start, self._replayed(value)))

    def _asked(self, program: Program, measure: Measure, start: float, replayed: Any) -> Bound:
        derived = self.model._derived(program)
        problem = derived._problem(None, measure)
        if self.method != "auto":
            solvers_of(self.method)
        bound = derived._solved(problem, self.method, start, self.progress)
        return replace(bound, replay=replayed, view=self.model._view_of_goal(self.target, self.distance))

    def _replayed(self, value: Callable[[Mapping[Any, Any]], Any]) -> Callable[[Any], tuple[Any, str]]:
        """Evaluates the distances at a witness without any diagram: through the user's functions, if there are any."""

        def replayed(witness: AccuracyWitness) -> tuple[Any, str]:
            function, goal = self.model.function, Goal(self.target, self.distance)
            with working(self.model._settings):
                checkpoint()
                if function is None:
                    distribution, how = replay_distribution(self._gap, witness.x)
                else:
                    distribution, how = function.distances(witness.x, goal, lambda: self._gap)
                return value(distribution), how

        return replayed

    @cached_property
    def _gap(self) -> Program:
        """The program that returns the distance."""
        return self.model._read_target(
            self.target, self.distance, lambda reading: reading.gap(self.target, self.distance)
        )

    @cached_property
    def _distances(self) -> list[Any]:
        """The distances that can occur, the smallest first."""
        relation = self.model._derived(self._gap).relation
        if len(relation.outputs) == 1:
            distances = [relation.decode([place]) for place in range(len(relation.outputs[0].values))]
            if all(map(is_number, distances)):
                return sorted(distances, key=Fraction)
        raise not_a_number(self.distance, self._gap)


def _first(holds: Callable[[int], bool], count: int) -> int:
    """The first place at which something holds that holds from there on; the last place at the latest."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _quantile_of(distribution: Mapping[Any, Any], wanted: Fraction) -> Fraction:
    """The smallest distance that is not exceeded with the wanted probability, or may be the smallest."""
    total: Any = 0
    for distance in sorted(distribution, key=Fraction):
        total = total + distribution[distance]
        if ends(total)[1] >= wanted:
            break
    return Fraction(distance)


def _name_of(function: Any) -> str | None:
    """A target or a distance by its name, since functions may not be picklable."""
    return None if function is None else str(getattr(function, "__name__", function))
