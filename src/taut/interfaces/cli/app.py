"""The application that the commands are added to."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from taut.interfaces.cli.commands import COMMANDS
from taut.interfaces.cli.supervisor import with_memory
from taut.support.package import __version__

__all__ = ["AsJson", "app", "command"]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Exact, tight privacy and accuracy bounds of differentially private algorithms, with their worst cases.",
    epilog="TARGET is a built-in mechanism (taut list; names may be shortened), file.py:NAME or file.dice:NAME.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"taut {__version__}")
        raise typer.Exit


@app.callback()
def _before_any_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that stand before any command."""


def command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command: its help is its sentence in ``taut --help``, then the later paragraphs of its docstring."""

    def added(function: Callable[..., None]) -> Callable[..., None]:
        details = (inspect.getdoc(function) or "").partition("\n\n")[2]
        app.command(name, help="\n\n".join(filter(None, [COMMANDS[name][1], details])))(with_memory(function))
        return function

    return added


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
