"""Selections: one of some candidates in proportion to weights, each a function of a statistic of its own.

The exponential mechanism with scores that share entries is read as a uniform draw that is accepted in proportion to the
weight; that it is accepted is evidence. Docs: decompose.md, "Weights that are functions of statistics".
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.neighbors import Entrywise
from taut.program import Coin, Program, Term
from taut.program.program import reachable, substituted
from taut.questions.bound import Bound, joined
from taut.questions.loss import Atom, LossDistribution, loss_between
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.support.exact import INFINITY, Ball, ends, large, quotient
from taut.support.limits import checkpoint
from taut.support.process import cached_property
from taut.synthesis.decompose.cells import Kernels, without_coins
from taut.synthesis.decompose.kernel import Kernel
from taut.synthesis.decompose.selected_walks import SelectedWalk
from taut.synthesis.decompose.statistic import Dependence, Statistic, Statistics, Whole
from taut.synthesis.decompose.walks import related_values
from taut.synthesis.problem import Problem

__all__ = ["Selection", "selection_of", "worst_selection"]

_MOST_CANDIDATES, _MOST_VALUES = 1 << 10, 1 << 12
_TRIES, _STARTS = 300, 6
"""Number of changes without success after which a pair is taken, and number of starts for each objective."""
_SLICES, _ROUNDS = 64, 24
_DIGITS = 220
"""Binary digits to which balls are rounded, up or down."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """An output, and its weight as a function of a statistic; ``root`` is the place of the statistic."""

    output: Any
    share: Any
    kernel: Kernel
    root: int | None

    def weight(self, value: Any) -> Any:
        """Return the weight where the statistic has a value."""
        row = self.kernel.row(() if self.root is None else (value,))
        accepted = [weight for outcome, weight in zip(row.outcomes, row.weights, strict=True) if outcome is True]
        return self.share * accepted[0] if accepted else Fraction(0)


@dataclass(frozen=True, eq=False)
class Selection:
    """A program that returns one of some candidates in proportion to their weights."""

    program: Program
    dependence: Dependence
    candidates: tuple[Candidate, ...]
    roots: tuple[Statistic, ...]

    @cached_property
    def weights(self) -> list[dict[Any, Any]]:
        """For each candidate its weight at each value of its statistic."""
        found = []
        for one in self.candidates:
            values: Sequence[Any] = (None,)
            if one.root is not None:
                values = one.kernel.program.inputs[0].values
            found.append({value: one.weight(value) for value in values})
        return found


def selection_of(program: Program) -> Selection | None:
    """Return a program as a selection; None if it is none."""
    coins = [term for term in reachable([program.output]) if isinstance(term, Coin)]
    if not program.conditioned or len(coins) != 1:
        return None
    coin = program.coins[coins[0].index]
    if Dependence(program).reads(program.output) or len(coin.outcomes) > _MOST_CANDIDATES:
        return None
    terms = program.terms
    entries = [terms.input(place, variable.values) for place, variable in enumerate(program.inputs)]
    makers = Kernels(program)
    found: dict[Any, Candidate] = {}
    roots: dict[Term, Statistic] = {}
    events: list[Term] = []
    for outcome, share in zip(coin.outcomes, coin.weights, strict=True):
        checkpoint()
        known: dict[Term, Term] = {coins[0]: terms.const(outcome)}
        output, event = substituted(terms, [program.output, program.evidence], entries, program.coins, None, known)
        events.append(event)
        value = getattr(output, "value", found)
        own = Dependence(replace(program, output=output, evidence=event))
        used = list(without_coins([event], own))
        if value is found or value in found or len(used) > 1 or coins[0] in own.random:
            return None
        for term in used:
            if term not in roots:
                values = getattr(term.values, "__len__", lambda: _MOST_VALUES + 1)()
                if values > _MOST_VALUES:
                    return None
                roots[term] = Whole(term, {}, 0, tuple(sorted(term.values, key=_order)), program)  # type: ignore[arg-type]
        ordered, key = makers.key([event], {term: (roots[term],) for term in used})
        kernel = makers.kernel(key, [event], ordered)
        assert isinstance(kernel, Kernel)
        found[value] = Candidate(value, share, kernel, list(roots).index(used[0]) if used else None)
    dependence = Dependence(program, events)
    return Selection(program, dependence, tuple(found.values()), tuple(roots.values()))


def _order(value: Any) -> Any:
    return (0, value, "") if isinstance(value, (int, Fraction)) else (1, 0, repr(value))


def worst_selection(problem: Problem, selection: Selection, start: float) -> Bound:
    """Return the worst pair of neighbours of a selection, or an interval."""
    neighbors = problem.neighbors
    assert isinstance(neighbors, Entrywise)
    neighbors.require(selection.program.space)
    answer = problem.known.once(("selection", neighbors), lambda: _Worst(selection, neighbors))
    measure = problem.measure
    bound = answer.ratio(measure) if measure.is_ratio else answer.pairs(measure)
    stats = {"why": answer.why, "stopped": None, "inference_seconds": round(time.perf_counter() - start, 6)}
    return replace(bound, stats=stats, count=None)


_Pair = tuple[tuple[int, ...], tuple[int, ...]]


class _Worst:
    """The worst pairs of a selection: the largest ratio, and bounds of all other measures that follow from it."""

    def __init__(self, selection: Selection, neighbors: Entrywise) -> None:
        self.selection, self.neighbors = selection, neighbors
        self._values: dict[tuple[int, ...], list[Any]] = {}
        self._walk: SelectedWalk | None = None
        try:
            terms = [one.term for one in selection.roots]
            self._walk = SelectedWalk(selection.program, selection.dependence, terms, neighbors)
        except (OutOfTime, OutOfMemory):
            raise
        except TooLarge:
            self._sums  # noqa: B018 - without a walk the statistics have to be sums
        self._climbed: dict[Any, _Pair] = {}

    @cached_property
    def why(self) -> str:
        """The report of the work."""
        told = (
            f"the output is one of {large(len(self.selection.candidates))} candidates, each with a weight that is a "
            f"function of a statistic of its own ({large(len(self.selection.roots))} in all); "
        )
        if self._walk is None:
            told += "the quotients of two weights of one candidate bound all quotients"
        else:
            told += "the total of the weights is a sum along a walk through the values that entries can have"
        return (
            told + "; other divergences lie between those of likely pairs and those of two outputs with such quotients"
        )

    # -- the weights of an input -------------------------------------------------------------------------------------

    @cached_property
    def _sums(self) -> list[Statistic]:
        """The statistics as sums of what single entries add."""
        found = Statistics(self.selection.program, self.selection.dependence)
        sums = []
        for one in self.selection.roots:
            own = found.of(one.term)
            if own is None or len(own) != 1 or own[0].term is not one.term or own[0].values is not None:
                raise TooLarge("the weights are functions of statistics that are no sums.", value=one.term)
            sums.append(own[0])
        return sums

    def weights(self, positions: tuple[int, ...]) -> list[Any]:
        """Return the weights of all candidates at an input."""
        found = self._values.get(positions)
        if found is None:
            if self._walk is not None:
                values = self._walk.values_at(positions)
            else:
                values = {place: one.at(positions) for place, one in enumerate(self._sums)}
            pairs = zip(self.selection.candidates, self.selection.weights, strict=True)
            found = [table[None if one.root is None else values[one.root]] for one, table in pairs]
            if len(self._values) > 4096:
                self._values.clear()
            self._values[positions] = found
        return found

    def loss(self, pair: _Pair) -> LossDistribution:
        """Return the loss distribution of two inputs."""
        x, x_prime = (self.selection.program.space.at(list(side)) for side in pair)
        return loss_between(x, x_prime, *[dict(enumerate(self._masses(side))) for side in pair])

    def _masses(self, positions: tuple[int, ...]) -> list[Any]:
        weights = self.weights(positions)
        total = sum(weights[1:], weights[0])
        if not isinstance(total, Ball) and total == 0:
            raise TooLarge("for some input no candidate has a weight.", value=positions)
        return [weight / total for weight in weights]

    # -- likely pairs ------------------------------------------------------------------------------------------------

    def likely(self, aim: Any) -> _Pair:
        """Return a pair that is likely bad by an objective: None for the largest ratio, a number for the hockey-stick
        divergence at it.
        """
        if aim not in self._climbed:
            self._climbed[aim] = max((self._climb(aim, number) for number in range(_STARTS)), key=lambda one: one[0])[1]
        return self._climbed[aim]

    def _climb(self, aim: Any, number: int) -> tuple[float, _Pair]:
        """Change single entries of a pair as long as its objective grows."""
        chance = random.Random(number)
        inputs = self.selection.program.inputs
        moves = [
            (entry, before, after)
            for entry in self._moving
            for before, start, stop in self.neighbors.changed(inputs[entry].values)
            for after in range(start, stop)
        ]
        if not moves:
            raise TooLarge("nothing is related.", value=self.neighbors)
        entry, before, after = moves[chance.randrange(len(moves))]
        base = [chance.randrange(len(one.values)) for one in inputs]
        if number:  # two values only, those that the changed entry has or others
            two, share = [(before, after), (base[0], base[-1])][number % 2], number / _STARTS
            base = [min(two[chance.random() < share], len(one.values) - 1) for one in inputs]
        best, value, idle = (tuple(base), entry, before, after), -math.inf, 0
        while idle < _TRIES:
            checkpoint()
            others, entry, before, after = best
            kind = chance.random() if value > -math.inf else 1.0
            if kind < 0.15:
                entry, before, after = moves[chance.randrange(len(moves))]
            elif kind < 1:
                changed, first = list(others), chance.randrange(len(inputs))
                count = 1 if kind < 0.7 else 1 + chance.randrange(len(inputs))
                told = [
                    before,
                    after,
                    others[chance.randrange(len(others))],
                    chance.randrange(len(inputs[first].values)),
                ]
                new = told[chance.randrange(4)] + chance.choice((-1, 0, 0, 0, 1))
                for place in range(first, min(first + count, len(inputs))):
                    changed[place] = min(max(new, 0), len(inputs[place].values) - 1)
                others = tuple(changed)
            found = self._worth(aim, _pair(others, entry, before, after))
            idle = 0 if found > value else idle + 1
            if found >= value:
                best, value = (others, entry, before, after), found
        return value, _pair(*best)

    @cached_property
    def _moving(self) -> list[int]:
        """One entry of each kind."""
        if self._walk is not None:
            return [block.entries[0] for block in self._walk.blocks]
        kinds: dict[Any, int] = {}
        for entry, one in enumerate(self.selection.program.inputs):
            kinds.setdefault((one.values, tuple([s.tables.get(entry) for s in self._sums])), entry)
        return list(kinds.values())

    def _worth(self, aim: Any, pair: _Pair) -> float:
        try:
            own, other = ([float(weight) for weight in self.weights(side)] for side in pair)
            total, total_prime = sum(own), sum(other)
            both = [(a / total, b / total_prime) for a, b in zip(own, other, strict=True)]
            if aim is None:
                return float(max([math.inf if not b else a / b for a, b in both if a]))
            return float(sum([max(0.0, a - aim * b) for a, b in both]))
        except (OverflowError, ZeroDivisionError):
            return -math.inf

    # -- the largest ratio ----------------------------------------------------------------------------------------

    @cached_property
    def largest(self) -> tuple[Any, Any, _Pair, Any]:
        """The largest ratio that is attained, one that no pair exceeds, the pair, and the output."""
        value, pair, output = self._at(self.likely(None))
        if value == INFINITY:
            return value, value, pair, output
        if self._walk is None:
            return value, self._spread[1], pair, output
        best = [(value, pair, output)]

        def exceeded(own: Sequence[int], other: Sequence[int]) -> Any:
            found = self._at((tuple(own), tuple(other)))
            best.append(found)
            return found[0]

        limit = self._walk.largest(self._tables, value, exceeded)
        value, pair, output = max(best, key=lambda one: ends(one[0])[0])
        return value, limit, pair, output

    @cached_property
    def _tables(self) -> tuple[list[list[Mapping[Any, Any]]], list[Any]]:
        """For each statistic the weights of its candidates by its values; and the weights that never change."""
        tables: list[list[Mapping[Any, Any]]] = [[] for _ in self.selection.roots]
        fixed = []
        for one, table in zip(self.selection.candidates, self.selection.weights, strict=True):
            if one.root is None:
                fixed.append(table[None])
            else:
                tables[one.root].append(table)
        return tables, fixed

    def _at(self, pair: _Pair) -> tuple[Any, _Pair, Any]:
        """Return the largest ratio of a pair, and its output."""
        own, other = (self._masses(side) for side in pair)
        found = [(quotient(a, b), one.output) for a, b, one in zip(own, other, self.selection.candidates, strict=True)]
        value, output = max([one for one in found if one[0] is not None], key=lambda one: ends(one[0])[0])
        return value, pair, output

    @cached_property
    def _spread(self) -> tuple[Any, Any]:
        """The least and the largest product that the ratios of two weights of two candidates can have.

        So all ratios of a pair lie between a number and a multiple of it.
        """
        most: Any = Fraction(1)
        for entry in self._moving:
            values = self.selection.program.inputs[entry].values
            related, _ = related_values(self.neighbors, values)
            changes = (
                {
                    tuple(
                        [
                            one.tables[entry][after] - one.tables[entry][before] if entry in one.tables else 0
                            for one in self._sums
                        ]
                    )
                    for before, allowed in enumerate(related)
                    for after in range(len(values))
                    if allowed >> after & 1 and after != before
                }
                if self._walk is None
                else ()
            )
            for change in changes:
                checkpoint()
                highs, lows = zip(*[self._quotients(one, table, change) for one, table in self._weighed], strict=True)
                most = max(most, max(highs) / min(lows))
        return 1 / most, most

    @property
    def _weighed(self) -> Iterator[tuple[Candidate, Mapping[Any, Any]]]:
        return zip(self.selection.candidates, self.selection.weights, strict=True)

    def _quotients(self, one: Candidate, table: Mapping[Any, Any], change: Sequence[int]) -> tuple[Any, Any]:
        """Return the largest and the least ratio of a weight before and behind a change of its statistic."""
        if one.root is None or not change[one.root]:
            return Fraction(1), Fraction(1)
        key = (id(one.kernel), one.share, change[one.root])
        if key not in self._known_quotients:
            pairs = [(table[t], table[t + change[one.root]]) for t in table if t + change[one.root] in table]
            if any(not isinstance(w, Ball) and w == 0 for both in pairs for w in both):
                raise TooLarge("a weight may be 0.", value=one.output)
            found = [a / b for a, b in pairs] or [Fraction(1)]
            self._known_quotients[key] = max(ends(q)[1] for q in found), min(ends(q)[0] for q in found)
        return self._known_quotients[key]

    @cached_property
    def _known_quotients(self) -> dict[Any, tuple[Any, Any]]:
        return {}

    def ratio(self, measure: Any) -> Bound:
        """Return the largest ratio."""
        value, limit, pair, output = self.largest
        x, x_prime = (self.selection.program.space.at(list(side)) for side in pair)
        witness = measure.witness([x, x_prime], output)
        bound: Bound = measure.bound(*joined(value, limit), method="decomposition", stats={}, witness=witness)
        return bound

    # -- other measures ----------------------------------------------------------------------------------------------

    def pairs(self, measure: Any) -> Bound:
        """Return the interval between the values of likely pairs and the bound by pairs with two outputs."""
        assert isinstance(measure, PairMeasure)
        least, most, spread = self._limits
        aims: list[Any] = [float(most) ** (place / 5) for place in range(5)] if most != INFINITY else [1.0, 2.0]
        if measure.kink is not None:
            aims = [float(measure.kink)]
        tried = {self.likely(aim): None for aim in [*aims, None]}
        cases = {one.atoms: PairCase(one, 1) for one in [self.loss(p) for both in tried for p in self._both(both)]}
        attained = measure.worst(list(cases.values()), False, method="decomposition", stats={})
        if most == INFINITY:
            return attained
        return attained.limited_by(_beyond(measure, least, most, spread))

    def _both(self, pair: _Pair) -> list[_Pair]:
        """Return a pair, and the pair the other way round if it is related too."""
        program = self.selection.program
        own, other = pair
        (entry,) = [place for place, (a, b) in enumerate(zip(own, other, strict=True)) if a != b]
        related, _ = related_values(self.neighbors, program.inputs[entry].values)
        return [pair, (other, own)] if related[other[entry]] >> own[entry] & 1 else [pair]

    @cached_property
    def _limits(self) -> tuple[Any, Any, Any]:
        """The least and the largest ratio of all pairs, and the most by which the ratios of one pair differ."""
        most = ends(self.largest[1])[1]
        if most == INFINITY:
            return Fraction(0), INFINITY, INFINITY
        mirrored = all(related_values(self.neighbors, one.values)[1] for one in self.selection.program.inputs)
        if self._walk is None:
            return self._spread[0], min(most, self._spread[1]), self._spread[1]
        spread = self._walk.spread(self._tables)
        return 1 / most if mirrored else 1 / spread, most, spread


def _pair(others: tuple[int, ...], entry: int, before: int, after: int) -> _Pair:
    one, other = list(others), list(others)
    one[entry], other[entry] = before, after
    return tuple(one), tuple(other)


def _beyond(measure: PairMeasure, least: Any, most: Any, spread: Any) -> Bound:
    """Return the bound of all pairs whose ratios lie between some l and ``spread`` times l, from ``least`` to ``most``.

    Such a pair is post-processing of a pair with two outputs, of ratios l and u. For all l in an interval, the pair
    with the least l and the largest u reveals more still; the interval with the worst value is divided further.
    """

    def wide(low: Any, high: Any) -> LossDistribution:
        top = min(most, spread * high)
        if top <= 1 or low >= 1:
            return LossDistribution(None, None, (Atom(Fraction(1), Fraction(1), Fraction(1)),))
        share = (1 - low) / (top - low)
        return LossDistribution(None, None, (Atom(low, low * (1 - share), 1 - share), Atom(top, top * share, share)))

    low = max(least, 1 / spread)
    cuts = [_rounded(low * (1 / low) ** Fraction(place, _SLICES)) for place in range(_SLICES + 1)]
    cuts[0], cuts[-1] = low, Fraction(1)
    slices = sorted(set(cuts))
    pieces = list(itertools.pairwise(slices)) or [(low, low)]
    parts: dict[str, Any] = {"method": "decomposition", "stats": {}}

    def bound(some: Sequence[tuple[Any, Any]]) -> Bound:
        return measure.worst([PairCase(wide(*one), 1) for one in some], True, **parts)

    known = {one: bound([one]).upper for one in pieces}
    if all(isinstance(value, (int, Fraction, Ball, float)) for value in known.values()):
        for _ in range(_ROUNDS):
            checkpoint()
            worst = max(known, key=lambda one: ends(known[one])[1])
            a, b = worst
            del known[worst]
            steps = [a + (b - a) * Fraction(place, 8) for place in range(9)]
            for one in itertools.pairwise(steps):
                known[one] = bound([one]).upper
    return bound(list(known))


def _rounded(value: Any) -> Fraction:
    return Fraction(value).limit_denominator(1 << 20)
