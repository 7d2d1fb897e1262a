"""Neighbour relations read record by record, and which symmetries preserve them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from taut.compile import Relation
from taut.errors import InvalidNeighbors
from taut.neighbors import Entrywise, neighbors_of
from taut.solvers.symmetry.contents import NEIGHBORS, Content, Contents, moved
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

    def idle(self, contents: Contents, content: Content) -> bool:
        """Whether a record with this content leaves the first state as it is."""
        return bool(self.follow(self.automaton.start, contents, content.values) == self.automaton.start)

    def preserving(self, records: RecordClass) -> RecordClass:
        """The class with those local symmetries that take neighbours to neighbours."""
        if not records.local or not records.inputs:
            return records
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

    def demand_order_free(self, classes: Sequence[RecordClass]) -> None:
        """Refuse a relation for which it matters in which order records are read."""
        for records in classes:
            if records.size < 2:
                continue
            contents, states = self._unmerged(records)
            effects = {tuple(self.follow(s, contents, one.values) for s in states) for one in contents.contents}
            number_of = {state: number for number, state in enumerate(states)}
            for a in effects:
                for b in effects:
                    both = [None if s is None else b[number_of[s]] for s in a]
                    if both != [None if s is None else a[number_of[s]] for s in b]:
                        raise InvalidNeighbors(
                            f"neighbors='{self.automaton.name}': it matters in which order entries are read, so "
                            "permuting entries does not preserve it.",
                            value=self.automaton,
                        )

    def _unmerged(self, records: RecordClass) -> tuple[Contents, list[Any]]:
        """What two neighbours may hold in a record, local symmetries aside, and the states that records lead to."""
        contents = Contents(replace(records, local=()), NEIGHBORS, arities_of(self.relation))
        states = [self.automaton.start]
        for state in states:
            for one in contents.contents:
                following = self.follow(state, contents, one.values)
                if following is not None and following not in states:
                    states.append(following)
        return contents, states
