"""One pair of each orbit, for measures that add up outputs: symmetric pairs have the same loss distribution."""

from __future__ import annotations

import time
from contextlib import nullcontext

from taut.channel.channel import Channel
from taut.errors import OutOfMemory, OutOfTime, TautError, TooLarge
from taut.garbage import collector_paused
from taut.limits import checkpoint, grace, reason_of
from taut.measures import PairCase, PairMeasure
from taut.numbers import large
from taut.results import Bound, Interval
from taut.solvers.by_symmetry import symmetries_of
from taut.solvers.losses import distinct, pair_loss, require_all_evidence, serves_pairs
from taut.solvers.problem import Budget, Problem
from taut.solvers.symmetry import Orbits

__all__ = ["PairOrbits"]

_MOST_ORBITS = 2_000_000
_GRACE = 10.0


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
        total = orbits.count
        if not total:
            raise problem.without_neighbors()
        if total > _MOST_ORBITS:
            raise TooLarge(
                f"'{channel.name}' has too many pairs to look at all: its symmetries leave {large(total)} of them, at "
                f"most {_MOST_ORBITS} are looked at.",
                value=total,
            )
        with collector_paused():
            cases, stopped = _looked_at(channel, orbits, total, budget)
        stats = {
            "nodes": channel.relation.arrays.size,
            "pairs": total,
            "symmetries": group.method,
            "loss_distributions": len(cases),
            "stopped": stopped,
            "build_seconds": round(known - start, 6),
            "pairs_seconds": round(time.perf_counter() - known, 6),
        }
        method = self.name if group.exact else f"{self.name}; symmetries by {group.method}"
        return measure.worst(cases, stopped is None, method=method, stats=stats)


def _looked_at(channel: Channel, orbits: Orbits, total: int, budget: Budget) -> tuple[list[PairCase], str | None]:
    """The different loss distributions, and why they are not all if they are not."""
    cases: list[PairCase] = []
    stopped = None
    try:
        for done, orbit in enumerate(orbits):
            if budget.progress is not None:
                budget.progress(Interval(done, total, None, None))
            x, x_prime = (channel.x(orbit.rows[copy].tolist()) for copy in ("input", "other"))
            with nullcontext() if done else grace(_GRACE):  # one pair at least, so that there is an interval
                checkpoint()
                cases.append(PairCase(pair_loss(channel, x, x_prime, budget.max_beliefs), orbit.size))
    except (OutOfTime, OutOfMemory, KeyboardInterrupt) as error:
        if not cases:
            raise
        stopped = "interrupted" if isinstance(error, KeyboardInterrupt) else reason_of(error)
    return distinct(cases), stopped
