"""``taut symmetries``: what may be permuted without changing any probability."""

from __future__ import annotations

from typing import Any

import typer

from taut.interfaces.cli.answers import draw
from taut.interfaces.cli.budget import SECONDS, TimeLimit, budget
from taut.interfaces.cli.common import AsJson, NeighborsOption, Plot, Settings, Style, Target, check_outputs, command
from taut.interfaces.cli.output import show
from taut.interfaces.queries.query import read_query
from taut.interfaces.queries.questions import relation_of
from taut.interfaces.reports.json_text import json_text
from taut.support.exact import large


@command("symmetries")
def symmetries(
    target: Target,
    settings: Settings = None,
    neighbors: NeighborsOption = None,
    plot: Plot = None,
    style: Style = "light",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut symmetries``."""
    check_outputs(plot, style=style)
    with budget(time_limit):
        query = read_query(target, settings or [])
        model = query.model()
        relation = model.neighbors(relation_of(query, neighbors))
        group = model.symmetries()
        triples = group.triple_orbits(relation)
        described: dict[str, Any] = {**group.to_dict(), "neighbors": relation.name, "triples": str(triples.count)}
    if as_json:
        typer.echo(json_text(described))
        draw(group, plot, style, query.label, as_json)
        return
    show(str(group))
    left = f"{large(int(described['representatives']))} of {large(int(described['inputs']))} inputs"
    show(f"\nThey leave {left} to look at, and {large(triples.count)} triples of neighbours ({relation.name}).")
    if not group.complete:
        show("Not everything was tried: a limit on the number of tests was reached.")
    draw(group, plot, style, query.label, as_json)
