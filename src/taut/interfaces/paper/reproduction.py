"""Parts of a reproduction of the paper: files, comparisons, sections; and the format of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.interfaces.paper.published import BELOW
from taut.interfaces.reports.tables import Table
from taut.support.pictures.style import picture

__all__ = [
    "CLOSED",
    "PRINTED",
    "REPORTED",
    "Reproduction",
    "bits_cell",
    "count_cell",
    "decimal",
    "published_cell",
    "seconds_cell",
]

PRINTED, REPORTED, CLOSED = "printed in the paper", "Dice, authors' program", "closed form"


@dataclass
class Reproduction:
    """The files that were made, by name, and how the published numbers compare."""

    files: dict[str, bytes | str] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)

    def check(self, what: str, published: str, ours: str, agrees: bool, source: str = PRINTED) -> None:
        """Note a comparison, and where the number that we are compared with comes from."""
        self.checks.append({"what": what, "published": published, "source": source, "ours": ours, "agrees": agrees})

    def table(self, table: Table) -> str:
        """Write a table to files; return its part of the report."""
        self.files[f"{table.name}.csv"] = table.csv
        self.files[f"{table.name}.md"] = f"# {table.title}\n\n{table.markdown}"
        return f"**{table.title}** ([CSV]({table.name}.csv))\n\n{table.markdown}"

    def figure(self, name: str, figure: Any, words: str) -> str:
        self.files[f"{name}.png"] = picture(figure)
        return f"![{words}]({name}.png)\n\n*{words}*\n"


def bits_cell(x: Sequence[Any]) -> str:
    return "".join(str(int(entry)) for entry in x)


def decimal(value: Fraction) -> str:
    return f"{float(value):.10g}"


def count_cell(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def seconds_cell(seconds: float) -> str:
    return "< 0.0001" if seconds < 0.0001 else f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def published_cell(seconds: float | None) -> str:
    return "" if seconds is None else "< 0.0001" if seconds == BELOW else f"{seconds:g}"
