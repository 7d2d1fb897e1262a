"""Gumbel noise without a value: numbers of one scale that are compared with each other, as arrivals in a race.

If G has the standard Gumbel distribution, exp(-G) is exponential with mean 1. So a + G is larger than b + H if and only
if an exponential number of rate e^a comes before one of rate e^b. The first of several exponential numbers is each of
them in proportion to the rates, whenever it comes, and what is left of the others is exponential again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.languages.python.run.steps import Compared
from taut.languages.python.run.tree import ChoiceTree
from taut.support.errors import RealRandomness
from taut.support.exact import exp

__all__ = ["Gumbel"]

Edge = tuple[int, int]
"""The places of a number and of one that arrives later, which is smaller."""


class _Race:
    """Numbers of one run that have been compared with each other, and what is known of their order."""

    def __init__(self, first: Gumbel, height: Fraction) -> None:
        self.members = [first]
        self.heights = [height]
        self.edges: frozenset[Edge] = frozenset()

    def before(self, a: int, b: int) -> bool:
        """Return True if one number is known to arrive before another."""
        found, ahead = {a}, [a]
        while ahead:
            place = ahead.pop()
            later = {end for start, end in self.edges if start == place} - found
            found |= later
            ahead += later
        return b in found

    def chance(self, edges: frozenset[Edge]) -> Any:
        """Return the probability of these orders."""
        top = max(self.heights)
        rates = [Fraction(1) if height == top else exp(height - top) for height in self.heights]
        known: dict[frozenset[Edge], Any] = {}

        def of_all(edges: frozenset[Edge]) -> Any:
            product: Any = Fraction(1)
            for part in _connected(edges):
                product *= of_one(part)
            return product

        def of_one(edges: frozenset[Edge]) -> Any:
            if edges not in known:
                places = {place for edge in edges for place in edge}
                first = sorted(places - {later for _, later in edges})
                whole = sum([rates[place] for place in sorted(places)], start=Fraction(0))
                total: Any = Fraction(0)
                for place in first:
                    rest = frozenset([edge for edge in edges if edge[0] != place])
                    total += rates[place] / whole * of_all(rest)
                known[edges] = total
            return known[edges]

        return of_all(edges)


def _connected(edges: frozenset[Edge]) -> list[frozenset[Edge]]:
    """Return the parts of an order that have no number in common."""
    parts: list[tuple[set[int], set[Edge]]] = []
    for edge in sorted(edges):
        places, merged = set(edge), {edge}
        apart = []
        for known, part in parts:
            if known & places:
                places |= known
                merged |= part
            else:
                apart.append((known, part))
        parts = [*apart, (places, merged)]
    return [frozenset(part) for _, part in parts]


class Gumbel:
    """A number with the standard Gumbel distribution, as the variable of a lazy number."""

    whole = False
    joined = None
    ends = -float("inf"), float("inf")

    def __init__(self, tree: ChoiceTree) -> None:
        self.tree = tree
        self.race: _Race | None = None
        self.place = 0

    def above(self, height: Fraction, other: Gumbel, other_height: Fraction) -> bool:
        """Return True if height + number is above other_height + other number, by a draw if both can be."""
        race = self._raced(height, other, other_height)
        a, b = self.place, other.place
        for holds, (first, last) in ((True, (a, b)), (False, (b, a))):
            if race.before(first, last):
                return holds
        key = Gumbel, tuple(race.heights), race.edges, a, b
        if key not in self.tree.memory:
            share = race.chance(race.edges | {(a, b)}) / race.chance(race.edges)
            self.tree.memory[key] = share, 1 - share
        holds = self.tree.choose(self.tree.memory[key]) == 0
        race.edges |= {(a, b) if holds else (b, a)}
        return holds

    def _raced(self, height: Fraction, other: Gumbel, other_height: Fraction) -> _Race:
        for one, where in ((self, height), (other, other_height)):
            if one.race is None:
                one.race = _Race(one, where)
            elif one.race.heights[one.place] != where:
                self.refused("is compared a second time after something else was added to it")
        race, joins = self.race, other.race
        assert race is not None and joins is not None
        if race is not joins:
            moved = len(race.heights)
            race.heights += joins.heights
            race.edges |= {(start + moved, end + moved) for start, end in joins.edges}
            for one in joins.members:
                one.race, one.place = race, one.place + moved
            race.members += joins.members
        return race

    def share(self, asked: Compared) -> Any:
        """Refuse a comparison with a number."""
        return self.refused("is compared with numbers, or rounded")

    def keep(self, asked: Compared, below: bool) -> None:
        """Do nothing, since no comparison with a number is answered."""

    def state(self) -> Any:
        race = self.race
        return None if race is None else (tuple(race.heights), race.edges, self.place)

    def refused(self, what: str) -> Any:
        """Refuse an operation on the number that has no exact distribution."""
        return self.tree.refuse(
            RealRandomness(
                f"'{self.tree.name}': Gumbel noise {what}. It can be added to numbers, scaled, and compared with other "
                "Gumbel noise of the same scale, as the exponential mechanism does with argmax; elsewhere draw with "
                "taut.exponential or with Laplace noise.",
                value=self.tree.name,
            )
        )
