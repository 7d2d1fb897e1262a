"""``taut error``: how far off a mechanism is on its worst inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from taut.cli.answers import draw, finish
from taut.cli.budget import SECONDS, TimeLimit, budget, verified
from taut.cli.common import (
    AsJson,
    DistanceOption,
    Method,
    Plot,
    Settings,
    Style,
    Target,
    TargetFunction,
    app,
    asked,
    check_outputs,
    closing_interval,
)
from taut.cli.output import show
from taut.cli.workers import with_workers
from taut.errors import InvalidInput, TooLarge
from taut.queries.functions import named_function
from taut.queries.query import read_query
from taut.queries.targets import DISTANCES, TARGETS
from taut.reports import text
from taut.reports.json import json_text


@app.command()
@with_workers
def error(
    target: Target,
    settings: Settings = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    quantile: Annotated[
        list[str] | None,
        typer.Option(help="Also the smallest alpha that is kept with this probability; may be repeated."),
    ] = None,
    method: Method = "auto",
    plot: Plot = None,
    style: Style = "light",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """The exact mean, mean square and variance of the distance to a target, each with its worst input."""
    check_outputs(plot, style=style)
    with budget(time_limit):
        query = read_query(target, settings or [])
        function, far = named_function(aim, TARGETS, "--target"), named_function(distance, DISTANCES, "--distance")
        shares = quantile or []
        with closing_interval(query.name) as tell:
            found = query.model().error(function, distance=far, method=method, progress=tell)
            bounds = {"mean": found.mean, "mean_square": found.mean_square}
            bounds.update({f"quantile {share}": found.quantile(share) for share in shares})
            refused = _or_refusal(lambda: bounds.update(variance=found.variance))
        checks = {name: verified(bound) for name, bound in bounds.items()}
    if as_json:
        rows: dict[str, Any] = {
            name: {**bound.to_dict(), "verification": checks[name].to_dict()} for name, bound in bounds.items()
        }
        if refused is not None:
            rows["variance"] = {"refused": refused}
        typer.echo(json_text({**asked(query), "target": aim, "distance": distance, **rows}))
    else:
        title = f"Distance of {query.label} to {aim} ({distance})"
        show(text.error_table(title, list(bounds.values()), [check.outcome for check in checks.values()]))
        if refused is not None:
            typer.echo(f"variance: {refused}")
    draw(found.mean, plot, style, query.label, as_json)
    finish(bounds.values(), checks.values(), as_json)


def _or_refusal(ask: Callable[[], None]) -> str | None:
    """The sentence by which a statistic is refused that not every method and size can have."""
    try:
        ask()
    except (TooLarge, InvalidInput) as problem:
        return str(problem)
    return None
