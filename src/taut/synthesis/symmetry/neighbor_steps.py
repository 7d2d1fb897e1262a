"""Neighbour relations read record by record, and which symmetries preserve them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from taut.domains import InputSpace
from taut.neighbors import Neighbors
from taut.synthesis.symmetry.contents import NEIGHBORS, Contents, moved
from taut.synthesis.symmetry.permutation import Coordinate, Permutation
from taut.synthesis.symmetry.records import RecordClass

__all__ = ["NeighborSteps"]

State = tuple[int, int]
"""The number of records read, and the state of the automaton after them."""


class NeighborSteps:
    """A neighbour relation whose automaton reads the entries record by record, class after class.

    The automaton is minimal: two ways to the same record end in one state if and only if the same may follow. So a
    symmetry preserves the relation if and only if it preserves states.
    """

    def __init__(
        self,
        neighbors: Neighbors,
        space: InputSpace,
        classes: Sequence[RecordClass],
        arities: Mapping[Coordinate, int],
    ) -> None:
        self.arities = arities
        self.records = [record for one in classes for record in one.records]
        read = [[index for kind, index in record.coordinates if kind == "input"] for record in self.records]
        self.automaton = neighbors.automaton(space, list(itertools.chain(*read)))
        self.levels = list(itertools.accumulate(map(len, read), initial=0))
        self.start: State = (0, next(iter(self.automaton.states[0]), -1))
        self._commuting: dict[object, bool] = {}

    def accepts(self, state: State) -> bool:
        """Return True if two inputs that lead to this state are neighbours."""
        return state[1] >= 0

    def follow(self, state: State, contents: Contents, values: Sequence[int]) -> State | None:
        """The state after one more record with these values; None if no neighbours begin so."""
        record, reached = state
        if reached < 0:
            return None
        pairs: dict[int, list[int]] = {}
        for (copy, number), value in zip(contents.layout, values, strict=True):
            if copy != "output":
                pairs.setdefault(number, []).append(self.records[record].values[number][value])
        for level, (value, other) in enumerate(pairs.values(), self.levels[record]):
            following = self.automaton.transitions[level][reached].state(value, other)
            if following is None:
                return None
            reached = following
        return record + 1, reached

    def preserving(self, classes: Sequence[RecordClass]) -> list[RecordClass]:
        """The classes, in parts whose records may be exchanged, with the local symmetries that keep neighbours."""
        preserved, first = [], 0
        for one in classes:
            contents = Contents(replace(one, local=()), NEIGHBORS, self.arities)
            breaks = [k for k in range(1, one.size) if one.inputs and not self._exchangeable(first + k - 1, contents)]
            for start, stop in itertools.pairwise([0, *breaks, one.size]):
                part = one.part(start, stop)
                preserved.append(replace(part, local=self._kept(part, first, contents) if start == 0 else ()))
            first += one.size
        return preserved

    def _kept(self, one: RecordClass, record: int, contents: Contents) -> tuple[Permutation, ...]:
        """The local symmetries of a record that take neighbours to neighbours."""
        if not one.inputs:
            return one.local
        values = [content.values for content in contents.contents]
        kept = []
        for permutation in one.local:
            action = contents.action(permutation)
            images = [moved(one_content, action) for one_content in values]
            if self._effects(record, contents, values) == self._effects(record, contents, images):
                kept.append(permutation)
        return tuple(kept)

    def _effects(
        self, record: int, contents: Contents, held: Sequence[Sequence[int]]
    ) -> list[tuple[State | None, ...]]:
        """Return, for each content, the state that follows every state before a record."""
        states = self.automaton.states[self.levels[record]]
        return [tuple(self.follow((record, state), contents, values) for state in states) for values in held]

    def _exchangeable(self, record: int, contents: Contents) -> bool:
        """Return True if a record and the next may change places, whatever they hold."""
        levels = range(self.levels[record], self.levels[record + 2])
        alike = [id(self.automaton.transitions[level]) for level in levels]
        key = (*alike, self.automaton.states[levels.start], *[self.records[r].values for r in (record, record + 1)])
        if key not in self._commuting:
            held = [content.values for content in contents.contents]
            first, second = (self._effects(r, contents, held) for r in (record, record + 1))
            index = {(record + 1, q): i for i, q in enumerate(self.automaton.states[self.levels[record + 1]])}
            effects = set(zip(first, second, strict=True))
            self._commuting[key] = all(
                [None if q is None else d[index[q]] for q in a] == [None if q is None else b[index[q]] for q in c]
                for (a, b), (c, d) in itertools.combinations(effects, 2)
            )
        return self._commuting[key]
