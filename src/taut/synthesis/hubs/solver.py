"""The solver for outputs that are conjunctions once a hub is given, such as the largest of noisy counts."""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams.compile import compile_program
from taut.inference.fold import require_total
from taut.neighbors import Entrywise
from taut.neighbors.relations import changes_one
from taut.program import Program
from taut.program.operations import typed
from taut.questions.bound import Bound
from taut.questions.loss import LossDistribution, loss_between
from taut.questions.measure import Measure
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, large
from taut.support.limits import checkpoint
from taut.support.options import active
from taut.support.process import cached_property
from taut.synthesis.decompose import Decomposition
from taut.synthesis.decompose.statistics import Statistic
from taut.synthesis.hubs.changes import Block, Change, blocks_of
from taut.synthesis.hubs.factors import Conjunction, Factor, Factors, conjunction_of, factors_of
from taut.synthesis.hubs.maximum import Best, Family, Group, Head, Heads, Maximum, Part, Vector
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
        outputs = problem.known.once("hubs", lambda: _Outputs(problem.program))  # type: ignore[arg-type]
        answer = _Answer(problem, outputs, problem.neighbors, budget, start)
        return answer.ratio() if problem.measure.is_ratio else answer.pairs()


class HubIntervals(ByHubs):
    """Intervals of divergences for the same mechanisms: between likely pairs and the joint release of all draws."""

    def _knows(self, measure: Measure) -> bool:
        return isinstance(measure, PairMeasure) and measure.monotone and not measure.whole_curve


class _Outputs:
    """A program as factors, and each output as a conjunction of conditions on them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.found: Factors = factors_of(program)
        relation = compile_program(self.found.combined, active())
        if len(relation.outputs) != 1 or len(relation.outputs[0].values) > _MOST_OUTPUTS:
            raise TooLarge("there are too many outputs.", value=relation.outputs)
        self.outputs: list[tuple[Any, Conjunction]] = []
        for position in range(len(relation.outputs[0].values)):
            checkpoint()
            one = conjunction_of(relation.arrays, [position])
            if one is None:
                raise TooLarge("an output is no conjunction, whatever the hub.", value=position)
            self.outputs.append((relation.decode([position]), one))
        statistics = [one.statistic for one in self.factors if one.statistic is not None]
        self.statistics = list(dict.fromkeys(statistics))
        self.blocks = blocks_of(program, self.statistics)
        if sum(block.shared for block in self.blocks) > 1:
            raise TooLarge("several groups of statistics share entries.", value=self.blocks)
        self._weights = _Weights()

    @property
    def factors(self) -> Sequence[Factor]:
        return self.found.factors

    def side(self, conjunction: Conjunction) -> _Side:
        return _Side(self, conjunction, self._weights)


class _Weights:
    """The weights of factors as integers over one denominator for each kernel, and cached sums of weights."""

    def __init__(self) -> None:
        self._rows: dict[Any, list[int]] = {}
        self._scales: dict[int, int] = {}
        self._vectors: dict[Any, Vector] = {}
        self.parts: dict[Any, Part] = {}

    def row(self, factor: Factor, value: Any) -> list[int]:
        """Return the weights of all outcomes of a factor where its statistic has a value."""
        key = (factor.kernel.number, typed(value))
        if key not in self._rows:
            checkpoint()
            row, scale = factor.row(value), self.scale(factor)
            weights = [scale // w.denominator * w.numerator for w in map(Fraction, row.weights)]
            if row.outcomes != factor.outcomes:
                known = dict(zip(map(typed, row.outcomes), weights, strict=True))
                weights = [known.get(typed(outcome), 0) for outcome in factor.outcomes]
            self._rows[key] = weights
        return self._rows[key]

    def scale(self, factor: Factor) -> int:
        """Return the denominator of all weights of a factor."""
        number = factor.kernel.number
        if number not in self._scales:
            variables = factor.kernel.program.inputs
            values = variables[0].values if variables else (None,)
            denominators = {Fraction(w).denominator for value in values for w in factor.row(value).weights}
            self._scales[number] = math.lcm(*denominators)
        return self._scales[number]

    def vector(self, factor: Factor, value: Any, told: Any, sets: Any) -> Vector:
        """Return the probability of each of several sets of outcomes, which ``told`` identifies."""
        key = (factor.kernel.number, typed(value), told)
        if key not in self._vectors:
            row = self.row(factor, value)
            if isinstance(sets, tuple):
                self._vectors[key] = [row[place] for place in sets]
            else:
                sums = [0, *itertools.accumulate(row)]
                self._vectors[key] = [sum([sums[stop] - sums[start] for start, stop in _runs(one)]) for one in sets]
        return self._vectors[key]


def _runs(allowed: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return runs of consecutive outcomes that are allowed."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], allowed, [False]]).astype(np.int8))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def _largest_quotient(own: Vector, other: Vector) -> Any:
    """Return the largest ratio of entries in the same place; floats tell which may be it."""
    pairs = [(a, b) for a, b in zip(own, other, strict=True) if a]
    if not pairs or any(not b for _, b in pairs):
        return INFINITY if pairs else Fraction(0)
    try:
        about = [a / b for a, b in pairs]
    except OverflowError:
        return max([Fraction(a, b) for a, b in pairs])
    near = max(about) * (1 - _NEAR)
    return max([Fraction(a, b) for (a, b), ratio in zip(pairs, about, strict=True) if ratio >= near])


class _Side:
    """One output: the vector over the hub that each value of a statistic contributes."""

    def __init__(self, outputs: _Outputs, conjunction: Conjunction, weights: _Weights) -> None:
        self.outputs, self.conjunction, self.weights = outputs, conjunction, weights
        self.width = max(1, len(conjunction.values))
        self._uses: dict[Statistic | None, list[tuple[Factor, Any, Any]]] = {}
        told: Any
        sets: Any
        for place, factor in enumerate(outputs.factors):
            if place == conjunction.hub:
                told, sets = conjunction.values, conjunction.values
            elif place in conjunction.sets:
                told, sets = conjunction.sets[place].tobytes(), conjunction.sets[place]
            else:
                continue
            self._uses.setdefault(factor.statistic, []).append((factor, told, sets))
        self._made: dict[tuple[int, int], Vector] = {}
        self._families: dict[Any, Family] = {}
        self.constant = self._product(None, None)

    def _product(self, statistic: Any, value: Any) -> Vector:
        product: Vector = [1] * self.width
        for factor, told, sets in self._uses.get(statistic, ()):
            vector = self.weights.vector(factor, value, told, sets)
            product = [a * b for a, b in zip(product, vector, strict=True)]
        return product

    def vector(self, place: int, total: int) -> Vector:
        """Return the vector that a statistic contributes at a total."""
        found = self._made.get((place, total))
        if found is None:
            statistic = self.outputs.statistics[place]
            found = self._made[place, total] = self._product(statistic, statistic.value(total))
        return found

    def part(self, place: int, total: int, total_prime: int) -> Part:
        """Return a statistic that changes from one total to another."""
        one = self.outputs.statistics[place]
        told = tuple([(factor.kernel.number, told) for factor, told, _ in self._uses.get(one, ())])
        key = (told, self.width, typed(one.value(total)), typed(one.value(total_prime)))
        if key not in self.weights.parts:
            own, other = self.vector(place, total), self.vector(place, total_prime)
            most = max(*own, *other) or 1
            floats = [np.array([value / most for value in vector]) for vector in (own, other)]
            scale = math.log2(most)
            self.weights.parts[key] = Part(own, other, floats[0], floats[1], scale, _largest_quotient(own, other))
        return self.weights.parts[key]

    def probability(self, totals: Mapping[int, int]) -> Fraction:
        """Return the probability of the output where the statistics have these totals."""
        product = self.constant
        for place, total in totals.items():
            product = [a * b for a, b in zip(product, self.vector(place, total), strict=True)]
        return Fraction(sum(product), self.denominator)

    @cached_property
    def denominator(self) -> int:
        """The denominator of all products of vectors."""
        return math.prod(self.weights.scale(factor) for uses in self._uses.values() for factor, _, _ in uses)

    def key(self, place: int, block: Block) -> Any:
        """Return a key that statistics share which contribute the same vectors at the same totals."""
        one = self.outputs.statistics[place]
        uses = tuple([(factor.kernel.number, told) for factor, told, _ in self._uses.get(one, ())])
        values = typed(one.values) if one.values is not None else None
        return uses, one.constant, values, tuple(block.options(place)), id(block) if block.shared else None

    def family(self, key: Any, place: int, block: Block) -> Family:
        if key not in self._families:
            options = block.options(place)
            vectors = tuple([self.vector(place, total) for _, total in options])
            costs, totals = (tuple([option[side] for option in options]) for side in (0, 1))
            self._families[key] = Family(vectors, costs, totals)
        return self._families[key]


class _Answer:
    """The worst change over all outputs, and the databases that have it."""

    def __init__(self, problem: Problem, outputs: _Outputs, neighbors: Entrywise, budget: Budget, start: float) -> None:
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
        sides = [self.program.space.positions(one) for one in (x, x_prime)]
        totals = [
            {n: sum([table[at[e]] for e, table in s.tables.items()]) for n, s in enumerate(self.outputs.statistics)}
            for at in sides
        ]
        masses = [{n: side.probability(total) for n, side in enumerate(self._sides)} for total in totals]
        for one in masses:
            require_total(self.program.name, one.values())
        return loss_between(x, x_prime, *masses)

    @cached_property
    def _sides(self) -> list[_Side]:
        return [self.outputs.side(one) for _, one in self.outputs.outputs]

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

    def _heads(self, side: _Side, change: Change) -> Iterator[Head]:
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
            f"of the {large(len(self.outputs.outputs))} outputs is a condition on every other draw alone; "
            f"{large(self.heads)} changes of {large(len(self.outputs.statistics))} statistics were compared"
            + (f", with {large(choices)} choices of what does not change" if choices else "")
        )
        return {"factors": len(self.outputs.factors), "changes": self.heads, "choices": choices, "why": why}
