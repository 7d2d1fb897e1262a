"""The solver for functions of draws that decompose: an output tells no more than the draws, and often as much."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.diagrams.compile import compile_program
from taut.inference.channel import Channel
from taut.neighbors.relations import changes_one
from taut.program import Coin, Program, Term
from taut.program.program import children
from taut.questions.bound import Bound
from taut.questions.loss import loss_between
from taut.questions.measure import Measure
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.support.exact import INFINITY, Ball, quotient
from taut.support.limits import checkpoint, limits
from taut.support.options import active
from taut.synthesis.decompose import Decomposition
from taut.synthesis.decompose.statistic import Dependence, Statistics
from taut.synthesis.facts import Known
from taut.synthesis.hubs.factors import owned_coins, statistics_read
from taut.synthesis.problem import Budget, ByTerms, Problem, Uncompiled

__all__ = ["Postprocessing"]

_MOST_OUTPUTS = 1 << 16
_MOST_NODES = 1 << 16
"""Nodes of the diagram of one input: a pair is not worth the work of a search."""
_SECONDS = 8.0
"""CPU seconds for pairs of neighbours, each of which takes two distributions."""


class Postprocessing(ByTerms):
    """Intervals of programs that are functions of draws: from the best of likely pairs to the release of all draws.

    Where the two ends meet, the answer is exact.
    """

    name = "postprocessing"

    def serves(self, problem: Problem) -> bool:
        """Return True for measures that post-processing never raises; those that it never lowers are not known."""
        measure = problem.measure
        if measure.is_ratio:
            return problem.neighbors is not None
        known = isinstance(measure, PairMeasure) and measure.monotone and measure.largest
        return known and changes_one(problem.neighbors)

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        """Return the interval.

        Raises:
            TooLarge: the draws do not decompose, or their release tells everything.
        """
        start, program = time.perf_counter(), problem.program
        assert program is not None
        released, beyond = self._beyond(problem, program, budget)
        if beyond.upper == _most(problem.measure):
            raise TooLarge("the draws together tell everything.", value=program)
        bound = _Pairs(problem, beyond).bound()
        attained = "a pair attains that" if bound.exact else "the lower end is that of a likely pair"
        why = (
            f"the output is a function of {released.count} draws, which together tell no less: "
            f"{beyond.stats['why']}; {attained}"
        )
        seconds = round(time.perf_counter() - start, 6)
        return replace(bound, stats={"why": why, "stopped": None, "inference_seconds": seconds}, count=None)

    def _beyond(self, problem: Problem, program: Program, budget: Budget) -> tuple[_Released, Bound]:
        """Return the draws with the bound of their release: as few terms as may be, or else every draw on its own."""
        assert isinstance(problem.source, Uncompiled)
        for single in (False, True):
            released = problem.known.once(("released", single), lambda single=single: _released(program, single))  # type: ignore[misc]
            source = replace(problem.source, program=released.program)
            try:
                again = Problem(source, problem.neighbors, problem.measure, released.known)
                return released, Decomposition().solve(again, budget)
            except TooLarge as error:
                if single or isinstance(error, (OutOfTime, OutOfMemory)):
                    raise
        raise AssertionError("one of both is returned")


def _most(measure: Measure) -> Any:
    """Return the largest value that a measure can have; infinity where that is not known."""
    return getattr(measure, "most", INFINITY)


@dataclass(frozen=True)
class _Released:
    """The program that returns all draws of another one, and what is known about it."""

    program: Program
    count: int
    known: Known


def _released(program: Program, single: bool) -> _Released:
    """Return the program that returns the terms of which the output is a function, or every ``single`` draw."""
    if program.conditioned:
        raise TooLarge("what is observed joins all draws.", value=program)
    if not all(coin.kinds <= {Fraction, int, Ball} for coin in program.coins):
        raise TooLarge("weights are functions of parameters.", value=program)
    terms = _draws(program, single)
    if program.output in terms:
        raise TooLarge("the output is one draw, or a tuple of draws.", value=program)
    return _Released(replace(program, output=program.terms.tuple(terms)), len(terms), Known())


def _draws(program: Program, single: bool) -> list[Term]:
    """Return terms of which the output is a function and that, together, hold all coins and entries.

    A term is not taken apart if that would reveal a term without coins; nor, unless ``single``, if it has its coins to
    itself and reads one statistic.
    """
    dependence = Dependence(program)
    coins, reads = statistics_read(program, dependence, Statistics(program, dependence))
    owned = owned_coins(program)
    chosen: dict[Term, None] = {}
    stack, seen = [program.output], {program.output}
    while stack:
        term = stack.pop()
        below = children(term)
        alone = reads[term] is not None and len(reads[term] or ()) <= 1 and owned[term] == coins[term]
        plain = any(child not in dependence.random and dependence.reads(child) for child in below)
        if (alone and not single) or plain or isinstance(term, Coin):
            if coins[term] or dependence.reads(term):
                chosen[term] = None
            continue
        for child in below:
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return sorted(chosen, key=lambda term: term.serial)


class _Pairs:
    """Pairs of neighbours made from the one at which the release tells most, and the worst of them."""

    def __init__(self, problem: Problem, beyond: Bound) -> None:
        assert problem.program is not None
        self.problem, self.program, self.beyond = problem, problem.program, beyond
        self._distributions: dict[Any, Any] = {}
        self._losses: list[PairCase] = []
        self._ratios: list[tuple[Any, int, Any]] = []

    def bound(self) -> Bound:
        """Return the interval, with the pairs looked at until one attains the upper end or the time is over."""
        best: Bound | None = None
        with contextlib.suppress(TooLarge), limits(cpu_seconds=_SECONDS):
            for x, x_prime in self._pairs():
                checkpoint()
                best = self._interval(x, x_prime)
                if best.exact:
                    break
        if best is not None:
            return best
        unknown = self.problem.measure.unknown(method="decomposition", stats={})
        assert unknown is not None
        return unknown.limited_by(self.beyond)

    def _interval(self, x: Any, x_prime: Any) -> Bound:
        """Return the interval from what the pairs so far attain, with one more, to what the release tells."""
        measure, (own, other) = self.problem.measure, [self._distribution(one) for one in (x, x_prime)]
        if isinstance(measure, PairMeasure):
            self._losses.append(PairCase(loss_between(x, x_prime, own, other), 1))
            attained = measure.worst(self._losses, False, method="decomposition", stats={})
        else:
            self._ratios += [
                (quotient(p, other.get(y, 0)), 1, lambda y=y: measure.witness([x, x_prime], y))
                for y, p in own.items()
                if p
            ]
            worst = measure.classes(self._ratios)[0]
            self._ratios = [(worst.value, 1, worst.locate)]
            attained = measure.bound(worst.value, INFINITY, method="decomposition", stats={}, witness=worst.locate())
        return attained.limited_by(self.beyond)

    def _distribution(self, x: Any) -> Any:
        if x not in self._distributions:
            few = replace(active(), max_nodes=min(active().max_nodes, _MOST_NODES))
            channel = Channel(compile_program(self.program.fix(x), few), ())
            self._distributions[x] = channel.distribution((), "auto", _MOST_OUTPUTS)
        return self._distributions[x]

    def _pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield the pair at which the release tells most, and those with other values in place of unchanged ones."""
        space, witness = self.problem.space, self.beyond.witness
        sides = [space.positions(one) for one in (witness.x, witness.x_prime)]
        for rest in self._rests(sides):
            own, other = (
                tuple([side[e] if sides[0][e] != sides[1][e] else rest[e] for e in range(len(rest))]) for side in sides
            )
            yield space.at(own), space.at(other)
            if self.problem.related(space.at(other), space.at(own)):
                yield space.at(other), space.at(own)

    def _rests(self, sides: Sequence[Sequence[int]]) -> Iterator[Sequence[int]]:
        """Yield values for the entries that do not change, by their places."""
        sizes = [len(values) for values in self.problem.space.values]
        own, other = sides
        yield own
        if not changes_one(self.problem.neighbors):
            return
        yield [0] * len(sizes)
        yield [size - 1 for size in sizes]
        yield [0 if entry % 2 else size - 1 for entry, size in enumerate(sizes)]
        yield [entry % size for entry, size in enumerate(sizes)]
        changed = [entry for entry in range(len(sizes)) if own[entry] != other[entry]]
        for side in sides:
            for entry in changed:
                yield [min(side[entry], size - 1) for size in sizes]
        yield [size // 2 for size in sizes]
