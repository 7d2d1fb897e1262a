"""Tables that can be written as CSV and as Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Table"]


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
    """A cell for programs: not bold, and numbers without the commas that help to read them."""
    bare = cell.replace("**", "")
    return bare.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", bare) else bare
