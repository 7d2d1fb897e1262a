"""``taut privacy``, ``accuracy``, ``worst`` and ``sweep``: bounds with their worst cases."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from taut.cli.answers import announce, draw, finish, keep, say_verified
from taut.cli.budget import CLUSTER_LOST, MORE_TIME, SECONDS, TimeLimit, budget, verified
from taut.cli.common import (
    Alpha,
    AsJson,
    DistanceOption,
    Explain,
    MaybeAlpha,
    Method,
    NeighborsOption,
    Plot,
    Save,
    Settings,
    Style,
    Target,
    TargetFunction,
    app,
    asked,
    check_outputs,
    closing_interval,
    not_replayed,
    progress,
    tell_written,
)
from taut.cli.output import INTERRUPTED, INTERVAL, show, stop
from taut.cli.workers import with_workers
from taut.errors import InvalidInput, OutOfMemory, OutOfTime
from taut.files import write_file
from taut.numbers import number
from taut.queries.functions import named_function
from taut.queries.query import read_query, read_sweep
from taut.queries.questions import ask_accuracy, ask_privacy, relation_of
from taut.queries.targets import DISTANCES, TARGETS
from taut.reports import text
from taut.reports.json import json_text
from taut.results import Bound, ClassList


@app.command()
@with_workers
def privacy(
    target: Target,
    settings: Settings = None,
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    explain: Explain = False,
    plot: Plot = None,
    style: Style = "light",
    save: Save = None,
    as_json: AsJson = False,
) -> None:
    """The exact e^eps of a mechanism, with a worst pair of neighbours and output."""
    check_outputs(plot, save, style=style)
    with budget(time_limit):
        query = read_query(target, settings or [])
        relation = relation_of(query, neighbors)
        with closing_interval(query.name) as tell:
            bound = ask_privacy(query, relation, method=method, progress=tell or plot is not None)
        panel = text.privacy_panel(query.label, bound)
        _print(query.label, bound, panel, as_json, explain, asked(query), plot, style, save)


@app.command()
@with_workers
def accuracy(
    target: Target,
    alpha: Alpha,
    settings: Settings = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    top: Annotated[int, typer.Option(help="Also list this many lowest different 1-beta.")] = 0,
    explain: Explain = False,
    plot: Plot = None,
    style: Style = "light",
    save: Save = None,
    as_json: AsJson = False,
) -> None:
    """The exact 1-beta of a mechanism: how surely it comes within alpha of a target, with a worst input."""
    check_outputs(plot, save, style=style)
    with budget(time_limit):
        query = read_query(target, settings or [])
        reach = reach_of(alpha)
        function, far = _aim_and_distance(aim, distance)
        check_top(top, least=0)
        with closing_interval(query.name) as tell:
            bound = ask_accuracy(query, function, reach, far, method=method, progress=tell or plot is not None)
        panel = text.accuracy_panel(query.label, bound, aim)
        listed = functools.partial(query.model().worst_inputs, function, reach, top, distance=far) if top else None
        more = {**asked(query), "target": aim, "distance": distance}
        _print(query.label, bound, panel, as_json, explain, more, plot, style, save, listed)


@app.command()
@with_workers
def worst(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    top: Annotated[int, typer.Option(help="How many different values to list.")] = 4,
    time_limit: TimeLimit = SECONDS,
    plot: Plot = None,
    style: Style = "light",
    as_json: AsJson = False,
) -> None:
    """The worst pairs of neighbours; with --alpha the worst inputs. Different values only, each with its count."""
    check_outputs(plot, style=style)
    with budget(time_limit):
        query = read_query(target, settings or [])
        check_top(top, least=1)
        if alpha is None:
            relation = query.model().neighbors(relation_of(query, neighbors))
            classes: ClassList[Any] = query.model().worst_pairs(top, relation)
            more = {**asked(query), "neighbors": relation.name}
            rows = [_pair_class(one) for one in classes]
            table = text.pair_table(f"Worst pairs of {query.label}, {relation.name} neighbours", classes)
        else:
            function, far = _aim_and_distance(aim, distance)
            classes = query.model().worst_inputs(function, reach_of(alpha), top, distance=far)
            rows = [_input_class(one) for one in classes]
            more = {**asked(query), "alpha": alpha, "target": aim, "distance": distance}
            table = text.input_table(f"Worst inputs of {query.label}, alpha={alpha}, target {aim}", classes)
    if as_json:
        more |= not_replayed("lists are not replayed")
        typer.echo(json_text([{**row, **more} for row in rows]))
    else:
        show(table)
    draw(classes, plot, style, query.label, as_json)


@app.command()
@with_workers
def sweep(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    delta_at: Annotated[
        str | None,
        typer.Option(
            "--delta-at", help="Also delta at this epsilon, or at e^epsilon: 1, ratio=3/2.", show_default=False
        ),
    ] = None,
    renyi: Annotated[
        str | None, typer.Option("--renyi", help="Also the Rényi moment of this order.", show_default=False)
    ] = None,
    accuracy_only: Annotated[bool, typer.Option("--accuracy-only", help="With --alpha: leave e^eps out.")] = False,
    plot: Plot = None,
    style: Style = "light",
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the numbers.")] = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Bounds against a parameter: one setting is a range low:high:step or a list a,b,c.

    This is e^eps, with --delta-at also delta, with --renyi also a Rényi moment, with --alpha also 1-beta.
    """
    from taut.parametric.sweep import Accuracy, DeltaAt, run_sweep

    query, parameter, values = read_sweep(target, settings or [])
    wanted = None
    if alpha is not None:
        function, far = _aim_and_distance(aim, distance)
        wanted = Accuracy(function, reach_of(alpha), far)
    elif accuracy_only:
        raise InvalidInput("--accuracy-only needs --alpha, how far from the target still counts as close.")
    if accuracy_only and (delta_at is not None or renyi is not None):
        raise InvalidInput("--accuracy-only leaves privacy out; leave --delta-at and --renyi out too.")
    delta = None if delta_at is None else DeltaAt.read(delta_at)
    suffix = check_outputs(plot, csv, style=style)
    relation = None if accuracy_only else relation_of(query, neighbors)
    with budget(time_limit), progress(f"{parameter} of {query.name}", len(values)) as step:
        swept = run_sweep(
            query,
            parameter,
            values,
            neighbors=relation,
            accuracy=wanted,
            delta=delta,
            renyi=renyi,
            method=method,
            step=lambda: step(""),
        )
    if plot is not None:
        from taut.pictures import picture
        from taut.reports.plots import sweep_figure

        write_file(plot, picture(sweep_figure(swept), suffix, style))
    if csv is not None:
        write_file(csv, swept.to_csv())
    if as_json:
        aims = {} if wanted is None else {"alpha": alpha, "target": aim, "distance": distance}
        more = {**asked(query, without=parameter), **aims, **not_replayed("sweeps are not replayed")}
        typer.echo(json_text({**more, **swept.to_dict()}))
    else:
        show(text.sweep_table(swept))
        tell_written(plot, csv)
    if swept.stopped is not None:
        missing = f"{len(values) - len(swept.points)} of {len(values)} values are missing ({swept.stopped})."
        if swept.stopped == "interrupted":
            stop(missing, INTERRUPTED)
        stop(f"{missing} {CLUSTER_LOST if swept.stopped == 'workers_gone' else MORE_TIME}", INTERVAL)


def _aim_and_distance(aim: str, distance: str) -> tuple[Any, Any]:
    """The functions that --target and --distance name."""
    return named_function(aim, TARGETS, "--target"), named_function(distance, DISTANCES, "--distance")


def reach_of(alpha: str) -> Any:
    reach = number(alpha, "--alpha")
    if reach < 0:
        raise InvalidInput(f"--alpha must not be negative; got {alpha}.", value=alpha)
    return reach


def check_top(top: int, least: int) -> None:
    if top < least:
        raise InvalidInput(f"--top must be a whole number of at least {least}; got {top}.", value=top)


def _input_class(one: Any) -> dict[str, Any]:
    return {"probability": one.value, "count": one.count, "witness": {"x": one.witness.x}}


def _pair_class(one: Any) -> dict[str, Any]:
    witness = {"x": one.witness.x, "x_prime": one.witness.x_prime, "y": one.witness.y}
    return {"ratio": one.value, "count": one.count, "witness": witness}


def _print(
    label: str,
    bound: Bound,
    panel: RenderableType,
    as_json: bool,
    explain: bool,
    question: Mapping[str, Any],
    plot: Path | None,
    style: str,
    save: Path | None,
    listed: Callable[[], list[Any]] | None = None,
) -> None:
    """Print a bound as soon as it is known, then what is ``listed`` besides, draw it, save it, verify its witness.

    An answer that is only an interval, or that was interrupted, has an exit code of its own.
    """
    announce([panel, bound.explain() if explain else None], as_json)
    draw(bound, plot, style, label, as_json)
    keep(bound, save, as_json)
    classes, missing = _within_time(listed)
    check = verified(bound)
    if as_json:
        more: dict[str, Any] = {**question, "verification": check.to_dict()}
        if listed is not None:
            more["worst_inputs"] = None if missing else [_input_class(one) for one in classes]
        explanation = {"explanation": bound.explain()} if explain else {}
        typer.echo(json_text({**bound.to_dict(), **more, **explanation}))
    else:
        if classes:
            show(text.input_table("Lowest different 1-beta", classes))
        if missing:
            typer.echo(f"The lowest different 1-beta are not listed ({missing}).")
    say_verified({"": check}, as_json)
    finish([bound], [check], as_json)


def _within_time(listed: Callable[[], list[Any]] | None) -> tuple[list[Any], str]:
    """What is listed besides a bound; or nothing, and why."""
    try:
        return ([] if listed is None else listed()), ""
    except OutOfTime:
        return [], "time"
    except OutOfMemory:
        return [], "memory"
