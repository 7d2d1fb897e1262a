"""The pair with the largest divergence by search: pairs of prefixes go down the relation, best first by their ceilings.

The later inputs are the same for all prefixes of outputs, so what goes down is a pair of prefixes of inputs with
*all* its live branches, and the value that other branches have settled. ``docs/measures.md`` has the proofs of what
is dropped:

- pairs in one state whose live branches are equal up to a common factor have one future, f: each is a line settled +
  factor * f, and only lines that are largest for some f between its floor and its ceiling are kept;
- a branch whose floor is its ceiling is settled;
- what cannot exceed a value that some pair attains is dropped.

A pass keeps so many groups per entry and remembers the ceiling of what it left out; it is repeated with more until
nothing is left out, or nothing that matters. So whenever it ends, there is an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from taut.channel.channel import Channel
from taut.channel.loss import Branches, LossWalk
from taut.errors import OutOfMemory, OutOfTime, TooLarge
from taut.limits import checkpoint, reason_of
from taut.neighbors import PairAutomaton
from taut.solvers.worst_pair.ceilings import Ceilings
from taut.solvers.worst_pair.layer import Chosen, Group, Prefix, envelope, reduced
from taut.solvers.worst_pair.summand import Summand

__all__ = ["UNREAD", "Found", "PairSearch", "levels_of"]

UNREAD = -1
_FIRST_WIDTH, _WIDER = 6, 16

Tell = Callable[[int, int, Any, Any], None]


@dataclass
class Found:
    """What a search has found: a pair of entries, as positions, and two numbers between which the largest value lies.

    ``lower`` is None if only the pair is known; ``upper`` is None for infinity. ``stopped`` says why it is not exact.
    """

    pair: tuple[list[int], list[int]] | None
    lower: Any
    upper: Any
    stopped: str | None
    counts: dict[str, int] = field(default_factory=dict)


class PairSearch:
    """The search for one divergence over one relation of neighbours.

    Parameters
    ----------
    channel, levels, automaton
        What is searched; the automaton reads the entries in the order of the levels.
    summand
        What is added up over outputs.
    max_beliefs
        The most groups that are kept per entry, and the most beliefs.
    most_items, widest
        The most groups that are looked at in all, and that are kept per entry, if there are such limits.
    tell
        Told after every entry: passes done, lower and upper end.
    """

    def __init__(
        self,
        channel: Channel,
        levels: Sequence[tuple[int, str]],
        automaton: PairAutomaton,
        summand: Summand,
        max_beliefs: int,
        most_items: int | None = None,
        widest: int | None = None,
        tell: Tell | None = None,
    ) -> None:
        self.channel, self.levels, self.automaton, self.summand = channel, levels, automaton, summand
        self.max_beliefs, self.most_items, self.tell = max_beliefs, most_items, tell
        self.widest = max_beliefs if widest is None else min(widest, max_beliefs)
        self.best: Any = None
        """The largest value that a finished pair has."""
        self.floor: Any = None
        """A value that some pair is known to reach, finished or not."""
        self.known: Any = None
        """A value that is attained elsewhere, and only matters if exceeded."""
        self.upper: Any = None
        """A value that no pair exceeds; None if there is none yet."""
        self.where: tuple[Chosen | None, int, int] | None = None
        self.promising: tuple[Chosen | None, int, int] | None = None
        """The prefix of the best pair, and of one that reaches the floor: its entries, its state, the next entry."""
        self.counts = {"items": 0, "items_after_merging": 0, "items_after_pruning": 0, "largest_layer": 0, "passes": 0}

    def run(self, known: Any = None) -> Found:
        """The largest value over all pairs; ``known`` is a value that is attained elsewhere, to be exceeded."""
        self.known = known
        stopped: str | None = None
        try:
            checkpoint()
            self.ceilings = Ceilings(self.channel.relation, self.levels, self.automaton, self.summand)
            width = min(_FIRST_WIDTH, self.widest)
            while True:
                self.counts["passes"] += 1
                complete = self._pass(width)
                if complete or self._closed:
                    break
                if width >= self.widest:
                    stopped = f"max_beliefs={self.widest}"
                    break
                width = min(width * _WIDER, self.widest)
        except _Infinite as infinite:
            return Found(self._completed(*infinite.where), None, None, None, self.counts)
        except _Enough:
            stopped = "most_items"
        except (OutOfTime, OutOfMemory) as error:
            stopped = reason_of(error)
        except TooLarge:
            stopped = f"max_beliefs={self.max_beliefs}"
        except KeyboardInterrupt:
            stopped = "interrupted"
        if self._closed:
            stopped, self.upper = None, self._lower
        if self.where is None and (known is None or stopped is not None):
            self.where = self.promising or (None, self.automaton.states[0][0], 0)
        pair = None if self.where is None else self._completed(*self.where)
        return Found(pair, self.best, self.upper, stopped, self.counts)

    @property
    def _lower(self) -> Any:
        """The largest value that is attained for certain by a finished pair, or elsewhere."""
        ends = [value for value in (self.best, self.known) if value is not None]
        return max(ends) if ends else None

    @property
    def _closed(self) -> bool:
        lower = self._lower
        return bool(lower is not None and self.upper is not None and self.upper <= lower)

    # -- one pass --------------------------------------------------------------------------------------------------

    def _pass(self, width: int) -> bool:
        """Take at most so many groups through all levels; whether nothing was left out."""
        self.walk = LossWalk(self.channel.relation, False, self.max_beliefs)
        automaton, first = self.automaton, self.automaton.states[0][0]
        self.left_out: list[Any] = []
        self.unbounded = False
        branches = self.walk.start(same=first in automaton.same_after[0])
        groups = [Group(first, branches, [Prefix(fmpq(0), 1, None)])]
        reached: list[Group] | None = None
        entry = 0
        try:
            for number, kind in self.levels:
                if kind == "input":
                    groups = self._pruned(self._settled(groups, entry), entry, width)
                    reached = groups
                    self._report(entry)
                    groups = self._read(groups, number, entry)
                    entry += 1
                else:
                    self._moved(groups, number, entry)
            self._pruned(self._settled(groups, entry), entry, width)
        except (TooLarge, KeyboardInterrupt, _Enough):
            if reached is not None:
                self._bound(reached)
            raise
        self._bound([])
        return not self.left_out and not self.unbounded

    def _moved(self, groups: Sequence[Group], number: int, entry: int) -> None:
        """All groups through a coin or an output."""
        checkpoint()
        move = self.walk.move(number)
        if move is None:
            return
        same_after = self.automaton.same_after[entry]
        for place, group in enumerate(groups):
            group.branches = move(group.branches, 0, 0, group.state in same_after)
            if place % 256 == 255:
                checkpoint()

    def _read(self, groups: Sequence[Group], number: int, entry: int) -> list[Group]:
        """All groups through an entry, with all values that are allowed there; equal ones are one."""
        move = self.walk.move(number) if number != UNREAD else None
        layer, same_after = self.automaton.transitions[entry], self.automaton.same_after[entry + 1]
        following: dict[Any, Group] = {}
        for group in groups:
            checkpoint()
            self.counts["items"] += len(layer[group.state])
            if self.most_items is not None and self.counts["items"] > self.most_items:
                raise _Enough
            for way in layer[group.state]:
                branches = group.branches
                if move is not None:
                    branches = move(branches, way.value, way.other, way.state in same_after)
                made = Group(way.state, branches, [])
                made = following.setdefault(made.key, made)
                made.prefixes += [
                    Prefix(settled, factor, Chosen(chosen, way.value, way.other))
                    for settled, factor, chosen in group.prefixes
                ]
        return list(following.values())

    def _settled(self, groups: Sequence[Group], entry: int) -> list[Group]:
        """Groups with their settled branches moved into values, and their floors and ceilings; equal ones are one."""
        merged: dict[Any, Group] = {}
        scale = self.walk.scale
        for place, group in enumerate(groups):
            if place % 64 == 63:
                checkpoint()
            added, live, low, high = self._floor_and_ceiling(group, entry)
            if added is None:
                raise _Infinite((group.prefixes[0].chosen, group.state, entry))
            live, factor = reduced(live) if live else (live, 1)
            made = Group(
                group.state, live, [], low / (factor * scale), None if high is None else high / (factor * scale)
            )
            made = merged.setdefault(made.key, made)
            added /= scale
            made.prefixes += [
                Prefix(settled + own * added, own * factor, chosen) for settled, own, chosen in group.prefixes
            ]
        self.counts["items_after_merging"] += len(merged)
        return list(merged.values())

    def _floor_and_ceiling(self, group: Group, entry: int) -> tuple[Any, Branches, Any, Any]:
        """What settled branches add (None: infinity), the live ones, and what these add at least and at most."""
        summand, ceilings, state = self.summand, self.ceilings, group.state
        added, low = fmpq(0), fmpq(0)
        high: Any = fmpq(0)
        live: Branches = {}
        for branch, masses in group.branches.items():
            if branch.settled:
                total = summand.total(masses)
                if total is None:
                    return None, live, low, high
                added += total
                continue
            u, v = self.walk.beliefs_of(branch)
            sums = sum(u.values()), sum(v.values())
            for (a, b), weight in masses.items():
                least = summand.below(a * sums[0], b * sums[1])
                most = ceilings.of(entry, state, u, v, a, b)
                if summand.exact and most is not None and most <= least:
                    added += least * weight
                    continue
                live.setdefault(branch, {})[a, b] = weight
                low += least * weight
                high = None if most is None or high is None else high + most * weight
        return added, live, low, high

    def _pruned(self, groups: Sequence[Group], entry: int, width: int) -> list[Group]:
        """Groups that may still exceed what is attained, at most ``width`` of them."""
        for group in groups:
            if group.branches:
                group.prefixes = envelope(group.prefixes, group.low, group.high)
                for settled, factor, chosen in group.prefixes:
                    reaches = settled + factor * group.low
                    if self.floor is None or reaches > self.floor:
                        self.floor, self.promising = reaches, (chosen, group.state, entry)
            else:
                settled, _, chosen = max(group.prefixes, key=lambda prefix: prefix.settled)
                if self._lower is None or settled > self._lower:
                    self.best, self.where = settled, (chosen, group.state, entry)
        kept = []
        for group in groups:
            if group.branches:
                group.prefixes = [prefix for prefix in group.prefixes if self._may_win(prefix, group.high)]
                if group.prefixes:
                    kept.append(group)
        self.counts["largest_layer"] = max(self.counts["largest_layer"], len(kept))
        if len(kept) > width:
            kept.sort(key=_promise, reverse=True)
            self._leave_out(kept[width:])
            kept = kept[:width]
        self.counts["items_after_pruning"] += len(kept)
        return kept

    def _may_win(self, prefix: Prefix, high: Any) -> bool:
        if high is None:
            return True
        most, lower = prefix.settled + prefix.factor * high, self._lower
        return (lower is None or most > lower) and (self.floor is None or most >= self.floor)

    def _leave_out(self, groups: Sequence[Group]) -> None:
        for group in groups:
            unbounded, most = _promise(group)
            self.unbounded = self.unbounded or unbounded
            if not unbounded:
                self.left_out = [max([most, *self.left_out])]

    def _bound(self, groups: Sequence[Group]) -> None:
        """After a pass, or where it was broken off and these groups were open last: the upper end that it shows."""
        self._leave_out(groups)
        if self.unbounded:
            return
        ends = [*self.left_out, *[value for value in (self._lower,) if value is not None]]
        if ends and (self.upper is None or max(ends) < self.upper):
            self.upper = max(ends)

    def _report(self, entry: int) -> None:
        if self.tell is not None:
            self.tell(entry, len(self.automaton.order), self._lower, self.upper)

    def _completed(self, chosen: Chosen | None, state: int, entry: int) -> tuple[list[int], list[int]]:
        """A pair with these first entries, as positions."""
        for layer in self.automaton.transitions[entry:]:
            way = layer[state].first_unequal
            state, chosen = way.state, Chosen(chosen, way.value, way.other)
        own, other = [0] * len(self.automaton.order), [0] * len(self.automaton.order)
        for place in reversed(self.automaton.order):
            assert chosen is not None
            own[place], other[place], chosen = chosen.value, chosen.other, chosen.before
        return own, other


class _Enough(Exception):
    """The limit on items is passed."""


class _Infinite(Exception):
    """A pair with an infinite divergence was met, by its prefix."""

    def __init__(self, where: tuple[Chosen | None, int, int]) -> None:
        super().__init__()
        self.where = where


def _promise(group: Group) -> tuple[bool, Any]:
    """The ceiling of a group, for sorting: whether it is infinite, and the number (if infinite, the floor)."""
    f = group.low if group.high is None else group.high
    return group.high is None, max(settled + factor * f for settled, factor, _ in group.prefixes)


def levels_of(channel: Channel) -> list[tuple[int, str]]:
    """The levels that pairs are taken through, and one for each entry that the relation never reads, at the end."""
    levels: list[tuple[int, str]] = [
        (number, level.kind) for number, level in enumerate(channel.relation.arrays.levels)
    ]
    read = sum(kind == "input" for _, kind in levels)
    return levels + [(UNREAD, "input")] * (len(channel.sizes) - read)
