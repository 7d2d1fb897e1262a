"""Commands about a parameter: formula, calibrate and sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from taut.interfaces.cli.answers import draw
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
    TimeLimit,
    asked,
    check_outputs,
    command,
    not_replayed,
    progress,
    tell_written,
    with_limits,
    with_questions,
    with_workers,
)
from taut.interfaces.cli.output import INTERRUPTED, INTERVAL, show, stop
from taut.interfaces.cli.supervisor import CLUSTER_LOST, MORE_TIME, SECONDS, budget
from taut.interfaces.queries.query import Query, read_query, read_sweep
from taut.interfaces.queries.questions import accuracy_of, check_method, question_of_text, relation_of
from taut.interfaces.reports import text
from taut.interfaces.reports.formats import json_text
from taut.interfaces.sweep import run_sweep
from taut.model import Model
from taut.parameters.by_value import CalibratedValue, calibrate_by_value, interval_of
from taut.parameters.calibrate import budgets_of
from taut.parameters.calibration import Calibration
from taut.parameters.piecewise import PiecewiseBound
from taut.questions.question import Question
from taut.support.errors import InvalidInput, TautError, TooLarge
from taut.support.files import write_file

FormulaMethod = Annotated[
    str, typer.Option(help="auto, exhaustive, restricted (one case of each orbit) or sampled (proved at a few values).")
]


@command("formula")
@with_questions("Ask for the")
def formula(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    *,
    delta_at: Annotated[
        str | None,
        typer.Option(help="Ask for the delta at this e^eps, a fraction: 3/2 or ratio=3/2.", show_default=False),
    ] = None,
    also: list[Question[Any]],
    neighbors: NeighborsOption = None,
    method: FormulaMethod = "auto",
    time_limit: TimeLimit = SECONDS,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    plot: Plot = None,
    style: Style = "light",
    as_json: AsJson = False,
) -> None:
    """Run ``taut formula``.

    With --alpha it is the accuracy 1-beta, with --delta-at delta; other options ask other questions.
    """
    with budget(time_limit):
        check_outputs(plot, style=style)
        if sum(option is not None for option in (alpha, delta_at)) + len(also) > 1:
            others = ["--alpha", "--delta-at", *[f"--{one.name}" for one in also]]
            raise InvalidInput(f"give one of {', '.join(others)}; each asks for another bound.")
        query = read_query(target, settings or [])
        model = query.parametric_model()
        relation = relation_of(query, neighbors)
        if alpha is not None:
            close = accuracy_of(alpha, aim, distance)
            bound: PiecewiseBound = model.accuracy(close.target, close.alpha, distance=close.distance, method=method)
        elif delta_at is not None:
            bound = model.delta(
                ratio=delta_at.replace(" ", "").removeprefix("ratio="), neighbors=relation, method=method
            )
        elif also:
            bound = model.ask(also[0], neighbors=relation, method=method)
        else:
            bound = model.privacy(relation, method=method)
    _answer(query, bound, bound.latex() if latex else None, plot, style, as_json)


@command("calibrate")
@with_limits(lambda kind: kind.calibrated, "")
def calibrate(
    target: Target,
    settings: Settings = None,
    *,
    limits: dict[str, Any],
    alpha: MaybeAlpha = None,
    probability: Annotated[
        str | None, typer.Option(help="How surely the output must come within alpha of the target.", show_default=False)
    ] = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    compose: Annotated[int, typer.Option(help="Number of runs that share the budget.")] = 1,
    neighbors: NeighborsOption = None,
    method: FormulaMethod = "auto",
    time_limit: TimeLimit = SECONDS,
    plot: Plot = None,
    style: Style = "light",
    as_json: AsJson = False,
) -> None:
    """Run ``taut calibrate``.

    Where there is no closed form, or for several runs, single values are tried by bisection.
    """
    with budget(time_limit):
        check_outputs(plot, style=style)
        if probability is not None and alpha is None:
            raise InvalidInput("--probability needs --alpha, the largest distance that counts as close.")
        query = read_query(target, settings or [])
        accuracy: Any = None
        if alpha is not None:
            close = accuracy_of(alpha, aim, distance)
            accuracy = (close.target, close.alpha, probability, close.distance)
        budgets = limits if accuracy is None else {**limits, "accuracy": accuracy}
        if not budgets:
            raise InvalidInput("calibrate: give a budget, such as --epsilon 1, or --alpha 3 with --probability 0.95.")
        relation = relation_of(query, neighbors)
        if compose != 1 and plot is not None:
            raise InvalidInput("--plot draws closed forms, which several runs have none of; leave --compose out.")
        found: CalibratedValue | Calibration | None = _by_value(query, budgets, compose, relation)
        if found is None:
            found = query.parametric_model().calibrate(**budgets, neighbors=relation, method=method)
    _answer(query, found, None, plot, style, as_json)


def _by_value(query: Query, budgets: dict[str, Any], compose: int, relation: Any) -> CalibratedValue | None:
    """Return the value found by bisection, for several runs or where a parameter cannot be left free; else None."""
    asked, _ = budgets_of(budgets, "auto")
    place = interval_of(query.given)
    if place is None:
        query.parametric_model()  # which says what is missing
        raise InvalidInput(f"{query.name}: calibrate a single parameter; give all others numbers.", value=query.name)
    name, low, high = place

    def make(value: Any) -> Model:
        return query.with_value(name, value).model()

    if compose == 1:
        try:
            query.parametric_model()
        except TooLarge:
            raise
        except TautError as problem:
            try:
                return calibrate_by_value(make, name, low, high, asked, 1, relation)
            except TautError:
                raise problem from None
        return None
    return calibrate_by_value(make, name, low, high, asked, compose, relation)


def _answer(
    query: Query,
    found: PiecewiseBound | Calibration | CalibratedValue,
    latex: str | None,
    plot: Path | None,
    style: str,
    as_json: bool,
) -> None:
    """Print the answer, draw it, and end with exit code 0 if it is proved everywhere, else 4."""
    if not as_json:
        show(latex if latex is not None else f"{query.label}\n{found}")
    if not isinstance(found, CalibratedValue):  # whose values are too few to draw
        draw(found, plot, style, query.label, as_json)
    if as_json:
        typer.echo(json_text({**asked(query), **found.to_dict()}))
    if not (found if isinstance(found, CalibratedValue) else found.exact):
        raise typer.Exit(INTERVAL)


@command("sweep")
@with_workers
@with_questions("Add the")
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
            "--delta-at", help="Add the delta at this epsilon, or at e^epsilon: 1, ratio=3/2.", show_default=False
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
        raise InvalidInput("--accuracy-only needs --alpha, the largest distance that counts as close.")
    if accuracy_only and (delta_at is not None or also):
        others = ", ".join([*([] if delta_at is None else ["--delta-at"]), *[f"--{one.name}" for one in also]])
        raise InvalidInput(f"--accuracy-only leaves privacy out; leave {others} out too.")
    accuracy = None if alpha is None else accuracy_of(alpha, aim, distance)
    questions = [] if accuracy_only else [question_of_text("privacy")]
    questions += [] if delta_at is None else [question_of_text(f"delta {delta_at}")]
    questions += [*also, *([] if accuracy is None else [accuracy])]
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
        from taut.interfaces.reports.show import sweep_figure
        from taut.support.pictures.style import picture

        write_file(plot, picture(sweep_figure(swept), suffix, style))
    if csv is not None:
        write_file(csv, swept.to_csv())
    if as_json:
        aims = {} if accuracy is None else {"alpha": alpha, "target": aim, "distance": distance}
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
