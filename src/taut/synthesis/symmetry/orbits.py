"""Orbits of cases: one representative of each, and the number of cases it stands for.

Records of a class may be permuted at will, so an orbit is a multiset of contents for each class. Orbits are listed one
after the other, and counted without being listed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.support.errors import internal_fault
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property
from taut.synthesis.symmetry.contents import CaseShape, Content, Contents, NeighborSteps
from taut.synthesis.symmetry.permutation import Coordinate
from taut.synthesis.symmetry.records import RecordClass

__all__ = ["Held", "Orbit", "Orbits", "Pointing", "Representatives"]


Positions = npt.NDArray[np.int64]
Held = tuple[tuple[int, int], ...]
"""Contents of records, class by class: the number of a content, and of consecutive records with it."""
Pointing = Sequence[Sequence[Sequence[Coordinate]]]
"""For each class groups of outputs that point to the same record of it, the first group to the first record."""


class Representatives:
    """Writes down cases of one shape: an array of positions for every copy of the input, and for the output."""

    def __init__(
        self,
        classes: Sequence[RecordClass],
        contents: Sequence[Contents],
        shape: CaseShape,
        arities: Mapping[Coordinate, int],
    ) -> None:
        self.classes, self.contents = classes, contents
        kinds = [kind for kind, _ in arities]
        self.lengths = {copy: kinds.count("output" if copy == "output" else "input") for copy in shape}
        self.targets = [self._targets(*both) for both in zip(classes, contents, strict=True)]

    def case(self, fixed: Mapping[Coordinate, int], pointing: Pointing, held: Held) -> dict[str, Positions]:
        """Return the case with given contents of records; ``fixed`` outputs point to none of them.

        Records that outputs point to come first in their class.
        """
        rows = {copy: np.zeros(length, dtype=np.int64) for copy, length in self.lengths.items()}
        for (_, index), value in fixed.items():
            rows["output"][index] = value
        start = 0
        for number, (records, groups) in enumerate(zip(self.classes, pointing, strict=True)):
            stop, filled = start, 0
            while filled < records.size:
                filled += held[stop][1]
                stop += 1
            contents = [self.contents[number].contents[content].values for content, _ in held[start:stop]]
            times = [count for _, count in held[start:stop]]
            for position, (copy, indices, own) in enumerate(self.targets[number]):
                values = np.repeat(np.array([one[position] for one in contents], dtype=np.int64), times)
                rows[copy][indices] = values if own is None else own[np.arange(records.size), values]
            for record, group in enumerate(groups):
                for coordinate in group:
                    rows["output"][coordinate[1]] = records.pointers[coordinate][record]
            start = stop
        return rows

    @staticmethod
    def _targets(records: RecordClass, contents: Contents) -> list[tuple[str, Positions, Positions | None]]:
        """For each position of a content: its copy, its coordinate in each record, and what values are called there.

        The last is None where all records call their values alike.
        """
        targets: list[tuple[str, Positions, Positions | None]] = []
        for copy, number in contents.layout:
            indices = np.array([record.coordinates[number][1] for record in records.records], dtype=np.int64)
            own = np.array([record.values[number] for record in records.records], dtype=np.int64)
            alike = bool((own == np.arange(own.shape[1])).all())
            targets.append((copy, indices, None if alike else own))
        return targets


State = Any
"""A state of the neighbour automaton."""
_Partial = tuple[int, int, int, State, Held, int]
"""An orbit half decided: class, records filled, next content, state, what records hold so far, size so far."""


@dataclass(frozen=True)
class Orbit:
    """One case, and how many it stands for: the positions of 'input', and where there are any of 'other', 'output'."""

    rows: Mapping[str, npt.NDArray[np.int64]]
    size: int


class Orbits:
    """The orbits of the cases of one shape, under permutations of records and local symmetries.

    With ``steps``, only cases whose two inputs are neighbours; the order in which records are read must not matter.
    """

    def __init__(
        self,
        classes: Sequence[RecordClass],
        arities: Mapping[Coordinate, int],
        shape: CaseShape,
        steps: NeighborSteps | None = None,
    ) -> None:
        self.arities, self.shape, self.steps = arities, shape, steps
        self.classes = [records for records in classes if "output" in shape or records.inputs]
        self.start: State = steps.start if steps else 0
        self.pointers = sorted({c for records in self.classes for c in records.pointers}) if "output" in shape else []
        self._following: dict[tuple[int, State, int], State | None] = {}
        self.contents = [Contents(records, shape, arities) for records in self.classes]
        for table in self.contents if steps else []:  # differences come first, so that dead ends show early
            table.contents.sort(key=table.agrees)

    @cached_property
    def _representatives(self) -> Representatives:
        return Representatives(self.classes, self.contents, self.shape, self.arities)

    def __len__(self) -> int:
        return self.count

    @property
    def count(self) -> int:
        """The number of orbits, counted without listing them."""
        total = 0
        for _, pointing in self._pointings():
            checkpoint()
            states: dict[State, int] = {self.start: 1}
            for number in range(len(self.classes)):
                states = self._counted(number, len(pointing[number]), states)
            total += sum(count for state, count in states.items() if self._accepts(state))
        return total

    @property
    def cases(self) -> int:
        """The number of cases of this shape, counted without any symmetry: what the sizes of all orbits sum to."""
        kinds = {kind for kind in self.shape if kind != "other"}
        if self.steps is None:
            return math.prod(arity for (kind, _), arity in self.arities.items() if kind in kinds)
        outputs = [arity for (kind, _), arity in self.arities.items() if kind == "output" and kind in kinds]
        return self.steps.automaton.count_pairs() * math.prod(outputs)

    def __iter__(self) -> Iterator[Orbit]:
        """List the orbits; one that lacks a case, or has it twice, is found out at the end of the list."""
        total = 0
        for fixed, pointing in self._pointings():
            for orbit in checkpoints(self._listed(fixed, pointing)):
                total += orbit.size
                yield orbit
        if total != self.cases:
            raise internal_fault(f"the orbits of {self.cases} cases have {total} cases.", value=total)

    # -- the neighbour relation ----------------------------------------------------------------------------------

    def _accepts(self, state: State) -> bool:
        return self.steps is None or self.steps.accepts(state)

    def _follow(self, number: int, state: State, content: int) -> State | None:
        """Return the state after one more record of a class; None if no neighbours can look like that."""
        if self.steps is None:
            return state
        key = (number, state, content)
        if key not in self._following:
            table = self.contents[number]
            self._following[key] = self.steps.follow(state, table, table.contents[content].values)
        return self._following[key]

    # -- outputs that point to records ---------------------------------------------------------------------------

    def _pointings(self) -> Iterator[tuple[dict[Coordinate, int], Pointing]]:
        """Yield the values of pointing outputs: one that names no record, or a record of some class."""
        options: list[list[tuple[int, int]]] = []
        for pointer in self.pointers:
            naming = {value for records in self.classes for value in records.pointers.get(pointer, ())}
            other = [(-1, value) for value in range(self.arities[pointer]) if value not in naming]
            options.append(other + [(number, -1) for number, one in enumerate(self.classes) if pointer in one.pointers])
        for choice in itertools.product(*options):
            chosen = dict(zip(self.pointers, choice, strict=True))
            fixed = {pointer: value for pointer, (number, value) in chosen.items() if number < 0}
            into = [[p for p in self.pointers if chosen[p][0] == number] for number in range(len(self.classes))]
            for groups in itertools.product(*[_partitions(pointers) for pointers in into]):
                if all(len(group) <= records.size for group, records in zip(groups, self.classes, strict=True)):
                    yield fixed, groups

    # -- counting ------------------------------------------------------------------------------------------------

    def _counted(self, number: int, pointed: int, states: dict[State, int]) -> dict[State, int]:
        """Return the number of orbits of a class per state reached; records that outputs point to are distinct."""
        contents = range(len(self.contents[number].contents))
        for _ in range(pointed):
            following: dict[State, int] = {}
            for content in contents:
                self._advance(number, content, states, following)
            states = following
        rest = self.classes[number].size - pointed
        filled: list[dict[State, int]] = [dict(states)] + [{} for _ in range(rest)]
        for content in contents:
            for records in range(rest):
                self._advance(number, content, filled[records], filled[records + 1])
        return filled[rest]

    def _advance(self, number: int, content: int, states: Mapping[State, int], into: dict[State, int]) -> None:
        for state, count in states.items():
            following = self._follow(number, state, content)
            if following is not None:
                into[following] = into.get(following, 0) + count

    # -- listing -------------------------------------------------------------------------------------------------

    def _listed(self, fixed: Mapping[Coordinate, int], pointing: Pointing) -> Iterator[Orbit]:
        """Yield orbits, the contents of records chosen in a fixed order; the stack holds the rest."""
        stack: list[_Partial] = [(0, 0, 0, self.start, (), 1)]
        while stack:
            number, filled, content, state, held, size = stack.pop()
            if number == len(self.classes):
                if self._accepts(state):
                    yield Orbit(self._representatives.case(fixed, pointing, held), size)
            elif filled == self.classes[number].size:
                stack.append((number + 1, 0, 0, state, held, size))
            elif filled < len(pointing[number]):
                contents = self.contents[number].contents
                for choice in range(len(contents) - 1, -1, -1):
                    following = self._follow(number, state, choice)
                    if following is not None:
                        ways = (self.classes[number].size - filled) * contents[choice].size
                        stack.append((number, filled + 1, 0, following, (*held, (choice, 1)), size * ways))
            else:
                stack += self._repeated(number, filled, content, state, held, size)

    def _repeated(
        self, number: int, filled: int, content: int, state: State, held: Held, size: int
    ) -> Iterator[_Partial]:
        """Yield one content any number of times: all further records hold later contents."""
        contents: Sequence[Content] = self.contents[number].contents
        rest = self.classes[number].size - filled
        reached: State | None = state
        for times in range(rest + 1 if content < len(contents) else 0):
            if times:
                reached = self._follow(number, reached, content)
            if reached is None:
                return
            if content < len(contents) - 1 or times == rest:
                ways = math.comb(rest, times) * contents[content].size ** times
                yield number, filled + times, content + 1, reached, (*held, (content, times)), size * ways


def _partitions(pointers: Sequence[Coordinate]) -> list[list[list[Coordinate]]]:
    """Return all ways to put some outputs into groups."""
    ways: list[list[list[Coordinate]]] = [[]]
    for pointer in pointers:
        ways = [
            [*groups[:number], [*(groups[number] if number < len(groups) else []), pointer], *groups[number + 1 :]]
            for groups in ways
            for number in range(len(groups) + 1)
        ]
    return ways
