"""Commands that write files to read: ``taut report`` and ``taut paper``; ``taut draw``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from taut.interfaces.cli.common import (
    AsJson,
    DistanceOption,
    MaybeAlpha,
    NeighborsOption,
    Settings,
    Target,
    TargetFunction,
    TimeLimit,
    command,
    progress,
    with_workers,
)
from taut.interfaces.cli.output import INTERVAL, show
from taut.interfaces.cli.supervisor import MORE_TIME, SECONDS, budget, is_supervised, leave
from taut.interfaces.queries.query import Query, read_query
from taut.interfaces.queries.questions import accuracy_of, relation_of
from taut.interfaces.reports import text
from taut.interfaces.reports.formats import json_text
from taut.support.errors import InvalidInput
from taut.support.files import check_writable, write_file

if TYPE_CHECKING:
    from taut.interfaces.reports.document import Report


@command("report")
@with_workers
def report(
    target: Target,
    out: Annotated[Path, typer.Option(help="Where to: a file that ends with .html.", show_default=False)],
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    compose: Annotated[int, typer.Option(help="A number of runs that are to be in it, besides 1, 3 and 10.")] = 1,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut report``.

    The file needs no network and runs no script. Each section has a share of the time, half a second at least, and says
    so if that is not enough. With --alpha there is a section on accuracy, and for mechanisms with claims one on these.
    """
    if out.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--out {out}: a report is a file that ends with .html.", value=out)
    check_writable(out)
    command = ["report", target, *(settings or []), "--out", str(out)]
    given = {"--alpha": alpha, "--neighbors": neighbors}
    if alpha is not None:
        given |= {"--target": aim, "--distance": distance}
    command += [word for option, value in given.items() if value is not None for word in (option, value)]
    command += ["--compose", str(compose)] if compose != 1 else []
    command += ["--time-limit", f"{time_limit:g}"]
    accuracy = None if alpha is None else accuracy_of(alpha, aim, distance)
    from taut.interfaces.reports.document import write_report  # with Matplotlib, which takes a second

    part = out.with_name(f".{out.name}.{os.getpid()}")
    so_far: list[Report] = []

    def keep(made: Report) -> None:
        """Keep the report so far for Ctrl-C, and have it put in its place if this process has to be ended."""
        so_far.append(made)
        if is_supervised():
            write_file(part, made.html)
            leave(_told(made, out, query, as_json), code=INTERVAL, file=(part, out))

    try:
        with budget(time_limit):
            query = read_query(target, settings or [])
            made = write_report(query, relation_of(query, neighbors), accuracy, command, compose, keep)
        write_file(out, made.html)
        leave(_told(made, out, query, as_json), code=INTERVAL)
    except KeyboardInterrupt:
        if len(so_far) < 2:  # no section is finished
            raise
        write_file(out, so_far[-1].html)
        typer.echo(_told(so_far[-1], out, query, as_json), nl=False)
        raise
    finally:
        part.unlink(missing_ok=True)
    typer.echo(_told(made, out, query, as_json), nl=False)


def _told(made: Report, out: Path, query: Query, as_json: bool) -> str:
    """Return what is printed about a report that is written."""
    if as_json:
        return f"{json_text({'mechanism': query.label, 'file': str(out), 'unanswered': dict(made.unanswered)})}\n"
    lines = [f"wrote {out}: {query.label}", *[f"not answered: {name.lower()}: {why}" for name, why in made.unanswered]]
    lines += [MORE_TIME] if any("seconds" in why or "limit" in why for _, why in made.unanswered) else []
    return "".join(f"{line}\n" for line in lines)


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
