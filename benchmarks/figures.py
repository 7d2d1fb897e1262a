"""The figures of the documents: each is written down with the case that measures it.

After the text or table that has them stands a comment, one line per figure, in reading order:

    <!-- measured
    14.4 bound_of_randomized_response[n=10000,method=search]
    -->

``python benchmarks/figures.py results.json`` writes what a record has into the documents, text and comment, where it
differs by more than a quarter.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Figure", "documents", "figures_of", "figures_of_documents", "updated"]

ROOT = Path(__file__).parents[1]
_COMMENT = re.compile(r"^<!-- measured\n(.*?)^-->", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ ", re.MULTILINE)
_DIFFERENT = 1.25


@dataclass(frozen=True)
class Figure:
    """A claim of a document: so many seconds, as written there, for a case; and where it stands, text and comment."""

    document: str
    line: int
    claim: str
    case: str
    place: int
    comment: int


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
        not in this order.
    """
    return list(_figures(text, document))


def updated(text: str, document: str, records: Sequence[Mapping[str, Any]], ratio: float = _DIFFERENT) -> str:
    """The document with the figures of a record, where they differ by more than a factor."""
    seconds = {record["name"]: record["cpu_seconds"] for record in records if record["status"] == "answer"}
    changes: dict[int, tuple[str, str]] = {}
    for figure in _figures(text, document):
        now = seconds.get(figure.case)
        if now is not None and not 1 / ratio <= max(now, 0.01) / max(float(figure.claim), 0.01) <= ratio:
            changes[figure.place] = changes[figure.comment] = (figure.claim, f"{now:.2f}" if now < 1 else f"{now:.1f}")
    for place in sorted(changes, reverse=True):
        old, new = changes[place]
        text = text[:place] + new + text[place + len(old) :]
    return text


def _figures(text: str, document: str) -> Iterator[Figure]:
    for comment in _COMMENT.finditer(text):
        cursor, end = _above(text, comment.start()), comment.start()
        start = comment.start(1)
        for entry in comment[1].splitlines(keepends=True):
            line = text.count("\n", 0, start) + 1
            words = entry.split()
            if len(words) < 2 or not re.fullmatch(r"\d+(\.\d+)?", words[0]):
                raise ValueError(f"{document}:{line}: write the seconds and the name of a case.")
            found = re.compile(rf"(?<![\w.^]){re.escape(words[0])}(?!\w|\.\d)").search(text, cursor, end)
            if found is None:
                raise ValueError(f"{document}:{line}: the text above does not have the figure {words[0]} at its turn.")
            yield Figure(document, line, words[0], entry.split(maxsplit=1)[1].strip(), found.start(), start)
            cursor, start = found.end(), start + len(entry)


def _above(text: str, end: int) -> int:
    """Where the text of a comment begins: behind the last heading, or the last comment of this kind."""
    ends = [found.start() for found in _HEADING.finditer(text, 0, end)]
    ends += [found.end() for found in _COMMENT.finditer(text, 0, end)]
    return max(ends, default=0)


def main() -> None:
    records = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["records"]
    for path in documents():
        old = path.read_text(encoding="utf-8")
        new = updated(old, path.name, records)
        if new != old:
            path.write_text(new, encoding="utf-8")
            print(f"changed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
