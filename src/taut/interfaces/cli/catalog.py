"""``taut list`` and ``taut show``: the built-in mechanisms."""

from __future__ import annotations

import inspect

import typer

from taut.interfaces.cli.common import AsJson, Target, command
from taut.interfaces.cli.listing import arguments_of, described, print_list
from taut.interfaces.cli.output import show


@command("list")
def list_mechanisms(as_json: AsJson = False) -> None:
    """Run ``taut list``."""
    print_list(as_json)


@command("show")
def show_mechanism(target: Target, as_json: AsJson = False) -> None:
    """Run ``taut show``."""
    from taut.interfaces.queries.query import read_query  # with all of the library, which a list does not need
    from taut.interfaces.reports import text
    from taut.neighbors import neighbors_of

    query = read_query(target, [])
    if query.entry is not None:
        known = described(query.entry)
    else:
        known = {"name": query.name, "arguments": arguments_of(query.mechanism.function, {}), "reference": ""}
        known["summary"] = (inspect.getdoc(query.mechanism.function) or "").partition("\n")[0]
    known["documentation"] = inspect.getdoc(query.mechanism.function) or ""
    known["source"] = query.mechanism.source if query.entry is None else query.entry.source
    if as_json:
        from taut.interfaces.reports.json_text import json_text

        typer.echo(json_text(known))
        return
    from rich.console import Console
    from rich.syntax import Syntax

    domains = {"x": query.entry.domain(query.entry.default_n)} if query.entry is not None else {}
    rows = []
    for argument in known["arguments"]:
        name = argument["name"]
        if name in domains:
            default = f"{domains[name]}; other sizes by n="
        else:
            default = str(argument.get("tried_with", argument.get("default", "none, it must be given")))
        rows.append((name, default))
    rows.append(("--neighbors", neighbors_of(query.neighbors).name))
    show(text.simple_table(query.name, ["argument", "default"], rows, words=True))
    if known["reference"]:
        show(f"Reference: {known['reference']}\n")
    language = "python" if query.mechanism.language == "python" else "text"
    source = Syntax("", language, background_color="default").highlight(known["source"])
    source.rstrip()
    Console(highlight=False, markup=False).print(source, soft_wrap=True)  # lines stay whole, to be copied
