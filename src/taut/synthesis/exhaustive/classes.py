"""The different values of cases, with their counts and the first case of each: what pieces find, and how it merges."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from taut.questions.measure import Measure
from taut.support.exact import INFINITY

__all__ = ["Found", "add", "merge", "worst_first", "worst_value"]

Found = dict[Any, tuple[int, int]]
"""For every value how many cases have it, and the number of the first of them."""


def add(found: Found, value: Any, count: int, first: int) -> None:
    """Note more cases of a value; cases without a value (None) do not count."""
    if value is None:
        return
    known = found.get(value)
    found[value] = (count, first) if known is None else (known[0] + count, min(known[1], first))


def merge(found: Found, more: Iterable[tuple[Any, tuple[int, int]]], measure: Measure, top: int | None) -> Found:
    """Merge two lots of cases; keep only the ``top`` worst values if that is asked for and values are exact.

    A value that is among the worst of all cases is among the worst wherever it occurs, so nothing is miscounted.
    """
    for value, (count, first) in more:
        add(found, value, count, first)
    if top is None or len(found) <= top or not all(map(_comparable, found)):
        return found
    worst = sorted(found, reverse=measure.largest)[:top]
    return {value: found[value] for value in worst}


def worst_value(found: Found, measure: Measure) -> Any:
    """The worst value; None if there is none yet, or if overlapping balls leave it undecided."""
    if not found or not all(map(_comparable, found)):
        return None
    return max(found) if measure.largest else min(found)


def worst_first(found: Found, measure: Measure, locate: Callable[[int], Any]) -> list[Any]:
    """The classes of values as results show them, each with its first case."""
    ordered = sorted(found.items(), key=lambda item: item[1][1])
    return measure.classes((value, count, functools.partial(locate, first)) for value, (count, first) in ordered)


def _comparable(value: Any) -> bool:
    return isinstance(value, (Fraction, int)) or (isinstance(value, float) and value == INFINITY)
