"""The commands by name with their sentences; ``taut --help`` and refusals of unknown ones, without loading any."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping

from taut.questions.registry import sentences
from taut.support.errors import meant

__all__ = ["COMMANDS", "commands", "help_text", "home_of", "unknown_command"]


COMMANDS: dict[str, tuple[str, str]] = {
    "worst": (
        "looking",
        "The worst pairs of neighbours, one for each of the largest values; with --alpha the worst inputs.",
    ),
    "sweep": (
        "parameters",
        "Bounds for many values of a parameter, given as a range low:high:step or as a list a,b,c.",
    ),
    "list": ("looking", "List the built-in mechanisms, their arguments and what they do."),
    "show": ("looking", "Show a mechanism: what it does, its arguments, its source and where it comes from."),
    "check": (
        "claims",
        "Check claims: those written on the mechanisms of a file, or one given by options. Exit code 1 if one fails.",
    ),
    "replay": (
        "claims",
        "Check a saved result: the mechanism must be unchanged, and the witness must attain the value.",
    ),
    "export": ("compare", "Write a mechanism as a program for Dice or a model for Storm."),
    "compare": ("compare", "The privacy bound of a mechanism by several tools: their answers, times and sizes."),
    "formula": (
        "parameters",
        "A bound as a function of a parameter that is left free, such as lam=0..1/2; epsilon by default.",
    ),
    "calibrate": (
        "parameters",
        "The values of a parameter left free, such as lam=0..1/2, that meet a budget, and one of them to take.",
    ),
    "loss": ("looking", "The loss distribution of two inputs: each ratio of their probabilities, with its masses."),
    "draw": ("looking", "Draw the decision diagram that a mechanism is compiled to."),
    "paper": ("report", "Recompute every table and figure of the paper, beside the published numbers."),
    "play": (
        "play",
        "Open a page in the browser to write mechanisms on; it shows bounds, worst cases and pictures at once.",
    ),
    "run": ("compare", "The exact joint distribution of a Dice program."),
    "report": (
        "report",
        "Write one HTML file with every answer: its worst case, its picture, the method, and the command that "
        "repeats it.",
    ),
    "new": ("play", "Write a commented mechanism with a claim, to start from."),
    "explain": ("claims", "Explain a saved result in sentences, without computing anything."),
    "symmetries": (
        "looking",
        "The symmetries of a mechanism, found and verified, and the number of cases that they leave.",
    ),
}
"""Commands besides those of questions: the module, and the sentence that begins their help."""
_QUESTIONS = "asking"


def commands() -> dict[str, str]:
    """Return all commands with their sentences, those of questions first."""
    return {**sentences(), **{name: sentence for name, (_, sentence) in COMMANDS.items()}}


def home_of(name: str) -> str:
    """Return the module that adds a command."""
    return COMMANDS[name][0] if name in COMMANDS else _QUESTIONS


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
    """Return the error for an unknown command, with similar known ones."""
    return f"No such command '{name}'.{meant(name, list(commands()))} See 'taut --help'."


def _rows(title: str, rows: Mapping[str, str], width: int) -> Iterator[str]:
    yield f"{title}:"
    column = max(map(len, rows)) + 4
    for name, words in rows.items():
        lines = textwrap.wrap(words, max(width - column, 20)) or [""]
        yield f"  {name:<{column - 2}}{lines[0]}"
        yield from (" " * column + line for line in lines[1:])
    yield ""
