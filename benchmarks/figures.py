"""The figures of the documents: each is written down with the case that measures it.

After the text or table that has them stands a comment, one line per figure:

    <!-- measured
    14.4 bound_of_randomized_response[n=10000,method=search]
    -->
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Figure", "documents", "figures_of", "figures_of_documents"]

ROOT = Path(__file__).parents[1]
_COMMENT = re.compile(r"^<!-- measured\n(.*?)^-->", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ ", re.MULTILINE)


@dataclass(frozen=True)
class Figure:
    """A claim of a document: so many seconds, as written there, for a case."""

    document: str
    line: int
    claim: str
    case: str


def documents() -> list[Path]:
    """Where figures may stand."""
    return [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), ROOT / "benchmarks" / "README.md"]


def figures_of_documents() -> list[Figure]:
    """All figures of all documents."""
    found: list[Figure] = []
    for path in documents():
        found += figures_of(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    return found


def figures_of(text: str, document: str) -> list[Figure]:
    """The figures of one document.

    Raises
    ------
    ValueError
        A comment names a figure that the text between the heading (or comment) before it and itself does not have, or
        not that often.
    """
    found: list[Figure] = []
    for comment in _COMMENT.finditer(text):
        first = text.count("\n", 0, comment.start()) + 2
        entries = [line.split(maxsplit=1) for line in comment[1].splitlines()]
        for number, entry in enumerate(entries, first):
            if len(entry) != 2 or not re.fullmatch(r"\d+(\.\d+)?", entry[0]):
                raise ValueError(f"{document}:{number}: write the seconds and the name of a case.")
        _check_there(_above(text, comment.start()), [entry[0] for entry in entries], f"{document}:{first}")
        found += [Figure(document, first + at, claim, case) for at, (claim, case) in enumerate(entries)]
    return found


def _above(text: str, end: int) -> str:
    """What stands between the last heading, or comment of this kind, and a place."""
    ends = [found.start() for found in _HEADING.finditer(text, 0, end)]
    ends += [found.end() for found in _COMMENT.finditer(text, 0, end)]
    return text[max(ends, default=0) : end]


def _check_there(text: str, claims: Iterable[str], where: str) -> None:
    for claim, times in Counter(claims).items():
        there = len(re.findall(rf"(?<![\d.]){re.escape(claim)}(?!\d|\.\d)", text))
        if there < times:
            raise ValueError(f"{where}: the text above has the figure {claim} {there} times, not {times} times.")
