"""Walks: the values of terms without coins on neighbours, found value by value instead of entry by entry.

Entries that are added to the same sums (and maxima, and disjunctions) may be exchanged, so only the number of entries
with each value matters. A walk goes through the values in order, and remembers only the states that the terms still
need.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from taut.neighbors import Entrywise
from taut.program import UNDEFINED, Program, Term
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint, checkpoints
from taut.synthesis.decompose.nodes import NOTHING, Node, Nodes
from taut.synthesis.decompose.statistic import Dependence

__all__ = ["DONE", "Key", "Moves", "Pair", "Step", "Walk", "related_values"]

Pair = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The values of the terms on both sides."""
_MOST_STATES = 1 << 22
_MOST_PLANNED = 1 << 24
DONE = 1


@dataclass(frozen=True, eq=False)
class _Block:
    """Entries that may be exchanged; ``fresh`` has, for each value, True if no earlier value adds the same."""

    entries: Sequence[int]
    values: tuple[Any, ...]
    added: Sequence[Mapping[int, Any]]
    fresh: Sequence[bool]


_Action = Callable[[dict[int, Any]], None]


@dataclass(frozen=True, eq=False)
class Step:
    """The effect of one value of a block on the remembered state; results are cached by the numbers of states.

    ``inside`` and ``kept`` are the classes that are remembered during the step and after it, ``opened`` the places of
    the former in the state before, ``adding`` the amounts that an entry with this value adds to them, and ``closing``
    leads from the former to the latter.
    """

    opened: Sequence[int]
    adding: Sequence[tuple[int, Node, Any]]
    inside: Sequence[int]
    closing: Sequence[_Action]
    kept: Sequence[int]
    settled: Sequence[tuple[int, int]] = ()
    """Roots that are complete behind the value, each with the class that it is in."""
    told: dict[int, tuple[tuple[int, Any], ...] | None] = field(default_factory=dict)
    """Their values, by the state within; None where one is not defined, which is at no input."""
    opens: dict[int, int] = field(default_factory=dict)
    adds: dict[int, int] = field(default_factory=dict)
    closes: dict[int, int] = field(default_factory=dict)


class Walk:
    """All pairs of values that terms without coins have on neighbours, with neighbours that have them.

    With ``passing`` the values of the terms are handed on as soon as they are settled, and not remembered.

    Raises:
        TooLarge: the states between two values exceed the limit.
    """

    def __init__(
        self, program: Program, dependence: Dependence, roots: Sequence[Term], *, passing: bool = False
    ) -> None:
        self.passing = passing
        made = Nodes(program, dependence, roots)
        self.program, self.nodes, self.roots = program, made.nodes, made.roots
        self.blocks = self._made_blocks()
        if len(self.nodes) * sum(len(block.values) for block in self.blocks) > _MOST_PLANNED:
            raise TooLarge("too many terms have to be walked through too many values.", value=len(self.nodes))
        self._ids: dict[tuple[Any, ...], int] = {}
        self._states: list[tuple[Any, ...]] = []
        self.steps = self._planned()
        self.states = 0

    def _made_blocks(self) -> list[_Block]:
        own: dict[int, dict[int, tuple[Any, ...]]] = {}
        for number, node in enumerate(self.nodes):
            for entry, table in node.tables.items():
                own.setdefault(entry, {})[number] = table
        found: dict[Any, list[int]] = {}
        for entry in sorted(own):
            content = tuple([(number, id(table)) for number, table in self._shared(own[entry])])
            found.setdefault((self.program.inputs[entry].values, content), []).append(entry)
        blocks = []
        for (values, _), entries in found.items():
            tables = own[entries[0]]
            added = [
                {
                    number: table[place]
                    for number, table in tables.items()
                    if not self.nodes[number].neutral(table[place])
                }
                for place in range(len(values))
            ]
            seen: set[Any] = set()
            fresh = []
            for one in added:
                key = tuple(one.items())
                fresh.append(key not in seen)
                seen.add(key)
            blocks.append(_Block(entries, values, added, fresh))
        return blocks

    def _shared(self, tables: Mapping[int, tuple[Any, ...]]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield tables, equal ones as one object."""
        if not hasattr(self, "_known_tables"):
            self._known_tables: dict[Any, tuple[Any, ...]] = {}
        for number, table in tables.items():
            yield number, self._known_tables.setdefault((table, tuple(map(type, table))), table)

    # -- what is remembered ------------------------------------------------------------------------------------------

    def _planned(self) -> list[list[Step]]:
        """Return the steps of every block. Collections that were equal so far are remembered once, as one *class*."""
        nodes = self.nodes
        classes: dict[Any, int] = {}
        users: list[list[tuple[int, int]]] = [[] for _ in nodes]
        waiting = [len(node.parts) for node in nodes]
        for number, node in enumerate(nodes):
            for factor, part in node.parts:
                users[part].append((number, factor))
        for block in self.blocks:
            for added in block.added:
                for number in added:
                    waiting[number] += 1
        own = [
            classes.setdefault(("start", n.collect, n.start, n.cap) if n.collect else ("value", k), len(classes))
            for k, n in enumerate(nodes)
        ]
        complete = [False] * len(nodes)
        roots = set(self.roots)

        def finish(ready: list[int], actions: list[_Action]) -> None:
            """Pass the values of complete nodes on to their users."""
            queue = sorted(ready)
            while queue:
                number = queue.pop(0)
                node = nodes[number]
                complete[number] = True
                if node.collect is None:
                    actions.append(_call(own[number], node.function, [own[part] for _, part in node.parts]))
                for user, factor in users[number]:
                    target = nodes[user]
                    if target.collect is not None:
                        before = own[user]
                        key = ("part", before, factor, own[number])
                        fresh = key not in classes
                        own[user] = classes.setdefault(key, len(classes))
                        if fresh:
                            actions.append(_collect(target, own[user], before, own[number], factor))
                    waiting[user] -= 1
                    if waiting[user] == 0:
                        queue.append(user)
                        queue.sort()

        def live() -> list[int]:
            needed = {
                own[k]
                for k, node in enumerate(nodes)
                if (not complete[k] and node.collect is not None)
                or (
                    complete[k]
                    and (
                        (k in roots and not self.passing)
                        or any(not complete[user] and nodes[user].collect is None for user, _ in users[k])
                    )
                )
            }
            return sorted(needed)

        starting: list[_Action] = []
        initial = {own[k]: node.start for k, node in enumerate(nodes) if node.collect is not None}
        finish([k for k, count in enumerate(waiting) if count == 0], starting)
        self._begin = (dict(initial), starting)
        told = [complete[root] for root in self.roots]
        self._settled_first = [(place, own[root]) for place, root in enumerate(self.roots) if complete[root]]
        kept = self._kept = live()
        steps: list[list[Step]] = []
        for place, block in enumerate(self.blocks):
            row = []
            for bin_, added in enumerate(block.added):
                checkpoint()
                opened = {one: at for at, one in enumerate(kept)}
                slots: dict[int, int] = {}
                adding: list[tuple[int, Node, Any]] = []
                for number, what in added.items():
                    before = own[number]
                    own[number] = classes.setdefault(("bin", before, place, bin_, what), len(classes))
                    if own[number] not in slots:
                        slots[own[number]] = opened[before]
                        adding.append((own[number], nodes[number], what))
                still = {own[k] for k in range(len(nodes))}
                inside = [one for one in kept if one in still] + list(slots)
                places = [slots[one] if one in slots else opened[one] for one in inside]
                at = {one: spot for spot, one in enumerate(inside)}
                actions: list[_Action] = []
                ready = []
                for number in added:
                    waiting[number] -= 1
                    if waiting[number] == 0:
                        ready.append(number)
                finish(ready, actions)
                kept = live()
                adding = [(at[one], node, what) for one, node, what in adding]
                settled = [(p, own[root]) for p, root in enumerate(self.roots) if complete[root] and not told[p]]
                told = [complete[root] for root in self.roots]
                row.append(Step(places, adding, inside, actions, kept, settled if self.passing else ()))
            steps.append(row)
        self._last = {one: at for at, one in enumerate(kept)}
        self._root_classes = [own[root] for root in self.roots]
        return steps

    def _number(self, state: tuple[Any, ...]) -> int:
        found = self._ids.get(state)
        if found is None:
            found = self._ids[state] = len(self._states)
            self._states.append(state)
        return found

    def first(self) -> int:
        values, actions = self._begin
        known = dict(values)
        for action in actions:
            action(known)
        self.told_first = _settled(known, self._settled_first) or ()
        return self._number(tuple([known[one] for one in self._kept]))

    def open(self, step: Step, state: int) -> int:
        found = step.opens.get(state)
        if found is None:
            values = self._states[state]
            found = step.opens[state] = self._number(tuple([values[spot] for spot in step.opened]))
        return found

    def add(self, step: Step, state: int) -> int:
        found = step.adds.get(state)
        if found is None:
            values = list(self._states[state])
            for spot, node, what in step.adding:
                values[spot] = node.with_one_more(values[spot], what)
            found = step.adds[state] = self._number(tuple(values))
        return found

    def close(self, step: Step, state: int) -> int:
        found = step.closes.get(state)
        if found is None:
            known = dict(zip(step.inside, self._states[state], strict=True))
            for action in step.closing:
                action(known)
            step.told[state] = _settled(known, step.settled)
            found = step.closes[state] = self._number(tuple([known[one] for one in step.kept]))
        return found

    def _values(self, state: int) -> tuple[Any, ...]:
        values = self._states[state]
        found = tuple([values[self._last[one]] for one in self._root_classes])
        if any(value is UNDEFINED for value in found):
            raise TooLarge("a statistic has a value at which nothing is defined.", value=found)
        return found

    # -- walking -----------------------------------------------------------------------------------------------------

    def values(self) -> Iterator[tuple[tuple[Any, ...], Callable[[], list[int]]]]:
        """Yield all values of the terms, each with positions of the values of an input that has them."""
        trace = _Trace(self, None, [])
        for (state, _, _), _ in trace.end:
            yield self._values(state), lambda state=state: trace.back(state, state)[0]  # type: ignore[misc]

    def pairs(self, neighbors: Entrywise) -> Iterator[tuple[Pair, Callable[[], tuple[list[int], list[int]]]]]:
        """Yield all pairs of different values that neighbours have, with positions of such neighbours."""
        found: set[Pair] = set()
        for place, block in enumerate(self.blocks):
            related, mirrored = related_values(neighbors, block.values)
            trace = _Trace(self, place, related, mirrored)
            for (own, other, _), _ in trace.end:
                pair = (self._values(own), self._values(other))
                for swapped in (False, True)[: 1 + mirrored]:
                    one = pair[::-1] if swapped else pair
                    if one[0] != one[1] and one not in found:
                        found.add(one)
                        yield one, _back(trace, own, other, swapped)


def related_values(neighbors: Entrywise, values: Sequence[Any]) -> tuple[list[int], bool]:
    """Return, for each value, the values that it may change to, as bits; and True if every change may be reversed."""
    related = [0] * len(values)
    for own, start, stop in neighbors.changed(values):
        related[own] |= (1 << stop) - (1 << start)
    mirrored = all(
        bool(related[own] >> other & 1) == bool(related[other] >> own & 1)
        for own in range(len(related))
        for other in range(own)
    )
    return related, mirrored


def _settled(known: Mapping[int, Any], roots: Sequence[tuple[int, int]]) -> tuple[tuple[int, Any], ...] | None:
    """Return the roots with their values; None if one is not defined."""
    found = tuple([(place, known[one]) for place, one in roots])
    return None if any(value is UNDEFINED or value is NOTHING for _, value in found) else found


def _back(trace: _Trace, own: int, other: int, swapped: bool) -> Callable[[], tuple[list[int], list[int]]]:
    def positions() -> tuple[list[int], list[int]]:
        x, x_prime = trace.back(own, other)
        return (x_prime, x) if swapped else (x, x_prime)

    return positions


Key = tuple[int, int, int]
"""The states of both sides, and the progress of the change: 0 before it, 1 after it; else one side has its value, and
the values that the other may still get are bits, above a bit that tells which side.
"""


class Moves:
    """The states of both sides of a walk of all inputs, or of the neighbours that differ in an entry of one block.

    With ``mirrored`` only changes to later values are walked.
    """

    def __init__(self, walk: Walk, changed: int | None, related: Sequence[int], mirrored: bool = True) -> None:
        self.walk, self.changed, self.related = walk, changed, related
        self.sides = (0,) if mirrored else (0, 1)
        self._back = [sum((row >> v & 1) << u for u, row in enumerate(related)) for v in range(len(related))]

    def tokens(self, bin_: int, step: Step, key: Key) -> Iterator[Key]:
        """Yield the next states where one side, or neither, gives the changed entry this value."""
        own, other, phase = key
        yield key
        if phase == 0:
            for side in self.sides:
                allowed = (self._back if side else self.related)[bin_] >> bin_ << bin_
                if allowed:
                    code = allowed << 2 | side << 1
                    yield (own, self.walk.add(step, other), code) if side else (self.walk.add(step, own), other, code)
        elif phase != DONE and phase >> (2 + bin_) & 1:
            if phase & 2:
                yield self.walk.add(step, own), other, DONE
            else:
                yield own, self.walk.add(step, other), DONE

    def left(self, bin_: int, phase: int, here: bool = True) -> int:
        """Return the progress of the change after a value; -1 if it cannot be completed any more."""
        if phase <= DONE or not here:
            return phase
        left = phase >> (3 + bin_) << (3 + bin_)
        return left | phase & 2 if left else -1

    def closed(self, bin_: int, step: Step, key: Key) -> Key | None:
        """Return the state after a value; None if the change can no longer be completed."""
        phase = self.left(bin_, key[2])
        return None if phase < 0 else (self.walk.close(step, key[0]), self.walk.close(step, key[1]), phase)

    def passed(self, step: Step, key: Key) -> Key:
        own = self.walk.close(step, key[0])
        return own, own if key[0] == key[1] else self.walk.close(step, key[1]), key[2]


class _Trace(Moves):
    """A walk that keeps, for each state, the possible numbers of entries that lead to it, as bits."""

    def __init__(self, walk: Walk, changed: int | None, related: Sequence[int], mirrored: bool = True) -> None:
        super().__init__(walk, changed, related, mirrored)
        self._before: list[list[dict[Key, int]]] = []
        self._inverses: dict[tuple[int, int], tuple[Any, Any, Any, Any]] = {}
        first = walk.first()
        states: dict[Key, int] = {(first, first, 0): 1}
        for place, block in enumerate(walk.blocks):
            self._before.append([])
            others = len(block.entries) - (place == changed)
            full = (2 << others) - 1
            for bin_, step in enumerate(walk.steps[place]):
                self._before[-1].append(states)
                states = self._stepped(place, bin_, step, states, full)
                walk.states += len(states)
                if walk.states > _MOST_STATES:
                    raise TooLarge("too many values are remembered on a walk.", value=walk.states)
            states = {k: 1 for k, m in states.items() if m >> others & 1 and (place != changed or k[2] == DONE)}
        self.end = list(states.items())

    def _stepped(self, place: int, bin_: int, step: Step, states: Mapping[Key, int], full: int) -> dict[Key, int]:
        walk = self.walk
        inside: dict[Key, int] = {}
        here = place == self.changed
        for (own, other, phase), mask in checkpoints(states.items(), 1024):
            key = (walk.open(step, own), walk.open(step, other), phase)
            for one in self.tokens(bin_, step, key) if here else (key,):
                inside[one] = inside.get(one, 0) | mask
        if walk.blocks[place].fresh[bin_]:
            self._spread(step, inside, full)
        behind: dict[Key, int] = {}
        for key, mask in inside.items():
            closed = self.closed(bin_, step, key) if here else self.passed(step, key)
            if closed is not None:
                behind[closed] = behind.get(closed, 0) | mask
        return behind

    def _spread(self, step: Step, inside: dict[Key, int], full: int) -> None:
        """Let any number of other entries have this value."""
        adds, add = step.adds, self.walk.add
        work = list(inside.items())
        done = 0
        while work:
            done += 1
            if not done & 4095:
                checkpoint()
                if done + self.walk.states > _MOST_STATES:
                    raise TooLarge("too many values are remembered on a walk.", value=done)
            key, mask = work.pop()
            own, other, phase = key
            nexts = adds[own] if own in adds else add(step, own)
            others = adds[other] if other in adds else add(step, other)
            if nexts == own and others == other:
                inside[key] |= full & ~((mask & -mask) - 1)
                continue
            moved = mask << 1 & full
            target = (nexts, others, phase)
            known = inside.get(target, 0)
            if moved & ~known:
                inside[target] = known | moved
                work.append((target, moved & ~known))

    # -- back --------------------------------------------------------------------------------------------------------

    def back(self, own: int, other: int) -> tuple[list[int], list[int]]:
        """Return positions of the values of two inputs that lead to these states."""
        x = [0] * len(self.walk.program.inputs)
        x_prime = list(x)
        target = (own, other, 0 if self.changed is None else DONE)
        for place in range(len(self.walk.blocks) - 1, -1, -1):
            block = self.walk.blocks[place]
            count = len(block.entries) - (place == self.changed)
            entries = list(block.entries)
            mine = entries.pop(0) if place == self.changed else None
            for bin_ in range(len(block.values) - 1, -1, -1):
                target, added, tossed = self._preceding(place, bin_, target, count)
                for _ in range(added):
                    count -= 1
                    x[entries[count]] = x_prime[entries[count]] = bin_
                if mine is not None and tossed == 0:
                    x[mine] = bin_
                elif mine is not None and tossed == 1:
                    x_prime[mine] = bin_
        return x, x_prime

    def _preceding(self, place: int, bin_: int, target: Key, count: int) -> tuple[Key, int, int | None]:
        """Return a state from which a value leads to the target, how many entries get it, and the side that does."""
        walk, step = self.walk, self.walk.steps[place][bin_]
        here, fresh = place == self.changed, walk.blocks[place].fresh[bin_]
        opens, adds, closes, before = self._inverse(place, bin_)
        ends = [(own, other) for own in closes.get(target[0], ()) for other in closes.get(target[1], ())]
        near = {pair: fresh and (walk.add(step, pair[0]), walk.add(step, pair[1])) == pair for pair in ends}
        for added in range(count + 1 if fresh else 1):
            for (own, other), still in near.items():
                tossed = [(one, other) for one in adds.get(own, ())] + [(own, one) for one in adds.get(other, ())]
                for opened in dict.fromkeys([(own, other), *tossed] if here else [(own, other)]):
                    for pair in itertools.product(*[opens.get(one, ()) for one in opened]):
                        for phase, mask in before.get(pair, ()):
                            below = mask & ((2 << (count - added)) - 1)
                            if not (below if still else mask >> (count - added) & 1):
                                continue
                            for one in self.tokens(bin_, step, (*opened, phase)) if here else ((*opened, phase),):
                                if one[:2] == (own, other) and self.left(bin_, one[2], here) == target[2]:
                                    number = count - below.bit_length() + 1 if still else added
                                    return (*pair, phase), number, _tossed(phase, one[2])
            near = {
                pair: still
                for (own, other), still in near.items()
                for pair in itertools.product(adds.get(own, ()), adds.get(other, ()))
                if pair != (own, other)
            }
        raise AssertionError("a state on a walk has one before it")

    def _inverse(self, place: int, bin_: int) -> tuple[Any, Any, Any, Any]:
        """Return the inverse maps of a step: of opening, of adding, of closing, and of the pairs of sides."""
        found = self._inverses.get((place, bin_))
        if found is None:
            step = self.walk.steps[place][bin_]
            before: dict[tuple[int, int], list[tuple[int, int]]] = {}
            for (own, other, phase), mask in self._before[place][bin_].items():
                before.setdefault((own, other), []).append((phase, mask))
            found = _inverted(step.opens), _inverted(step.adds), _inverted(step.closes), before
            self._inverses[place, bin_] = found
        return found


def _inverted(known: Mapping[int, int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for state, following in known.items():
        found.setdefault(following, []).append(state)
    return found


def _tossed(before: int, after: int) -> int | None:
    """Return the side that the changed entry was given a value on: 0 or 1, or neither."""
    if before == after:
        return None
    if before == 0:
        return after >> 1 & 1
    return 0 if before & 2 else 1


def _call(target: int, function: Any, arguments: Sequence[int]) -> _Action:
    def action(known: dict[int, Any]) -> None:
        values = [known[one] for one in arguments]
        known[target] = UNDEFINED if any(value is NOTHING for value in values) else function(*values)

    return action


def _collect(node: Node, target: int, before: int, part: int, factor: int) -> _Action:
    def action(known: dict[int, Any]) -> None:
        value = known[part]
        known[target] = node.with_one_more(
            known[before], value if factor == 1 or not isinstance(value, int) else factor * value
        )

    return action
