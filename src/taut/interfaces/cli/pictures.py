"""``taut draw`` and ``taut paper``: a diagram, and the paper's tables and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.interfaces.cli.budget import SECONDS, TimeLimit, budget
from taut.interfaces.cli.common import AsJson, Settings, Target, command, progress
from taut.interfaces.cli.output import show
from taut.interfaces.cli.workers import with_workers
from taut.interfaces.queries.query import read_query
from taut.interfaces.reports import text
from taut.interfaces.reports.json_text import json_text
from taut.support.files import check_writable


@command("draw")
def draw(
    target: Target,
    out: Annotated[Path, typer.Option(help="Where to: .svg, .png, .pdf or .dot.", show_default=False)],
    settings: Settings = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut draw``."""
    check_writable(out)
    with budget(time_limit):
        query = read_query(target, settings or [])
        model = query.model()
        model.draw(out)
    if as_json:
        typer.echo(json_text({"mechanism": query.label, "file": str(out), "nodes": model.size}))
    else:
        typer.echo(f"wrote {out}: {query.label}, {model.size} nodes")


@command("paper")
@with_workers
def paper(
    out: Annotated[Path, typer.Option(help="The folder to write to; made if it is not there.", show_default=False)],
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes, under a minute.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run ``taut paper``."""
    from taut.interfaces.paper import PARTS, reproduce
    from taut.support.files import check_folder, write_all

    with check_folder(out) as folder:
        with progress("the paper", PARTS) as step:
            reproduction = reproduce(quick, step)
        write_all(folder, reproduction.files)
    if as_json:
        typer.echo(json_text({"folder": str(out), "files": sorted(reproduction.files), "checks": reproduction.checks}))
        return
    wrong = [check for check in reproduction.checks if not check["agrees"]]
    if wrong:
        rows = [[check["what"], check["published"], check["source"], check["ours"]] for check in wrong]
        show(text.simple_table("These differ", ["what", "expected", "from", "taut"], rows))
    agree = len(reproduction.checks) - len(wrong)
    typer.echo(f"wrote {len(reproduction.files)} files to {out}; start with {out / 'report.md'}")
    typer.echo(f"{agree} of {len(reproduction.checks)} numbers agree with the paper, with Dice or with a closed form")
