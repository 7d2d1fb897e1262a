"""One pair of each orbit, for measures that add up outputs: symmetric pairs have the same loss distribution."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice

from taut.inference.channel import Channel
from taut.neighbors import PairAutomaton, Transition, Ways
from taut.questions.bound import Bound
from taut.questions.pair_measure import PairCase
from taut.support.errors import TautError, TooLarge
from taut.support.exact import large
from taut.support.process import collector_paused
from taut.synthesis.exhaustive import require_all_evidence
from taut.synthesis.pairs.all_pairs import walked_in_pieces
from taut.synthesis.pairs.losses import Collected, serves_pairs, worst_collected
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.symmetry import Orbit, Orbits
from taut.synthesis.symmetry.solver import symmetries_of
from taut.synthesis.walk import CaseOrder

__all__ = ["PairOrbits"]

_MOST_ORBITS = 2_000_000
_TOGETHER = 4096
"""Number of pairs that go down the relation together."""


class PairOrbits:
    """The loss distribution of one pair per orbit of the channel's symmetries.

    If g is a symmetry, P(A(gx) = gy) = P(A(x) = y), then (gx, gx') has the ratios and masses of (x, x'), for permuted
    outputs; a sum over all outputs is the same.
    """

    name = "restricted"
    needs_channel = True

    def refuses(self, problem: Problem) -> TautError | None:
        return serves_pairs(problem, self.name)

    def cost(self, problem: Problem) -> int | None:
        return symmetries_of(problem.channel).neighbor_orbits(problem.neighbors).count

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        return worst_collected(self, problem, budget)

    def collect(self, problem: Problem, budget: Budget) -> Collected:
        start, channel = time.perf_counter(), problem.channel
        group = symmetries_of(channel)
        known = time.perf_counter()
        require_all_evidence(channel, budget.max_beliefs)
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
            cases, stopped = _looked_at(channel, orbits, problem.order(), budget)
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
        return Collected(tuple(cases), stopped is None, method, stats)


def _looked_at(
    channel: Channel, orbits: Orbits, first_cases: CaseOrder, budget: Budget
) -> tuple[list[PairCase], str | None]:
    """Return the different loss distributions, and the reason if some are missing."""
    order = channel.reading_order
    first, _ = _prefix_tree(order, list(islice(iter(orbits), 1)))
    pieces = (_prefix_tree(order, some) for some in _together(orbits))
    walked = walked_in_pieces(channel, pieces, -(-orbits.count // _TOGETHER), first, first_cases, budget)
    return walked.cases, walked.stopped


def _together(orbits: Orbits) -> Iterator[list[Orbit]]:
    following = iter(orbits)
    while some := list(islice(following, _TOGETHER)):
        yield some


def _prefix_tree(order: Sequence[int], orbits: Sequence[Orbit]) -> tuple[PairAutomaton, dict[int, int]]:
    """Return the automaton that accepts one pair of each orbit, and for every state after the last entry its orbit's
    size.

    States are prefixes, so that pairs with a common one go through it together; each ends in a state of its own.
    """
    rows = [(orbit.rows["input"].tolist(), orbit.rows["other"].tolist()) for orbit in orbits]
    at = [0] * len(rows)
    layers: list[dict[int, list[Transition]]] = []
    for entry in order:
        layer: dict[int, list[Transition]] = {}
        known: dict[tuple[int, int, int], int] = {}
        for place, (own, other) in enumerate(rows):
            way = (at[place], own[entry], other[entry])
            if way not in known:
                known[way] = len(known)
                layer.setdefault(at[place], []).append(Transition(own[entry], other[entry], known[way]))
            at[place] = known[way]
        layers.append(layer)
    states = [(0,), *[tuple(sorted(way.state for ways in layer.values() for way in ways)) for layer in layers]]
    before, after = [frozenset({0})], [frozenset(states[-1])]
    for layer in layers:
        same = (way for state in before[-1] if state in layer for way in layer[state] if way.value == way.other)
        before.append(frozenset(way.state for way in same))
    for layer in reversed(layers):
        same_ways = (all(way.value == way.other and way.state in after[-1] for way in ways) for ways in layer.values())
        after.append(frozenset(state for state, same_way in zip(layer, same_ways, strict=True) if same_way))
    transitions = [{state: Ways.of(ways) for state, ways in layer.items()} for layer in layers]
    automaton = PairAutomaton(tuple(order), tuple(transitions), tuple(states), tuple(before), tuple(reversed(after)))
    return automaton, {state: orbit.size for state, orbit in zip(at, orbits, strict=True)}
