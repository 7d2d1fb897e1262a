"""All pairs of neighbours, for measures that add up outputs: pairs go down the relation together and equal ones merge.

The future of a pair of prefixes of x and x' depends on the state of the neighbour automaton and on the branches of its
outputs, with their masses by ratios (see ``taut.inference.loss``): two pairs that agree in these have the same loss
distribution at the end. So they are kept once, with the number of pairs they stand for. Nothing is pruned, and every
measure is answered from the loss distributions that are left.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taut.inference.channel import Channel
from taut.neighbors import PairAutomaton, Transition
from taut.questions.bound import Bound, Interval
from taut.questions.pair_measure import PairCase
from taut.support.errors import OutOfMemory, OutOfTime, TautError, WorkersGone
from taut.support.limits import reason_of
from taut.support.parallel.executors import current_executor, width
from taut.support.parallel.pieces import mapped
from taut.support.process import collector_paused
from taut.synthesis.exhaustive import require_all_evidence
from taut.synthesis.pairs.losses import Collected, LossCollection, distinct, serves_pairs, worst_collected
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.walk import CaseOrder

__all__ = ["AllPairs", "WalkedPairs", "parts_of", "walked_in_pieces"]


@dataclass(frozen=True)
class WalkedPairs:
    """The different loss distributions of pairs, why some are missing, and the size of the largest layer."""

    cases: list[PairCase]
    stopped: str | None
    largest: int = 0


Piece = tuple[PairAutomaton, Mapping[int, int] | None]
"""The pairs of a piece, and the number of pairs that each state after the last entry stands for, if not one."""


def walked_in_pieces(
    channel: Channel, pieces: Iterable[Piece], total: int, first: PairAutomaton, order: CaseOrder, budget: Budget
) -> WalkedPairs:
    """Return the loss distributions of the pairs of all pieces; of a few of the ``first`` ones if there was no time for
    any.

    Of equal ones the first pair by ``order`` is shown, so the answer does not depend on the workers.
    """
    if current_executor() is None:
        return _walked_here(channel, pieces, order, budget)
    done: dict[int, WalkedPairs] = {}
    stopped: str | None = None
    try:
        for number, walked in mapped(_walk, (channel.in_positions(), order, budget.max_beliefs), pieces):
            done[number] = walked
            if budget.progress is not None:
                budget.progress(Interval(len(done), total, None, None))
            if walked.stopped is not None:
                break
    except (OutOfTime, OutOfMemory, WorkersGone, KeyboardInterrupt) as error:
        stopped = reason_of(error)
    stopped = stopped or next((one.stopped for one in done.values() if one.stopped is not None), None)
    if not done:
        walk = LossCollection(channel, first, order, budget)
        return WalkedPairs(walk.sampled(), stopped)
    cases = _first_first(channel, order, [_as_given(channel, case) for one in done.values() for case in one.cases])
    return WalkedPairs(cases, stopped, max(one.largest for one in done.values()))


def _walked_here(channel: Channel, pieces: Iterable[Piece], order: CaseOrder, budget: Budget) -> WalkedPairs:
    """Walk in this process, reporting progress; a stopped piece keeps its results."""
    cases: list[PairCase] = []
    stopped, largest = None, 0
    for automaton, weights in pieces:
        walk = LossCollection(channel, automaton, order, budget, weights)
        cases += walk.run()
        stopped, largest = walk.stopped, max(largest, walk.largest)
        if stopped is not None:
            break
    return WalkedPairs(_first_first(channel, order, cases), stopped, largest)


def _first_first(channel: Channel, order: CaseOrder, cases: Iterable[PairCase]) -> list[PairCase]:
    """Return different loss distributions, each with the first of its pairs, in the order of these."""

    def number(case: PairCase) -> int:
        return order.number(channel.positions(case.loss.x), channel.positions(case.loss.x_prime), ())

    return distinct(sorted(cases, key=number))


def _walk(shared: tuple[Channel, CaseOrder, int], piece: Piece) -> WalkedPairs:
    """Return the loss distributions of the pairs of one piece, with inputs in positions."""
    (channel, order, max_beliefs), (automaton, weights) = shared, piece
    with collector_paused():
        walk = LossCollection(channel, automaton, order, Budget(max_beliefs), weights)
        return WalkedPairs(walk.run(), walk.stopped, walk.largest)


def _as_given(channel: Channel, case: PairCase) -> PairCase:
    """Return a case with its inputs as users write them."""
    places = [[x] if isinstance(x, int) else list(x) for x in (case.loss.x, case.loss.x_prime)]
    return replace(case, loss=replace(case.loss, x=channel.x(places[0]), x_prime=channel.x(places[1])))


def parts_of(automaton: PairAutomaton, count: int) -> list[PairAutomaton]:
    """Split all pairs into about ``count`` parts by their first entries, in order.

    Prefixes of two parts are not merged, so there should not be more parts than workers.
    """
    level = 0
    prefixes: list[tuple[tuple[Transition, ...], int]] = [((), state) for state in automaton.states[0]]
    while len(prefixes) < 4 * count and level < len(automaton.order):
        layer = automaton.transitions[level]
        prefixes = [((*before, one), one.state) for before, state in prefixes for one in layer[state]]
        level += 1
    total, taken = automaton.count_pairs(), 0
    parts: list[PairAutomaton] = []
    chosen: list[tuple[Transition, ...]] = []
    for prefix, state in prefixes:
        chosen.append(prefix)
        taken += automaton.pairs_from[level][state]
        if taken * count >= total * (len(parts) + 1):
            parts.append(_beginning(automaton, chosen))
            chosen = []
    return parts + ([_beginning(automaton, chosen)] if chosen else [])


def _beginning(automaton: PairAutomaton, prefixes: Sequence[tuple[Transition, ...]]) -> PairAutomaton:
    """Return the pairs whose first entries are one of these prefixes; states of the rest are those of the automaton."""
    depth = len(prefixes[0])
    layers: list[Any] = []
    for level in range(depth):
        layer: dict[Any, list[tuple[int, int, Any]]] = {}
        for before, ways in _grouped(prefixes, level):
            for one in ways:
                after = one.state if level == depth - 1 else (*before, one)
                layer.setdefault(before, []).append((one.value, one.other, after))
        layers.append(layer)
    numbers = [{state: number for number, state in enumerate(layer)} for layer in layers]
    numbered = [
        {
            numbers[level][before]: [
                (value, other, after if level == depth - 1 else numbers[level + 1][after])
                for value, other, after in ways
            ]
            for before, ways in layer.items()
        }
        for level, layer in enumerate(layers)
    ]
    start = 0 if depth else automaton.states[0][0]
    rest = automaton.transitions[depth:]
    return PairAutomaton.of(automaton.order, [*numbered, *rest], start, set(automaton.states[-1]), automaton.sides)


def _grouped(
    prefixes: Sequence[tuple[Transition, ...]], level: int
) -> Iterator[tuple[tuple[Transition, ...], list[Transition]]]:
    """Return the continuations of the beginnings of prefixes up to a level, each once, in their order."""
    following: dict[tuple[Transition, ...], dict[Transition, None]] = {}
    for prefix in prefixes:
        following.setdefault(prefix[:level], {})[prefix[level]] = None
    for before, ways in following.items():
        yield before, list(ways)


_WORTHWHILE = 1 << 12
"""Number of pairs from which they are divided among workers; prefixes shared by two workers are walked twice."""


class AllPairs:
    """The loss distributions of all related pairs, equal prefixes merged."""

    name = "exhaustive"
    needs_channel = True

    def refuses(self, problem: Problem) -> TautError | None:
        return serves_pairs(problem, self.name)

    def cost(self, problem: Problem) -> int | None:
        return None

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        return worst_collected(self, problem, budget)

    def collect(self, problem: Problem, budget: Budget) -> Collected:
        start, channel = time.perf_counter(), problem.channel
        assert problem.neighbors is not None
        require_all_evidence(channel, budget.max_beliefs)
        automaton = problem.neighbors.automaton(channel.space, channel.reading_order)
        if automaton.empty:
            raise problem.without_neighbors()
        walked = _walked(channel, automaton, problem.order(), budget)
        stats = {
            "nodes": channel.relation.arrays.size,
            "pairs": automaton.count_pairs(),
            "largest_layer": walked.largest,
            "loss_distributions": len(walked.cases),
            "stopped": walked.stopped,
            "pairs_seconds": round(time.perf_counter() - start, 6),
        }
        return Collected(tuple(walked.cases), walked.stopped is None, self.name, stats)


def _walked(channel: Channel, automaton: PairAutomaton, order: CaseOrder, budget: Budget) -> WalkedPairs:
    """Return the loss distributions of all pairs; by an executor, if there is one and there are enough pairs."""
    executor = current_executor()
    divided = channel.exact and budget.in_pieces and automaton.count_pairs() >= _WORTHWHILE
    if executor is not None and divided:  # balls that were met together are rounded together, and are not divided
        parts = parts_of(automaton, width(executor))
        return walked_in_pieces(channel, ((part, None) for part in parts), len(parts), automaton, order, budget)
    with collector_paused():
        walk = LossCollection(channel, automaton, order, budget)
        return WalkedPairs(walk.run(), walk.stopped, walk.largest)
