"""Answers as rows of names and values and as tables of texts: what panels, reports and pages show of any bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.questions.bound import Bound, Interval, remainder_text
from taut.questions.ratio import epsilon_below, epsilon_number, epsilon_of
from taut.questions.text import between, brief_interval, surely, vector_text
from taut.support.exact import INFINITY

__all__ = [
    "METHOD_ROWS",
    "Headline",
    "Number",
    "Row",
    "Swept",
    "TextTable",
    "attained_rows",
    "case_rows",
    "cell_text",
    "count_text",
    "epsilon_headline",
    "epsilon_interval",
    "method_rows",
    "pair_texts",
    "plural",
    "seconds_text",
    "value_text",
]

Row = tuple[str, str]
"""A name and a value."""
METHOD_ROWS = ("method", "because", "diagram", "time")
"""The names of the rows about how a bound was found."""

_COUNTED = (
    ("inputs", "input"),
    ("triples", "triple"),
    ("pairs", "pair"),
    ("probabilities", "probability"),
    ("loss_distributions", "different loss distribution"),
)

_STOPPED = {
    "time_limit": "the time limit",
    "max_memory": "the memory limit",
    "interrupted": "Ctrl-C",
    "workers_gone": "the loss of the cluster",
}


@dataclass(frozen=True)
class TextTable:
    """A table of texts; with ``cut``, the middle of a long one is left out."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    cut: bool = False
    right: tuple[int, ...] = ()
    """The columns that stand to the right."""


@dataclass(frozen=True)
class Headline:
    """The answer as the first line of a page: its label, both ends, a note, and whether it is good news."""

    label: str
    lower: Any
    upper: Any
    note: str = ""
    good: bool = True
    text: str = ""
    """The number in large letters, where it is not ``lower`` and ``upper`` themselves, such as their logarithm."""
    beside: str = ""
    """The exact number below it."""


@dataclass(frozen=True)
class Number:
    """One number of an answer as sweeps list it: a key for programs, a heading for people, and the value.

    ``exact`` numbers are written exactly, with a decimal beside; others were rounded and are decimals alone.
    """

    key: str
    heading: str
    value: Any
    exact: bool = True


@dataclass(frozen=True)
class Swept:
    """One point of the curve of a sweep: its value, the title of the curve, and the label of its axis."""

    value: Any
    title: str
    label: str


def epsilon_headline(bound: Bound, good: bool, note: str = "") -> Headline:
    """Return a bound on e^epsilon as the first line of a page: epsilon in large letters, the exact ratio below."""
    if bound.lower == INFINITY:
        return Headline("ε", bound.lower, bound.upper, note or "no epsilon is enough", good, "∞")
    number, _, beside = epsilon_number(bound.lower, bound.upper).partition(" (")
    text = number.removeprefix("between ").replace(" and ", " … ").replace("infinity", "∞")
    return Headline("ε", bound.lower, bound.upper, note, good, text, beside.removesuffix(")").replace("eps", "ε", 1))


def epsilon_interval(now: Interval) -> Interval:
    """Return the interval of a search for e^epsilon as one of epsilon, rounded outwards."""
    low = None if now.lower is None else epsilon_below(now.lower)
    return Interval(now.done, now.total, low, None if now.upper is None else epsilon_of(now.upper))


def value_text(bound: Bound) -> str:
    """Return the value of a bound for people: exact, or its interval."""
    return surely(bound.upper, ",") if bound.exact else between(bound.lower, bound.upper)


def cell_text(bound: Bound) -> str:
    """Return the value of a bound for a table: with so many digits that several answers fit beside each other."""
    return brief_interval(bound.lower, bound.upper).removeprefix("= ")


def case_rows(parts: Sequence[tuple[str, Any]], bound: Bound) -> list[Row]:
    """Return the rows of a witness, if the bound has one."""
    return [(name, vector_text(value)) for name, value in parts] if bound.witnessed else []


def pair_texts(pair: Any) -> list[str]:
    """Return two neighbours as texts; both empty if there is no pair."""
    return ["", ""] if pair is None else [vector_text(pair.x), vector_text(pair.x_prime)]


def attained_rows(bound: Bound, noun: str, parts: str) -> list[Row]:
    """Return the neighbours, the number of cases that attain the bound, and how it was found."""
    rows = [("neighbours", str(bound.neighbors))]
    if bound.count is not None:
        rows.append(("attained by", f"{count_text(bound.count)} ordered {plural(noun, bound.count)} {parts}"))
    return [*rows, *method_rows(bound)]


def method_rows(bound: Bound) -> list[Row]:
    """Return how a bound was found, and the time that it took."""
    stats = bound.stats
    looked = [f"{count_text(stats[key])} {plural(noun, stats[key])}" for key, noun in _COUNTED if key in stats]
    if stats.get("items"):
        kept = count_text(stats["items_after_pruning"])
        looked.append(f"{count_text(stats['items'])} prefixes and suffixes, of which {kept} were kept")
    if stats.get("stopped"):
        looked.append(f"stopped by {_STOPPED.get(stats['stopped'], stats['stopped'])}")
    parts = [(name, stats.get(f"{name}_seconds")) for name in ("build", "search", "pairs", "inference", "synthesis")]
    times = ", ".join(f"{name} {seconds_text(seconds)}" for name, seconds in parts if seconds is not None)
    method = bound.method
    if method == "restricted":
        method = "restricted by symmetries" if "symmetries" in stats else "restricted to the paper's sets"
    return [
        ("method", f"{method}: {', '.join(looked)}" if looked else method),
        *([("because", stats["why"])] if "why" in stats else []),
        ("diagram", f"{count_text(stats['nodes'])} nodes" if "nodes" in stats else "none"),
        *([("time", times)] if times else []),
        *remainder_rows(bound),
    ]


def remainder_rows(bound: Bound) -> list[Row]:
    """Return the probability of runs that were not followed, if there are any."""
    if not bound.remainder:
        return []
    return [("not followed", f"runs of probability at most {remainder_text(bound.remainder)}, counted as the worst")]


def count_text(count: int) -> str:
    """Return a number of things; a very large one as a power of ten."""
    if count < 10**15:
        return f"{count:,}".replace(",", " ")
    power = math.floor(math.log10(count)) if count.bit_length() < 1000 else int(count.bit_length() * math.log10(2))
    return f"about 10^{power}"


def seconds_text(seconds: float) -> str:
    """Return seconds with as many digits as mean something.

    >>> seconds_text(12.34), seconds_text(0.01234), seconds_text(0.00001)
    ('12.3 s', '0.0123 s', '< 0.0001 s')
    """
    if seconds < 0.0001:
        return "< 0.0001 s"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def plural(noun: str, count: int) -> str:
    """Return the noun in singular or plural."""
    if count == 1:
        return noun
    return "probabilities" if noun == "probability" else f"{noun}s"
