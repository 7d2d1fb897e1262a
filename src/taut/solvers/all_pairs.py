"""All pairs of neighbours, for measures that add up outputs: pairs go down the relation together, equal ones as one.

What matters of a pair of prefixes of x and x' is the state of the neighbour automaton and the branches of its outputs
with their masses by quotients (see ``taut.channel.loss``): from there on, two pairs that agree in these have the same
future, and at the end the same loss distribution. So they are kept once, with the number of pairs they stand for.
Nothing is pruned, and every measure is answered from the loss distributions that are left.
"""

from __future__ import annotations

import time

from taut.errors import TautError
from taut.garbage import collector_paused
from taut.measures import PairMeasure
from taut.results import Bound
from taut.solvers.losses import require_all_evidence, serves_pairs
from taut.solvers.pair_walk import PairWalk, reading_order
from taut.solvers.problem import Budget, Problem

__all__ = ["AllPairs"]


class AllPairs:
    """The loss distributions of all related pairs, equal prefixes merged."""

    name = "exhaustive"

    def refuses(self, problem: Problem) -> TautError | None:
        return serves_pairs(problem, self.name)

    def cost(self, problem: Problem) -> int | None:
        return None

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start, channel, measure = time.perf_counter(), problem.channel, problem.measure
        assert isinstance(measure, PairMeasure) and problem.neighbors is not None
        require_all_evidence(channel, budget)
        automaton = problem.neighbors.automaton(channel.space, reading_order(channel))
        if automaton.empty:
            raise problem.without_neighbors()
        with collector_paused():
            walk = PairWalk(channel, automaton, budget)
            cases = walk.run()
        stats = {
            "nodes": channel.relation.arrays.size,
            "pairs": automaton.count_pairs(),
            "largest_layer": walk.largest,
            "loss_distributions": len(cases),
            "stopped": walk.stopped,
            "pairs_seconds": round(time.perf_counter() - start, 6),
        }
        return measure.worst(cases, walk.stopped is None, method=self.name, stats=stats)
