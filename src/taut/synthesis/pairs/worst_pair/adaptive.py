"""The largest divergence against an adversary who chooses each entry after seeing what is certain about the output.

Entries are chosen in the order in which the mechanism reads them. Before each of them the mechanism is in some state
(what it remembers of entries and coins: a node of the diagram), and every item of the output has values that are
still possible. Two states that x or x' can be in *may meet* if no item excludes it. The adversary sees the class of the
run's state among states linked by "may meet": all that the final output certainly reveals so far, such as items that
are written or that a first index has been found, and nothing else. Then the values of x and of x' at the next entry are
chosen, by the state of the neighbour automaton.

The class that is seen is a function of the final output, so it is one branch of ``taut.inference.loss``; branches no
longer share their inputs, so each is an item of its own: (state of the automaton, branch, ratio), with

    V(item) = max over allowed values of the sum over the branches that it becomes of mass * V(branch),

exactly, and V = phi for settled branches. Stopped, the open items lie between phi of their whole mass (all their
outputs as one) and their ceiling, and so the interval holds the truth.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from flint import fmpq

from taut.inference.channel import Channel
from taut.inference.loss import Branch, LossWalk
from taut.neighbors import PairAutomaton, Transition
from taut.questions.bound import Bound, Interval
from taut.questions.loss import loss_between
from taut.questions.pair_measure import Divergence, DivergenceBound, StrategyWitness
from taut.support.errors import InvalidInput, TautError, TooLarge
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.limits import checkpoint, grace
from taut.support.process import collector_paused
from taut.synthesis.pairs.losses import serves_pairs
from taut.synthesis.pairs.worst_pair.ceilings import Ceilings
from taut.synthesis.pairs.worst_pair.solver import enclosing, fraction, refused
from taut.synthesis.pairs.worst_pair.summand import Summand, summand_of
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.unfinished import limit_passed
from taut.synthesis.walk import UNREAD

__all__ = ["AdaptiveInputs", "Game"]


Key = tuple[int, Branch, tuple[int, int]]
"""A single branch: the state of the automaton, its beliefs, and its ratio."""
Masses = dict[tuple[int, int], int]


@dataclass
class _Way:
    """Successor of an item: the values chosen, items of the next layer with their weights, and settled masses."""

    value: int
    other: int
    items: list[tuple[int, int]]
    settled: Masses


@dataclass
class _Layer:
    """The items above one level, their successors, and the common factor of masses at the level."""

    ways: list[list[_Way]]
    scale: int
    entry: bool


class Game:
    """The game against an adaptive adversary: forwards all reachable items, backwards the value of each."""

    def __init__(
        self, channel: Channel, automaton: PairAutomaton, summand: Summand, budget: Budget, most_items: int | None
    ) -> None:
        self.channel, self.automaton, self.summand = channel, automaton, summand
        self.budget, self.most_items = budget, most_items
        self.levels = _levels_in_order(channel)
        self.walk = LossWalk(channel.relation, False, budget.max_beliefs)
        first = automaton.states[0][0]
        branches = self.walk.start(same=first in automaton.same_after[0])
        self.start: _Way = _Way(0, 0, [], {})
        self.keys: list[Key] = self._sorted_out(self.start, branches, first, {})
        self.layers: list[_Layer] = []
        self.entry = 0
        self.items = len(self.keys)
        self.open: list[tuple[Any, Any, tuple[int, int]]] = []
        """Floor, ceiling and both masses of every item that was open when a limit ended the work."""

    def run(self) -> str | None:
        """Go down all levels; return the reason if a limit stops it, else None."""
        stopped: str | None = None
        ceilings: Ceilings | None = None
        at_entry = (0, self.entry, self._opened(None))
        try:
            ceilings = Ceilings(self.channel.relation, self.levels, self.automaton, self.summand)
            for number, kind in self.levels:
                checkpoint()
                if kind == "input":
                    at_entry = (len(self.layers), self.entry, self._opened(ceilings))
                    if self.budget.progress is not None:
                        self.budget.progress(Interval(self.entry, len(self.automaton.order), None, None))
                self._step(number, kind == "input")
            at_entry = (len(self.layers), self.entry, [])
        except _Enough:
            stopped = "most_items"
        except (TooLarge, KeyboardInterrupt) as error:
            stopped = limit_passed(error, self.budget.max_beliefs)
        done, self.entry, self.open = at_entry
        del self.layers[done:]
        return stopped

    def _step(self, number: int, reads: bool) -> None:
        """All items through one level."""
        before = self.walk.scale
        move = None if number == UNREAD else self.walk.move(number)
        if move is None and not reads:
            return
        known: dict[Key, int] = {}
        same_after = self.automaton.same_after[self.entry + reads]
        every: list[list[_Way]] = []
        for place, (state, branch, ratio) in enumerate(self.keys):
            if place % 64 == 63:
                checkpoint()
            choices = self.automaton.transitions[self.entry][state] if reads else [(0, 0, state)]
            ways = []
            for value, other, reached in choices:
                branches: Any = {branch: {ratio: 1}}
                if move is not None:
                    branches = move(branches, value, other, reached in same_after)
                way = _Way(value, other, [], {})
                self._sorted_out(way, branches, reached, known)
                ways.append(way)
            every.append(ways)
            self.items += len(ways)
            if self.most_items is not None and self.items > self.most_items:
                raise _Enough
            if len(known) > self.budget.max_beliefs:
                raise TooLarge("too many items.", value=len(known))
        self.layers.append(_Layer(every, self.walk.scale // before, reads))
        self.keys = list(known)
        self.entry += reads

    def _sorted_out(self, way: _Way, branches: Any, state: int, known: dict[Key, int]) -> list[Key]:
        """Record the successor of an item: settled masses, and live branches as items."""
        for branch, masses in branches.items():
            for ratio, weight in masses.items():
                if branch.settled:
                    way.settled[ratio] = way.settled.get(ratio, 0) + weight
                else:
                    way.items.append((known.setdefault((state, branch, ratio), len(known)), weight))
        return list(known)

    def _opened(self, ceilings: Ceilings | None) -> list[tuple[Any, Any, tuple[int, int]]]:
        opened = []
        for state, branch, (a, b) in self.keys:
            u, v = self.walk.beliefs_of(branch)
            masses = a * sum(u.values()), b * sum(v.values())
            ceiling = self._trivial(*masses)
            if ceilings is not None:
                ceiling = ceilings.of(self.entry, state, u, v, a, b)
            opened.append((self.summand.below(*masses), ceiling, masses))
        return opened

    def _trivial(self, p: int, q: int) -> Any:
        ends = self.summand.above(1, 0), self.summand.above(0, 1)
        return None if None in ends else ends[0] * p + ends[1] * q

    # -- values ----------------------------------------------------------------------------------------------------

    def evaluate(self) -> Any:
        """Return an upper bound of the value of the start (None: infinite), and record the best choices."""
        lows: list[Any] = [low for low, _, _ in self.open]
        highs: list[Any] = [high for _, high, _ in self.open]
        self.best: list[list[int]] = []
        for layer in reversed(self.layers):
            low_layer, high_layer, chosen = [], [], []
            for ways in layer.ways:
                own = [self._worth(way, lows, layer.scale, above=False) for way in ways]
                every = own if lows is highs else [self._worth(way, highs, layer.scale, above=True) for way in ways]
                chosen.append(max(range(len(ways)), key=lambda at: _order(own[at])))
                low_layer.append(own[chosen[-1]])
                high_layer.append(max(every, key=_order))
            same = self.summand.exact and not self.open
            lows, highs = low_layer, low_layer if same else high_layer
            self.best.append(chosen)
        self.best.reverse()
        return self._worth(self.start, highs, 1, above=True)

    def _worth(self, way: _Way, values: Sequence[Any], scale: int, *, above: bool) -> Any:
        total = fmpq(0)
        part = self.summand.above if above else self.summand.below
        for ratio, weight in way.settled.items():
            value = part(*ratio)
            if value is None:
                return None
            total += value * weight
        for item, weight in way.items:
            if values[item] is None:
                return None
            total += values[item] * weight
        return total / scale

    def strategy(self) -> StrategyWitness:
        """Return the best choices, followed from the first entry: the loss distribution that they lead to."""
        masses: dict[tuple[int, int], Fraction] = {}

        def settle(way: _Way, share: Fraction) -> None:
            for (a, b), weight in way.settled.items():
                masses[a, b] = masses.get((a, b), Fraction(0)) + share * weight

        settle(self.start, Fraction(1))
        shares = {item: Fraction(weight) for item, weight in self.start.items}
        state = self.automaton.states[0][0]
        course: list[tuple[int, int]] = []
        entries = iter(self.automaton.transitions)
        for layer, best in zip(self.layers, self.best, strict=True):
            following: dict[int, Fraction] = {}
            heaviest = max(shares, key=lambda item: shares[item], default=None)
            for item, share in shares.items():
                way = layer.ways[item][best[item]]
                settle(way, share / layer.scale)
                for reached, weight in way.items:
                    following[reached] = following.get(reached, Fraction(0)) + share * weight / layer.scale
            if layer.entry:
                allowed = next(entries)[state]
                taken = allowed[0]
                if heaviest is not None:
                    likely = layer.ways[heaviest][best[heaviest]]
                    reached_so = allowed.state(likely.value, likely.other)
                    if reached_so is not None:
                        taken = Transition(likely.value, likely.other, reached_so)
                course.append((taken.value, taken.other))
                state = taken.state
            shares = following
        for rest in entries:  # open items: whatever comes
            value, other, state = rest[state][0]
            course.append((value, other))
        for item, share in shares.items():
            p, q = self.open[item][2]
            masses[p, q] = masses.get((p, q), Fraction(0)) + share
        x, x_prime = (self.channel.x([pair[side] for pair in course]) for side in (0, 1))
        sides = ({key: share * key[side] for key, share in masses.items()} for side in (0, 1))
        return StrategyWitness(x, x_prime, loss_between(x, x_prime, *sides))


class _Enough(Exception):
    """Raised when the limit on items is passed."""


def _order(value: Any) -> tuple[bool, Any]:
    return (True, fmpq(0)) if value is None else (False, value)


def _levels_in_order(channel: Channel) -> list[tuple[int, str]]:
    """Return the levels, with every entry at its place: one that is never read comes before the next that is."""
    levels: list[tuple[int, str]] = []
    entry = 0
    for number, level in enumerate(channel.relation.arrays.levels):
        if level.kind == "input":
            levels += [(UNREAD, "input")] * (level.index - entry)
            entry = level.index + 1
        levels.append((number, level.kind))
    return levels + [(UNREAD, "input")] * (len(channel.sizes) - entry)


_GRACE = 1.0


class AdaptiveInputs:
    """The largest divergence against an adversary who chooses entry by entry.

    ``most_items`` limits the number of all items.
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
