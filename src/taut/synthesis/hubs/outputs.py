"""The outputs of a program as conditions on its factors, and what each value of a statistic contributes to them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams.compile import compile_program
from taut.program import Program
from taut.program.operations import typed
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY
from taut.support.limits import checkpoint
from taut.support.options import active
from taut.support.process import cached_property
from taut.synthesis.decompose.statistic import Statistic
from taut.synthesis.hubs.changes import Block, blocks_of
from taut.synthesis.hubs.factors import Conjunction, Factor, Factors, conjunction_of, factors_of
from taut.synthesis.hubs.maximum import Family, Part, Vector
from taut.synthesis.hubs.paths import Condition, Path, Paths, paths_of
from taut.synthesis.problem import Problem

__all__ = ["Outputs", "Side", "answers_of"]

_MOST_OUTPUTS = 1 << 10
_NEAR = 1e-9
"""Margin above the rounding error of a ratio."""


class Outputs:
    """A program as factors, and each output as a conjunction of conditions on them.

    Where the outputs are ``paths``, one stands for all that have the same conditions on statistics that are alike.
    ``others`` allows outputs with hubs of their own.
    """

    def __init__(self, program: Program, *, others: bool = True) -> None:
        self.program = program
        self.found: Factors = factors_of(program)
        statistics = [one.statistic for one in self.factors if one.statistic is not None]
        self.statistics = list(dict.fromkeys(statistics))
        self.blocks = blocks_of(program, self.statistics)
        if sum(block.shared for block in self.blocks) > 1:
            raise TooLarge("several groups of statistics share entries.", value=self.blocks)
        self.paths: Paths | None = paths_of(self.found)
        self.outputs: list[tuple[Any, Conjunction]]
        if self.paths is None and not others:
            raise TooLarge("outputs are no conditions on answers.", value=program)
        if self.paths is None:
            self.outputs = self._by_events()
        else:
            self.outputs = [(path.output, self.paths.conjunction(path)) for path in self.kinds]
        self.weights = _Weights()

    def _by_events(self) -> list[tuple[Any, Conjunction]]:
        """Return every output, each with a hub of its own."""
        relation = compile_program(self.found.combined, active())
        if len(relation.outputs) != 1 or len(relation.outputs[0].values) > _MOST_OUTPUTS:
            raise TooLarge("there are too many outputs.", value=relation.outputs)
        found: list[tuple[Any, Conjunction]] = []
        for position in range(len(relation.outputs[0].values)):
            checkpoint()
            one = conjunction_of(relation.arrays, [position])
            if one is None:
                raise TooLarge("an output is no conjunction, whatever the hub.", value=position)
            found.append((relation.decode([position]), one))
        return found

    @cached_property
    def kinds(self) -> list[Path]:
        """The outputs that stand for all, where the outputs are paths."""
        return [] if self.paths is None else self.paths.classes(self.alike)

    @cached_property
    def count(self) -> int:
        """The number of outputs."""
        return len(self.outputs) if self.paths is None else self.paths.count

    @cached_property
    def alike(self) -> Mapping[int, Hashable]:
        """A number for each factor; those with the same number contribute the same where entries are exchanged."""
        block_of = {place: block for block in self.blocks for place in block.places}
        number_of = {statistic: place for place, statistic in enumerate(self.statistics)}
        users: dict[Statistic | None, int] = {}
        for factor in self.factors:
            users[factor.statistic] = users.get(factor.statistic, 0) + 1
        numbers: dict[Hashable, int] = {}
        found: dict[int, Hashable] = {}
        for place, factor in enumerate(self.factors):
            one = factor.statistic
            key: Hashable = (factor.kernel.number,)
            if one is not None:
                block = block_of[number_of[one]]
                values = None if one.values is None else tuple(map(typed, one.values))
                domains = [
                    (table, len(entries), tuple(map(typed, self.program.inputs[entries[0]].values)))
                    for table, entries in block.kinds
                ]
                key = (factor.kernel.number, one.constant, values, tuple(domains))
                if users[one] > 1 or block.shared:
                    key = ("own", place)
            found[place] = numbers.setdefault(key, len(numbers))
        return found

    @property
    def factors(self) -> Sequence[Factor]:
        return self.found.factors

    def side(self, conjunction: Conjunction) -> Side:
        return Side(self, conjunction, self.weights)

    @cached_property
    def _sides(self) -> list[Side]:
        return [self.side(one) for _, one in self.outputs]

    def masses(self, positions: Sequence[int]) -> list[Fraction]:
        """Return the probabilities of all outputs on an input, given by the positions of its entries' values."""
        if self.paths is None:
            totals = {
                place: sum([table[positions[entry]] for entry, table in one.tables.items()])
                for place, one in enumerate(self.statistics)
            }
            return [side.probability(totals) for side in self._sides]
        hub = self.factors[self.paths.hub]
        values = [None if one.statistic is None else one.statistic.at(positions) for one in self.factors]

        def vector(condition: Condition) -> tuple[Vector, int]:
            return self.vector(condition, values[condition.place]), self.weights.scale(self.factors[condition.place])

        return self.paths.masses(self.weights.row(hub, None), self.weights.scale(hub), vector)

    def vector(self, condition: Condition, value: Any) -> Vector:
        """Return the weight of a condition at each value of the hub, where the statistic has a value."""
        return self.weights.vector(self.factors[condition.place], value, condition.kind, condition.sets)


def answers_of(problem: Problem) -> Outputs:
    """Return the outputs of a mechanism as conditions on answers.

    Raises:
        TooLarge: they are not.
    """
    program = problem.program
    assert program is not None
    return problem.known.once("answers", lambda: Outputs(program, others=False))


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


class Side:
    """One output: the vector over the hub that each value of a statistic contributes."""

    def __init__(self, outputs: Outputs, conjunction: Conjunction, weights: _Weights) -> None:
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
