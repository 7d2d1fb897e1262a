"""Answers for people, as panels and tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from taut.numbers import INFINITY, decimal
from taut.results import (
    AccuracyBound,
    Bound,
    ErrorBound,
    PrivacyBound,
    Verification,
    epsilon_of,
    shown,
    surely,
)
from taut.results.text import vector_text

if TYPE_CHECKING:
    from taut.parametric.sweep import Sweep

__all__ = [
    "accuracy_panel",
    "accuracy_rows",
    "case_rows",
    "count_text",
    "decimal_text",
    "error_table",
    "facts_panel",
    "input_table",
    "method_rows",
    "pair_table",
    "plural",
    "privacy_panel",
    "privacy_rows",
    "seconds_text",
    "simple_table",
    "sweep_table",
    "vector_text",
    "verification_text",
]


def decimal_text(value: Any, digits: int = 6) -> str:
    """A number as a short decimal."""
    return decimal(value, digits)


def seconds_text(seconds: float) -> str:
    """Seconds with as many digits as mean something.

    >>> seconds_text(12.34), seconds_text(0.01234), seconds_text(0.00001)
    ('12.3 s', '0.0123 s', '< 0.0001 s')
    """
    if seconds < 0.0001:
        return "< 0.0001 s"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def count_text(count: int) -> str:
    """A number of things; very large ones as a power of ten."""
    if count < 10**15:
        return f"{count:,}".replace(",", " ")
    power = math.floor(math.log10(count)) if count.bit_length() < 1000 else int(count.bit_length() * math.log10(2))
    return f"about 10^{power}"


def privacy_panel(title: str, bound: PrivacyBound) -> Panel:
    """A privacy bound: the number, the worst case, what it took."""
    return facts_panel(title, privacy_rows(bound), good=bound.max_ratio != INFINITY)


def privacy_rows(bound: PrivacyBound) -> list[tuple[str, str]]:
    """What there is to say about a privacy bound, as names and values."""
    if not bound.exact:
        ratio = f"between {shown(bound.lower)} and {shown(bound.upper)}"
    elif bound.max_ratio == INFINITY:
        ratio = "infinity: not private"
    else:
        ratio = surely(bound.max_ratio, ",")
    rows = [
        ("e^eps", ratio),
        (
            "epsilon" if bound.exact else "epsilon at most",
            "infinity" if bound.epsilon == INFINITY else f"{bound.epsilon!r}, rounded up",
        ),
        *case_rows([("x", bound.witness.x), ("x'", bound.witness.x_prime), ("y", bound.witness.y)], bound),
        ("neighbours", str(bound.neighbors)),
    ]
    if bound.count is not None:
        rows.append(("attained by", f"{count_text(bound.count)} ordered {plural('triple', bound.count)} (x, x', y)"))
    return [*rows, *method_rows(bound)]


def accuracy_panel(title: str, bound: AccuracyBound, target: str) -> Panel:
    """An accuracy bound: the number, the worst input, what it took."""
    return facts_panel(title, accuracy_rows(bound, target), good=True)


def accuracy_rows(bound: AccuracyBound, target: str) -> list[tuple[str, str]]:
    """What there is to say about an accuracy bound, as names and values."""
    exact = surely(bound.probability, ",")
    probability = exact if bound.exact else f"between {shown(bound.lower)} and {shown(bound.upper)}"
    rows = [
        ("1-beta", probability),
        ("beta", shown(bound.beta)),
        ("alpha", f"{bound.alpha} (still close), target {target}"),
        *case_rows([("x", bound.witness.x)], bound),
    ]
    if bound.count is not None:
        rows.append(("attained by", f"{count_text(bound.count)} {plural('input', bound.count)}"))
    return [*rows, *method_rows(bound)]


def pair_table(title: str, classes: Sequence[Any]) -> Group:
    """The worst pairs with their quotients."""
    table = _table(["", "e^eps", "epsilon", "triples", "x", "x'", "y"], right={0, 2, 3})
    for position, one in enumerate(classes, 1):
        epsilon = decimal_text(epsilon_of(one.value) if one.value != 0 else -INFINITY)
        where = [vector_text(part) for part in (one.witness.x, one.witness.x_prime, one.witness.y)]
        table.add_row(str(position), shown(one.value), epsilon, count_text(one.count), *where)
    return _titled(title, table)


def input_table(title: str, classes: Sequence[Any]) -> Group:
    """The worst inputs with their accuracies."""
    table = _table(["", "1-beta", "inputs", "one of them"], right={0, 2})
    for position, one in enumerate(classes, 1):
        table.add_row(str(position), shown(one.value), count_text(one.count), vector_text(one.witness.x))
    return _titled(title, table)


def error_table(title: str, bounds: Sequence[ErrorBound], verified: Sequence[Verification | None]) -> Group:
    """Statistics of the distance to a target, each with its worst input."""
    table = _table(["", "largest value", "at x", "method", "verified"], right=set())
    for bound, replayed in zip(bounds, verified, strict=True):
        value = shown(bound.value) if bound.exact else f"between {shown(bound.lower)} and {shown(bound.upper)}"
        checked = "not in time" if replayed is None else "yes"
        if replayed is not None and not replayed:
            checked = f"NO: replaying gives {shown(replayed.replayed)}"
        table.add_row(bound.statistic, value, vector_text(bound.witness.x), bound.method, checked)
    return _titled(title, table)


def sweep_table(sweep: Sweep) -> Group:
    """The bounds of a sweep, one row per value."""
    title = sweep.title if sweep.neighbors is None else f"{sweep.title}, {sweep.neighbors} neighbours"
    return simple_table(title, *sweep.table())


def simple_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], words: bool = False) -> Group:
    """A table of texts; all but the first column to the right, unless they are words."""
    table = _table(headings, right=set() if words else set(range(1, len(headings))))
    for row in rows:
        table.add_row(*row)
    return _titled(title, table)


_COUNTED = (
    ("inputs", "input"),
    ("triples", "triple"),
    ("pairs", "pair"),
    ("probabilities", "probability"),
    ("loss_distributions", "different loss distribution"),
)


def method_rows(bound: Bound) -> list[tuple[str, str]]:
    """How a bound was found, and what that took."""
    stats = bound.stats
    looked = [f"{count_text(stats[key])} {plural(noun, stats[key])}" for key, noun in _COUNTED if key in stats]
    if "items" in stats:
        looked.append(f"{count_text(stats['items'])} met, {count_text(stats['items_after_pruning'])} kept")
    if stats.get("stopped"):
        looked.append(f"stopped by {stats['stopped']}")
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
    ]


def verification_text(outcome: Verification | None, reason: str, seconds: float) -> str:
    """Whether a witness was replayed and gave the same number, how, and in what time; or why it was not."""
    if outcome is None:
        return f"not verified ({reason}), after {seconds_text(seconds)}"
    answer = "yes" if outcome else f"NO: replaying gives {shown(outcome.replayed)}"
    return f"verified: {answer} ({outcome.method}), in {seconds_text(seconds)}"


def case_rows(parts: Sequence[tuple[str, Any]], bound: Bound) -> list[tuple[str, str]]:
    """The rows of a witness, if the bound has one."""
    return [(name, vector_text(value)) for name, value in parts] if bound.witnessed else []


def facts_panel(title: str, rows: Iterable[tuple[str, str]], good: bool) -> Panel:
    """Names and values under each other; the first is the answer, red if it is bad news."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for position, (name, value) in enumerate(rows):
        bad = position == 0 and not good
        style = "bold red" if bad else "bold green" if position == 0 else ""
        grid.add_row(name, Text(value, style=style))
    return Panel(grid, title=Text(title), title_align="left", box=ROUNDED, expand=False)


def _titled(title: str, table: Table) -> Group:
    return Group(Text(title, style="bold"), table)


def _table(headings: Sequence[str], right: set[int]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for position, heading in enumerate(headings):
        table.add_column(heading, justify="right" if position in right else "left", overflow="fold")
    return table


def plural(noun: str, count: int) -> str:
    """The noun for so many things."""
    if count == 1:
        return noun
    return "probabilities" if noun == "probability" else f"{noun}s"
