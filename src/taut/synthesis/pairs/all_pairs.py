"""All pairs of neighbours, for measures that add up outputs: pairs go down the relation together, equal ones as one.

What matters of a pair of prefixes of x and x' is the state of the neighbour automaton and the branches of its outputs
with their masses by ratios (see ``taut.inference.loss``): from there on, two pairs that agree in these have the same
future, and at the end the same loss distribution. So they are kept once, with the number of pairs they stand for.
Nothing is pruned, and every measure is answered from the loss distributions that are left.
"""

from __future__ import annotations

import time

from taut.inference.channel import Channel
from taut.neighbors import PairAutomaton
from taut.questions.bound import Bound
from taut.support.errors import TautError
from taut.support.parallel.executors import current_executor, width
from taut.support.process import collector_paused
from taut.synthesis.case_order import CaseOrder
from taut.synthesis.exhaustive import require_all_evidence
from taut.synthesis.pairs.collected import Collected, worst_collected
from taut.synthesis.pairs.collection import LossCollection
from taut.synthesis.pairs.losses import serves_pairs
from taut.synthesis.pairs.pieces import Walked, parts_of, walked_in_pieces
from taut.synthesis.problem import Budget, Problem

__all__ = ["AllPairs"]

_WORTHWHILE = 1 << 12
"""Pairs from which on they are divided among workers: prefixes that two of them meet are then looked at twice."""


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


def _walked(channel: Channel, automaton: PairAutomaton, order: CaseOrder, budget: Budget) -> Walked:
    """The loss distributions of all pairs; by an executor, if there is one and that is likely to be worth it."""
    executor = current_executor()
    divided = channel.exact and budget.in_pieces and automaton.count_pairs() >= _WORTHWHILE
    if executor is not None and divided:  # balls that were met together are rounded together, and are not divided
        parts = parts_of(automaton, width(executor))
        return walked_in_pieces(channel, ((part, None) for part in parts), len(parts), automaton, order, budget)
    with collector_paused():
        walk = LossCollection(channel, automaton, order, budget)
        return Walked(walk.run(), walk.stopped, walk.largest)
