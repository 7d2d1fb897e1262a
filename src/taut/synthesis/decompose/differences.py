"""Items that are sums of what other items add: only the differences are kept, which tell as much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taut.diagrams.compile.linear import all_parts, are_integers, is_linear
from taut.program import Const, Term, Terms
from taut.support.limits import checkpoints
from taut.synthesis.decompose.statistic import Dependence

__all__ = ["Differences", "differences_of"]

_MOST_PARTS = 1 << 20
"""Parts of all items together."""
Weights = dict[Term, int]
"""The parts of a sum, with the numbers by which they are multiplied."""


@dataclass(frozen=True, eq=False)
class Differences:
    """Items less multiples of earlier ones; ``added`` has for each place the earlier places with these multiples."""

    items: tuple[Term, ...]
    added: Mapping[int, Mapping[int, int]]

    def restored(self, items: Mapping[int, Any]) -> dict[int, Any]:
        """Return the items that have these differences."""
        found = dict(items)
        for place, multiples in self.added.items():
            found[place] = items[place] + sum([multiple * items[other] for other, multiple in multiples.items()])
        return found


def differences_of(terms: Terms, items: Sequence[Term], dependence: Dependence) -> Differences | None:
    """Return items without the random parts that earlier ones have; None where that changes none.

    An item is subtracted where that leaves fewer random parts. One of its own parts, which it has once, tells how often
    it is in others. A sum of one part is that part.
    """
    found = list(items)
    leading: dict[Term, tuple[int, Weights]] = {}
    added: dict[int, dict[int, int]] = {}
    seen = 0
    for place, item in enumerate(checkpoints(items, 64)):
        weights = _weights(item, dependence)
        if weights is None:
            continue
        seen += len(weights)
        if seen > _MOST_PARTS:
            return None
        multiples: dict[int, int] = {}
        for part in list(weights):
            earlier, own = leading.get(part, (place, {}))
            factor = weights.get(part, 0)
            if earlier == place or not factor:
                continue
            multiple = factor * own[part]
            less = {one: weights.get(one, 0) - multiple * own.get(one, 0) for one in {**weights, **own}}
            less = {one: number for one, number in less.items() if number}
            if _random(less, dependence) < _random(weights, dependence):
                weights, multiples[earlier] = less, multiples.get(earlier, 0) + multiple
        if multiples:
            added[place] = multiples
        if multiples or list(weights.values()) == [1]:
            found[place] = _sum(terms, weights)
        free = [part for part, factor in weights.items() if factor in (1, -1) and part in dependence.random]
        first = next((part for part in free if part not in leading), None)
        if first is not None:
            leading[first] = (place, weights)
    changed = any(one is not item for one, item in zip(found, items, strict=True))
    return Differences(tuple(found), added) if changed else None


def _weights(item: Term, dependence: Dependence) -> Weights | None:
    """Return the parts of an item that is random; None if it is no sum of integers."""
    if item not in dependence.random:
        return None
    opened = is_linear(item)
    parts = all_parts(item, lambda part: part in dependence.random and is_linear(part)) if opened else [(1, item)]
    if not all(are_integers(part.values) for _, part in parts):
        return None
    weights: Weights = {}
    for factor, part in parts:
        if not (isinstance(part, Const) and part.value == 0):
            weights[part] = weights.get(part, 0) + factor
    return {part: factor for part, factor in weights.items() if factor}


def _random(weights: Weights, dependence: Dependence) -> int:
    return sum(part in dependence.random for part in weights)


def _sum(terms: Terms, weights: Weights) -> Term:
    """Return the term that adds up some parts."""
    total: Term | None = None
    for part, factor in weights.items():
        term = part if factor == 1 else terms.apply("mul", terms.const(factor), part)
        total = term if total is None else terms.apply("add", total, term)
    return terms.const(0) if total is None else total
