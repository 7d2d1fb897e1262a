"""``taut --help``, and what is said of a command that there is not: at once, without loading any command."""

from __future__ import annotations

import ast
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from taut.spelling import meant

__all__ = ["help_text", "summaries", "unknown_command"]

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


def help_text(commands: Mapping[str, Sequence[str]]) -> str:
    """All commands with the sentence that each begins its own help with."""
    width = min(shutil.get_terminal_size().columns, 120)
    said = summaries(commands)
    rows = [*_rows("Options", _OPTIONS, width), *_rows("Commands", said, width)]
    return "\n".join([_HEAD, *rows, textwrap.fill(_TAIL, width, initial_indent="  ", subsequent_indent="  ")])


def summaries(commands: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The first paragraph of each command's docstring, as it stands in the source of its module, which is not run."""
    found: dict[str, str] = {}
    for home in commands:
        tree = ast.parse((Path(__file__).parent / f"{home}.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and (name := _command(node)) is not None:
                found[name] = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
    return found


def unknown_command(name: str, commands: Mapping[str, Sequence[str]]) -> str:
    """What is said of a command that there is not, with those that may be meant."""
    names = [command for some in commands.values() for command in some]
    return f"No such command '{name}'.{meant(name, names)} See 'taut --help'."


def _command(function: ast.FunctionDef) -> str | None:
    """The name of the command that a function is, None if it is not one."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "app.command":
            given = decorator.args[0] if decorator.args else None
            return str(given.value) if isinstance(given, ast.Constant) else function.name
    return None


def _rows(title: str, rows: Mapping[str, str], width: int) -> Iterator[str]:
    yield f"{title}:"
    column = max(map(len, rows)) + 4
    for name, words in rows.items():
        lines = textwrap.wrap(words, max(width - column, 20)) or [""]
        yield f"  {name:<{column - 2}}{lines[0]}"
        yield from (" " * column + line for line in lines[1:])
    yield ""
