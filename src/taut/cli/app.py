"""The application that the commands are added to."""

from __future__ import annotations

from typing import Annotated

import typer

from taut._version import __version__

__all__ = ["AsJson", "app"]

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


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
