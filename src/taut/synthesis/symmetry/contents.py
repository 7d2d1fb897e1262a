"""Contents of records, by which orbits of inputs and of pairs of neighbours are told apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from taut.neighbors import Neighbors
from taut.program.domains import InputSpace
from taut.support.errors import TooLarge
from taut.synthesis.symmetry.permutation import Coordinate, Permutation
from taut.synthesis.symmetry.records import RecordClass

__all__ = ["INPUTS", "NEIGHBORS", "PAIRS", "TRIPLES", "CaseShape", "Content", "Contents", "NeighborSteps", "moved"]


Values = tuple[int, ...]
"""Values in a record, in the coordinates of the first record of its class."""
Action = list[tuple[int, tuple[int, ...] | None]]
"""The action of a local symmetry: for each value its new place, and its change (None: it stays)."""
CaseShape = tuple[str, ...]
"""The parts of a case: an input, perhaps a second one ('other', for a neighbour), and perhaps an output."""
INPUTS: CaseShape = ("input",)
PAIRS: CaseShape = ("input", "output")
NEIGHBORS: CaseShape = ("input", "other")
TRIPLES: CaseShape = ("input", "other", "output")
_MOST_CONTENTS = 1 << 16


@dataclass(frozen=True)
class Content:
    """An orbit of the local symmetries: one content of a record, and the number of contents in its orbit."""

    values: Values
    size: int


class Contents:
    """The different contents of the records of one class, in cases of one shape.

    ``layout`` tells for each position of a content's values to which copy ('input', 'other' or 'output') and to which
    coordinate of the record, by number, it belongs.
    """

    def __init__(self, records: RecordClass, shape: CaseShape, arities: Mapping[Coordinate, int]) -> None:
        self.layout: list[tuple[str, int]] = []
        coordinates = self.coordinates = records.records[0].coordinates
        for number, (kind, _) in enumerate(coordinates):
            self.layout += [(copy, number) for copy in shape if (copy == "output") == (kind == "output")]
        sizes = [arities[coordinates[number]] for _, number in self.layout]
        if math.prod(sizes) > _MOST_CONTENTS:
            entries = len(records.records[0].entries)
            raise TooLarge(
                f"a record of {entries} entries and {len(coordinates) - entries} outputs has {math.prod(sizes)} "
                f"different contents, too many to tell their orbits (at most {_MOST_CONTENTS}).",
                value=math.prod(sizes),
            )
        actions = [self.action(one) for one in records.local if "output" in shape or one.inputs]
        self.contents: list[Content] = []
        seen: set[Values] = set()
        for values in itertools.product(*[range(size) for size in sizes]):
            if values in seen:
                continue
            seen.add(values)
            orbit = [values]
            for here in orbit:
                for there in [moved(here, action) for action in actions]:
                    if there not in seen:
                        seen.add(there)
                        orbit.append(there)
            self.contents.append(Content(values, len(orbit)))

    def agrees(self, content: Content) -> bool:
        """Return True if both inputs of a triple agree in a record with this content."""
        inputs = [
            (number, value)
            for (copy, number), value in zip(self.layout, content.values, strict=True)
            if copy != "output"
        ]
        return len(set(inputs)) == len({number for number, _ in inputs})

    def action(self, permutation: Permutation) -> Action:
        """Return the action of a local symmetry on values; it moves all copies of the input alike."""
        position_of = {(copy, self.coordinates[number]): index for index, (copy, number) in enumerate(self.layout)}
        action: Action = []
        for copy, number in self.layout:
            target, values = permutation.moves.get(self.coordinates[number], (self.coordinates[number], None))
            action.append((position_of[copy, target], values))
        return action


def moved(values: Values, action: Action) -> Values:
    """Return the values that a local symmetry makes of others."""
    image = list(values)
    for value, (target, changed) in zip(values, action, strict=True):
        image[target] = value if changed is None else changed[value]
    return tuple(image)


State = tuple[int, int]
"""The number of records read, and the state of the automaton after them."""


class NeighborSteps:
    """A neighbour relation whose automaton reads the entries record by record, class after class.

    The automaton is minimal: two prefixes up to the same record end in one state if and only if they have the same
    completions. So a symmetry preserves the relation if and only if it preserves states.
    """

    def __init__(
        self, neighbors: Neighbors, space: InputSpace, classes: Sequence[RecordClass], arities: Mapping[Coordinate, int]
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
        """Return the state after one more record with these values; None if no neighbours begin with them."""
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
        """Return classes in parts whose records may be exchanged, with local symmetries that keep neighbours."""
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
        """Return the local symmetries of a record that take neighbours to neighbours."""
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
