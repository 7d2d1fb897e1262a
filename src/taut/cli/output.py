"""How the commands print and stop: exit codes, tables on the terminal, one sentence where something is wrong."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["BAD_INPUT", "INTERRUPTED", "INTERVAL", "TOO_LARGE", "WRONG", "show", "stop"]

WRONG, BAD_INPUT, TOO_LARGE, INTERVAL, INTERRUPTED = 1, 2, 3, 4, 130


def show(what: RenderableType) -> None:
    from rich.console import Console

    Console(highlight=False, markup=False).print(what)


def stop(message: str, code: int) -> NoReturn:
    print(f"taut: {message}", file=sys.stderr)
    sys.exit(code)
