"""Orbits: cases that symmetries make equal, one representative for each with the exact number of cases it stands for.

Columns of a class may be permuted at will, so an orbit is told by how often each letter occurs among them, a letter
being what stands in a column; local symmetries make letters equal. Nothing is ever listed but the orbits themselves,
and they are counted without being listed.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.solvers.symmetry.columns import ColumnClass
from taut.solvers.symmetry.letters import Case, Letter, Letters
from taut.solvers.symmetry.permutation import Variable

__all__ = ["Orbit", "Orbits"]

State = Hashable
Runs = tuple[tuple[int, int], ...]
"""Letters of the columns in order, each with how often it follows."""
_Partial = tuple[int, int, int, State, Runs, int]


@dataclass(frozen=True)
class Orbit:
    """One case, and how many it stands for: the positions of 'input', and where there are any of 'other', 'output'."""

    rows: Mapping[str, npt.NDArray[np.int64]]
    size: int


class Orbits:
    """The orbits of one sort of case under a product of column permutations and local symmetries.

    ``step`` follows a state along the columns, None where a case is to be left out; it must not matter in which order
    columns are read. ``accepting`` says which states may remain at the end.
    """

    def __init__(
        self,
        classes: Sequence[ColumnClass],
        arities: Mapping[Variable, int],
        case: Case,
        step: Any = None,
        start: State = 0,
        accepting: Any = None,
    ) -> None:
        self.arities = arities
        self.case = case
        kept = [one for one in classes if case.outputs or one.inputs]
        self.classes = kept
        self.letters = [Letters(one, case, arities) for one in kept]
        self.step = step or (lambda state, names, word: state)
        self.start = start
        for table in self.letters:  # what makes x and x' differ comes first, so that dead ends show early
            table.letters.sort(key=functools.partial(_keeps, table))
        self.accepting = accepting or (lambda state: True)
        self._steps: dict[tuple[int, State, int], State | None] = {}
        self.pointers = sorted({v for one in kept for v in one.pointers}) if case.outputs else []

    def __len__(self) -> int:
        return self.count

    @property
    def count(self) -> int:
        """The number of orbits, counted without listing them."""
        total = 0
        for _, marked in self._marks():
            states: dict[State, int] = {self.start: 1}
            for number, one in enumerate(self.classes):
                states = self._counted(number, one.size, marked[number], states)
            total += sum(count for state, count in states.items() if self.accepting(state))
        return total

    def __iter__(self) -> Iterator[Orbit]:
        for fixed, marked in self._marks():
            yield from self._listed(fixed, marked)

    # -- pointers ------------------------------------------------------------------------------------------------

    def _marks(self) -> Iterator[tuple[dict[Variable, int], list[list[list[Variable]]]]]:
        """What the outputs that name columns can name: a value that names none, or a column of a class.

        Gives the former, and for each class groups of outputs that name the same column, each group another one.
        """
        options: list[list[tuple[int, int]]] = []
        for variable in self.pointers:
            taken = {v for one in self.classes for v in one.pointers.get(variable, ())}
            own = [(-1, value) for value in range(self.arities[variable]) if value not in taken]
            options.append(own + [(place, -1) for place, one in enumerate(self.classes) if variable in one.pointers])
        for choice in itertools.product(*options):
            fixed = {v: value for v, (place, value) in zip(self.pointers, choice, strict=True) if place < 0}
            chosen = [
                [v for v, (place, _) in zip(self.pointers, choice, strict=True) if place == number]
                for number in range(len(self.classes))
            ]
            for groups in itertools.product(*[list(_partitions(names)) for names in chosen]):
                if all(len(group) <= one.size for group, one in zip(groups, self.classes, strict=True)):
                    yield fixed, list(groups)

    # -- counting ------------------------------------------------------------------------------------------------

    def _following(self, number: int, state: State, letter: int) -> State | None:
        key = (number, state, letter)
        if key not in self._steps:
            table = self.letters[number]
            self._steps[key] = self.step(state, table, table.letters[letter].word)
        return self._steps[key]

    def _counted(
        self, number: int, size: int, groups: Sequence[Sequence[Variable]], states: dict[State, int]
    ) -> dict[State, int]:
        """How many orbits of a class lead from some states to which others."""
        letters = range(len(self.letters[number].letters))
        for _ in groups:
            marked: dict[State, int] = {}
            for state, count in states.items():
                for letter in letters:
                    following = self._following(number, state, letter)
                    if following is not None:
                        marked[following] = marked.get(following, 0) + count
            states = marked
        left = size - len(groups)
        table: list[dict[State, int]] = [dict(states)] + [{} for _ in range(left)]
        for letter in letters:
            for filled in range(left):
                for state, count in list(table[filled].items()):
                    following = self._following(number, state, letter)
                    if following is not None:
                        table[filled + 1][following] = table[filled + 1].get(following, 0) + count
        return table[left]

    # -- listing -------------------------------------------------------------------------------------------------

    def _listed(self, fixed: Mapping[Variable, int], marked: Sequence[Sequence[Sequence[Variable]]]) -> Iterator[Orbit]:
        """Orbits, the letters of the columns chosen one after the other in a fixed order.

        A stack holds what is left to decide: class, filled columns, next letter, state, columns so far, size.
        """
        stack: list[_Partial] = [(0, 0, 0, self.start, (), 1)]
        while stack:
            number, filled, letter, state, chosen, size = stack.pop()
            if number == len(self.classes):
                if self.accepting(state):
                    yield Orbit(self._case(fixed, marked, chosen), size)
                continue
            one, letters = self.classes[number], self.letters[number].letters
            if filled == one.size:
                stack.append((number + 1, 0, 0, state, chosen, size))
                continue
            groups = len(marked[number])
            if filled < groups:
                for place in range(len(letters) - 1, -1, -1):
                    following = self._following(number, state, place)
                    if following is not None:
                        ways = (one.size - filled) * letters[place].size
                        stack.append((number, filled + 1, 0, following, (*chosen, (place, 1)), size * ways))
                continue
            stack += self._runs(number, filled, letter, state, chosen, size)

    def _runs(self, number: int, filled: int, letter: int, state: State, chosen: Runs, size: int) -> list[_Partial]:
        """One letter a number of times: all further columns have later letters."""
        letters, left = self.letters[number].letters, self.classes[number].size - filled
        if letter == len(letters):
            return []
        last = letter == len(letters) - 1
        found: list[_Partial] = []
        reached: State | None = state
        for times in range(left + 1):
            if reached is None:
                break
            if not last or times == left:
                ways = math.comb(left, times) * letters[letter].size ** times
                row: _Partial = (number, filled + times, letter + 1, reached, (*chosen, (letter, times)), size * ways)
                found.append(row)
            reached = self._following(number, reached, letter) if times < left else None
        return found

    def _case(
        self, fixed: Mapping[Variable, int], marked: Sequence[Sequence[Sequence[Variable]]], chosen: Runs
    ) -> dict[str, npt.NDArray[np.int64]]:
        """The positions of every copy of the inputs and of the outputs."""
        found = {copy: np.zeros(length, dtype=np.int64) for copy, length in self._lengths.items()}
        for (_, index), value in fixed.items():
            found["output"][index] = value
        start = 0
        for number, (one, table, groups) in enumerate(zip(self.classes, self.letters, marked, strict=True)):
            stop, filled = start, 0
            while filled < one.size:
                filled += chosen[stop][1]
                stop += 1
            words = [table.letters[letter].word for letter, _ in chosen[start:stop]]
            times = [count for _, count in chosen[start:stop]]
            for place, (copy, targets, spelled) in enumerate(self._targets[number]):
                values = np.repeat(np.array([word[place] for word in words], dtype=np.int64), times)
                found[copy][targets] = values if spelled is None else spelled[np.arange(one.size), values]
            for place, group in enumerate(groups):
                for variable in group:
                    found["output"][variable[1]] = one.pointers[variable][place]
            start = stop
        return found

    @functools.cached_property
    def _lengths(self) -> dict[str, int]:
        entries = sum(kind == "input" for kind, _ in self.arities)
        lengths = dict.fromkeys(self.case.copies, entries)
        return {**lengths, "output": len(self.arities) - entries} if self.case.outputs else lengths

    @functools.cached_property
    def _targets(self) -> list[list[tuple[str, npt.NDArray[np.int64], npt.NDArray[np.int64] | None]]]:
        """For every class and place of its words: which variable that is in each column, and how it is spelled."""
        made = []
        for one, table in zip(self.classes, self.letters, strict=True):
            rows: list[tuple[str, npt.NDArray[np.int64], npt.NDArray[np.int64] | None]] = []
            for copy, inner in table.names:
                targets = np.array([column.variables[inner][1] for column in one.columns], dtype=np.int64)
                spelled = np.array([column.places[inner] for column in one.columns], dtype=np.int64)
                plain = bool((spelled == np.arange(spelled.shape[1])).all())
                rows.append((copy, targets, None if plain else spelled))
            made.append(rows)
        return made


def _keeps(table: Letters, letter: Letter) -> bool:
    """Whether all copies of the input are the same in a column."""
    held = {(number, value) for (copy, number), value in zip(table.names, letter.word, strict=True) if copy != "output"}
    return len(held) == len({number for number, _ in held})


def _partitions(names: Sequence[Variable]) -> Iterator[list[list[Variable]]]:
    """All ways to put names into groups."""
    made: list[list[list[Variable]]] = [[]]
    for name in names:
        made = [
            [*groups[:place], [*groups[place], name], *groups[place + 1 :]]
            if place < len(groups)
            else [*groups, [name]]
            for groups in made
            for place in range(len(groups) + 1)
        ]
    yield from made
