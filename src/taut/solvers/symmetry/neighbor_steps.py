"""Neighbour relations read record by record, and which symmetries preserve them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from taut.compile import Relation
from taut.errors import InvalidNeighbors
from taut.neighbors import Entrywise, neighbors_of
from taut.solvers.symmetry.contents import NEIGHBORS, Contents, moved
from taut.solvers.symmetry.permutation import arities_of
from taut.solvers.symmetry.records import RecordClass

__all__ = ["NeighborSteps"]


class NeighborSteps:
    """The automaton of a neighbour relation, reading the pairs of entries of one record after the other.

    Raises
    ------
    InvalidNeighbors
        If the relation is not known to be preserved by permuting entries.
    """

    def __init__(self, relation: Relation, neighbors: Any) -> None:
        automaton = neighbors_of(neighbors)
        if not isinstance(automaton, Entrywise):
            raise InvalidNeighbors(
                f"neighbors='{automaton.name}': symmetries need a relation that permuting entries preserves: "
                "one_differ, one_step or all_step.",
                value=neighbors,
            )
        self.relation, self.automaton = relation, automaton
        self.start = automaton.start

    def accepts(self, state: Any) -> bool:
        """Whether two inputs that lead to this state are neighbours."""
        return self.automaton.accepting(state)

    def follow(self, state: Any, contents: Contents, values: Sequence[int]) -> Any:
        """The state after a record with these values; None if they are not allowed."""
        pairs: dict[int, dict[str, int]] = {}
        for (copy, number), value in zip(contents.layout, values, strict=True):
            if copy != "output":
                pairs.setdefault(number, {})[copy] = value
        for number, pair in pairs.items():
            known = self.relation.inputs[contents.coordinates[number][1]].values
            if state is not None:
                state = self.automaton.step(state, known[pair["input"]], known[pair["other"]])
        return state

    def preserving(self, classes: Sequence[RecordClass]) -> list[RecordClass]:
        """The classes with those symmetries that take neighbours to neighbours.

        Raises
        ------
        InvalidNeighbors
            If exchanging two records of a class does not.
        """
        for records in classes:
            if records.size > 1:
                self._demand_order_free(records)
        return [self._preserving(records) if records.local and records.inputs else records for records in classes]

    def _preserving(self, records: RecordClass) -> RecordClass:
        """The class with those local symmetries that take neighbours to neighbours."""
        contents, states = self._unmerged(records)
        kept = []
        for permutation in records.local:
            action = contents.action(permutation)
            if all(
                self.follow(state, contents, one.values) == self.follow(state, contents, moved(one.values, action))
                for state in states
                for one in contents.contents
            ):
                kept.append(permutation)
        return replace(records, local=tuple(kept))

    def _demand_order_free(self, records: RecordClass) -> None:
        """Refuse a relation for which it matters in which order the records of a class are read."""
        contents, states = self._unmerged(records)
        effects = {tuple(self.follow(s, contents, one.values) for s in states) for one in contents.contents}
        number_of = {state: number for number, state in enumerate(states)}
        for a, b in itertools.combinations(effects, 2):
            both = [None if s is None else b[number_of[s]] for s in a]
            if both != [None if s is None else a[number_of[s]] for s in b]:
                raise InvalidNeighbors(
                    f"neighbors='{self.automaton.name}': it matters in which order entries are read, so permuting "
                    "entries does not preserve it.",
                    value=self.automaton,
                )

    def _unmerged(self, records: RecordClass) -> tuple[Contents, list[Any]]:
        """What two neighbours may hold in a record, local symmetries aside, and the states that records lead to."""
        contents = Contents(replace(records, local=()), NEIGHBORS, arities_of(self.relation))
        states = [self.start]
        for state in states:
            for one in contents.contents:
                following = self.follow(state, contents, one.values)
                if following is not None and following not in states:
                    states.append(following)
        return contents, states
