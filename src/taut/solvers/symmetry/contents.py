"""Contents: what can stand in a column, contents that local symmetries make equal being one letter."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from taut.errors import TooLarge
from taut.solvers.symmetry.permutation import Coordinate, Permutation
from taut.solvers.symmetry.records import RecordClass

__all__ = ["CaseShape", "Content", "Contents", "Word", "moved"]

Word = tuple[int, ...]
"""What stands in a column, in the spelling of its class."""
Action = list[tuple[int, tuple[int, ...] | None]]
_LETTERS = 1 << 16


@dataclass(frozen=True)
class Content:
    """Contents of a column that local symmetries make equal: one of them, and how many they are."""

    word: Word
    size: int


@dataclass(frozen=True)
class CaseShape:
    """What a case consists of: copies of the inputs ('input', and 'other' for a second run), and maybe outputs."""

    copies: tuple[str, ...]
    outputs: bool


class Contents:
    """The letters of one class for one sort of case."""

    def __init__(self, one: RecordClass, case: CaseShape, arities: Mapping[Coordinate, int]) -> None:
        self.names: list[tuple[str, int]] = []
        """Copy and number of the variable within the column, for every place of a word."""
        variables = self.variables = one.records[0].variables
        for number, (kind, _) in enumerate(variables):
            if kind == "input":
                self.names += [(copy, number) for copy in case.copies]
            elif case.outputs:
                self.names.append(("output", number))
        sizes = [arities[variables[number]] for _, number in self.names]
        if math.prod(sizes) > _LETTERS:
            raise TooLarge(
                f"a column with {_named(variables)} has {math.prod(sizes)} different contents, too many to tell their "
                f"orbits (at most {_LETTERS}).",
                value=math.prod(sizes),
            )
        words = list(itertools.product(*[range(size) for size in sizes]))
        self.letters = self._merged(words, one, case)

    def action(self, permutation: Permutation) -> Action:
        """What a local symmetry does to words: for every place where it goes, and how its values change."""
        place_of = {(copy, self.variables[number]): place for place, (copy, number) in enumerate(self.names)}
        found: Action = []
        for copy, number in self.names:
            target, values = permutation.moves.get(self.variables[number], (self.variables[number], None))
            found.append((place_of[copy, target], values))
        return found

    def _merged(self, words: list[Word], one: RecordClass, case: CaseShape) -> list[Content]:
        """One letter for each orbit of the local symmetries, which act on all copies alike."""
        moves = [self.action(permutation) for permutation in one.local if case.outputs or permutation.inputs]
        seen: set[Word] = set()
        letters = []
        for word in words:
            if word in seen:
                continue
            seen.add(word)
            orbit = [word]
            for here in orbit:
                for move in moves:
                    there = moved(here, move)
                    if there not in seen:
                        seen.add(there)
                        orbit.append(there)
            letters.append(Content(word, len(orbit)))
        return letters


def moved(word: Word, action: Action) -> Word:
    """The word that a local symmetry makes of one."""
    image = list(word)
    for value, (target, values) in zip(word, action, strict=True):
        image[target] = value if values is None else values[value]
    return tuple(image)


def _named(variables: Sequence[Coordinate]) -> str:
    entries = sum(kind == "input" for kind, _ in variables)
    return f"{entries} entries and {len(variables) - entries} outputs"
