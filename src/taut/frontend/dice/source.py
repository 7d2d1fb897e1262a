"""The text of a Dice program, and mistakes shown in it: file, line, column, and a caret below the place."""

from __future__ import annotations

import bisect
import re
from typing import Any, TypeVar

from taut.errors import Place, TautError
from taut.forks import cached_property

__all__ = ["Source"]

E = TypeVar("E", bound=TautError)
_BEFORE, _SHOWN = 60, 100
"""Of a long line, how much is shown before the place, and how much in all."""


class Source:
    """A program's text under the name that its author knows it by."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *[end.end() for end in re.finditer("\n", self.text)]]

    def place(self, at: int) -> Place:
        """The file, line and column of an offset."""
        return Place(self.name, *self.position(at))

    def position(self, at: int) -> tuple[int, int]:
        """The line and column, both from 1, of an offset."""
        line = bisect.bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def error(self, kind: type[E], at: int, reason: str, value: Any = None) -> E:
        """An error with its place, the line it is in (what is near, if that is long), and a caret below it."""
        place = self.place(at)
        return kind(f"{reason}{self.excerpt(at)}", value=value, place=place)

    def excerpt(self, at: int) -> str:
        """The line of an offset, with a caret below it."""
        start = self._starts[bisect.bisect_right(self._starts, at) - 1]
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        column = at - start
        crop = max(0, column - _BEFORE)
        shown = "".join(c if c.isprintable() else " " for c in line[crop : crop + _SHOWN])
        return f"\n    {shown}\n    {' ' * (column - crop)}^"
