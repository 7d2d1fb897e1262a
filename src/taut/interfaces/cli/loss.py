"""``taut loss``: the loss distribution of two inputs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from taut.interfaces.cli.answers import announce, draw, finish, say_verified
from taut.interfaces.cli.budget import SECONDS, TimeLimit, budget, verified
from taut.interfaces.cli.common import (
    AsJson,
    NeighborsOption,
    Plot,
    Settings,
    Style,
    Target,
    asked,
    check_outputs,
    command,
)
from taut.interfaces.queries.inputs import read_input
from taut.interfaces.queries.query import read_query
from taut.interfaces.queries.questions import relation_of
from taut.interfaces.reports import text
from taut.interfaces.reports.json_text import json_text
from taut.questions.divergence import MEASURES
from taut.questions.text import text_of


@command("loss")
def loss(
    target: Target,
    x: Annotated[str, typer.Option("--x", help="One input: 0,1,0 or 010.", show_default=False)],
    x_prime: Annotated[str, typer.Option("--x-prime", help="The other input.", show_default=False)],
    settings: Settings = None,
    plot: Plot = None,
    style: Style = "light",
    neighbors: NeighborsOption = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut loss``.

    Any two inputs may be given; with --neighbors they have to be neighbours.
    """
    check_outputs(plot, style=style)
    with budget(time_limit):
        query = read_query(target, settings or [])
        model = query.model()
        ends = [read_input(model.program, given, option) for given, option in ((x, "--x"), (x_prime, "--x-prime"))]
        relation = None if neighbors is None else relation_of(query, neighbors)
        found = model.loss(ends[0], ends[1], relation)
        divergences = [(measure.name, found.divergence(measure)) for measure in (kind() for kind in MEASURES.values())]
        announce([text.loss_table(f"Loss distribution of {query.label}", found, divergences)], as_json)
        draw(found, plot, style, query.label, as_json)
        check = verified(found)
        if as_json:
            own = model.neighbors(relation_of(query, neighbors))
            more: dict[str, Any] = {
                "neighbors": own.name,
                "related": bool(own.related(model.space)(found.x, found.x_prime)),
                "divergences": {name: text_of(value) for name, value in divergences},
                "verification": check.to_dict(),
            }
            typer.echo(json_text({**found.to_dict(), **asked(query), **more}))
        say_verified({"": check}, as_json)
        finish([], [check], as_json)
