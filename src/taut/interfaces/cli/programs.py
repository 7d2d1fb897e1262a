"""``taut run``: programs in the language of Dice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.interfaces.cli.app import AsJson, command
from taut.interfaces.cli.budget import SECONDS, TimeLimit
from taut.interfaces.cli.dice_run import MOST_NODES, run_program


@command("run")
def run(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.dice", help="A Dice program.", show_default=False)],
    table: Annotated[str, typer.Option(help="exact: possible values, fractions; dice: Dice's own table.")] = "exact",
    show_size: Annotated[bool, typer.Option("--show-size", help="Also print the size of Dice's diagram.")] = False,
    skip_table: Annotated[
        bool, typer.Option("--skip-table", help="No distribution: the evidence, and the size if asked for.")
    ] = False,
    recursion_limit: Annotated[int, typer.Option(help="Nested calls of a recursive function.")] = 10,
    max_list_length: Annotated[
        int | None, typer.Option(help="Items a list holds; by default the recursion limit.", show_default=False)
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what Dice does quietly: lost runs, weights that do not sum to 1.")
    ] = False,
    time_limit: TimeLimit = SECONDS,
    max_nodes: Annotated[int, typer.Option(help="Nodes that the diagram may have.")] = MOST_NODES,
    as_json: AsJson = False,
) -> None:
    """Run ``taut run``."""
    run_program(
        program,
        table=table,
        show_size=show_size,
        skip_table=skip_table,
        recursion_limit=recursion_limit,
        max_list_length=max_list_length,
        strict=strict,
        time_limit=time_limit,
        max_nodes=max_nodes,
        json=as_json,
    )
