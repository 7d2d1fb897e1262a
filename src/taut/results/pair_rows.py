"""The rows of the picture of two distributions: outputs one by one, or in groups where they are many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.numbers import INFINITY, decimal, quotient
from taut.results.text import vector_text

__all__ = ["Row", "draws_as_numbers", "in_order", "rows_of"]

_MOST_ROWS = 24
_MOST_GROUPS = 16


@dataclass(frozen=True)
class Row:
    """An output, or a group of outputs: what it is called, its mass on x and on x', and whether it tells them apart."""

    label: str
    p: Any
    q: Any
    marked: bool


def draws_as_numbers(outputs: Sequence[Any]) -> bool:
    """Whether outputs are so many numbers that they are drawn along an axis."""
    different = set(outputs)
    return len(different) > _MOST_ROWS and all(
        isinstance(y, (int, Fraction)) and not isinstance(y, bool) for y in different
    )


def rows_of(own: Mapping[Any, Any], other: Mapping[Any, Any], marked: Callable[[Any, Any, Any], bool]) -> list[Row]:
    """Rows for two distributions.

    Few outputs have a row each. Many are grouped by the quotient of their two probabilities, which loses nothing that
    tells x from x'; if these are many too, the outputs that differ most are shown and the others are one row.
    """
    outputs = in_order({*own, *other})
    pairs = {y: (own.get(y, 0), other.get(y, 0)) for y in outputs}
    if len(outputs) <= _MOST_ROWS:
        return [Row(vector_text(y), p, q, marked(y, p, q)) for y, (p, q) in pairs.items()]
    groups: dict[Any, list[Any]] = {}
    for y, (p, q) in pairs.items():
        groups.setdefault((quotient(p, q), marked(y, p, q)), []).append(y)
    if len(groups) <= _MOST_GROUPS:
        ordered = sorted(groups.items(), key=lambda item: -_size(item[0][0]))
        return [
            Row(_group(ratio, members), *_masses(pairs, members), is_marked) for (ratio, is_marked), members in ordered
        ]
    by_difference = sorted(
        outputs, key=lambda y: (not marked(y, *pairs[y]), -abs(float(pairs[y][0]) - float(pairs[y][1])))
    )
    shown = set(by_difference[: _MOST_ROWS - 4])
    rows = [Row(vector_text(y), *pairs[y], marked(y, *pairs[y])) for y in outputs if y in shown]
    for flag, word in ((True, "more that are outlined"), (False, "others")):
        rest = [y for y in outputs if y not in shown and marked(y, *pairs[y]) == flag]
        if rest:
            rows.append(Row(f"{len(rest)} {word}, together", *_masses(pairs, rest), flag))
    return rows


def in_order(outputs: set[Any]) -> list[Any]:
    """Outputs by their size where they have one, else by their text."""
    try:
        return sorted(outputs)
    except TypeError:
        return sorted(outputs, key=lambda y: (type(y).__name__, vector_text(y)))


def _masses(pairs: Mapping[Any, tuple[Any, Any]], members: Sequence[Any]) -> tuple[Any, Any]:
    return sum(pairs[y][0] for y in members), sum(pairs[y][1] for y in members)


def _group(ratio: Any, members: Sequence[Any]) -> str:
    size = "infinite" if ratio == INFINITY else decimal(ratio, 4)
    first = vector_text(members[0])
    first = first if len(first) <= 28 else f"{first[:18]} ... {first[-6:]}"
    others = "" if len(members) == 1 else f" and {len(members) - 1} more"
    return f"quotient {size}: {first}{others}"


def _size(ratio: Any) -> float:
    try:
        return float(ratio)
    except OverflowError:
        return INFINITY
