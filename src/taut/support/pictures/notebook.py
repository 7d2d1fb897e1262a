"""Tables and pictures for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

__all__ = ["MOST_ROWS", "Picture", "html_table"]

MOST_ROWS = 100
"""Rows of a table that are shown; the number of all rows stands below it."""


@dataclass(frozen=True)
class Picture:
    """A picture that a notebook shows in place, as SVG; ``svg`` is its text."""

    title: str
    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]], all_rows: int) -> str:
    """Return a table of texts as HTML; ``all_rows`` is written below if not all are shown.

    >>> html_table(["a"], [["<1>"]], 1)
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;1&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    shown = [row for row, _ in zip(rows, range(MOST_ROWS), strict=False)]
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in shown)
    more = "" if all_rows <= len(shown) else f"<p>{len(shown)} of {all_rows} rows</p>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
