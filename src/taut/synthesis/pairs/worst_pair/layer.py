"""Groups of pairs of prefixes with one future, and the values that were settled before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from taut.inference.loss import Branches

__all__ = ["LineGroup", "Prefix", "envelope"]


class Prefix(NamedTuple):
    """A pair of prefixes: the value settled so far, by what the group's masses are multiplied, and its number.

    If the branches of the group add f in the end, this pair has the value settled + factor * f.
    """

    settled: Any
    factor: int
    number: int


@dataclass
class LineGroup:
    """Pairs of prefixes with one state, whose live branches are multiples of the same ones."""

    state: int
    branches: Branches
    prefixes: list[Prefix]
    low: Any = None
    """Least sum that the live branches add."""
    high: Any = None
    """Largest sum that they add; None if it is unbounded."""


def envelope(prefixes: Sequence[Prefix], low: Any, high: Any) -> list[Prefix]:
    """The prefixes that are best for some f in [low, high]: the upper envelope of the lines settled + factor * f."""
    if len(prefixes) < 2:
        return list(prefixes)
    ordered = sorted(prefixes, key=lambda prefix: (prefix.factor, prefix.settled, -prefix.number))
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
