"""All cases without a list of them: prefixes with one future are counted together, nothing is left out.

What matters of the prefixes of x, x' and y is the beliefs of both runs and the state of the neighbour automaton: from
there on, cases that agree in these go on alike, and end with the same probabilities. So they are kept once, with their
number and the first of them. Of randomized response, whatever its number of clients, some hundred are left at a level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.channel.beliefs import Beliefs
from taut.channel.frontier import Frontier
from taut.compile import Relation
from taut.errors import TooLarge
from taut.limits import checkpoints
from taut.neighbors import PairAutomaton
from taut.solvers.enumeration.order import CaseOrder

__all__ = ["Cases", "merged_cases"]

_Key = tuple[int, ...]
"""The beliefs of all runs, and the state of the automaton."""
_Counted = dict[_Key, tuple[int, int]]
"""How many cases there are of a key, and the number of the first of them."""
Cases = Iterator[tuple[tuple[Any, ...], int, int]]
"""The masses of a case in all runs (then those of the evidence, if asked for), how many there are, and the first."""


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
    """The different probabilities of all cases.

    Parameters
    ----------
    relation, automaton, order
        The channel; the pairs, their entries read in the order of the relation, those that it never reads last; and
        which cases come first.
    watched
        Outputs that have one value in all cases; None sums all outputs up.
    max_beliefs
        How many different prefixes may be kept at a level.
    runs, conditioned
        Whether cases have one input or two; whether the evidence of each input is wanted as well.

    Raises
    ------
    TooLarge
        There are more than ``max_beliefs`` of them.
    """
    return _Walk(relation, automaton, order, watched, max_beliefs, runs, conditioned).run()


@dataclass
class _Walk:
    """Prefixes at a level; beliefs are numbers in a frontier, and those of the evidence in another."""

    relation: Relation
    automaton: PairAutomaton
    order: CaseOrder
    watched: Mapping[int, int] | None
    max_beliefs: int
    runs: int
    conditioned: bool

    def __post_init__(self) -> None:
        self.name = self.relation.name
        self.frontiers = [Frontier(Beliefs(self.relation)) for _ in range(2 if self.conditioned else 1)]
        self.counted: _Counted = {}
        self.entry = 0

    def run(self) -> Cases:
        start = (0,) * (self.runs * len(self.frontiers))
        self.counted = {(*start, state): (1, 0) for state in self.automaton.states[0]}
        levels = self.relation.arrays.levels
        for number, level in enumerate(levels):
            if level.kind == "coin":
                for frontier in self.frontiers:
                    frontier.toss(number)
                continue
            self._settle()
            if level.kind == "input":
                self._read([frontier.spread(number) for frontier in self.frontiers])
            else:
                self._emit(number, level.index, level.arity)
        self._settle()
        while self.entry < len(self.automaton.order):
            self._read(None)
        yield from self._finished()

    def _settle(self) -> None:
        """Give beliefs the numbers that they have after the last coins."""
        lookups = [frontier.renumbered() for frontier in self.frontiers]
        if any(lookup is not None for lookup in lookups):
            tables = [None if lookup is None else lookup.tolist() for lookup in lookups]
            before, self.counted = self.counted, {}
            for key, (count, first) in checkpoints(before.items(), 4096):
                self._add(self._moved(key, tables), key[-1], count, first)

    def _moved(self, key: _Key, tables: Sequence[list[int] | None]) -> tuple[int, ...]:
        moved = []
        for place, number in enumerate(key[:-1]):
            table = tables[place // self.runs]
            moved.append(number if table is None else table[number])
        return tuple(moved)

    def _read(self, lookups: Sequence[npt.NDArray[np.int32]] | None) -> None:
        """Every prefix with every pair of values that the relation allows at the next entry."""
        entry, layer = self.automaton.order[self.entry], self.automaton.transitions[self.entry]
        parts = {way[:2]: self.order.entry(entry, *way[:2]) for ways in layer.values() for way in ways}
        rows = None if lookups is None else [lookup.tolist() for lookup in lookups]
        before, self.counted = self.counted, {}
        for key, (count, first) in checkpoints(before.items(), 1024):
            for value, other, state in layer[key[-1]]:
                beliefs = key[:-1]
                if rows is not None:
                    values = (value, other)
                    beliefs = tuple(
                        rows[place // self.runs][number][values[place % self.runs]]
                        for place, number in enumerate(beliefs)
                    )
                self._add(beliefs, state, count, first + parts[value, other])
        self.entry += 1

    def _emit(self, number: int, place: int, arity: int) -> None:
        """Every prefix with every value of an output; in the evidence outputs are summed up."""
        values: Sequence[int | None] = range(arity)
        if self.watched is None or place in self.watched:
            values = [None if self.watched is None else self.watched[place]]
            lookup = self.frontiers[0].choose(number, values[0])[:, None].tolist()
        else:
            lookup = self.frontiers[0].spread(number).tolist()
        summed = [frontier.choose(number, None).tolist() for frontier in self.frontiers[1:]]
        before, self.counted = self.counted, {}
        for key, (count, first) in checkpoints(before.items(), 1024):
            evidence = tuple(summed[0][belief] for belief in key[self.runs : -1])
            for column, value in enumerate(values):
                beliefs = tuple(lookup[belief][column] for belief in key[: self.runs])
                part = 0 if value is None else self.order.output(place, value)
                self._add(beliefs + evidence, key[-1], count, first + part)

    def _add(self, beliefs: tuple[int, ...], state: int, count: int, first: int) -> None:
        key = (*beliefs, state)
        known = self.counted.get(key)
        self.counted[key] = (count, first) if known is None else (known[0] + count, min(known[1], first))
        if known is None and len(self.counted) > self.max_beliefs:
            raise TooLarge(
                f"'{self.name}' has more than {self.max_beliefs} different prefixes (max_beliefs), too many to count "
                "all cases together.",
                value=len(self.counted),
            )

    def _finished(self) -> Cases:
        finals = [frontier.finals() for frontier in self.frontiers]
        for key, (count, first) in self.counted.items():
            masses = tuple(finals[place // self.runs][number] for place, number in enumerate(key[:-1]))
            yield masses, count, first
