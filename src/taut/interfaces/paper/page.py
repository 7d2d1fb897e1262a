"""The reproduction of the paper: its files and checks, and the report to read around all sections."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from string import Template
from typing import Any

from taut.interfaces.paper.measurements import rounded_ratio
from taut.interfaces.paper.published import BELOW
from taut.interfaces.reports.formats import Table
from taut.support.package import __version__
from taut.support.pictures.style import picture

__all__ = [
    "CLOSED",
    "PRINTED",
    "REPORTED",
    "Reproduction",
    "bits_cell",
    "count_cell",
    "decimal",
    "page",
    "published_cell",
    "seconds_cell",
]


def page(made: Reproduction, quick: bool, seconds: float) -> str:
    printed = [check for check in made.checks if check["source"] == PRINTED]
    agree = sum(check["agrees"] for check in printed)
    others = [check for check in made.checks if check["source"] != PRINTED]
    other = sum(check["agrees"] for check in others)
    checks = Table(
        "checks",
        "Everything that is compared",
        ("what", "expected", "where that is from", "taut", "agrees"),
        tuple(
            (check["what"], check["published"], check["source"], check["ours"], "yes" if check["agrees"] else "**no**")
            for check in made.checks
        ),
        (0, 1, 2, 3, 4),
    )
    ten, thirteen = (f"{float(rounded_ratio(n)):.5g}" for n in (10, 13))
    template = Template(Path(__file__).with_name("report.md").read_text(encoding="utf-8"))
    counts = {"agree": agree, "printed": len(printed), "other": other, "others": len(others)}
    parts = {"sections": "\n".join(made.sections), "checks": made.table(checks)}
    return _reflowed(template.substitute(counts, **parts, ten=ten, thirteen=thirteen, machine=_machine(quick, seconds)))


def _reflowed(text: str) -> str:
    """Return prose in even lines; tables, lists, headings and figures as they are."""
    blocks = []
    for block in text.strip().split("\n\n"):
        lines = block.strip("\n").splitlines()
        plain = lines and not re.match(r"[#|!-]|\d+\. ", lines[0])
        blocks.append(textwrap.fill(" ".join(lines), 120, break_long_words=False) if plain else "\n".join(lines))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _machine(quick: bool, seconds: float) -> str:
    kind = "the quick one (smaller sizes)" if quick else "the full one"
    now = datetime.datetime.now(datetime.UTC)
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "python-flint", "oxidd", "matplotlib")
    )
    return f"""| what | value |
|:-----|:------|
| run | {kind}, {seconds:.0f} s |
| date | {now:%Y-%m-%d %H:%M} UTC |
| processor | {_processor()}, {os.cpu_count()} logical cores |
| system | {platform.system()} {platform.machine()} |
| Python | {platform.python_version()} |
| taut | {__version__} |
| with | {versions} |

Made by `taut paper --out DIR{" --quick" if quick else ""}`. Every table stands beside this file as CSV and as Markdown,
every figure as PNG."""


def _processor() -> str:
    with_model = Path("/proc/cpuinfo")
    if with_model.is_file():
        for line in with_model.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


PRINTED, REPORTED, CLOSED = "printed in the paper", "Dice, authors' program", "closed form"


@dataclass
class Reproduction:
    """The files that were made, by name, and how the published numbers compare."""

    files: dict[str, bytes | str] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)

    def check(self, what: str, published: str, ours: str, agrees: bool, source: str = PRINTED) -> None:
        """Record a comparison with a published number and its source."""
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
