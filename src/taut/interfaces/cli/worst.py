"""``taut worst``: the worst pairs of neighbours, or the worst inputs, with their counts."""

from __future__ import annotations

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
    not_replayed,
)
from taut.interfaces.cli.output import show
from taut.interfaces.cli.workers import with_workers
from taut.interfaces.queries.goals import goal_of
from taut.interfaces.queries.query import read_query
from taut.interfaces.queries.questions import relation_of
from taut.interfaces.reports import text
from taut.interfaces.reports.json_text import json_text
from taut.questions.accuracy import input_record, input_table
from taut.questions.classes import ClassList
from taut.support.errors import InvalidInput


@command("worst")
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
    """Run ``taut worst``."""
    check_outputs(plot, style=style)
    with budget(time_limit):
        query = read_query(target, settings or [])
        if top < 1:
            raise InvalidInput(f"--top must be a whole number of at least 1; got {top}.", value=top)
        if alpha is None:
            relation = query.model().neighbors(relation_of(query, neighbors))
            classes: ClassList[Any] = query.model().worst_pairs(top, relation)
            more = {**asked(query), "neighbors": relation.name}
            rows = [_pair_record(one) for one in classes]
            table = text.pair_table(f"Worst pairs of {query.label}, {relation.name} neighbours", classes)
        else:
            goal = goal_of(alpha, aim, distance)
            classes = query.model().worst_inputs(goal.target, goal.alpha, top, distance=goal.distance)
            rows = [input_record(one) for one in classes]
            more = {**asked(query), "alpha": alpha, "target": aim, "distance": distance}
            table = text.text_table(input_table(f"Worst inputs of {query.label}, alpha={alpha}, target {aim}", classes))
    if as_json:
        more |= not_replayed("lists are not replayed")
        typer.echo(json_text([{**row, **more} for row in rows]))
    else:
        show(table)
    draw(classes, plot, style, query.label, as_json)


def _pair_record(one: Any) -> dict[str, Any]:
    """Return a class of pairs with one ratio for programs."""
    witness = {"x": one.witness.x, "x_prime": one.witness.x_prime, "y": one.witness.y}
    return {"ratio": one.value, "count": one.count, "witness": witness}
