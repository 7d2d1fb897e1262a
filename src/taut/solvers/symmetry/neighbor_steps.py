"""Neighbour relations read column by column, and which symmetries preserve them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from taut.compile import Relation
from taut.errors import InvalidNeighbors
from taut.neighbors import Entrywise
from taut.solvers.symmetry.contents import CaseShape, Contents, moved
from taut.solvers.symmetry.permutation import Coordinate
from taut.solvers.symmetry.records import RecordClass

__all__ = ["NeighborSteps"]


class NeighborSteps:
    """A neighbour relation, read column by column."""

    def __init__(self, relation: Relation, neighbors: Entrywise) -> None:
        self.relation, self.neighbors = relation, neighbors

    def follow(self, state: Any, letters: Contents, word: Sequence[int]) -> Any:
        """The state after a column."""
        pairs: dict[int, dict[str, int]] = {}
        for (copy, number), value in zip(letters.names, word, strict=True):
            if copy != "output":
                pairs.setdefault(number, {})[copy] = value
        for number, pair in pairs.items():
            values = self.relation.inputs[letters.variables[number][1]].values
            if state is not None:
                state = self.neighbors.step(state, values[pair["input"]], values[pair["other"]])
        return state

    def respected(self, one: RecordClass, arities: dict[Coordinate, int]) -> RecordClass:
        """The class with those local symmetries that take neighbours to neighbours."""
        if not one.local or not one.inputs:
            return one
        letters = Contents(replace(one, local=()), CaseShape(("input", "other"), False), arities)
        states = self._states([letters])
        kept = []
        for permutation in one.local:
            action = letters.action(permutation)
            words = [letter.word for letter in letters.letters]
            if all(
                self.follow(s, letters, w) == self.follow(s, letters, moved(w, action)) for s in states for w in words
            ):
                kept.append(permutation)
        return replace(one, local=tuple(kept))

    def demand_order_free(self, classes: Sequence[RecordClass], arities: dict[Coordinate, int]) -> None:
        """Refuse a relation for which it matters in which order entries are read."""
        for one in classes:
            if one.size < 2:
                continue
            letters = Contents(replace(one, local=()), CaseShape(("input", "other"), False), arities)
            states = self._states([letters])
            effects = {tuple(self.follow(s, letters, letter.word) for s in states) for letter in letters.letters}
            place = {state: number for number, state in enumerate(states)}
            for a in effects:
                for b in effects:
                    both = [None if s is None else b[place[s]] for s in a]
                    if both != [None if s is None else a[place[s]] for s in b]:
                        raise InvalidNeighbors(
                            f"neighbors='{self.neighbors.name}': it matters in which order entries are read, so "
                            "permuting entries does not preserve it.",
                            value=self.neighbors,
                        )

    def _states(self, tables: Sequence[Contents]) -> list[Any]:
        states = [self.neighbors.start]
        for state in states:
            for letters in tables:
                for letter in letters.letters:
                    following = self.follow(state, letters, letter.word)
                    if following is not None and following not in states:
                        states.append(following)
        return states
