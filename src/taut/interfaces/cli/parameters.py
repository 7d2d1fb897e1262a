"""``taut formula`` and ``taut calibrate``: bounds as functions of a parameter, and the values that meet a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from taut.interfaces.cli.answers import draw
from taut.interfaces.cli.budget import SECONDS, TimeLimit, budget
from taut.interfaces.cli.common import (
    AsJson,
    DistanceOption,
    MaybeAlpha,
    NeighborsOption,
    Plot,
    Settings,
    Style,
    Target,
    TargetFunction,
    asked,
    check_outputs,
    command,
)
from taut.interfaces.cli.limits import with_limits, with_questions
from taut.interfaces.cli.output import INTERVAL, show
from taut.interfaces.queries.goals import goal_of
from taut.interfaces.queries.query import Query, read_query
from taut.interfaces.queries.questions import relation_of
from taut.interfaces.reports.json_text import json_text
from taut.parameters.calibration import Calibration
from taut.parameters.piecewise import PiecewiseBound
from taut.questions.question import Question
from taut.support.errors import InvalidInput

Method = Annotated[
    str,
    typer.Option(help="auto, exhaustive, restricted (one case of each orbit) or sampled (proved at a few values)."),
]


@command("formula")
@with_questions("")
def formula(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    *,
    delta_at: Annotated[
        str | None, typer.Option(help="Delta at this e^eps, a rational number.", show_default=False)
    ] = None,
    also: list[Question[Any]],
    neighbors: NeighborsOption = None,
    method: Method = "auto",
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
            goal = goal_of(alpha, aim, distance)
            bound: PiecewiseBound = model.accuracy(goal.target, goal.alpha, distance=goal.distance, method=method)
        elif delta_at is not None:
            bound = model.delta(ratio=delta_at, neighbors=relation, method=method)
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
        str | None,
        typer.Option(help="How surely the output must come within alpha of the target.", show_default=False),
    ] = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    plot: Plot = None,
    style: Style = "light",
    as_json: AsJson = False,
) -> None:
    """Run ``taut calibrate``."""
    with budget(time_limit):
        check_outputs(plot, style=style)
        if probability is not None and alpha is None:
            raise InvalidInput("--probability needs --alpha, how far from the target still counts as close.")
        query = read_query(target, settings or [])
        model = query.parametric_model()
        accuracy: Any = None
        if alpha is not None:
            goal = goal_of(alpha, aim, distance)
            accuracy = (goal.target, goal.alpha, probability, goal.distance)
        budgets = limits if accuracy is None else {**limits, "accuracy": accuracy}
        found = model.calibrate(**budgets, neighbors=relation_of(query, neighbors), method=method)
    _answer(query, found, None, plot, style, as_json)


def _answer(
    query: Query, found: PiecewiseBound | Calibration, latex: str | None, plot: Path | None, style: str, as_json: bool
) -> None:
    """Print the answer, draw it, and end with the exit code that says whether it is proved everywhere."""
    if not as_json:
        show(latex if latex is not None else f"{query.label}\n{found}")
    draw(found, plot, style, query.label, as_json)
    if as_json:
        typer.echo(json_text({**asked(query), **found.to_dict()}))
    if not found.exact:
        raise typer.Exit(INTERVAL)
