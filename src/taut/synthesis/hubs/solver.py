"""The solver for outputs that are conjunctions once a hub is given, such as the largest of noisy counts."""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from taut.inference.fold import require_total
from taut.neighbors import Entrywise
from taut.neighbors.relations import changes_one
from taut.questions.bound import Bound
from taut.questions.loss import LossDistribution, loss_between
from taut.questions.measure import Measure
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import TooLarge
from taut.support.exact import large
from taut.support.limits import checkpoint
from taut.synthesis.decompose import Decomposition
from taut.synthesis.hubs.changes import Change
from taut.synthesis.hubs.factors import Conjunction
from taut.synthesis.hubs.maximum import Best, Group, Head, Heads, Maximum
from taut.synthesis.hubs.outputs import Outputs, Side, answers_of
from taut.synthesis.problem import Budget, ByTerms, Problem, Uncompiled

__all__ = ["ByHubs", "HubIntervals"]

_MOST_OUTPUTS = 1 << 10
_MOST_HEADS = 1 << 17
_RATIOS, _TELLING = (1.0, 1.5, 2.5, 6.0, 40.0), 8
"""Multiples by which pairs are ranked, and the number of pairs evaluated for each."""
_NEAR = 1e-9
"""Margin above the rounding error of a ratio."""
_FEW_PAIRS = 1 << 40
"""Number of pairs of neighbours below which another solver looks for the worst one."""


class ByHubs(ByTerms):
    """Solver of the largest ratio where, given one draw, every output is a condition on each other draw alone."""

    name = "hubs"

    def serves(self, problem: Problem) -> bool:
        program = problem.program
        rational = program is not None and all(coin.kinds <= {Fraction, int} for coin in program.coins)
        return rational and self._knows(problem.measure) and changes_one(problem.neighbors)

    def _knows(self, measure: Measure) -> bool:
        return measure.is_ratio

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start = time.perf_counter()
        assert problem.program is not None
        assert isinstance(problem.neighbors, Entrywise)
        problem.neighbors.require(problem.program.space)
        outputs = problem.known.once("hubs", lambda: _outputs_of(problem))
        answer = _Answer(problem, outputs, problem.neighbors, budget, start)
        return answer.ratio() if problem.measure.is_ratio else answer.pairs()


def _outputs_of(problem: Problem) -> Outputs:
    """Return the outputs as conditions on answers, or else on factors."""
    assert problem.program is not None
    with contextlib.suppress(TooLarge):
        return answers_of(problem)
    return Outputs(problem.program)


class HubIntervals(ByHubs):
    """Intervals of divergences for the same mechanisms: between likely pairs and the joint release of all draws."""

    def _knows(self, measure: Measure) -> bool:
        return isinstance(measure, PairMeasure) and measure.monotone and not measure.whole_curve


class _Answer:
    """The worst change over all outputs, and the databases that have it."""

    def __init__(self, problem: Problem, outputs: Outputs, neighbors: Entrywise, budget: Budget, start: float) -> None:
        self.problem, self.outputs, self.budget, self.start = problem, outputs, budget, start
        self.program = outputs.program
        self.changes = [change for block in outputs.blocks for change in block.changes(neighbors)]
        if not self.changes:
            raise TooLarge("nothing that is related changes a statistic.", value=self.program)
        self.block_of = {place: block for block in outputs.blocks for place in block.places}
        self.heads = 0

    def pairs(self) -> Bound:
        """Return the interval between the value of likely pairs and that of releasing all factors.

        The output is post-processing of the factors, so no measure of it exceeds that of releasing them all.
        """
        measure, program = self.problem.measure, self.program
        assert isinstance(measure, PairMeasure)
        batches = [heads for output, one in self.outputs.outputs for heads in self._batches(output, one)]
        losses: dict[Any, PairCase] = {}
        for best in Maximum().telling(batches, _RATIOS, _TELLING):
            checkpoint()
            x, x_prime = self._inputs(best)
            for one, other in ((x, x_prime), (x_prime, x)):
                if self.problem.related(one, other):
                    loss = self._loss(one, other)
                    losses.setdefault(loss.atoms, PairCase(loss, 1))
        told = {"stopped": None, "inference_seconds": round(time.perf_counter() - self.start, 6)}
        attained = measure.worst(list(losses.values()), False, method=ByHubs.name, stats={**self._told(), **told})
        factors = replace(program, output=program.terms.tuple([one.term for one in self.outputs.factors]))
        source = self.problem.source
        assert isinstance(source, Uncompiled)
        revealed = Problem(replace(source, program=factors), self.problem.neighbors, measure)
        bound = attained.limited_by(Decomposition().solve(revealed, self.budget))
        if not bound.exact and self.problem.automaton.count_pairs() < _FEW_PAIRS:
            raise TooLarge("a search may find the worst pair exactly.", value=program)
        why = f"{bound.stats['why']}; the upper end is that of a mechanism that reveals every draw"
        return replace(bound, stats={**bound.stats, "why": why})

    def _loss(self, x: Any, x_prime: Any) -> LossDistribution:
        """Return the loss distribution of two databases."""
        masses = [dict(enumerate(self.outputs.masses(self.program.space.positions(one)))) for one in (x, x_prime)]
        for one in masses:
            require_total(self.program.name, one.values())
        return loss_between(x, x_prime, *masses)

    def ratio(self) -> Bound:
        """Return the largest ratio."""
        measure, reached = self.problem.measure, self.budget.reached

        def witness(best: Best) -> Any:
            return measure.witness(self._inputs(best), best.heads.output)

        def met(best: Best) -> None:
            if reached is not None:
                reached.attain(best.value, lambda: witness(best))

        maximum = Maximum(met)
        batches = [heads for output, one in self.outputs.outputs for heads in self._batches(output, one)]
        if reached is not None:
            reached.limit(max([head.limit for heads in batches for head in heads.heads]))
        maximum.search(batches)
        best = maximum.best
        if best is None:
            raise TooLarge("no output was compared.", value=self.program)
        stats = {
            **self._told(maximum.items),
            "stopped": None,
            "inference_seconds": round(time.perf_counter() - self.start, 6),
        }
        return measure.bound(best.value, best.value, method=ByHubs.name, stats=stats, witness=witness(best))

    def _batches(self, output: Any, conjunction: Conjunction) -> Iterator[Heads]:
        """Yield the changes by which an output is compared, those of alike statistics once."""
        side = self.outputs.side(conjunction)
        keys = {place: side.key(place, block) for place, block in self.block_of.items()}
        members: dict[Any, list[int]] = {}
        for place in sorted(keys):
            members.setdefault(keys[place], []).append(place)
        found: dict[Any, list[Head]] = {}
        seen: set[Any] = set()
        for change in self.changes:
            touched = tuple([place for place, _, _ in change.parts])
            told = Counter(keys[place] for place in touched)
            checkpoint()
            alike = tuple([(keys[place], before, after) for place, before, after in change.parts])
            if alike in seen:
                continue
            seen.add(alike)
            heads = found.setdefault(frozenset(told.items()), [])
            before = len(heads)
            heads += self._heads(side, change)
            self.heads += len(heads) - before
            if self.heads > _MOST_HEADS:
                raise TooLarge("too many changes are compared.", value=self.heads)
        for told_items, heads in found.items():
            touched_counts = dict(told_items)
            groups = []
            for key, places in members.items():
                rest = len(places) - touched_counts.get(key, 0)
                if rest:
                    block = self.block_of[places[0]]
                    groups.append(Group(side.family(key, places[0], block), rest, block.shared, tuple(places)))
            spare = all(block.spare for block in self.outputs.blocks if block.shared)
            if heads:
                yield Heads(heads, groups, spare, side.constant, math.log2(side.denominator), output)

    def _heads(self, side: Side, change: Change) -> Iterator[Head]:
        shared = next((block for block in self.outputs.blocks if block.shared), None)
        entries = 0 if shared is None else len(shared.entries) - (change.block is shared)
        for others in change.others():
            parts = [
                side.part(place, total + before, total + after)
                for (place, before, after), (_, total) in zip(change.parts, others, strict=True)
            ]
            yield Head(tuple(parts), entries - sum([spent for spent, _ in others]), (change, others))

    def _inputs(self, best: Best) -> tuple[Any, Any]:
        """Return two databases at which the best ratio is attained."""
        change, others = best.head.change
        x = [0] * len(self.program.inputs)
        chosen: dict[int, tuple[int, int]] = {p: o for (p, _, _), o in zip(change.parts, others, strict=True)}
        for group, own in zip(best.heads.groups, best.chosen, strict=True):
            places = [place for place in group.places if place not in chosen]
            chosen.update(zip(places, own, strict=False))
        for block in self.outputs.blocks:
            within = change.entry if block is change.block else None
            free = [entry for entry in block.entries if entry != within]
            for place in block.places:
                block.choose(place, chosen[place], free, within, x)
            if block.shared:
                block.spend(free, x)
        x_prime = list(x)
        x[change.entry], x_prime[change.entry] = change.sides
        return self.program.space.at(x), self.program.space.at(x_prime)

    def _told(self, choices: int = 0) -> Mapping[str, Any]:
        """Describe the choices in words."""
        hubs = {one.hub for _, one in self.outputs.outputs}
        why = (
            f"given the value of one draw ({large(len(hubs))} of {large(len(self.outputs.factors))}, by output), each "
            f"of the {large(self.outputs.count)} outputs is a condition on every other draw alone; "
            f"{large(self.heads)} changes of {large(len(self.outputs.statistics))} statistics were compared"
            + (f", with {large(choices)} choices of what does not change" if choices else "")
        )
        return {"factors": len(self.outputs.factors), "changes": self.heads, "choices": choices, "why": why}
