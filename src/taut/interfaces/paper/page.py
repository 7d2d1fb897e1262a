"""The report to read, around all sections."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import textwrap
from pathlib import Path

from taut.interfaces.paper.measurements import rounded_ratio
from taut.interfaces.paper.published import ERRATA
from taut.interfaces.paper.reproduction import PRINTED, Reproduction
from taut.interfaces.reports.tables import Table
from taut.support.package import __version__

__all__ = ["page"]


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
    kind = "the quick one (smaller sizes)" if quick else "the full one"
    errata = list(ERRATA)
    ten, thirteen = (f"{float(rounded_ratio(n)):.5g}" for n in (10, 13))
    rounding = (
        f" Rounding the exact probabilities of randomized response in this way gives {ten} for 10 clients and "
        f"{thirteen} for 13, where the truth is 4; we never round."
    )
    errata[-1] = (errata[-1][0], errata[-1][1] + rounding)
    listed = "\n".join(f"{position}. **{title}.** {words}" for position, (title, words) in enumerate(errata, 1))
    sections = "\n".join(made.sections)
    checked = made.table(checks)
    return _reflowed(f"""# Tight privacy and accuracy bounds: the paper, recomputed

This report goes through the evaluation of Oakley, Holtzen and Oprea, *Synthesizing Tight Privacy and Accuracy Bounds
via Weighted Model Counting* (CSF 2024), table by table and figure by figure, and puts what `taut` computes beside what
was published. **{agree} of the {len(printed)} exact numbers that the paper prints come out the same**, and {other} of
{len(others)} others that it only draws or implies; section 8 lists them all, with where each comes from. Times are not
among them. Where the paper contradicts itself, section 7 says how, and what we do.

Bounds, probabilities and sizes here are exact and the same in every run; only times depend on the machine. Fractions
are exact values, decimals are there to be read.

Throughout, *RR* is randomized response: each of n clients reports its bit, flipped with probability lambda. *RRcount*
is the number of ones among the reports. e^eps is the largest ratio with which an output tells two neighbouring inputs
apart, and 1-beta the smallest probability, over all inputs, of coming within alpha of the truth.

{sections}
## 7. Where the paper is wrong, or silent

None of this touches its method. These are places at which a reader who checks the numbers will stumble.

{listed}

## 8. All comparisons

{checked}
## 9. This run

{_machine(quick, kind, seconds)}
""")


def _reflowed(text: str) -> str:
    """Prose in even lines; tables, lists, headings and figures as they are."""
    blocks = []
    for block in text.strip().split("\n\n"):
        lines = block.strip("\n").splitlines()
        plain = lines and not re.match(r"[#|!-]|\d+\. ", lines[0])
        blocks.append(textwrap.fill(" ".join(lines), 120, break_long_words=False) if plain else "\n".join(lines))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _machine(quick: bool, kind: str, seconds: float) -> str:
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
