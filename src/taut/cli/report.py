"""``taut report``: every answer about a mechanism in one file that a reviewer can read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.cli.bounds import reach_of
from taut.cli.budget import MORE_TIME, SECONDS, TimeLimit, budget
from taut.cli.common import (
    AsJson,
    DistanceOption,
    MaybeAlpha,
    NeighborsOption,
    Settings,
    Target,
    TargetFunction,
    app,
)
from taut.cli.workers import with_workers
from taut.errors import InvalidInput
from taut.files import check_writable, write_file
from taut.queries.functions import named_function
from taut.queries.query import read_query
from taut.queries.questions import relation_of
from taut.queries.targets import DISTANCES, TARGETS
from taut.reports.json import json_text


@app.command()
@with_workers
def report(
    target: Target,
    out: Annotated[Path, typer.Option(help="Where to: a file that ends with .html.", show_default=False)],
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Write one HTML file with every answer, its worst case and picture, how it was found, and how to find it again.

    The file needs no network and runs no script. Each section has a share of the time; what it cannot answer in that
    it says. With --alpha, accuracy is part of it; claims are, where the mechanism has some.
    """
    if out.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--out {out}: a report is a file that ends with .html.", value=out)
    check_writable(out)
    command = ["report", target, *(settings or []), "--out", str(out)]
    given = {"--alpha": alpha, "--neighbors": neighbors}
    if alpha is not None:
        given |= {"--target": aim, "--distance": distance}
    command += [word for option, value in given.items() if value is not None for word in (option, value)]
    command += ["--time-limit", f"{time_limit:g}"]
    reach = None if alpha is None else reach_of(alpha)
    from taut.reports.document import Goal, write_report  # with Matplotlib, which takes a second

    goal = None
    if reach is not None:
        functions = named_function(aim, TARGETS, "--target"), named_function(distance, DISTANCES, "--distance")
        goal = Goal(reach, *functions, aim, distance)
    with budget(time_limit):
        query = read_query(target, settings or [])
        made = write_report(query, relation_of(query, neighbors), goal, command)
    write_file(out, made.html)
    if as_json:
        missing = dict(made.unanswered)
        typer.echo(json_text({"mechanism": query.label, "file": str(out), "unanswered": missing}))
        return
    typer.echo(f"wrote {out}: {query.label}")
    for name, why in made.unanswered:
        typer.echo(f"not answered: {name.lower()}: {why}")
    if any("seconds" in why for _, why in made.unanswered):
        typer.echo(MORE_TIME)
