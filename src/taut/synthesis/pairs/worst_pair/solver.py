"""Searches for the worst pair by one divergence, by the whole privacy profile, and by epsilon at a delta.

Every pair that is found brings its whole curve, so a search at one ratio settles many.

*Profile.* Let T be the truth and E the envelope of the pairs found so far; T >= E, and T is convex and decreasing. If
T = E at every corner of E, they are equal: between two corners E is a chord of T, and T lies below its chords; beyond
the last corner E is constant, and T does not increase; and T(0) = E(0) = 1. So the search is asked at corners whether
a pair exceeds E there; if one does, E grows, and as there are finitely many pairs this ends. If x and x' may be
exchanged, then (p - g q)+ = g (q - p/g)+ + p - g q gives T(g) = g T(1/g) + 1 - g, and only corners from 1 on are
asked.

*Epsilon.* From the smallest ratio at which all pairs found need no more than delta, ask whether some pair needs more
there. If none does, that is the answer; otherwise the ratio grows.

Stopped, both still have the ceilings of the search, which take no search: numbers that T does not exceed at some
ratios. T lies below all chords between such points.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from taut.composition.curve import Curve, Line, lines_of
from taut.diagrams.semirings import EXACT
from taut.inference.beliefs import semiring_of
from taut.neighbors import PairAutomaton
from taut.questions.bound import Bound, Interval
from taut.questions.delta import HockeyStick
from taut.questions.loss import Atom, LossDistribution
from taut.questions.pair_measure import Divergence, PairCase, PairMeasure, PairWitness
from taut.support.errors import InvalidInput, TautError
from taut.support.exact import INFINITY, Ball, in_precision, quotient
from taut.support.limits import grace
from taut.support.process import collector_paused
from taut.synthesis.facts import Reached
from taut.synthesis.pairs.losses import completed, distinct, pair_loss, serves_pairs
from taut.synthesis.pairs.worst_pair.search import PairSearch, WorstFound
from taut.synthesis.pairs.worst_pair.summand import phi_of, rational, summand_of
from taut.synthesis.problem import Budget, Problem

__all__ = ["WorstPair", "enclosing", "fraction", "refused"]

_SAMPLES = 4
"""Integers below this are tried to see whether a divergence is convex."""


class WorstPair:
    """The largest divergence, by a search that lists no pairs.

    ``most_items`` limits the pairs of prefixes in all, reproducibly, unlike a time limit; ``widest`` limits those that
    are kept per entry.
    """

    name = "search"
    needs_channel = True

    def __init__(self, most_items: int | None = None, widest: int | None = None) -> None:
        self.most_items, self.widest = most_items, widest

    def refuses(self, problem: Problem) -> TautError | None:
        refusal = serves_pairs(problem, self.name)
        if refusal is not None:
            return refusal
        measure = problem.measure
        assert isinstance(measure, PairMeasure)
        if not (isinstance(measure, Divergence) or measure.profile or measure.at_delta is not None):
            return InvalidInput(
                f"method='search' maximises one divergence, and {type(measure).__name__} needs all of them; "
                "take method='exhaustive' or 'restricted'.",
                value=measure,
            )
        return refused(problem, "method='search'")

    def cost(self, problem: Problem) -> int | None:
        return None

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start, measure = time.perf_counter(), problem.measure
        with collector_paused(), in_precision():
            task = _Task(problem, budget, self.most_items, self.widest)
            if isinstance(measure, Divergence):
                bound = task.largest(measure)
            else:
                assert isinstance(measure, PairMeasure)
                bound = _whole_profile(task, measure) if measure.profile else _smallest_epsilon(task, measure)
        return replace(bound, stats={**bound.stats, "search_seconds": round(time.perf_counter() - start, 6)})


def refused(problem: Problem, what: str) -> TautError | None:
    """Return the error for channels and measures for which only one pair at a time is exact."""
    channel = problem.channel
    if channel.conditioned:
        return InvalidInput(
            f"{what} cannot divide by the evidence of 'observe', which differs from pair to pair; take "
            "method='exhaustive' or 'restricted'.",
            value=channel.name,
        )
    if semiring_of(channel.relation) is not EXACT:
        return InvalidInput(
            f"{what} compares exact numbers, and '{channel.name}' has irrational probabilities (exp); take "
            "method='exhaustive' or 'restricted'.",
            value=channel.name,
        )
    if isinstance(problem.measure, Divergence) and not _convex(problem.measure):
        return InvalidInput(
            f"{what} prunes by convexity, and {problem.measure.name} is not jointly convex; take "
            "method='exhaustive' or 'restricted'.",
            value=problem.measure,
        )
    return None


def _convex(measure: Divergence) -> bool:
    """Return True if phi(p + p', q + q') <= phi(p, q) + phi(p', q'), as declared or on small integers."""
    if measure.monotone:
        return True
    points = [(p, q) for p, q in itertools.product(range(_SAMPLES), repeat=2) if p or q]
    phi = {point: _ends(measure, *point) for point in itertools.product(range(2 * _SAMPLES), repeat=2) if any(point)}
    return all(
        phi[p + r, q + s][0] <= phi[p, q][1] + phi[r, s][1] for (p, q), (r, s) in itertools.product(points, repeat=2)
    )


def _ends(measure: Divergence, p: int, q: int) -> tuple[Any, Any]:
    value = phi_of(measure, p, q)
    if isinstance(value, Ball):
        return value.lower, value.upper
    return (INFINITY, INFINITY) if value == INFINITY else (value, value)


_GRACE = 1.0


class _Task:
    """One problem, for any number of searches."""

    def __init__(self, problem: Problem, budget: Budget, most_items: int | None, widest: int | None) -> None:
        assert problem.neighbors is not None
        self.channel, self.budget, self.most_items, self.widest = problem.channel, budget, most_items, widest
        self.automaton: PairAutomaton = problem.neighbors.automaton(self.channel.space, self.channel.reading_order)
        if self.automaton.empty:
            raise problem.without_neighbors()
        self.order = problem.order()
        self.counts: dict[str, int] = {}

    def search(self, measure: Divergence, known: Any = None, reached: Reached | None = None) -> WorstFound:
        """Return the pair with the largest divergence, or nothing that exceeds ``known``.

        ``reached`` records the interval of this measure.
        """
        left = None if self.most_items is None else self.most_items - self.counts.get("items", 0)
        search = PairSearch(
            self.channel,
            self.automaton,
            self.order,
            summand_of(measure),
            self.budget.max_beliefs,
            left,
            self.widest,
            self._tell(reached),
        )
        found = search.run(None if known is None else rational(known))
        for name, count in found.counts.items():
            before = self.counts.get(name, 0)
            self.counts[name] = max(before, count) if name == "largest_layer" else before + count
        return found

    def ceiling(self, measure: Divergence) -> Fraction | None:
        """Return an upper limit for all pairs without a search, or None."""
        search = PairSearch(self.channel, self.automaton, self.order, summand_of(measure), self.budget.max_beliefs, 0)
        upper = search.run().upper
        return None if upper is None else fraction(upper)

    def loss(self, found: WorstFound) -> LossDistribution:
        """Return the loss distribution of the pair that a search has found."""
        assert found.pair is not None
        with grace(_GRACE):
            x, x_prime = (self.channel.x(entries) for entries in found.pair)
            return pair_loss(self.channel, x, x_prime, self.budget.max_beliefs)

    def stats(self, stopped: str | None) -> dict[str, Any]:
        return {"nodes": self.channel.relation.arrays.size, **self.counts, "stopped": stopped}

    def any_loss(self) -> LossDistribution:
        """Return the loss distribution of some pair."""
        pair = completed(self.automaton, self.order, 0, self.automaton.states[0][0], 0)
        return self.loss(WorstFound(pair, None, None, None))

    def largest(self, measure: Divergence) -> Bound:
        """Return the bound of one divergence."""
        found = self.search(measure, reached=self.budget.reached)
        loss = self.loss(found)
        attained = measure.of(loss.atoms)
        limit = _limit(measure, found)
        if found.stopped is None and isinstance(attained, Ball):
            attained = limit = enclosing(attained, limit)
        parts = {"method": "search", "stats": self.stats(found.stopped), "witness": PairWitness(loss.x, loss.x_prime)}
        return measure.bound(attained, limit, **parts)

    def _tell(self, reached: Reached | None) -> Any:
        report = self.budget.progress
        if report is None and reached is None:
            return None

        def tell(done: int, total: int, lower: Any, upper: Any) -> None:
            least, most = (None if end is None else fraction(end) for end in (lower, upper))
            if report is not None:
                report(Interval(done, total, least, most))
            if reached is not None and most is not None:
                reached.limit(most)

        return tell


def _limit(measure: Divergence, found: WorstFound) -> Any:
    """Return the upper end that a search has shown."""
    most = measure.most
    if found.upper is None:
        return most
    upper = fraction(found.upper)
    if most == INFINITY:
        return upper
    return min(upper, most.upper if isinstance(most, Ball) else most)


def enclosing(value: Ball, upper: Fraction) -> Ball:
    """Return a ball that reaches from a value's lower end up to another number."""
    if upper <= value.upper:
        return value
    with in_precision():
        return Ball(value.arb.union(Ball(upper).arb))


def fraction(value: Any) -> Fraction:
    """Return a number of flint as a Fraction."""
    return Fraction(int(value.p), int(value.q))


_TRIES = 16
_RATIOS = [Fraction(ratio) for ratio in ("1", "3/2", "2", "3", "4", "6", "8", "12", "16", "32", "64")]
"""Ratios at which a profile that was stopped is bounded by ceilings alone."""


def _whole_profile(task: _Task, measure: PairMeasure) -> Bound:
    """Return delta at every ratio; two curves that enclose it if the search was stopped."""
    cases, bounds = _Cases(task), {Fraction(0): Fraction(1)}
    stopped = None
    asked = Fraction(1)
    while True:
        envelope = cases.curve if cases.found else None
        known = None if envelope is None else envelope(asked)
        found = task.search(HockeyStick(asked), known)
        stopped = found.stopped
        if found.pair is not None:
            cases.add(task.loss(found))
        if found.upper is not None:
            bounds[asked] = min(Fraction(1), fraction(found.upper))
        if stopped is not None:
            break
        least = 1 if cases.mirrored else 0
        corners = [corner for corner, _ in cases.curve.corners if corner >= least and corner not in bounds]
        if not corners:
            break
        asked = min(corners)
    parts = {"method": "search", "stats": task.stats(stopped)}
    bound = measure.worst(distinct(cases.found), True, **parts)
    if stopped is None:
        return bound
    with grace(_GRACE):
        for ratio in _RATIOS:
            ceiling = None if ratio in bounds else task.ceiling(HockeyStick(ratio))
            if ceiling is not None:
                bounds[ratio] = min(Fraction(1), ceiling)
    return measure.bound(bound.lower, _hull(bounds, cases.mirrored), **parts)


def _smallest_epsilon(task: _Task, measure: PairMeasure) -> Bound:
    """Return the smallest e^epsilon, at least 1, at which a delta is enough."""
    cases, ratio, delta = _Cases(task), Fraction(1), measure.at_delta
    while True:
        found = task.search(HockeyStick(ratio), delta)
        if found.pair is not None:
            cases.add(task.loss(found))
        if found.pair is None or found.stopped is not None:
            break
        ratio = cases.curve.inverse(delta)
        if ratio == INFINITY:
            break
    if not cases.found:  # delta is enough at ratio 1, for whichever pair
        cases.add(task.any_loss())
    own = [(max(1, Curve(lines_of(_steepest_first(case.loss))).inverse(delta)), case.loss) for case in cases.found]
    lower, loss = max(own, key=lambda pair: pair[0])
    upper = lower if found.stopped is None else _enough(task, delta, lower)
    witness = PairWitness(loss.x, loss.x_prime)
    return measure.bound(lower, upper, witness=witness, method="search", stats=task.stats(found.stopped))


def _enough(task: _Task, delta: Fraction, least: Any) -> Any:
    """Return a ratio, not below a given one, at which the ceilings prove delta; infinity if none is found."""
    low, high = least, INFINITY
    with grace(_GRACE):
        for _ in range(_TRIES):
            if low == INFINITY:
                break
            ratio = 2 * low if high == INFINITY else (low + high) / 2
            ceiling = task.ceiling(HockeyStick(ratio))
            if ceiling is None:
                break
            low, high = (low, ratio) if ceiling <= delta else (ratio, high)
    return high


class _Cases:
    """The loss distributions that were found; with those of exchanged pairs where they are neighbours too."""

    def __init__(self, task: _Task) -> None:
        self.mirrored = task.automaton.symmetric
        self.found: list[PairCase] = []
        self._lines: list[Line] = []

    def add(self, loss: LossDistribution) -> None:
        for one in [loss, _exchanged(loss)] if self.mirrored else [loss]:
            self.found.append(PairCase(one, 1))
            self._lines += lines_of(_steepest_first(one), PairWitness(one.x, one.x_prime))

    @property
    def curve(self) -> Curve:
        curve = Curve(self._lines)
        self._lines = list(curve.lines)
        return curve


def _steepest_first(loss: LossDistribution) -> Iterable[Any]:
    return loss.rational(up=True)


def _exchanged(loss: LossDistribution) -> LossDistribution:
    """Return the loss distribution of x' and x."""
    atoms = [Atom(quotient(mass_prime, mass), mass_prime, mass) for _, mass, mass_prime in reversed(loss.atoms)]
    return LossDistribution(loss.x_prime, loss.x, tuple(atoms))


def _hull(bounds: dict[Fraction, Fraction], mirrored: bool) -> Curve:
    """Return the largest convex decreasing function that keeps within bounds at some ratios."""
    points = dict(bounds)
    if mirrored:
        for ratio, bound in bounds.items():
            if ratio > 0:
                points.setdefault(1 / ratio, min(Fraction(1), bound / ratio + 1 - 1 / ratio))
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in sorted(points.items()):
        if hull and y >= hull[-1][1]:
            continue
        while len(hull) > 1 and _slope(hull[-2], (x, y)) <= _slope(hull[-2], hull[-1]):
            hull.pop()
        hull.append((x, y))
    lines = [Line(hull[-1][1], Fraction(0))]
    for left, right in itertools.pairwise(hull):
        steepness = -_slope(left, right)
        lines.append(Line(left[1] + steepness * left[0], steepness))
    return Curve(lines)


def _slope(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])
