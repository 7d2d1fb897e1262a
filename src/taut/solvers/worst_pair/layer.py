"""What is left of pairs of prefixes in a search: groups with one future, and the values that were settled before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from taut.channel.loss import Branches

__all__ = ["Chosen", "Group", "Prefix", "envelope", "reduced"]


class Chosen(NamedTuple):
    """The values of x and x' at one entry, and the entries before it."""

    before: Any
    value: int
    other: int


class Prefix(NamedTuple):
    """A pair of prefixes: the value settled so far, by what the group's masses are multiplied, and its entries.

    If the branches of the group add f in the end, this pair has the value settled + factor * f.
    """

    settled: Any
    factor: int
    chosen: Chosen | None


@dataclass
class Group:
    """Pairs of prefixes with one state, whose live branches are multiples of the same ones."""

    state: int
    branches: Branches
    prefixes: list[Prefix]
    low: Any = None
    """What the live branches add at least."""
    high: Any = None
    """What they add at most; None if that is unbounded."""

    @property
    def key(self) -> Any:
        live = frozenset((branch, frozenset(masses.items())) for branch, masses in self.branches.items())
        return self.state, live


def reduced(branches: Branches) -> tuple[Branches, int]:
    """Branches without the common factor of their masses, and the factor."""
    factor = math.gcd(*(weight for masses in branches.values() for weight in masses.values()))
    if factor > 1:
        branches = {
            branch: {key: weight // factor for key, weight in masses.items()} for branch, masses in branches.items()
        }
    return branches, factor


def envelope(prefixes: Sequence[Prefix], low: Any, high: Any) -> list[Prefix]:
    """The prefixes that are best for some f in [low, high]: the upper envelope of the lines settled + factor * f."""
    if len(prefixes) < 2:
        return list(prefixes)
    ordered = sorted(prefixes, key=lambda prefix: (prefix.factor, prefix.settled))
    hull: list[Prefix] = []
    for prefix in ordered:
        while hull and (
            hull[-1].settled + hull[-1].factor * low <= prefix.settled + prefix.factor * low
            or (len(hull) > 1 and _crossing(hull[-2], prefix) <= _crossing(hull[-2], hull[-1]))
        ):
            hull.pop()
        hull.append(prefix)
    if high is None:
        return hull
    while len(hull) > 1 and hull[-1].settled + hull[-1].factor * high <= hull[-2].settled + hull[-2].factor * high:
        hull.pop()
    return hull


def _crossing(flat: Prefix, steep: Prefix) -> Any:
    """From where on the steeper line is above the flatter one."""
    return (flat.settled - steep.settled) / (steep.factor - flat.factor)
