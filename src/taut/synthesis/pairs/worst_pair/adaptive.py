"""The largest divergence if each entry may be chosen after what is certain about the output by then has been seen.

Entries are chosen in the order in which the mechanism reads them. Before each of them the mechanism is in some state
(what it remembers of entries and coins: a node of the diagram), and every item of the output has values that are
still possible. Two states that x or x' can be in *may meet* if no item excludes it. The adversary sees in which class
of states that are linked by "may meet" the run is: items that are written, that a first index has been found,
whatever the final output tells for certain already, and nothing else. Then the values of x and of x' at the next
entry are chosen, by the state of the neighbour automaton.

What is seen is a function of the final output, so it is one branch of ``taut.inference.loss``; branches no longer share
their inputs, so each is an item of its own: (state of the automaton, branch, ratio), with

    V(item) = max over allowed values of the sum over the branches that it becomes of mass * V(branch),

exactly, and V = phi for settled branches. Stopped, the open items lie between phi of their whole mass (all their
outputs as one) and their ceiling, and so the interval holds the truth.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, cast

from taut.inference.channel import Channel
from taut.questions.bound import Bound
from taut.questions.pair_measure import Divergence, DivergenceBound
from taut.support.errors import InvalidInput, TautError
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.limits import grace
from taut.support.process import collector_paused
from taut.synthesis.pairs.losses import serves_pairs
from taut.synthesis.pairs.worst_pair.game import Game
from taut.synthesis.pairs.worst_pair.solver import refused
from taut.synthesis.pairs.worst_pair.summand import summand_of
from taut.synthesis.pairs.worst_pair.task import enclosing, fraction
from taut.synthesis.problem import Budget, Problem

__all__ = ["AdaptiveInputs"]

_GRACE = 1.0


class AdaptiveInputs:
    """The largest divergence against an adversary who chooses entry by entry.

    ``most_items`` limits how many items are looked at in all.
    """

    name = "adaptive"
    needs_channel = True

    def __init__(self, most_items: int | None = None) -> None:
        self.most_items = most_items

    def refuses(self, problem: Problem) -> TautError | None:
        refusal = serves_pairs(problem, self.name)
        if refusal is None and not isinstance(problem.measure, Divergence):
            refusal = InvalidInput("adaptive=True maximises one divergence.", value=problem.measure)
        return refusal or refused(problem, "adaptive=True") or _out_of_order(problem.channel)

    def cost(self, problem: Problem) -> int | None:
        return None

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start, channel, measure = time.perf_counter(), problem.channel, problem.measure
        assert isinstance(measure, Divergence) and problem.neighbors is not None
        automaton = problem.neighbors.automaton(channel.space, range(len(channel.sizes)))
        if automaton.empty:
            raise problem.without_neighbors()
        with collector_paused(), in_precision():
            game = Game(channel, automaton, summand_of(measure), budget, self.most_items)
            stopped = game.run()
            with grace(_GRACE):
                upper = game.evaluate()
                witness = game.strategy()
            attained = measure.of(witness.loss.atoms)
            limit: Any = INFINITY if upper is None else fraction(upper)
            if stopped is None and isinstance(attained, Ball):
                attained = limit = enclosing(attained, limit)
        if stopped is not None and measure.most != INFINITY:
            limit = min(limit, measure.most.upper if isinstance(measure.most, Ball) else measure.most)
        stats = {
            "nodes": channel.relation.arrays.size,
            "items": game.items,
            "stopped": stopped,
            "search_seconds": round(time.perf_counter() - start, 6),
        }
        bound = measure.bound(attained, limit, method=self.name, stats=stats, witness=witness)
        return replace(cast(DivergenceBound, bound), adaptive=True)


def _out_of_order(channel: Channel) -> TautError | None:
    order = [level.index for level in channel.relation.arrays.levels if level.kind == "input"]
    if order == sorted(order):
        return None
    return InvalidInput(
        f"adaptive=True: the diagram of '{channel.name}' reads its entries in the order {order}, so nobody could "
        "choose them one after the other; compile it with order='program', or give the entries in the order in which "
        "they are used.",
        value=order,
    )
