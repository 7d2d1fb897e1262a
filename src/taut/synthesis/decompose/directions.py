"""Items that are independent given the coins they share, with outputs of equal likelihood ratios put into classes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.program import UNDEFINED, Coin, Program, Term, Tuple
from taut.program.enumerator import evaluate
from taut.program.program import reachable
from taut.support.limits import checkpoint

__all__ = ["Directions", "directions_of"]

_MOST_CONTEXTS = 1 << 8
"""Values of the statistics, times outcomes of the shared coins."""
_MOST_RUNS = 1 << 18
_MOST_DIRECTIONS = 1 << 13


@dataclass(frozen=True, eq=False)
class Directions:
    """One output for each class of outputs with equal likelihood ratios, and the mass of each class for values of the
    statistics."""

    outputs: Sequence[tuple[Any, ...]]
    masses: Mapping[tuple[Any, ...], Sequence[Fraction]]


@dataclass(frozen=True, eq=False)
class _Class:
    """A class of outputs of the first items: their summed weights, and one of them as a linked list of items."""

    totals: tuple[int, ...]
    output: Any


def directions_of(program: Program) -> Directions | None:
    """Return the classes of outputs; None if the items share too many coins, or the classes are too many.

    A context is a value of the statistics with outcomes of the coins that several items look at. Given a context the
    items are independent, so the weights of an output in all contexts are a product, item by item, of vectors. Outputs
    with proportional vectors have the same ratio for every two values of the statistics, and so has their union.
    """
    if not isinstance(program.output, Tuple) or any(not coin.kinds <= {Fraction, int} for coin in program.coins):
        return None
    items = program.output.items
    owned = [{one.index for one in reachable([item]) if isinstance(one, Coin)} for item in items]
    users: dict[int, int] = {}
    for coins in owned:
        for coin in coins:
            users[coin] = users.get(coin, 0) + 1
    shared = sorted(coin for coin, count in users.items() if count > 1)
    given = [variable.values for variable in program.inputs]
    width = math.prod(map(len, given)) * _runs(program, shared)
    if width > _MOST_CONTEXTS:
        return None
    private = [sorted(coins.difference(shared)) for coins in owned]
    if width * sum(_runs(program, coins) for coins in private) > _MOST_RUNS:
        return None
    statistics = list(itertools.product(*given))
    draws = list(_tossed(program, shared))
    contexts = [(values, coins) for values in statistics for coins, _ in draws]
    classes = {(1,) * width: _Class((1,) * width, None)}
    scale = 1
    for item, own in zip(items, private, strict=True):
        table = _table(program, item, own, contexts)
        if table is None:
            return None
        rows, denominator = table
        scale *= denominator
        found = _multiplied(classes, rows)
        if found is None:
            return None
        classes = found
    shares = [weight for _, weight in draws]
    masses = {}
    for place, values in enumerate(statistics):
        first = place * len(draws)
        masses[values] = [
            sum([weight * total for weight, total in zip(shares, one.totals[first:], strict=False)], Fraction(0))
            / scale
            for one in classes.values()
        ]
    return Directions([_items(one.output) for one in classes.values()], masses)


def _multiplied(
    classes: Mapping[tuple[int, ...], _Class], rows: Mapping[Any, tuple[int, ...]]
) -> dict[tuple[int, ...], _Class] | None:
    """Return the classes with one item more; None if there are too many."""
    found: dict[tuple[int, ...], _Class] = {}
    for direction, one in classes.items():
        checkpoint()
        for value, row in rows.items():
            vector = tuple([a * b for a, b in zip(direction, row, strict=True)])
            common = math.gcd(*vector)
            if not common:
                continue
            vector = tuple([entry // common for entry in vector])
            totals = tuple([a * b for a, b in zip(one.totals, row, strict=True)])
            known = found.get(vector)
            if known is not None:
                found[vector] = _Class(tuple([a + b for a, b in zip(known.totals, totals, strict=True)]), known.output)
                continue
            if len(found) == _MOST_DIRECTIONS:
                return None
            found[vector] = _Class(totals, (value, one.output))
    return found


def _runs(program: Program, coins: Sequence[int]) -> int:
    return math.prod([len(program.coins[coin].outcomes) for coin in coins])


def _tossed(program: Program, coins: Sequence[int]) -> Any:
    """Yield all outcomes of positive weight of some coins, with their weights."""
    columns = [
        [(coin, outcome, Fraction(weight)) for outcome, weight in zip(known.outcomes, known.weights, strict=True)]
        for coin in coins
        for known in [program.coins[coin]]
    ]
    for row in itertools.product(*columns):
        weight = math.prod([share for _, _, share in row], start=Fraction(1))
        yield {coin: outcome for coin, outcome, _ in row}, weight


def _table(
    program: Program, item: Term, coins: Sequence[int], contexts: Sequence[tuple[Any, dict[int, Any]]]
) -> tuple[dict[Any, tuple[int, ...]], int] | None:
    """Return the weights of an item's values in all contexts, over one denominator; None if one may be undefined."""
    own = list(_tossed(program, coins))
    denominator = math.lcm(*[weight.denominator for _, weight in own])
    table: dict[Any, list[int]] = {}
    for place, (values, shared) in enumerate(contexts):
        checkpoint()
        for tossed, weight in own:
            value = evaluate(item, values, {**shared, **tossed})
            if value is UNDEFINED:
                return None
            row = table.setdefault(value, [0] * len(contexts))
            row[place] += weight.numerator * (denominator // weight.denominator)
    return {value: tuple(row) for value, row in table.items()}, denominator


def _items(output: Any) -> tuple[Any, ...]:
    items = []
    while output is not None:
        item, output = output
        items.append(item)
    return tuple(reversed(items))
