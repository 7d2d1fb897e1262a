"""Searches for the worst pair of one problem, and what their results become."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.limits import grace
from taut.measures import Divergence
from taut.neighbors import PairAutomaton
from taut.numbers import INFINITY, Ball, in_precision
from taut.results import Bound, Interval, LossDistribution, PairWitness
from taut.solvers.losses import pair_loss
from taut.solvers.problem import Budget, Problem
from taut.solvers.worst_pair.search import Found, PairSearch, levels_of
from taut.solvers.worst_pair.summand import rational, summand_of

__all__ = ["Task", "enclosing", "fraction"]

_GRACE = 1.0


class Task:
    """One problem, for any number of searches."""

    def __init__(self, problem: Problem, budget: Budget, most_items: int | None, widest: int | None) -> None:
        assert problem.neighbors is not None
        self.channel, self.budget, self.most_items, self.widest = problem.channel, budget, most_items, widest
        self.levels = levels_of(self.channel)
        order = [level.index for level in self.channel.relation.arrays.levels if level.kind == "input"]
        order += [entry for entry in range(len(self.channel.sizes)) if entry not in order]
        self.automaton: PairAutomaton = problem.neighbors.automaton(self.channel.space, order)
        if self.automaton.empty:
            raise problem.without_neighbors()
        self.counts: dict[str, int] = {}

    def search(self, measure: Divergence, known: Any = None) -> Found:
        """The pair with the largest divergence, or nothing that exceeds ``known``."""
        left = None if self.most_items is None else self.most_items - self.counts.get("items", 0)
        search = PairSearch(
            self.channel,
            self.levels,
            self.automaton,
            summand_of(measure),
            self.budget.max_beliefs,
            left,
            self.widest,
            self._tell(),
        )
        found = search.run(None if known is None else rational(known))
        for name, count in found.counts.items():
            before = self.counts.get(name, 0)
            self.counts[name] = max(before, count) if name == "largest_layer" else before + count
        return found

    def ceiling(self, measure: Divergence) -> Fraction | None:
        """A number that no pair exceeds, without any search; None if there is none, or no more time for it."""
        search = PairSearch(self.channel, self.levels, self.automaton, summand_of(measure), self.budget.max_beliefs, 0)
        upper = search.run().upper
        return None if upper is None else fraction(upper)

    def loss(self, found: Found) -> LossDistribution:
        """The loss distribution of the pair that a search has found."""
        assert found.pair is not None
        with grace(_GRACE):
            x, x_prime = (self.channel.x(entries) for entries in found.pair)
            return pair_loss(self.channel, x, x_prime, self.budget.max_beliefs)

    def stats(self, stopped: str | None) -> dict[str, Any]:
        return {"nodes": self.channel.relation.arrays.size, **self.counts, "stopped": stopped}

    def any_loss(self) -> LossDistribution:
        """The loss distribution of some pair."""
        state, found = self.automaton.states[0][0], Found(None, None, None, None)
        own, other = [0] * len(self.channel.sizes), [0] * len(self.channel.sizes)
        for entry, layer in zip(self.automaton.order, self.automaton.transitions, strict=True):
            own[entry], other[entry], state = layer[state][0]
        found.pair = own, other
        return self.loss(found)

    def largest(self, measure: Divergence) -> Bound:
        """The bound of one divergence."""
        found = self.search(measure)
        loss = self.loss(found)
        attained = measure.of(loss.atoms)
        limit = _limit(measure, found)
        if found.stopped is None and isinstance(attained, Ball):
            attained = limit = enclosing(attained, limit)
        parts = {"method": "search", "stats": self.stats(found.stopped), "witness": PairWitness(loss.x, loss.x_prime)}
        return measure.bound(attained, limit, **parts)

    def _tell(self) -> Any:
        report = self.budget.progress
        if report is None:
            return None

        def tell(done: int, total: int, lower: Any, upper: Any) -> None:
            report(Interval(done, total, *(None if end is None else fraction(end) for end in (lower, upper))))

        return tell


def _limit(measure: Divergence, found: Found) -> Any:
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
