"""``taut sweep``: bounds against a parameter."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from taut.interfaces.cli.budget import CLUSTER_LOST, MORE_TIME, SECONDS, TimeLimit, budget
from taut.interfaces.cli.common import (
    AsJson,
    DistanceOption,
    MaybeAlpha,
    Method,
    NeighborsOption,
    Plot,
    Settings,
    Style,
    Target,
    TargetFunction,
    asked,
    check_outputs,
    command,
    not_replayed,
    progress,
    tell_written,
)
from taut.interfaces.cli.limits import with_questions
from taut.interfaces.cli.output import INTERRUPTED, INTERVAL, show, stop
from taut.interfaces.cli.workers import with_workers
from taut.interfaces.queries.goals import goal_of
from taut.interfaces.queries.query import read_sweep
from taut.interfaces.queries.questions import check_method, question_of_text, relation_of
from taut.interfaces.reports import text
from taut.interfaces.reports.json_text import json_text
from taut.interfaces.sweeps.sweep import run_sweep
from taut.questions.question import Question
from taut.support.errors import InvalidInput
from taut.support.files import write_file


@command("sweep")
@with_workers
@with_questions("also ")
def sweep(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    *,
    also: list[Question[Any]],
    delta_at: Annotated[
        str | None,
        typer.Option(
            "--delta-at", help="Also delta at this epsilon, or at e^epsilon: 1, ratio=3/2.", show_default=False
        ),
    ] = None,
    accuracy_only: Annotated[bool, typer.Option("--accuracy-only", help="With --alpha: leave epsilon out.")] = False,
    compose: Annotated[int, typer.Option(help="Number of runs that each answer but accuracy is about.")] = 1,
    plot: Plot = None,
    style: Style = "light",
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the numbers.")] = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut sweep``.

    This is epsilon, with --delta-at also delta, with --alpha also 1-beta; other options ask other questions.
    """
    query, parameter, values = read_sweep(target, settings or [])
    if alpha is None and accuracy_only:
        raise InvalidInput("--accuracy-only needs --alpha, how far from the target still counts as close.")
    if accuracy_only and (delta_at is not None or also):
        others = ", ".join([*([] if delta_at is None else ["--delta-at"]), *[f"--{one.name}" for one in also]])
        raise InvalidInput(f"--accuracy-only leaves privacy out; leave {others} out too.")
    goal = None if alpha is None else goal_of(alpha, aim, distance)
    questions = [] if accuracy_only else [question_of_text("privacy")]
    questions += [] if delta_at is None else [question_of_text(f"delta {delta_at}")]
    questions += [*also, *([] if goal is None else [goal])]
    suffix = check_outputs(plot, csv, style=style)
    check_method(method)
    relation = None if accuracy_only else relation_of(query, neighbors)
    with budget(time_limit), progress(f"{parameter} of {query.name}", len(values)) as step:
        swept = run_sweep(
            query,
            parameter,
            values,
            neighbors=relation,
            questions=questions,
            method=method,
            compose=compose,
            step=lambda: step(""),
        )
    if plot is not None:
        from taut.interfaces.reports.plots import sweep_figure
        from taut.support.pictures.style import picture

        write_file(plot, picture(sweep_figure(swept), suffix, style))
    if csv is not None:
        write_file(csv, swept.to_csv())
    if as_json:
        aims = {} if goal is None else {"alpha": alpha, "target": aim, "distance": distance}
        head = {**asked(query, without=parameter), **aims, **not_replayed("sweeps are not replayed")}
        typer.echo(json_text({**head, **swept.to_dict()}))
    else:
        show(text.sweep_table(swept))
        tell_written(plot, csv)
    if swept.stopped is not None:
        missing = f"{len(values) - len(swept.points)} of {len(values)} values are missing ({swept.stopped})."
        if swept.stopped == "interrupted":
            stop(missing, INTERRUPTED)
        stop(f"{missing} {CLUSTER_LOST if swept.stopped == 'workers_gone' else MORE_TIME}", INTERVAL)
