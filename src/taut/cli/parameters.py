"""``taut formula`` and ``taut calibrate``: bounds as functions of a parameter, and the values that meet a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from taut.cli.answers import draw
from taut.cli.bounds import reach_of
from taut.cli.budget import SECONDS, TimeLimit, budget
from taut.cli.common import (
    AsJson,
    DistanceOption,
    MaybeAlpha,
    NeighborsOption,
    Plot,
    Settings,
    Style,
    Target,
    TargetFunction,
    app,
    asked,
    check_outputs,
)
from taut.cli.output import INTERVAL, show
from taut.errors import InvalidInput
from taut.queries.functions import named_function
from taut.queries.query import Query, read_query
from taut.queries.questions import relation_of
from taut.queries.targets import DISTANCES, TARGETS
from taut.reports.json import json_text
from taut.results.calibration import Calibration
from taut.results.piecewise import PiecewiseBound

Method = Annotated[
    str,
    typer.Option(help="auto, exhaustive, restricted (one case of each orbit) or sampled (proved at a few values)."),
]


@app.command()
def formula(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    delta_at: Annotated[
        str | None, typer.Option(help="Delta at this e^eps, a rational number.", show_default=False)
    ] = None,
    renyi: Annotated[str | None, typer.Option(help="The Rényi moment of this whole order.", show_default=False)] = None,
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    plot: Plot = None,
    style: Style = "light",
    as_json: AsJson = False,
) -> None:
    """A bound as a function of a parameter that is left free, such as lam=0..1/2: e^eps, or what is asked for.

    With --alpha it is the accuracy 1-beta, with --delta-at delta, with --renyi a Rényi moment.
    """
    with budget(time_limit):
        check_outputs(plot, style=style)
        if sum(option is not None for option in (alpha, delta_at, renyi)) > 1:
            raise InvalidInput("give one of --alpha, --delta-at and --renyi; each asks for another bound.")
        query = read_query(target, settings or [])
        model = query.parametric_model()
        relation = relation_of(query, neighbors)
        if alpha is not None:
            function = named_function(aim, TARGETS, "--target")
            far = named_function(distance, DISTANCES, "--distance")
            bound: PiecewiseBound = model.accuracy(function, reach_of(alpha), distance=far, method=method)
        elif delta_at is not None:
            bound = model.delta(ratio=delta_at, neighbors=relation, method=method)
        elif renyi is not None:
            bound = model.renyi(renyi, relation, method)
        else:
            bound = model.privacy(relation, method)
    _answer(query, bound, bound.latex() if latex else None, plot, style, as_json)


@app.command()
def calibrate(
    target: Target,
    settings: Settings = None,
    epsilon: Annotated[str | None, typer.Option(help="The largest epsilon.", show_default=False)] = None,
    ratio: Annotated[
        str | None, typer.Option(help="The largest e^eps, instead of epsilon.", show_default=False)
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="The largest delta, beside --epsilon or --ratio.", show_default=False)
    ] = None,
    renyi: Annotated[
        str | None, typer.Option(help="ORDER,DIVERGENCE: the largest Rényi divergence.", show_default=False)
    ] = None,
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
    """The values of a parameter left free, such as lam=0..1/2, that meet a budget; and a short one among them."""
    with budget(time_limit):
        check_outputs(plot, style=style)
        if probability is not None and alpha is None:
            raise InvalidInput("--probability needs --alpha, how far from the target still counts as close.")
        query = read_query(target, settings or [])
        model = query.parametric_model()
        accuracy: Any = None
        if alpha is not None:
            function = named_function(aim, TARGETS, "--target")
            accuracy = (function, reach_of(alpha), probability, named_function(distance, DISTANCES, "--distance"))
        found = model.calibrate(
            epsilon=epsilon,
            ratio=ratio,
            delta=delta,
            renyi=None if renyi is None else renyi.split(","),
            accuracy=accuracy,
            neighbors=relation_of(query, neighbors),
            method=method,
        )
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
