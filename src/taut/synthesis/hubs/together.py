"""The solver for outputs that are conditions on answers, given a hub, where all entries may change at once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.inference.fold import require_total
from taut.neighbors import Entrywise
from taut.questions.bound import Bound
from taut.questions.loss import loss_between
from taut.questions.measure import Measure
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, large
from taut.support.limits import checkpoint, cpu_clock
from taut.support.process import cached_property
from taut.synthesis.hubs.multisets import Choices, Kind, Largest, Pair
from taut.synthesis.hubs.outputs import Outputs, answers_of
from taut.synthesis.hubs.paths import Path
from taut.synthesis.problem import Budget, ByTerms, Problem

__all__ = ["Together", "TogetherIntervals"]

_SECONDS = 4.0
"""CPU seconds for pairs of neighbours, each of which takes the probabilities of all outputs."""
_PLACES = 7
"""The number of values at which all entries stand together in such a pair."""


class Together(ByTerms):
    """Solver of the largest ratio where, given one draw, outputs are conditions on answers about an entry each.

    All entries may change at once.
    """

    name = "hubs"

    def serves(self, problem: Problem) -> bool:
        program, relation = problem.program, problem.neighbors
        if (
            not isinstance(relation, Entrywise)
            or relation.most is not None
            or type(relation).read is not Entrywise.read
        ):
            return False
        rational = program is not None and all(coin.kinds <= {Fraction, int} for coin in program.coins)
        return rational and self._knows(problem.measure)

    def _knows(self, measure: Measure) -> bool:
        return measure.is_ratio

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start = time.perf_counter()
        assert problem.program is not None
        assert isinstance(problem.neighbors, Entrywise)
        problem.neighbors.require(problem.program.space)
        outputs = answers_of(problem)
        answer = _Answer(problem, outputs, problem.neighbors, budget, start)
        return answer.ratio() if problem.measure.is_ratio else answer.pairs()


class TogetherIntervals(Together):
    """Intervals of divergences for the same mechanisms: from likely pairs to what the largest ratio allows."""

    def _knows(self, measure: Measure) -> bool:
        return isinstance(measure, PairMeasure) and measure.monotone and measure.largest


@dataclass(frozen=True)
class _Found:
    """The largest ratio that was met, a limit for all, and where it was met."""

    value: Any
    limit: Any
    output: Any
    inputs: tuple[Any, Any]
    regions: int


class _Answer:
    """The worst choice of a pair of values for every entry."""

    def __init__(self, problem: Problem, outputs: Outputs, neighbors: Entrywise, budget: Budget, start: float) -> None:
        if any(len(block.places) > 1 or len(block.entries) > 1 for block in outputs.blocks):
            raise TooLarge("a statistic reads several entries.", value=outputs)
        if len({factor.statistic for factor in outputs.factors if factor.statistic is not None}) < sum(
            factor.statistic is not None for factor in outputs.factors
        ):
            raise TooLarge("several draws read one entry.", value=outputs)
        self.problem, self.outputs, self.neighbors, self.budget, self.start = problem, outputs, neighbors, budget, start
        assert problem.program is not None
        self.program = problem.program
        self._kinds: dict[Any, Kind] = {}

    def ratio(self) -> Bound:
        """Return the largest ratio, or a narrow interval for it."""
        measure, found = self.problem.measure, self._found()
        seconds = round(time.perf_counter() - self.start, 6)
        stats = {**self._told(found), "stopped": None, "inference_seconds": seconds}
        witness = measure.witness(found.inputs, found.output)
        return measure.bound(found.value, found.limit, method=Together.name, stats=stats, witness=witness)

    def _found(self) -> _Found:
        """Return the largest ratio, which all questions about one relation share."""
        return self.problem.known.once(("together", self.neighbors), self._searched)

    def _searched(self) -> _Found:
        reached, measure = self.budget.reached, self.problem.measure

        def met(value: Any, choices: Choices, chosen: Any) -> None:
            if reached is not None and measure.is_ratio and value > 1:
                reached.attain(value, lambda: measure.witness(self._inputs(choices.output, chosen), choices.output))

        largest = Largest(met)
        choices = [self._choices(path) for path in self.outputs.kinds]
        if reached is not None and measure.is_ratio:
            reached.limit(max([one.limit for one in choices]))
        limit = largest.search(choices)
        if largest.choices is None or largest.value <= 1:
            raise TooLarge("no output tells neighbours apart.", value=self.program)
        output = largest.choices.output
        return _Found(largest.value, limit, output, self._inputs(output, largest.chosen), largest.regions)

    def _choices(self, path: Path) -> Choices:
        """Return the pairs of vectors from which the entries of an output choose."""
        checkpoint()
        members = self._members(path)
        hub = self.outputs.factors[self.outputs.paths.hub]  # type: ignore[union-attr]
        kinds = []
        for label, conditions in members.items():
            if label not in self._kinds:
                self._kinds[label] = Kind(self._pairs(conditions[0]))
            kinds.append(self._kinds[label])
        counts = tuple(map(len, members.values()))
        weights = self.outputs.weights.row(hub, None)
        return Choices(weights, weights, kinds, counts, path.output)

    def _members(self, path: Path) -> Mapping[Any, Sequence[Any]]:
        """Return the conditions of an output by kinds."""
        members: dict[Any, list[Any]] = {}
        for condition in path.conditions:
            members.setdefault((self.outputs.alike[condition.place], condition.kind), []).append(condition)
        return members

    def _pairs(self, condition: Any) -> list[Pair]:
        """Return what each change of an entry, and each value that stays, contributes to a condition."""
        statistic = self.outputs.factors[condition.place].statistic
        if statistic is None:
            vector = self.outputs.vector(condition, None)
            return [Pair(vector, vector, (0, 0))]
        ((entry, table),) = statistic.tables.items()
        vectors = [self.outputs.vector(condition, statistic.value(amount)) for amount in table]
        pairs = [Pair(one, one, (place, place)) for place, one in enumerate(vectors)]
        for own, start, stop in self.neighbors.changed(self.program.inputs[entry].values):
            pairs += [Pair(vectors[own], vectors[other], (own, other)) for other in range(start, stop)]
        return pairs

    def _inputs(self, output: Any, chosen: Any) -> tuple[Any, Any]:
        """Return two databases at which an output has a ratio."""
        path = next(one for one in self.outputs.kinds if one.output is output)
        sides = [[0] * len(self.program.inputs) for _ in range(2)]
        for (label, conditions), numbers in zip(self._members(path).items(), chosen, strict=True):
            left = list(conditions)
            for pair, number in zip(self._kinds[label].pairs, numbers, strict=True):
                for _ in range(number):
                    statistic = self.outputs.factors[left.pop(0).place].statistic
                    for entry in () if statistic is None else statistic.tables:
                        sides[0][entry], sides[1][entry] = pair.change
        own, other = (self.program.space.at(side) for side in sides)
        return own, other

    def pairs(self) -> Bound:
        """Return the interval from what likely pairs attain to what the largest ratio allows.

        Two outputs with the largest ratio and its inverse are the worst that any mechanism with that ratio can be.
        """
        measure = self.problem.measure
        assert isinstance(measure, PairMeasure)
        found = self._found()
        limit = found.limit
        if not self._symmetric:
            raise TooLarge("the largest ratio tells nothing about that of exchanged sides.", value=self.neighbors)
        cases: dict[Any, PairCase] = {}
        before = cpu_clock()
        for x, x_prime in self._likely(found):
            checkpoint()
            if cases and cpu_clock() - before > _SECONDS:
                break
            if self.problem.related(x, x_prime):
                masses = [dict(enumerate(self.outputs.masses(self.program.space.positions(s)))) for s in (x, x_prime)]
                for one in masses:
                    require_total(self.program.name, one.values())
                loss = loss_between(x, x_prime, *masses)
                cases.setdefault(loss.atoms, PairCase(loss, 1))
        told = {"stopped": None, "inference_seconds": round(time.perf_counter() - self.start, 6)}
        stats = {**self._told(found), **told}
        attained = measure.worst(list(cases.values()), False, method=Together.name, stats=stats)
        if limit == INFINITY:
            raise TooLarge("an output tells everything.", value=self.program)
        more, less = Fraction(limit) / (limit + 1), 1 / (Fraction(limit) + 1)
        told_most = PairCase(loss_between(None, None, {0: more, 1: less}, {0: less, 1: more}), 1)
        beyond = measure.worst([told_most], True, method=Together.name, stats=stats)
        why = f"{stats['why']}; the upper end is that of any mechanism with that ratio"
        return replace(attained.limited_by(beyond), stats={**stats, "why": why})

    @cached_property
    def _symmetric(self) -> bool:
        """True if each change of an entry may be reversed."""
        for values in {one.values for one in self.program.inputs}:
            steps = {
                (own, other) for own, start, stop in self.neighbors.changed(values) for other in range(start, stop)
            }
            if any((other, own) not in steps for own, other in steps):
                return False
        return True

    def _likely(self, found: _Found) -> Iterator[tuple[Any, Any]]:
        """Yield pairs of neighbours: all entries change alike, at one of some values; and the worst for a ratio."""
        space = self.program.space
        changes = [list(self.neighbors.changed(one.values)) for one in self.program.inputs]
        steps = [[(own, other) for own, start, stop in one for other in range(start, stop)] for one in changes]
        number = max(map(len, steps))
        for place in dict.fromkeys(
            round(part * (number - 1) / (2 * _PLACES)) for part in (0, 2 * _PLACES, *range(1, 2 * _PLACES))
        ):
            sides = [[one[min(place, len(one) - 1)][side] if one else 0 for one in steps] for side in (0, 1)]
            yield space.at(sides[0]), space.at(sides[1])
        yield found.inputs
        yield found.inputs[::-1]

    def _told(self, found: _Found) -> Mapping[str, Any]:
        """Describe the answer in words."""
        why = (
            f"given the value of one draw, each of the {large(self.outputs.count)} outputs, of "
            f"{large(len(self.outputs.kinds))} kinds, is a condition on {large(len(self.outputs.factors) - 1)} other "
            f"draws, one entry each; {large(found.regions)} sets of choices of the values were compared"
        )
        return {"factors": len(self.outputs.factors), "choices": found.regions, "why": why}
