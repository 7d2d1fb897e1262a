"""Searches for the worst pair of one problem, and what their results become."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.neighbors import PairAutomaton
from taut.questions.bound import Bound, Interval
from taut.questions.loss import LossDistribution
from taut.questions.pair_measure import Divergence, PairWitness
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.limits import grace
from taut.synthesis.pairs.branches import completed
from taut.synthesis.pairs.losses import pair_loss
from taut.synthesis.pairs.worst_pair.search import PairSearch, WorstFound
from taut.synthesis.pairs.worst_pair.summand import rational, summand_of
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.reached import Reached

__all__ = ["Task", "enclosing", "fraction"]

_GRACE = 1.0


class Task:
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
        """The pair with the largest divergence, or nothing that exceeds ``known``.

        ``reached`` is where the interval of this very measure is kept.
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
        """An upper limit for all pairs without a search, or None."""
        search = PairSearch(self.channel, self.automaton, self.order, summand_of(measure), self.budget.max_beliefs, 0)
        upper = search.run().upper
        return None if upper is None else fraction(upper)

    def loss(self, found: WorstFound) -> LossDistribution:
        """The loss distribution of the pair that a search has found."""
        assert found.pair is not None
        with grace(_GRACE):
            x, x_prime = (self.channel.x(entries) for entries in found.pair)
            return pair_loss(self.channel, x, x_prime, self.budget.max_beliefs)

    def stats(self, stopped: str | None) -> dict[str, Any]:
        return {"nodes": self.channel.relation.arrays.size, **self.counts, "stopped": stopped}

    def any_loss(self) -> LossDistribution:
        """The loss distribution of some pair."""
        pair = completed(self.automaton, self.order, 0, self.automaton.states[0][0], 0)
        return self.loss(WorstFound(pair, None, None, None))

    def largest(self, measure: Divergence) -> Bound:
        """The bound of one divergence."""
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
    """The upper end that a search has shown."""
    most = measure.most
    if found.upper is None:
        return most
    upper = fraction(found.upper)
    if most == INFINITY:
        return upper
    return min(upper, most.upper if isinstance(most, Ball) else most)


def enclosing(value: Ball, upper: Fraction) -> Ball:
    """A ball that reaches from a value's lower end up to another number."""
    if upper <= value.upper:
        return value
    with in_precision():
        return Ball(value.arb.union(Ball(upper).arb))


def fraction(value: Any) -> Fraction:
    """A number of flint as a Fraction."""
    return Fraction(int(value.p), int(value.q))
