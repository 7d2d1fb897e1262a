"""The built-in mechanisms as plain data, and the list of them: all that ``taut list`` needs, without Typer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from taut.interfaces.cli.output import show
from taut.mechanisms import CATALOG, Entry

__all__ = ["arguments_of", "described", "print_list"]


def print_list(as_json: bool = False) -> None:
    """Print the built-in mechanisms, their arguments and what they do."""
    rows = [described(entry) for entry in CATALOG.values()]
    if as_json:
        from taut.interfaces.reports.formats import json_text

        print(json_text(rows))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for heading in ("mechanism", "arguments", "what it does"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "mechanism")
    for row in rows:
        table.add_row(row["name"], ", ".join(_spelled(argument) for argument in row["arguments"]), row["summary"])
    show(table)


def described(entry: Entry) -> dict[str, Any]:
    """A mechanism as plain data: its arguments in order, its first sentence and where it comes from."""
    return {
        "name": entry.name,
        "arguments": arguments_of(entry.mechanism.function, entry.parameters),
        "summary": entry.summary,
        "reference": entry.reference,
        "neighbors": entry.neighbors,
        "default_n": entry.default_n,
    }


def arguments_of(function: Callable[..., Any], tried: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of a function; ``tried`` has the default values of built-ins on the command line."""
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
