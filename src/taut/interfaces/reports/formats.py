"""Formats for other programs: JSON, JUnit XML, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

from taut.questions.text import text_of
from taut.support.exact import INFINITY, Ball

__all__ = ["Case", "Table", "json_text", "junit_xml"]


def json_text(value: Any) -> str:
    """Return JSON in ASCII with fractions as 'p/q' and other values as text."""
    return json.dumps(_plain(value), indent=2)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (Fraction, Ball)) or value == INFINITY:
        return text_of(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Case:
    """One claim: its place, its text and its verdict ('holds', 'fails', 'undecided', 'error')."""

    place: str
    name: str
    status: str
    text: str
    seconds: float


def junit_xml(suite: str, cases: Iterable[Case]) -> str:
    """Return a test suite with one test case per claim; an undecided claim counts as an error.

    >>> print(junit_xml("claims", [Case("mine.py:svt", "eps <= 1", "fails", "e^eps = 4", 0.5)]).splitlines()[1])
    <testsuite name="claims" tests="1" failures="1" errors="0" time="0.500">
    """
    listed = list(cases)
    root = ElementTree.Element(
        "testsuite",
        name=suite,
        tests=str(len(listed)),
        failures=str(sum(case.status == "fails" for case in listed)),
        errors=str(sum(case.status in ("undecided", "error") for case in listed)),
        time=f"{sum(case.seconds for case in listed):.3f}",
    )
    for case in listed:
        node = ElementTree.SubElement(
            root, "testcase", classname=_clean(case.place), name=_clean(case.name), time=f"{case.seconds:.3f}"
        )
        if case.status == "holds":
            ElementTree.SubElement(node, "system-out").text = _clean(case.text)
            continue
        kind = "failure" if case.status == "fails" else "error"
        ElementTree.SubElement(node, kind, message=_clean(case.text), type=case.status).text = _clean(case.text)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _clean(text: str) -> str:
    """Return the text with escapes for the characters that XML has no way to write.

    >>> _clean("a\\x00\\uffff")
    'a\\\\x00\\\\uffff'
    """
    return _FORBIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


@dataclass(frozen=True)
class Table:
    """Rows of texts under headings; ``name`` is what its files are called."""

    name: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: tuple[int, ...] = (0,)
    """The columns that are words; the others are numbers and stand to the right."""

    @property
    def csv(self) -> str:
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows([_bare(cell) for cell in row] for row in self.rows)
        return file.getvalue()

    @property
    def markdown(self) -> str:
        """The table alone, in columns of equal width so that it can be read as text too."""
        cells = [[cell.replace("|", "\\|") for cell in row] for row in (self.headings, *self.rows)]
        widths = [max(3, *(len(row[position]) for row in cells)) for position in range(len(self.headings))]
        head, *body = [self._line(row, widths) for row in cells]
        rule = "|".join(
            f":{'-' * (width + 1)}" if position in self.left else f"{'-' * (width + 1)}:"
            for position, width in enumerate(widths)
        )
        return "\n".join([head, f"|{rule}|", *body]) + "\n"

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        cells = [
            cell.ljust(width) if position in self.left else cell.rjust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(cells)} |"


def _bare(cell: str) -> str:
    """Return a cell for programs: not bold, and numbers without the commas that help to read them."""
    bare = cell.replace("**", "")
    return bare.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", bare) else bare
