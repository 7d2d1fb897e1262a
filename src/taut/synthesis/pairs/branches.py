"""The futures of pairs of prefixes as sets of branches, and pairs of inputs that begin with given prefixes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from taut.inference.loss import Branches, LossWalk
from taut.neighbors import PairAutomaton
from taut.synthesis.case_order import CaseOrder
from taut.synthesis.walk import UNREAD, PrefixWalk

__all__ = ["BranchWalk", "completed", "reduced"]

N = TypeVar("N")
_MOST_COINS = 8


def reduced(branches: Branches) -> tuple[Branches, int]:
    """Branches without the common factor of their masses, and the factor."""
    factor = math.gcd(*(weight for masses in branches.values() for weight in masses.values()))
    if factor > 1:
        branches = {
            branch: {key: weight // factor for key, weight in masses.items()} for branch, masses in branches.items()
        }
    return branches, factor


class BranchWalk(PrefixWalk[Branches, N]):
    """A walk in which the future of a pair of prefixes is its branches."""

    losses: LossWalk

    def reading(self, number: int, coins: Sequence[int]) -> Any:
        return self.losses.move(number, coins)

    def passing(self, place: int) -> Any:
        move = self.losses.move(self.levels[place][0])
        return None if move is None else lambda branches, same: ((move(branches, 0, 0, same), 0),)

    def key(self, state: int, future: Branches) -> Hashable:
        return state, frozenset((branch, frozenset(masses.items())) for branch, masses in future.items())

    def read_together(self, place: int) -> list[int]:
        """The coins right below an input, if some belief reads it: pairs are taken through both at once."""
        number = self.levels[place][0]
        if number == UNREAD or not self.losses.reads(number):
            return []
        below = itertools.takewhile(lambda level: level[1] == "coin", self.levels[place + 1 : place + 1 + _MOST_COINS])
        return [coin for coin, _ in below]


def completed(
    automaton: PairAutomaton, order: CaseOrder, number: int, state: int, entries: int
) -> tuple[list[int], list[int]]:
    """A pair, as positions, whose first ``entries`` are those of the pair of prefixes with a number."""
    own, other, _ = order.case(number)
    for entry, layer in zip(automaton.order[entries:], automaton.transitions[entries:], strict=True):
        way = layer[state].first_unequal
        own[entry], other[entry], state = way.value, way.other, way.state
    return own, other
