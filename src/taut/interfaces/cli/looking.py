"""Commands that show a mechanism: list, show, draw, loss, worst and symmetries."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from taut.interfaces.cli.answers import announce, draw, finish, say_verified
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
    TimeLimit,
    asked,
    check_outputs,
    command,
    not_replayed,
    with_workers,
)
from taut.interfaces.cli.listing import arguments_of, described, print_list
from taut.interfaces.cli.output import show
from taut.interfaces.cli.supervisor import SECONDS, budget
from taut.interfaces.queries.literals import read_input
from taut.interfaces.queries.query import read_query
from taut.interfaces.queries.questions import accuracy_of, relation_of
from taut.interfaces.reports import text
from taut.interfaces.reports.checks import verified
from taut.interfaces.reports.formats import json_text
from taut.neighbors import neighbors_of
from taut.questions.accuracy import input_record, input_table
from taut.questions.divergence import MEASURES
from taut.questions.drawn import ClassList
from taut.questions.text import text_of
from taut.support.errors import InvalidInput
from taut.support.exact import large
from taut.support.files import check_writable


@command("list")
def list_mechanisms(as_json: AsJson = False) -> None:
    """Run ``taut list``."""
    print_list(as_json)


@command("show")
def show_mechanism(target: Target, as_json: AsJson = False) -> None:
    """Run ``taut show``."""
    query = read_query(target, [])
    if query.entry is not None:
        known = described(query.entry)
    else:
        known = {"name": query.name, "arguments": arguments_of(query.mechanism.function, {}), "reference": ""}
        known["summary"] = (inspect.getdoc(query.mechanism.function) or "").partition("\n")[0]
    known["documentation"] = inspect.getdoc(query.mechanism.function) or ""
    known["source"] = query.mechanism.source if query.entry is None else query.entry.source
    if as_json:
        typer.echo(json_text(known))
        return
    from rich.console import Console
    from rich.syntax import Syntax

    domains = {"x": query.entry.domain(query.entry.default_n)} if query.entry is not None else {}
    rows = []
    for argument in known["arguments"]:
        name = argument["name"]
        if name in domains:
            default = f"{domains[name]}; other sizes by n="
        else:
            default = str(argument.get("tried_with", argument.get("default", "none, it must be given")))
        rows.append((name, default))
    rows.append(("--neighbors", neighbors_of(query.neighbors).name))
    show(text.simple_table(query.name, ["argument", "default"], rows, words=True))
    if known["reference"]:
        show(f"Reference: {known['reference']}\n")
    language = "python" if query.mechanism.language == "python" else "text"
    source = Syntax("", language, background_color="default").highlight(known["source"])
    source.rstrip()
    Console(highlight=False, markup=False).print(source, soft_wrap=True)  # lines stay whole, to be copied


@command("draw")
def draw_diagram(
    target: Target,
    out: Annotated[Path, typer.Option(help="Where to: .svg, .png, .pdf or .dot.", show_default=False)],
    settings: Settings = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut draw``."""
    check_writable(out)
    with budget(time_limit):
        query = read_query(target, settings or [])
        model = query.model()
        model.draw(out)
    if as_json:
        typer.echo(json_text({"mechanism": query.label, "file": str(out), "nodes": model.size}))
    else:
        typer.echo(f"wrote {out}: {query.label}, {model.size} nodes")


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
            accuracy = accuracy_of(alpha, aim, distance)
            classes = query.model().worst_inputs(accuracy.target, accuracy.alpha, top, distance=accuracy.distance)
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
