"""Counting of all cases without listing them: prefixes with equal futures are counted together.

The future of a prefix of x, x' and y depends only on the beliefs of both runs and the state of the neighbour automaton:
prefixes that agree in these lead to the same probabilities. So they are kept once, with their number and the first of
them. Randomized response keeps about a hundred at a level, for any number of clients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

from taut.diagrams.compile import Relation
from taut.inference.beliefs import Beliefs
from taut.inference.table import BeliefFrontier
from taut.neighbors import PairAutomaton
from taut.support.errors import TooLarge
from taut.synthesis.walk import CaseOrder, CountingWalk

__all__ = ["Cases", "merged_cases"]

Cases = Iterator[tuple[tuple[Any, ...], int, int]]
"""The masses of a case in all runs (then those of the evidence, if asked for), the number of such cases, and the first.
"""
_Beliefs = tuple[int, ...]
"""The numbers of the beliefs of all runs, then of those of the evidence."""


def merged_cases(
    relation: Relation,
    automaton: PairAutomaton,
    order: CaseOrder,
    watched: Mapping[int, int] | None,
    max_beliefs: int,
    *,
    runs: int,
    conditioned: bool,
) -> Cases:
    """Return the different probabilities of all cases.

    Parameters:
        relation, automaton, order: the channel; the pairs, their entries read in the order of the relation, those
            that it never reads last; and which cases come first.
        watched: outputs that have one value in all cases; None sums all outputs up.
        max_beliefs: limit for the different prefixes that are kept at a level.
        runs, conditioned: number of inputs of a case, one or two; True if the evidence of each input is wanted as
            well.

    Raises:
        TooLarge: there are more than ``max_beliefs`` of them.
    """
    return _CountedCases(relation, automaton, order, watched, max_beliefs, runs, conditioned).cases()


class _CountedCases(CountingWalk[_Beliefs]):
    """Prefixes of x, x' and y; beliefs are numbers in a frontier, and those of the evidence in another."""

    def __init__(
        self,
        relation: Relation,
        automaton: PairAutomaton,
        order: CaseOrder,
        watched: Mapping[int, int] | None,
        max_beliefs: int,
        runs: int,
        conditioned: bool,
    ) -> None:
        super().__init__(relation, automaton, order)
        self.watched, self.max_beliefs, self.runs = watched, max_beliefs, runs
        self.frontiers = [BeliefFrontier(Beliefs(relation)) for _ in range(2 if conditioned else 1)]
        self.places = range(runs * len(self.frontiers))

    def cases(self) -> Cases:
        walked = self.walk((0,) * len(self.places), (1, 0))
        finals = [frontier.finals() for frontier in self.frontiers]
        for _, beliefs, (count, first) in walked.values():
            yield tuple(finals[place // self.runs][number] for place, number in enumerate(beliefs)), count, first

    def reading(self, number: int, coins: Sequence[int]) -> Callable[[_Beliefs, int, int, bool], _Beliefs]:
        rows = [frontier.spread(number).tolist() for frontier in self.frontiers]
        if self.runs == 2 and len(rows) == 1:
            (table,) = rows
            return lambda beliefs, value, other, _: (table[beliefs[0]][value], table[beliefs[1]][other])
        each = [(place, rows[place // self.runs], place % self.runs) for place in self.places]

        def read(beliefs: _Beliefs, value: int, other: int, _: bool) -> _Beliefs:
            return tuple([table[beliefs[place]][other if side else value] for place, table, side in each])

        return read

    def passing(self, place: int) -> Callable[[_Beliefs, bool], Iterable[tuple[_Beliefs, int]]] | None:
        number, kind = self.levels[place]
        return self._tossed(place, number) if kind == "coin" else self._told(number)

    def _tossed(self, place: int, number: int) -> Callable[[_Beliefs, bool], Iterable[tuple[_Beliefs, int]]] | None:
        """Return beliefs after the last of several coins, renumbered."""
        for frontier in self.frontiers:
            frontier.toss(number)
        if self.levels[place + 1 : place + 2] and self.levels[place + 1][1] == "coin":
            return None
        found = [frontier.renumbered() for frontier in self.frontiers]
        if all(lookup is None for lookup in found):
            return None
        tables = [range(1 << 62) if lookup is None else lookup.tolist() for lookup in found]
        each = [(one, tables[one // self.runs]) for one in self.places]
        return lambda beliefs, _: ((tuple([table[beliefs[one]] for one, table in each]), 0),)

    def _told(self, number: int) -> Callable[[_Beliefs, bool], Iterable[tuple[_Beliefs, int]]]:
        """Extend every prefix by every value of an output; sum over it in the evidence."""
        level = self.relation.arrays.levels[number]
        values: Sequence[int | None] = range(level.arity)
        if self.watched is None or level.index in self.watched:
            values = [None if self.watched is None else self.watched[level.index]]
            lookup = self.frontiers[0].choose(number, values[0])[:, None].tolist()
        else:
            lookup = self.frontiers[0].spread(number).tolist()
        summed = [frontier.choose(number, None).tolist() for frontier in self.frontiers[1:]]
        parts = [0 if value is None else self.order.output(level.index, value) for value in values]
        columns = list(enumerate(parts))

        def told(beliefs: _Beliefs, _: bool) -> Iterable[tuple[_Beliefs, int]]:
            rows = [lookup[belief] for belief in beliefs[: self.runs]]
            evidence = tuple([summed[0][belief] for belief in beliefs[self.runs :]])
            return [((*[row[column] for row in rows], *evidence), part) for column, part in columns]

        return told

    def key(self, state: int, future: _Beliefs) -> Any:
        return state, future

    def require_room(self, layer: Sized) -> None:
        if len(layer) > self.max_beliefs:
            raise TooLarge(
                f"'{self.relation.name}' has more than {self.max_beliefs} different prefixes (max_beliefs), too many "
                "to count all cases together.",
                value=len(layer),
            )
