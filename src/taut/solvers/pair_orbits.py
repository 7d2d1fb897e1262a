"""One pair of each orbit, for measures that add up outputs: symmetric pairs have the same loss distribution."""

from __future__ import annotations

import time
from collections.abc import Iterator

from taut.errors import TautError, TooLarge
from taut.garbage import collector_paused
from taut.measures import PairCase, PairMeasure
from taut.numbers import large
from taut.results import Bound, Interval
from taut.solvers.by_symmetry import symmetries_of
from taut.solvers.losses import distinct, pair_loss, require_all_evidence, serves_pairs
from taut.solvers.problem import Budget, Problem

__all__ = ["PairOrbits"]

_MOST_ORBITS = 200_000


class PairOrbits:
    """The loss distribution of one pair per orbit of the channel's symmetries.

    If g is a symmetry, P(A(gx) = gy) = P(A(x) = y), then (gx, gx') has the quotients and masses of (x, x'), for other
    outputs; and a sum over all outputs does not ask which.
    """

    name = "restricted"

    def refuses(self, problem: Problem) -> TautError | None:
        return serves_pairs(problem, self.name)

    def cost(self, problem: Problem) -> int | None:
        return symmetries_of(problem.channel).neighbor_orbits(problem.neighbors).count

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start, channel, measure = time.perf_counter(), problem.channel, problem.measure
        assert isinstance(measure, PairMeasure)
        group = symmetries_of(channel)
        known = time.perf_counter()
        require_all_evidence(channel, budget)
        orbits = group.neighbor_orbits(problem.neighbors)
        if not orbits.count:
            raise problem.without_neighbors()
        if orbits.count > _MOST_ORBITS:
            raise TooLarge(
                f"'{channel.name}' has too many pairs to look at all: its symmetries leave {large(orbits.count)} of "
                f"them, at most {_MOST_ORBITS} are looked at.",
                value=orbits.count,
            )
        self._stopped: str | None = None
        with collector_paused():
            cases = distinct(self._cases(problem, budget))
        stats = {
            "nodes": channel.relation.arrays.size,
            "pairs": orbits.count,
            "symmetries": group.method,
            "loss_distributions": len(cases),
            "stopped": self._stopped,
            "build_seconds": round(known - start, 6),
            "pairs_seconds": round(time.perf_counter() - known, 6),
        }
        method = self.name if group.exact else f"{self.name}; symmetries by {group.method}"
        return measure.worst(cases, self._stopped is None, method=method, stats=stats)

    def _cases(self, problem: Problem, budget: Budget) -> Iterator[PairCase]:
        group = symmetries_of(problem.channel)
        orbits = group.neighbor_orbits(problem.neighbors)
        total = orbits.count
        try:
            for done, orbit in enumerate(orbits):
                if done and time.perf_counter() > budget.deadline:
                    self._stopped = "time_limit"
                    return
                if budget.progress is not None:
                    budget.progress(Interval(done, total, None, None))
                x, x_prime = (problem.channel.x(orbit.rows[copy].tolist()) for copy in ("input", "other"))
                yield PairCase(pair_loss(problem.channel, x, x_prime, budget.max_beliefs), orbit.size)
        except KeyboardInterrupt:
            self._stopped = "interrupted"
