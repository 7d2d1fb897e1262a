"""Search for the pair with the largest divergence: pairs of prefixes go down the relation, highest ceilings first.

The later inputs are the same for all prefixes of outputs, so what goes down is a pair of prefixes of inputs with
*all* its live branches, and the value that other branches have settled. ``docs/measures.md`` has the proofs of what
is dropped:

- pairs in one state whose live branches are equal up to a common factor have one future, f: each is a line settled +
  factor * f, and only lines that are largest for some f between its floor and its ceiling are kept;
- a branch whose floor is its ceiling is settled;
- groups that cannot exceed a value that some pair attains are dropped.

A pass keeps a limited number of groups per entry and remembers the highest ceiling of those left out; it is repeated
with a larger limit until nothing that matters is left out. So whenever it ends, there is an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from flint import fmpq

from taut.inference.channel import Channel
from taut.inference.loss import Branches, LossWalk
from taut.neighbors import PairAutomaton
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint
from taut.synthesis.pairs.losses import BranchWalk, completed, reduced
from taut.synthesis.pairs.worst_pair.ceilings import Ceilings
from taut.synthesis.pairs.worst_pair.summand import Summand
from taut.synthesis.unfinished import limit_passed
from taut.synthesis.walk import CaseOrder, Joined

__all__ = ["LineGroup", "PairSearch", "Prefix", "WorstFound", "envelope"]


class Prefix(NamedTuple):
    """A pair of prefixes: the value settled so far, the factor of the group's masses, and its number.

    If the branches of the group add f in the end, this pair has the value settled + factor * f.
    """

    settled: Any
    factor: int
    number: int


@dataclass
class LineGroup:
    """Pairs of prefixes with one state, whose live branches are multiples of the same ones."""

    state: int
    branches: Branches
    prefixes: list[Prefix]
    low: Any = None
    """Least sum that the live branches add."""
    high: Any = None
    """Largest sum that they add; None if it is unbounded."""


def envelope(prefixes: Sequence[Prefix], low: Any, high: Any) -> list[Prefix]:
    """Return the prefixes that are best for some f in [low, high]: the envelope of settled + factor * f."""
    if len(prefixes) < 2:
        return list(prefixes)
    ordered = sorted(prefixes, key=lambda prefix: (prefix.factor, prefix.settled, -prefix.number))
    hull: list[Prefix] = []
    for prefix in ordered:
        while hull and (
            hull[-1].settled + hull[-1].factor * low <= prefix.settled + prefix.factor * low
            or (len(hull) > 1 and _crossing(hull[-2], prefix) <= _crossing(hull[-2], hull[-1]))
        ):
            hull.pop()
        hull.append(prefix)
    if high is None:
        return hull
    while len(hull) > 1 and hull[-1].settled + hull[-1].factor * high <= hull[-2].settled + hull[-2].factor * high:
        hull.pop()
    return hull


def _crossing(flat: Prefix, steep: Prefix) -> Any:
    """Return the place from which the steeper line is above the flatter one."""
    return (flat.settled - steep.settled) / (steep.factor - flat.factor)


_FIRST_WIDTH, _WIDER = 6, 16

Tell = Callable[[int, int, Any, Any], None]


@dataclass
class WorstFound:
    """Result of a search: a pair of entries, as positions, and two numbers between which the largest value lies.

    ``lower`` is None if only the pair is known; ``upper`` is None for infinity. ``stopped`` says why it is not exact.
    """

    pair: tuple[list[int], list[int]] | None
    lower: Any
    upper: Any
    stopped: str | None
    counts: dict[str, int] = field(default_factory=dict)


class PairSearch(BranchWalk[list[Prefix]]):
    """The search for one divergence over one relation of neighbours.

    Parameters:
        channel, automaton, order: the mechanism; the pairs, whose entries the automaton reads in the order of the
            relation; the order of pairs.
        summand: the summand of the divergence, added up over outputs.
        max_beliefs: limit for the groups that are kept per entry, and for beliefs.
        most_items, widest: limits for the groups that are evaluated in all, and that are kept per entry; None for
            no limit.
        tell: told after every entry: passes done, lower and upper end.
    """

    def __init__(
        self,
        channel: Channel,
        automaton: PairAutomaton,
        order: CaseOrder,
        summand: Summand,
        max_beliefs: int,
        most_items: int | None = None,
        widest: int | None = None,
        tell: Tell | None = None,
    ) -> None:
        super().__init__(channel.relation, automaton, order)
        self.summand = summand
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
        self.where: tuple[int, int, int] | None = None
        self.promising: tuple[int, int, int] | None = None
        """The prefix of the best pair, and of one that reaches the floor: its number, its state, entries read."""
        self.counts = {"items": 0, "items_after_merging": 0, "items_after_pruning": 0, "largest_layer": 0, "passes": 0}

    def run(self, known: Any = None) -> WorstFound:
        """Return the largest value over all pairs; ``known`` is a value that is attained elsewhere, to be exceeded."""
        self.known = known
        stopped: str | None = None
        try:
            checkpoint()
            self.ceilings = Ceilings(self.relation, self.levels, self.automaton, self.summand)
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
            return WorstFound(completed(self.automaton, self.order, *infinite.where), None, None, None, self.counts)
        except _Enough:
            stopped = "most_items"
        except (TooLarge, KeyboardInterrupt) as error:
            stopped = limit_passed(error, self.max_beliefs)
        if self._closed:
            stopped, self.upper = None, self._lower
        if self.where is None and (known is None or stopped is not None):
            self.where = self.promising or (0, self.automaton.states[0][0], 0)
        pair = None if self.where is None else completed(self.automaton, self.order, *self.where)
        return WorstFound(pair, self.best, self.upper, stopped, self.counts)

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
        """Take at most ``width`` groups through all levels; return True if none was dropped."""
        self.losses = LossWalk(self.relation, False, self.max_beliefs)
        self.left_out: list[Any] = []
        self.unbounded = False
        self.entry, self.width = 0, width
        self.reached: list[LineGroup] | None = None
        same = self.automaton.states[0][0] in self.automaton.same_after[0]
        try:
            self.walk(self.losses.start(same=same), [Prefix(fmpq(0), 1, 0)])
        except (TooLarge, KeyboardInterrupt, _Enough):
            if self.reached is not None:
                self._bound(self.reached)
            raise
        self._bound([])
        return not self.left_out and not self.unbounded

    def extended(self, note: list[Prefix], part: int) -> list[Prefix]:
        return [Prefix(settled, factor, number + part) for settled, factor, number in note]

    def joined(self, note: list[Prefix], other: list[Prefix]) -> list[Prefix]:
        return note + other

    def counted(self, ways: int) -> None:
        self.counts["items"] += ways
        if self.most_items is not None and self.counts["items"] > self.most_items:
            raise _Enough

    def pruned(self, layer: Mapping[Any, Joined[Branches, list[Prefix]]]) -> dict[Any, Joined[Branches, list[Prefix]]]:
        groups = self._promising(self._settled([LineGroup(*one) for one in layer.values()]))
        if self.entry < len(self.automaton.order):
            self.reached = groups
            if self.tell is not None:
                self.tell(self.entry, len(self.automaton.order), self._lower, self.upper)
        return {place: Joined(group.state, group.branches, group.prefixes) for place, group in enumerate(groups)}

    def _settled(self, groups: Sequence[LineGroup]) -> list[LineGroup]:
        """Move settled branches of groups into their values, compute floors and ceilings, and merge equal groups."""
        merged: dict[Any, LineGroup] = {}
        scale = self.losses.scale
        for place, group in enumerate(groups):
            if place % 64 == 63:
                checkpoint()
            added, live, low, high = self._floor_and_ceiling(group)
            if added is None:
                raise _Infinite((min(prefix.number for prefix in group.prefixes), group.state, self.entry))
            live, factor = reduced(live) if live else (live, 1)
            made = LineGroup(
                group.state, live, [], low / (factor * scale), None if high is None else high / (factor * scale)
            )
            made = merged.setdefault(self.key(made.state, live), made)
            added /= scale
            made.prefixes += [
                Prefix(settled + own * added, own * factor, number) for settled, own, number in group.prefixes
            ]
        self.counts["items_after_merging"] += len(merged)
        return list(merged.values())

    def _floor_and_ceiling(self, group: LineGroup) -> tuple[Any, Branches, Any, Any]:
        """Return the sum of settled branches (None: infinity), the live ones, and least and largest sum of these."""
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
            u, v = self.losses.beliefs_of(branch)
            sums = sum(u.values()), sum(v.values())
            for (a, b), weight in masses.items():
                least = summand.below(a * sums[0], b * sums[1])
                most = ceilings.of(self.entry, state, u, v, a, b)
                if summand.exact and most is not None and most <= least:
                    added += least * weight
                    continue
                live.setdefault(branch, {})[a, b] = weight
                low += least * weight
                high = None if most is None or high is None else high + most * weight
        return added, live, low, high

    def _promising(self, groups: Sequence[LineGroup]) -> list[LineGroup]:
        """Return groups that may still exceed what is attained, at most ``width`` of them."""
        for group in groups:
            if group.branches:
                group.prefixes = envelope(group.prefixes, group.low, group.high)
                for settled, factor, number in group.prefixes:
                    reaches = settled + factor * group.low
                    if self.floor is None or reaches > self.floor:
                        self.floor, self.promising = reaches, (number, group.state, self.entry)
            else:
                settled, _, number = max(group.prefixes, key=lambda prefix: (prefix.settled, -prefix.number))
                if self._lower is None or settled > self._lower:
                    self.best, self.where = settled, (number, group.state, self.entry)
        kept = []
        for group in groups:
            if group.branches:
                group.prefixes = [prefix for prefix in group.prefixes if self._may_win(prefix, group.high)]
                if group.prefixes:
                    kept.append(group)
        self.counts["largest_layer"] = max(self.counts["largest_layer"], len(kept))
        if len(kept) > self.width:
            kept.sort(key=_promise, reverse=True)
            self._leave_out(kept[self.width :])
            kept = kept[: self.width]
        self.counts["items_after_pruning"] += len(kept)
        return kept

    def _may_win(self, prefix: Prefix, high: Any) -> bool:
        if high is None:
            return True
        most, lower = prefix.settled + prefix.factor * high, self._lower
        return (lower is None or most > lower) and (self.floor is None or most >= self.floor)

    def _leave_out(self, groups: Sequence[LineGroup]) -> None:
        for group in groups:
            unbounded, most = _promise(group)
            self.unbounded = self.unbounded or unbounded
            if not unbounded:
                self.left_out = [max([most, *self.left_out])]

    def _bound(self, groups: Sequence[LineGroup]) -> None:
        """Return the upper end that a pass proves, finished or stopped with these groups open."""
        self._leave_out(groups)
        if self.unbounded:
            return
        ends = [*self.left_out, *[value for value in (self._lower,) if value is not None]]
        if ends and (self.upper is None or max(ends) < self.upper):
            self.upper = max(ends)


class _Enough(Exception):
    """Raised when the limit on items is passed."""


class _Infinite(Exception):
    """A pair with an infinite divergence was met, by its prefix."""

    def __init__(self, where: tuple[int, int, int]) -> None:
        super().__init__()
        self.where = where


def _promise(group: LineGroup) -> tuple[bool, Any]:
    """Return a sort key by the ceiling of a group: True if it is infinite, and the number (if infinite, the floor)."""
    f = group.low if group.high is None else group.high
    return group.high is None, max(settled + factor * f for settled, factor, _ in group.prefixes)
