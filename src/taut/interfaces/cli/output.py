"""Exit codes of the commands, tables on the terminal, and one-sentence errors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["BAD_INPUT", "INTERRUPTED", "INTERVAL", "TOO_LARGE", "WRONG", "printable", "show", "stop"]

WRONG, BAD_INPUT, TOO_LARGE, INTERVAL, INTERRUPTED = 1, 2, 3, 4, 130


def show(what: RenderableType) -> None:
    from rich.console import Console

    Console(highlight=False, markup=False).print(what)


def printable(text: str) -> str:
    """Return the text with escapes for what a terminal would obey or cannot show; line ends stay.

    >>> print(printable("a\\x1b[2J\\ud800"))
    a\\x1b[2J\\ud800
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode() for one in text)


def stop(message: str, code: int) -> NoReturn:
    print(f"taut: {printable(message)}", file=sys.stderr)
    sys.exit(code)
