"""``taut --help``, and the refusal of unknown commands: at once, without loading any command."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping

from taut.interfaces.cli.commands import commands
from taut.support.errors import meant

__all__ = ["help_text", "unknown_command"]

_HEAD = """Usage: taut COMMAND [ARGUMENTS]...

  Exact, tight privacy and accuracy bounds of differentially private
  algorithms, with their worst cases.
"""
_OPTIONS = {
    "--version": "Print the version and stop.",
    "--install-completion": "Install completion of commands and names for the current shell.",
    "--show-completion": "Show that completion, to copy it or to change it.",
    "--help": "Show this text; after a command, its arguments and options.",
}
_TAIL = "TARGET is a built-in mechanism (taut list; names may be shortened), file.py:NAME or file.dice:NAME."


def help_text() -> str:
    """Return all commands with their sentences."""
    width = min(shutil.get_terminal_size().columns, 120)
    rows = [*_rows("Options", _OPTIONS, width), *_rows("Commands", commands(), width)]
    return "\n".join([_HEAD, *rows, textwrap.fill(_TAIL, width, initial_indent="  ", subsequent_indent="  ")])


def unknown_command(name: str) -> str:
    """Return the refusal of an unknown command, with those that may be meant."""
    return f"No such command '{name}'.{meant(name, list(commands()))} See 'taut --help'."


def _rows(title: str, rows: Mapping[str, str], width: int) -> Iterator[str]:
    yield f"{title}:"
    column = max(map(len, rows)) + 4
    for name, words in rows.items():
        lines = textwrap.wrap(words, max(width - column, 20)) or [""]
        yield f"  {name:<{column - 2}}{lines[0]}"
        yield from (" " * column + line for line in lines[1:])
    yield ""
