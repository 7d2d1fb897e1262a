"""``taut list`` and ``taut show``: the built-in mechanisms."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from taut.cli.common import AsJson, Target, app, show
from taut.mechanisms import CATALOG, Entry
from taut.reports.json import json_text


@app.command("list")
def list_mechanisms(as_json: AsJson = False) -> None:
    """List the built-in mechanisms, their arguments and what they do."""
    rows = [_described(entry) for entry in CATALOG.values()]
    if as_json:
        typer.echo(json_text(rows))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for heading in ("mechanism", "arguments", "what it does"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "mechanism")
    for row in rows:
        table.add_row(row["name"], ", ".join(_spelled(argument) for argument in row["arguments"]), row["summary"])
    show(table)


@app.command("show")
def show_mechanism(target: Target, as_json: AsJson = False) -> None:
    """Show a mechanism: what it does, its arguments, its source and where it comes from."""
    from taut.neighbors import neighbors_of
    from taut.queries.query import read_query  # with all of the library, which a list does not need
    from taut.reports import text

    query = read_query(target, [])
    if query.entry is not None:
        described = _described(query.entry)
    else:
        described = {"name": query.name, "arguments": _arguments(query.mechanism.function, {}), "reference": ""}
        described["summary"] = (inspect.getdoc(query.mechanism.function) or "").partition("\n")[0]
    described["documentation"] = inspect.getdoc(query.mechanism.function) or ""
    described["source"] = query.mechanism.source if query.entry is None else query.entry.source
    if as_json:
        typer.echo(json_text(described))
        return
    from rich.console import Console
    from rich.syntax import Syntax

    domains = query.entry.domain(query.entry.default_n) if query.entry is not None else {}
    rows = []
    for argument in described["arguments"]:
        name = argument["name"]
        if name in domains:
            default = f"{domains[name]}; other sizes by n="
        else:
            default = str(argument.get("tried_with", argument.get("default", "none, it must be given")))
        rows.append((name, default))
    rows.append(("--neighbors", neighbors_of(query.neighbors).name))
    show(text.simple_table(query.name, ["argument", "default"], rows, words=True))
    if described["reference"]:
        show(f"Reference: {described['reference']}\n")
    language = "python" if query.mechanism.language == "python" else "text"
    source = Syntax("", language, background_color="default").highlight(described["source"])
    source.rstrip()
    Console(highlight=False, markup=False).print(source, soft_wrap=True)  # lines stay whole, to be copied


def _described(entry: Entry) -> dict[str, Any]:
    """A mechanism as plain data: its arguments in order, its first sentence and where it comes from."""
    return {
        "name": entry.name,
        "arguments": _arguments(entry.mechanism.function, entry.parameters),
        "summary": entry.summary,
        "reference": entry.reference,
        "neighbors": entry.neighbors,
        "default_n": entry.default_n,
    }


def _arguments(function: Callable[..., Any], tried: dict[str, Any]) -> list[dict[str, Any]]:
    """The arguments of a function; ``tried`` are the values that built-ins have on the command line."""
    arguments = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:  # of another mechanism, which is one of the arguments
            continue
        argument: dict[str, Any] = {"name": parameter.name, "required": parameter.default is parameter.empty}
        if not argument["required"]:
            argument["default"] = parameter.default
        if parameter.name in tried:
            argument["tried_with"] = tried[parameter.name]
        arguments.append(argument)
    return arguments


def _spelled(argument: dict[str, Any]) -> str:
    value = argument.get("tried_with", argument.get("default"))
    return argument["name"] if "tried_with" not in argument and argument["required"] else f"{argument['name']}={value}"
