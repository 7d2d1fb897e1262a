"""Neighbour relations read column by column, and which symmetries preserve them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from taut.domains import InputSpace
from taut.neighbors import Neighbors
from taut.solvers.symmetry.columns import ColumnClass
from taut.solvers.symmetry.letters import Case, Letters, moved
from taut.solvers.symmetry.permutation import Permutation, Variable

__all__ = ["Steps"]

State = tuple[int, int]
"""How many columns have been read, and the state of the automaton then."""
_PAIRS = Case(("input", "other"), False)


class Steps:
    """A neighbour relation whose automaton reads the entries column by column, class after class.

    The automaton is minimal: two ways to the same column end in one state if and only if the same may follow. So a
    symmetry preserves the relation if and only if it preserves states.
    """

    def __init__(
        self, neighbors: Neighbors, space: InputSpace, classes: Sequence[ColumnClass], arities: Mapping[Variable, int]
    ) -> None:
        self.arities = arities
        self.columns = [column for one in classes for column in one.columns]
        read = [[index for kind, index in column.variables if kind == "input"] for column in self.columns]
        self.automaton = neighbors.automaton(space, list(itertools.chain(*read)))
        self.levels = list(itertools.accumulate(map(len, read), initial=0))
        self.start = (0, next(iter(self.automaton.states[0]), -1))
        self._commuting: dict[object, bool] = {}

    def follow(self, state: State, letters: Letters, word: Sequence[int]) -> State | None:
        """The state after one more column that holds a word, None if no neighbours begin so."""
        column, reached = state
        if reached < 0:
            return None
        values: dict[int, list[int]] = {}
        for (copy, number), value in zip(letters.names, word, strict=True):
            if copy != "output":
                values.setdefault(number, []).append(self.columns[column].places[number][value])
        for level, (value, other) in enumerate(values.values(), self.levels[column]):
            following = self.automaton.moves[level][reached].get((value, other))
            if following is None:
                return None
            reached = following
        return column + 1, reached

    def respected(self, classes: Sequence[ColumnClass]) -> list[ColumnClass]:
        """The classes, in parts whose columns may be exchanged, with the local symmetries that keep neighbours."""
        found, first = [], 0
        for one in classes:
            letters = Letters(replace(one, local=()), _PAIRS, self.arities)
            breaks = [k for k in range(1, one.size) if one.inputs and not self._exchangeable(first + k - 1, letters)]
            for start, stop in itertools.pairwise([0, *breaks, one.size]):
                part = one if not breaks else _part(one, start, stop)
                found.append(replace(part, local=self._kept(part, first, letters) if start == 0 else ()))
            first += one.size
        return found

    def _kept(self, one: ColumnClass, column: int, letters: Letters) -> tuple[Permutation, ...]:
        """The local symmetries of a column that take neighbours to neighbours."""
        if not one.inputs:
            return one.local
        words = [letter.word for letter in letters.letters]
        kept = []
        for permutation in one.local:
            action = letters.action(permutation)
            images = [moved(word, action) for word in words]
            if self._effects(column, letters, words) == self._effects(column, letters, images):
                kept.append(permutation)
        return tuple(kept)

    def _effects(self, column: int, letters: Letters, words: Sequence[Sequence[int]]) -> list[tuple[State | None, ...]]:
        """What each word does to every state before a column."""
        states = self.automaton.states[self.levels[column]]
        return [tuple(self.follow((column, state), letters, word) for state in states) for word in words]

    def _exchangeable(self, column: int, letters: Letters) -> bool:
        """Whether a column and the next may change places, whatever they hold."""
        ends = range(self.levels[column], self.levels[column + 2])
        alike = [id(self.automaton.transitions[level]) for level in ends]
        key = (*alike, self.automaton.states[ends.start], *[self.columns[c].places for c in (column, column + 1)])
        if key not in self._commuting:
            words = [letter.word for letter in letters.letters]
            first, second = (self._effects(c, letters, words) for c in (column, column + 1))
            index = {(column + 1, q): i for i, q in enumerate(self.automaton.states[self.levels[column + 1]])}
            effects = set(zip(first, second, strict=True))
            self._commuting[key] = all(
                [None if q is None else d[index[q]] for q in a] == [None if q is None else b[index[q]] for q in c]
                for (a, b), (c, d) in itertools.combinations(effects, 2)
            )
        return self._commuting[key]


def _part(one: ColumnClass, start: int, stop: int) -> ColumnClass:
    """Some columns of a class that follow one another."""
    pointers = {variable: values[start:stop] for variable, values in one.pointers.items() if stop - start > 1}
    return replace(one, columns=one.columns[start:stop], pointers=pointers, swaps=())
