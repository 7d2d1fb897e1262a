"""The command ``taut``."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from taut._version import __version__
from taut.errors import TautError, TooLarge
from taut.mechanisms import BUILT_IN
from taut.model import Mechanism

__all__ = ["app", "main"]

BAD_INPUT, TOO_LARGE, INTERRUPTED = 2, 3, 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Exact output distributions of differentially private algorithms.",
)


def main() -> None:
    """Run the command; whatever goes wrong is one sentence on stderr and an exit code, never a traceback.

    Exit codes: 0 an answer, 2 bad input, 3 too large, 130 interrupted.
    """
    try:
        app(prog_name="taut")
    except TooLarge as problem:
        _stop(str(problem), TOO_LARGE)
    except TautError as problem:
        _stop(str(problem), BAD_INPUT)
    except KeyboardInterrupt:
        _stop("interrupted.", INTERRUPTED)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"taut {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that stand before any command."""


@app.command("list")
def list_mechanisms(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """List the built-in mechanisms, their arguments and what they do."""
    rows = [_described(name, mechanism) for name, mechanism in BUILT_IN.items()]
    if as_json:
        typer.echo(json.dumps(rows, indent=2, default=str))
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for heading in ("mechanism", "arguments", "what it does"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "mechanism")
    for row in rows:
        table.add_row(row["name"], ", ".join(_spelled(argument) for argument in row["arguments"]), row["summary"])
    Console(highlight=False, markup=False).print(table)


def _described(name: str, mechanism: Mechanism) -> dict[str, Any]:
    """A mechanism as plain data: its arguments in order (those with a default are optional) and its first sentence."""
    arguments = []
    for parameter in inspect.signature(mechanism.function).parameters.values():
        argument: dict[str, Any] = {"name": parameter.name, "required": parameter.default is parameter.empty}
        if not argument["required"]:
            argument["default"] = parameter.default
        arguments.append(argument)
    summary = (inspect.getdoc(mechanism.function) or "").partition("\n")[0]
    return {"name": name, "arguments": arguments, "summary": summary}


def _spelled(argument: dict[str, Any]) -> str:
    return argument["name"] if argument["required"] else f"{argument['name']}={argument['default']}"


def _stop(message: str, code: int) -> NoReturn:
    print(f"taut: {message}", file=sys.stderr)
    sys.exit(code)
