"""The text of a program or formula, and error messages with line, column and a caret."""

from __future__ import annotations

import bisect
import re
from typing import Any, TypeVar

from taut.support.errors import Place, TautError
from taut.support.process import cached_property

__all__ = ["SourceText"]

E = TypeVar("E", bound=TautError)
_BEFORE, _SHOWN = 60, 100
"""Number of characters shown of a long line: before the position, and in all."""


class SourceText:
    """A program's text with its file name."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *[end.end() for end in re.finditer("\n", self.text)]]

    def place(self, at: int) -> Place:
        """Return the file, line and column of an offset."""
        return Place(self.name, *self.position(at))

    def position(self, at: int) -> tuple[int, int]:
        """Return the line and column, both from 1, of an offset."""
        line = bisect.bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def error(self, kind: type[E], at: int, reason: str, value: Any = None) -> E:
        """Return an error with its position, an excerpt of the line, and a caret below it."""
        place = self.place(at)
        return kind(f"{reason}{self.excerpt(at)}", value=value, place=place)

    def excerpt(self, at: int) -> str:
        """Return the line of an offset, with a caret below it."""
        start = self._starts[bisect.bisect_right(self._starts, at) - 1]
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        column = at - start
        crop = max(0, column - _BEFORE)
        shown = "".join(c if c.isprintable() else " " for c in line[crop : crop + _SHOWN])
        return f"\n    {shown}\n    {' ' * (column - crop)}^"
