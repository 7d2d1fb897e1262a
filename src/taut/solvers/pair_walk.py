"""Pairs of inputs go down a relation together: those with one future are kept once, with how many they are."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from taut.channel.channel import Channel
from taut.channel.loss import Branches, LossWalk
from taut.channel.masses import Masses
from taut.errors import OutOfMemory, OutOfTime, TooLarge
from taut.limits import checkpoint, grace, reason_of
from taut.measures import PairCase
from taut.neighbors import PairAutomaton
from taut.results import Interval
from taut.solvers.losses import distinct, loss_of, pair_loss
from taut.solvers.problem import Budget

__all__ = ["PairWalk"]

_SAMPLED = 32
"""Pairs that are finished where time or room ended before all were."""
_GRACE = 1.0
_UNREAD = -1
_MOST_COINS = 8


class _Chosen(NamedTuple):
    """The values of x and x' at one entry, and the entries before it."""

    before: Any
    value: int
    other: int


@dataclass
class _Group:
    """Pairs of prefixes with one future: their branches, how many pairs there are, and the entries of one of them."""

    branches: Branches
    count: int
    chosen: _Chosen | None


class PairWalk:
    """All pairs that an automaton accepts, level by level.

    ``weights`` says for states after the last entry how many pairs each stands for, if not one.
    """

    def __init__(
        self, channel: Channel, automaton: PairAutomaton, budget: Budget, weights: Mapping[int, int] | None = None
    ) -> None:
        self.channel, self.automaton, self.budget, self.weights = channel, automaton, budget, weights
        self.losses = LossWalk(channel.relation, channel.conditioned, budget.max_beliefs)
        self.levels = [(number, level.kind) for number, level in enumerate(channel.relation.arrays.levels)]
        unread = len(automaton.order) - sum(kind == "input" for _, kind in self.levels)
        self.levels += [(_UNREAD, "input")] * unread
        first = automaton.states[0][0]
        start = self.losses.start(same=first in automaton.same_after[0])
        self.groups: dict[Any, _Group] = {(first, None): _Group(start, 1, None)}
        self.entry = 0
        self.largest = 1
        self.stopped: str | None = None

    def run(self) -> list[PairCase]:
        """The different loss distributions; only those of a few pairs if ``stopped`` says why."""
        try:
            passed = 0
            for done, (number, kind) in enumerate(self.levels):
                if self.budget.progress is not None:
                    self.budget.progress(Interval(done, len(self.levels), None, None))
                if done < passed:
                    continue
                if kind == "input":
                    coins = self._coins_below(done)
                    passed = done + 1 + len(coins)
                    self.groups = self._read(number, coins)
                    self.entry += 1
                else:
                    self._pass(number)
                self.largest = max(self.largest, len(self.groups))
            return self._cases()
        except (OutOfTime, OutOfMemory) as error:
            self.stopped = reason_of(error)
        except TooLarge:
            self.stopped = f"max_beliefs={self.budget.max_beliefs}"
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        return self.sampled()

    def _pass(self, number: int) -> None:
        """All pairs through a coin or an output."""
        checkpoint()
        move = self.losses.move(number)
        if move is None:
            return
        same_after = self.automaton.same_after[self.entry]
        following: dict[Any, _Group] = {}
        for place, ((state, _), group) in enumerate(self.groups.items()):
            branches = move(group.branches, 0, 0, state in same_after)
            _join(following, state, _Group(branches, group.count, group.chosen))
            if place % 256 == 255:
                checkpoint()
        self.groups = following

    def _coins_below(self, done: int) -> list[int]:
        """The coins right below an input: pairs are taken through both at once, if a belief reads the input at all."""
        number = self.levels[done][0]
        if number == _UNREAD or not self.losses.reads(number):
            return []
        below = itertools.takewhile(lambda level: level[1] == "coin", self.levels[done + 1 : done + 1 + _MOST_COINS])
        return [coin for coin, _ in below]

    def _read(self, number: int, coins: Sequence[int]) -> dict[Any, _Group]:
        """All pairs through an input, with all values that the relation allows there, and through coins below it."""
        move = self.losses.move(number, coins) if number != _UNREAD else None
        layer, same_after = self.automaton.transitions[self.entry], self.automaton.same_after[self.entry + 1]
        following: dict[Any, _Group] = {}
        for (state, _), group in self.groups.items():
            checkpoint()
            for way in layer[state]:
                branches = group.branches
                if move is not None:
                    branches = move(branches, way.value, way.other, way.state in same_after)
                chosen = _Chosen(group.chosen, way.value, way.other)
                _join(following, way.state, _Group(branches, group.count, chosen))
            if len(following) > self.budget.max_beliefs:
                raise TooLarge("too many pairs of prefixes differ.", value=len(following))
        return following

    def _cases(self) -> list[PairCase]:
        cases: dict[Any, tuple[Masses, int, _Chosen | None]] = {}
        for (state, _), group in self.groups.items():
            total = self.losses.total(group.branches)
            key = frozenset(total.items())
            _, count, chosen = cases.get(key, (total, 0, group.chosen))
            cases[key] = (total, count + group.count * (1 if self.weights is None else self.weights[state]), chosen)
        return distinct(
            PairCase(loss_of(self.channel, self.losses.finished(total), *self._inputs(chosen)), count)
            for total, count, chosen in cases.values()
        )

    def sampled(self) -> list[PairCase]:
        """Some pairs, finished one by one, also after a limit was passed: what they attain is attained.

        Raises
        ------
        OutOfTime, OutOfMemory
            Not even one pair was finished.
        """
        states = [(state, group.chosen) for (state, _), group in self.groups.items()]
        cases: list[PairCase] = []
        try:
            with grace(_GRACE):
                for state, chosen in states[:: max(1, len(states) // _SAMPLED)]:
                    for layer in self.automaton.transitions[self.entry :]:
                        way = layer[state].first_unequal
                        state, chosen = way.state, _Chosen(chosen, way.value, way.other)
                    loss = pair_loss(self.channel, *self._inputs(chosen), self.budget.max_beliefs)
                    cases.append(PairCase(loss, 1))
        except (OutOfTime, OutOfMemory):
            if not cases:
                raise
        return distinct(cases)

    def _inputs(self, chosen: _Chosen | None) -> tuple[Any, Any]:
        own, other = [0] * len(self.automaton.order), [0] * len(self.automaton.order)
        for entry in reversed(self.automaton.order):
            assert chosen is not None
            own[entry], other[entry], chosen = chosen.value, chosen.other, chosen.before
        return self.channel.x(own), self.channel.x(other)


def _join(groups: dict[Any, _Group], state: Any, group: _Group) -> None:
    """Add pairs to those with which they share their future, if there are any."""
    key = (state, frozenset((branch, frozenset(masses.items())) for branch, masses in group.branches.items()))
    known = groups.setdefault(key, group)
    if known is not group:
        known.count += group.count
