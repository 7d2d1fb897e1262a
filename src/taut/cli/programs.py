"""``taut run``: programs in the language of Dice."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from taut.cli.app import AsJson, app
from taut.cli.budget import SECONDS, TimeLimit, budget
from taut.errors import DiceFileError, DiceWarning, InvalidInput
from taut.model.dice_program import DiceProgram, open_dice
from taut.options import options, working
from taut.reports.joint import (
    dice_lines,
    dice_size_lines,
    evidence_line,
    fraction_text,
    hum,
    joint_dict,
    joint_lines,
)

_TABLES = ("exact", "dice")
_MOST_NODES = 2_000_000
_SHORT = 100


@app.command()
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
    max_nodes: Annotated[int, typer.Option(help="Nodes that the diagram may have.")] = _MOST_NODES,
    as_json: AsJson = False,
) -> None:
    """The exact joint distribution of a Dice program."""
    if table not in _TABLES:
        raise InvalidInput(f"--table '{table}': there are {' and '.join(_TABLES)}.", value=table)
    if ".dice:" in str(program) and not program.exists():
        raise DiceFileError(
            f"'{program}' names a function; 'taut run' runs a whole program, 'taut privacy' and others take functions.",
            value=str(program),
        )
    with budget(time_limit), options(max_nodes=max_nodes) as current, working(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DiceWarning)
        file = open_dice(program, recursion_limit=recursion_limit, max_list_length=max_list_length, strict=strict)
        model = DiceProgram(file, file.lower(), current)
        model.check_recursion(strict)
        joint = model.without_table() if skip_table else model.joint()
        size = model.bdd_size() if show_size else None
    if as_json:
        answer = joint_dict(model, joint, every=table == "dice")
        if skip_table:
            del answer["distribution"]
        typer.echo(json.dumps(answer if size is None else {**answer, "size": size}, indent=2, ensure_ascii=False))
    else:
        if skip_table:
            lines = [] if table == "dice" else [evidence_line(joint)]
        else:
            lines = list(dice_lines(model, joint) if table == "dice" else joint_lines(model, joint))
        if size is not None:
            lines += dice_size_lines(size) if table == "dice" else [f"size: {size} binary nodes"]
        if lines:
            typer.echo("\n".join(lines))
    for warning in model.file.warnings:
        print(f"taut: warning: {warning}", file=sys.stderr)
    if joint.lost:
        exact = fraction_text(joint.lost)
        shown = f"{exact} = {hum(joint.lost)}" if len(exact) <= _SHORT else hum(joint.lost)
        print(
            f"taut: warning: {program}: runs of probability {shown} pass the recursion limit of {recursion_limit}; "
            "they do not count, as in Dice. Raise --recursion-limit, or refuse such programs with --strict.",
            file=sys.stderr,
        )
