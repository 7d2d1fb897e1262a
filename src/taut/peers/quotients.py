"""The largest ratio of the probabilities of an output on two inputs, from tables that may be rounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from taut.support.exact import INFINITY, quotient

__all__ = ["Ratio", "largest_ratio"]

Rows = Mapping[Any, Mapping[Any, Fraction]]
_NEAR = 1 - 1e-12
"""Share of the largest ratio of doubles above which ratios are recomputed as fractions: doubles err by less."""

_TINY = 1e-150
"""Probability below which doubles are inaccurate or overflow; then only fractions are used."""


@dataclass(frozen=True)
class Ratio:
    """The largest ratio in a table, and its interval if each entry is off by at most its slack."""

    value: Any
    low: Any
    high: Any


def largest_ratio(rows: Rows, pairs: Iterable[tuple[Any, ...]], slack: Mapping[Any, Fraction]) -> Ratio | None:
    """Return the largest ratio over pairs (x, x') and all outputs, or over triples (x, x', y); None if there is none.

    A probability p of a row with slack s stands for a number between max(0, p - s) and p + s. An output that is nowhere
    in the table counts as impossible; one that is 0 in both rows of a pair, but not in all rows, may have any quotient
    if it is rounded.
    """
    chosen = list(pairs)
    outputs = dict.fromkeys(y for row in rows.values() for y in row)
    outputs.update(dict.fromkeys(triple[2] for triple in chosen if len(triple) == 3))
    table = {x: [row.get(y, Fraction(0)) for y in outputs] for x, row in rows.items()}
    places = {y: place for place, y in enumerate(outputs)}
    triples = [(x, other, *[places[y] for y in rest]) for x, other, *rest in chosen]
    value = _largest(table, table, triples)
    if value is None:
        return None
    if not any(slack.get(x) for x in rows):
        return Ratio(value, value, value)
    less = _moved(table, lambda x, p: max(p - slack.get(x, Fraction(0)), Fraction(0)))
    more = _moved(table, lambda x, p: p + slack.get(x, Fraction(0)))
    return Ratio(value, _largest(less, more, triples), _largest(more, less, triples))


def _moved(table: Mapping[Any, list[Fraction]], move: Callable[[Any, Fraction], Fraction]) -> dict[Any, list[Fraction]]:
    return {x: [move(x, p) for p in row] for x, row in table.items()}


def _largest(
    above: Mapping[Any, list[Fraction]], below: Mapping[Any, list[Fraction]], triples: Iterable[tuple[Any, ...]]
) -> Any:
    """Return the largest ratio of an entry of ``above`` to one of ``below``; 0/0 is skipped, p/0 is infinity.

    Doubles choose the candidates, fractions decide among them, once for each two numbers.
    """
    tops, numbers = _numbered(above)
    bottoms, divisors = _numbered(below)
    floats, below_floats = (np.array([float(p) for p in known]) for known in (numbers, divisors))
    tiny = any(0 < p < _TINY for p in (*numbers, *divisors))
    best, near = None, -1.0
    seen: set[int] = set()
    for x, other, *rest in triples:
        top, bottom = (tops[x][rest], bottoms[other][rest]) if rest else (tops[x], bottoms[other])
        both = top * len(divisors) + bottom
        if not tiny:
            p, q = floats[top], below_floats[bottom]
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.where((p == 0) & (q == 0), -1.0, p / q)
            least = max(near, float(ratios.max(initial=-1.0)))
            both = both[(ratios >= least * _NEAR) & (ratios >= 0)]
        for pair in set(both.tolist()) - seen:
            seen.add(pair)
            ratio = quotient(numbers[pair // len(divisors)], divisors[pair % len(divisors)])
            if ratio is not None and (best is None or ratio > best):
                best, near = ratio, near if tiny else float(ratio)
        if best == INFINITY:
            break
    return best


def _numbered(table: Mapping[Any, list[Fraction]]) -> tuple[dict[Any, np.ndarray[Any, Any]], list[Fraction]]:
    """Return the rows as indices of entries, and the different entries."""
    known: dict[Fraction, int] = {}
    rows = {x: np.array([known.setdefault(p, len(known)) for p in row], dtype=np.int64) for x, row in table.items()}
    return rows, list(known)
