"""The rows of a chart of two distributions: outputs one by one, or in groups where they are many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.questions.text import vector_text
from taut.support.exact import INFINITY, decimal, quotient
from taut.support.pictures.style import drawable

__all__ = ["OutputRow", "are_many_numbers", "output_rows"]

_MOST_ROWS = 24
_MOST_GROUPS = 16


@dataclass(frozen=True)
class OutputRow:
    """An output, or a group of outputs, with its mass on x and on x'; ``marked`` if it tells them apart."""

    label: str
    p: Any
    q: Any
    marked: bool


def are_many_numbers(outputs: set[Any]) -> bool:
    """Return True if outputs are numbers, and too many for a row each."""
    return len(outputs) > _MOST_ROWS and all(
        isinstance(y, (int, Fraction)) and not isinstance(y, bool) for y in outputs
    )


def output_rows(
    own: Mapping[Any, Any], other: Mapping[Any, Any], marked: Callable[[Any, Any, Any], bool]
) -> list[OutputRow]:
    """Return the rows for two distributions.

    Few outputs have a row each. Many are grouped by the ratio of their two probabilities, which loses nothing that
    tells x from x'; if these are many too, the outputs that differ most are shown and the others are one row.
    """
    outputs = _sorted({*own, *other})
    every = {y: _row([y], vector_text(y), own, other, marked) for y in outputs}
    if len(outputs) <= _MOST_ROWS:
        return list(every.values())
    groups: dict[Any, list[Any]] = {}
    for y, row in every.items():
        groups.setdefault((quotient(row.p, row.q), row.marked), []).append(y)
    if len(groups) <= _MOST_GROUPS:
        largest_first = sorted(groups.items(), key=lambda item: -drawable(item[0][0]))
        return [_row(members, _group(ratio, members), own, other, marked) for (ratio, _), members in largest_first]
    telling = sorted(every, key=lambda y: (not every[y].marked, -abs(float(every[y].p) - float(every[y].q))))
    shown = set(telling[: _MOST_ROWS - 4])
    rows = [every[y] for y in outputs if y in shown]
    for flag, word in ((True, "more that are outlined"), (False, "others")):
        rest = [y for y in outputs if y not in shown and every[y].marked == flag]
        if rest:
            rows.append(_row(rest, f"{len(rest)} {word}, together", own, other, marked))
    return rows


def _row(
    members: Sequence[Any],
    label: str,
    own: Mapping[Any, Any],
    other: Mapping[Any, Any],
    marked: Callable[[Any, Any, Any], bool],
) -> OutputRow:
    """Return the row of outputs that are all marked, or all not."""
    first = members[0]
    p, q = (sum(masses.get(y, 0) for y in members) for masses in (own, other))
    return OutputRow(label, p, q, marked(first, own.get(first, 0), other.get(first, 0)))


def _sorted(outputs: set[Any]) -> list[Any]:
    """Return outputs by their size where they have one, else by their text."""
    try:
        return sorted(outputs)
    except TypeError:
        return sorted(outputs, key=lambda y: (type(y).__name__, vector_text(y)))


def _group(ratio: Any, members: Sequence[Any]) -> str:
    size = "infinite" if ratio == INFINITY else decimal(ratio, 4)
    first = vector_text(members[0])
    first = first if len(first) <= 28 else f"{first[:18]} ... {first[-6:]}"
    others = "" if len(members) == 1 else f" and {len(members) - 1} more"
    return f"ratio {size}: {first}{others}"
