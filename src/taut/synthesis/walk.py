"""The walk of pairs of prefixes down a relation, and the order of cases by which ties are broken."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from taut.diagrams.compile import Relation
from taut.neighbors import PairAutomaton
from taut.support.limits import checkpoint
from taut.support.process import cached_property

__all__ = ["UNREAD", "CaseOrder", "Counted", "CountingWalk", "Joined", "PrefixWalk"]


@dataclass(frozen=True)
class CaseOrder:
    """Cases (x, x', y), in positions, as whole numbers; of two cases the one with the smaller number comes first.

    Cases are compared first by the difference of x and x' (early entries before late ones, small differences before
    large ones), then by x, then by y. Where pairs are ``listed`` one by one, the pairs of values count entry after
    entry, equal ones first. The number is a sum of one part per entry and one per output. So of two prefixes, in
    whatever order the entries are read, the one that comes first does so with every continuation.
    """

    sizes: tuple[int, ...]
    """Number of values of each entry."""
    outputs: tuple[int, ...]
    """Number of values of each output variable."""
    listed: bool = False

    @cached_property
    def radix(self) -> list[int]:
        """Return the number of digits' values for each entry: the ways in which its two values can differ."""
        if self.listed:
            return [size * size + size if size > 1 else 1 for size in self.sizes]
        return [2 * size - 1 for size in self.sizes]

    @cached_property
    def inputs(self) -> int:
        return math.prod(self.sizes)

    @cached_property
    def all_outputs(self) -> int:
        return math.prod(self.outputs)

    def digit(self, entry: int, value: int, other: int) -> int:
        """Return the difference of an entry: 0 if there is none; else its size, in the order of a list."""
        if self.listed:
            size = self.sizes[entry]
            return value if value == other else size + value * size + other
        step = other - value
        return 2 * abs(step) - (step > 0)

    def entry(self, entry: int, value: int, other: int) -> int:
        """Return the part of an entry in the number of a case."""
        digit = self.digit(entry, value, other)
        if self.listed:
            return digit * self.difference_weights[entry] * self.all_outputs
        return (digit * self.difference_weights[entry] * self.inputs + value * self.weights[entry]) * self.all_outputs

    def output(self, place: int, value: int) -> int:
        """Return the part of an output variable in the number of a case."""
        return value * self.output_weights[place]

    def number(self, x: Sequence[int], x_prime: Sequence[int], y: Sequence[int]) -> int:
        """Return the number of a case."""
        of_entries = sum(self.entry(entry, *pair) for entry, pair in enumerate(zip(x, x_prime, strict=True)))
        return of_entries + sum(self.output(place, value) for place, value in enumerate(y))

    def case(self, number: int) -> tuple[list[int], list[int], list[int]]:
        """Return the case with a number: x, x' and y."""
        number, rest = divmod(number, self.all_outputs)
        y = _digits(rest, self.output_weights)
        if self.listed:
            pairs = [
                (digit, digit) if digit < size else divmod(digit - size, size)
                for digit, size in zip(_digits(number, self.difference_weights), self.sizes, strict=True)
            ]
            return [value for value, _ in pairs], [other for _, other in pairs], y
        differences, of_x = divmod(number, self.inputs)
        x = _digits(of_x, self.weights)
        digits = _digits(differences, self.difference_weights[::-1])[::-1]
        steps = [(digit + 1) // 2 * (1 if digit % 2 else -1) for digit in digits]
        return x, [value + step for value, step in zip(x, steps, strict=True)], y

    @cached_property
    def difference_weights(self) -> list[int]:
        """Return the weights of the differences of the entries: late entries most, or in a list early ones."""
        return _weights(self.radix) if self.listed else _weights(self.radix[::-1])[::-1]

    @cached_property
    def weights(self) -> list[int]:
        return _weights(self.sizes)

    @cached_property
    def output_weights(self) -> list[int]:
        return _weights(self.outputs)


def _weights(sizes: Sequence[int]) -> list[int]:
    """Return the weights of the digits of a number, the first one largest."""
    weights = [1] * len(sizes)
    for place in range(len(sizes) - 2, -1, -1):
        weights[place] = weights[place + 1] * sizes[place + 1]
    return weights


def _digits(number: int, weights: Sequence[int]) -> list[int]:
    digits = []
    for weight in weights:
        digit, number = divmod(number, weight)
        digits.append(digit)
    return digits


UNREAD = -1
"""The level of an entry that the relation never reads."""

F = TypeVar("F")
N = TypeVar("N")
Read = Callable[[F, int, int, bool], F]
"""A future after an entry, by the values of x and x' there, and whether all further entries agree."""
Pass = Callable[[F, bool], Iterable[tuple[F, int]]]
"""The futures after a coin or an output, with their parts in the numbers of cases."""


class Joined(NamedTuple, Generic[F, N]):
    """Pairs of prefixes with the same automaton state and the same future, and their notes."""

    state: int
    future: F
    note: N


Layer = dict[Hashable, Joined[F, N]]


Counted = tuple[int, int]
"""Number of prefixes, and the number of the first of them."""


class PrefixWalk(ABC, Generic[F, N]):
    """All pairs that an automaton accepts, level by level.

    A subclass defines the future of a pair of prefixes (``reading``, ``passing``, ``key``), the notes on prefixes with
    one future (``extended``, ``joined``), and the pairs that need not be followed (``pruned``).

    Parameters:
        relation, automaton: the levels; the pairs, their entries read in the order of the relation, those that it
            never reads last.
        order: which cases come first.
    """

    def __init__(self, relation: Relation, automaton: PairAutomaton, order: CaseOrder) -> None:
        self.relation, self.automaton, self.order = relation, automaton, order
        self.levels = [(number, level.kind) for number, level in enumerate(relation.arrays.levels)]
        read = sum(kind == "input" for _, kind in self.levels)
        self.levels += [(UNREAD, "input")] * (len(automaton.order) - read)
        self.entry = 0
        """Number of entries that were read."""

    def walk(self, future: F, note: N) -> Layer[F, N]:
        """Take all pairs through all levels, from the future that they have before the first."""
        layer: Layer[F, N] = {state: Joined(state, future, note) for state in self.automaton.states[0]}
        passed = 0
        for place, (number, kind) in enumerate(self.levels):
            self.begun(place, layer)
            if place < passed:
                continue
            if kind == "input":
                coins = self.read_together(place)
                passed = place + 1 + len(coins)
                layer = self._read(self.pruned(layer), number, coins)
                self.entry += 1
            else:
                layer = self._passed(layer, place)
            self.require_room(layer)
        return self.pruned(layer)

    def _read(self, layer: Layer[F, N], number: int, coins: Sequence[int]) -> Layer[F, N]:
        """Return all pairs with all values that the relation allows at the next entry."""
        move = None if number == UNREAD else self.reading(number, coins)
        transitions, same_after = self.automaton.transitions[self.entry], self.automaton.same_after[self.entry + 1]
        parts = self._parts()
        following: Layer[F, N] = {}
        for state, future, note in layer.values():
            checkpoint()
            ways = transitions[state]
            self.counted(len(ways))
            for value, other, after in ways:
                made = future if move is None else move(future, value, other, after in same_after)
                self._add(following, after, made, self.extended(note, parts[value, other]))
            self.require_room(following)
        return following

    def _parts(self) -> Mapping[tuple[int, int], int]:
        """Return the weights of the values of the next entry in the numbers of cases."""
        entry, layer = self.automaton.order[self.entry], self.automaton.transitions[self.entry]
        pairs = {(value, other) for ways in layer.values() for value, other, _ in ways}
        return {pair: self.order.entry(entry, *pair) for pair in pairs}

    def _passed(self, layer: Layer[F, N], place: int) -> Layer[F, N]:
        """Return all pairs through a coin or an output."""
        checkpoint()
        move = self.passing(place)
        if move is None:
            return layer
        same_after = self.automaton.same_after[self.entry]
        following: Layer[F, N] = {}
        for number, (state, future, note) in enumerate(layer.values()):
            for made, part in move(future, state in same_after):
                self._add(following, state, made, self.extended(note, part))
            if number % 256 == 255:
                checkpoint()
                self.require_room(following)
        return following

    def _add(self, layer: Layer[F, N], state: int, future: F, note: N) -> None:
        key = self.key(state, future)
        known = layer.get(key)
        layer[key] = Joined(state, future, note if known is None else self.joined(known.note, note))

    # -- what a kind of walk says ----------------------------------------------------------------------------------

    @abstractmethod
    def reading(self, number: int, coins: Sequence[int]) -> Read[F] | None:
        """Return the effect of an entry on futures, with the coins passed right below it; None if there is none."""

    @abstractmethod
    def passing(self, place: int) -> Pass[F] | None:
        """Return the effect of the coin or output at a level on futures; None if there is none."""

    @abstractmethod
    def key(self, state: int, future: F) -> Hashable:
        """Return a key that is equal for pairs with the same future."""

    @abstractmethod
    def extended(self, note: N, part: int) -> N:
        """Return the note of prefixes after values with this weight in the numbers of cases."""

    @abstractmethod
    def joined(self, note: N, other: N) -> N:
        """Return the note of prefixes of both."""

    def pruned(self, layer: Layer[F, N]) -> Layer[F, N]:
        """Return the items to follow, before every entry and at the end; by default all."""
        return layer

    def read_together(self, place: int) -> Sequence[int]:
        """Return levels right below an entry through which pairs are taken with it."""
        return ()

    def begun(self, place: int, layer: Layer[F, N]) -> None:
        """Take note that a level is begun."""

    def counted(self, ways: int) -> None:
        """Record the number of pairs of prefixes that one pair leads to."""

    def require_room(self, layer: Layer[F, N]) -> None:
        """Refuse a layer that is too large."""


class CountingWalk(PrefixWalk[F, Counted]):
    """A walk that counts the prefixes with one future, and notes the first of them."""

    def extended(self, note: Counted, part: int) -> Counted:
        return note[0], note[1] + part

    def joined(self, note: Counted, other: Counted) -> Counted:
        return note[0] + other[0], min(note[1], other[1])
