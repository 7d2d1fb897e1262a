"""``taut delta``, ``epsilon``, ``profile``, ``renyi``, ``tradeoff`` and ``divergence``: every privacy measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from taut import measures
from taut.cli.answers import announce, draw, finish, keep, say_verified
from taut.cli.budget import SECONDS, TimeLimit, budget, verified
from taut.cli.common import (
    AsJson,
    Method,
    NeighborsOption,
    Plot,
    Save,
    Settings,
    Style,
    Target,
    app,
    asked,
    check_outputs,
    closing_interval,
)
from taut.cli.workers import with_workers
from taut.errors import InvalidInput
from taut.queries.functions import named_function
from taut.queries.query import Query, read_query
from taut.queries.questions import check_method, relation_of
from taut.reports import measures as text
from taut.reports.json import json_text
from taut.results import Bound, TradeoffCurve, text_of
from taut.results.profile import ratio_of, required_delta
from taut.results.several import SeveralBounds
from taut.results.text import plain_case
from taut.results.tradeoff import error_of_the_first_kind

MEASURES: dict[str, Callable[[], measures.Divergence]] = {
    "total_variation": measures.TotalVariation,
    "kullback_leibler": measures.KullbackLeibler,
    "chi_squared": measures.ChiSquared,
    "squared_hellinger": measures.SquaredHellinger,
}
_COMPOSED_DELTAS = "1e-5,1e-6,1e-9"
_SOME_ALPHAS = ("0", "1/100", "1/20", "1/10", "1/4", "1/2", "3/4")
_FEW_CORNERS = 24

Epsilon = Annotated[str | None, typer.Option(help="Epsilon, a number of at least 0.", show_default=False)]
Ratio = Annotated[str | None, typer.Option(help="e^epsilon exactly, instead of epsilon: 3/2.", show_default=False)]


@app.command()
@with_workers
def delta(
    target: Target,
    settings: Settings = None,
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    plot: Plot = None,
    style: Style = "light",
    save: Save = None,
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """The smallest delta for which a mechanism is (epsilon, delta)-private, with a worst pair and event."""
    if (epsilon is None) == (ratio is None):
        raise InvalidInput("delta: give --epsilon, or --ratio for e^epsilon exactly; one of the two.")
    ratio_of(epsilon, ratio)
    check_outputs(plot, save, style=style)
    with budget(time_limit):
        query, options = _question(target, settings, neighbors, method)
        with closing_interval(query.name) as tell:
            bound = query.model().delta(epsilon, **options, progress=tell, ratio=ratio)
        _answer(query, bound, [text.delta_panel(query.label, bound)], bound.to_dict, as_json, plot, style, bound, save)


@app.command()
@with_workers
def epsilon(
    target: Target,
    delta: Annotated[str, typer.Option(help="Delta, between 0 and 1: 1e-6.", show_default=False)],
    settings: Settings = None,
    plot: Plot = None,
    style: Style = "light",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """The smallest e^epsilon for which a mechanism is (epsilon, delta)-private, with a worst pair."""
    required_delta(delta)
    check_outputs(plot, style=style)
    with budget(time_limit):
        query, options = _question(target, settings, neighbors, method)
        with closing_interval(query.name) as tell:
            bound = query.model().epsilon(delta, **options, progress=tell)
        _answer(query, bound, [text.epsilon_panel(query.label, bound)], bound.to_dict, as_json, plot, style, bound)


@app.command()
@with_workers
def renyi(
    target: Target,
    settings: Settings = None,
    order: Annotated[str, typer.Option(help="Orders above 1, with commas: 2,4,8.")] = "2",
    zcdp: Annotated[bool, typer.Option("--zcdp", help="Also the smallest rho of zero-concentrated privacy.")] = False,
    plot: Plot = None,
    style: Style = "light",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """The largest Rényi moment and divergence of neighbours, exact for whole orders; with --zcdp also rho."""
    orders = [measures.RenyiMoment(one).order for one in _listed(order, "--order")]
    check_outputs(plot, style=style)
    with budget(time_limit):
        query, options = _question(target, settings, neighbors, method)
        model = query.model()
        bounds: list[Any] = []
        with closing_interval(query.name) as tell:
            bounds += [model.renyi(one, **options, progress=tell) for one in orders]
            bounds += [model.zcdp(**options, progress=tell)] if zcdp else []
        title = f"Rényi divergence of {query.label}, {bounds[0].neighbors} neighbours"
        names = [*[f"order {one}" for one in orders], "zCDP"]
        keys = ["orders"] * len(orders) + ["zcdp"]
        by_name = dict(zip(names, bounds, strict=False))
        _several(query, by_name, keys, text.renyi_table(title, bounds), as_json, plot, style)


@app.command()
@with_workers
def divergence(
    target: Target,
    settings: Settings = None,
    measure: Annotated[
        str, typer.Option(help=f"With commas: {', '.join(MEASURES)}, or file.py:Class.")
    ] = "total_variation",
    plot: Plot = None,
    style: Style = "light",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """The largest divergence of neighbours by any measure that is a sum over outputs, such as total variation."""
    asked_for = {name: _measure(name) for name in _listed(measure, "--measure")}
    check_outputs(plot, style=style)
    with budget(time_limit):
        query, options = _question(target, settings, neighbors, method)
        model = query.model()
        with closing_interval(query.name) as tell:
            bounds: dict[str, Any] = {
                name: model.divergence(one, **options, progress=tell) for name, one in asked_for.items()
            }
        found = list(bounds.values())
        title = f"Divergences of {query.label}, {found[0].neighbors} neighbours"
        _several(query, bounds, ["measures"] * len(found), text.divergence_table(title, found), as_json, plot, style)


@app.command()
@with_workers
def profile(
    target: Target,
    settings: Settings = None,
    compose: Annotated[int, typer.Option(help="How many times the mechanism is run.")] = 1,
    epsilon: Annotated[str | None, typer.Option(help="Also delta at these: 0.5,1,2.", show_default=False)] = None,
    ratio: Annotated[str | None, typer.Option(help="Also delta at these e^epsilon: 3/2,2.", show_default=False)] = None,
    delta: Annotated[str | None, typer.Option(help="Also epsilon at these: 1e-6,1e-9.", show_default=False)] = None,
    plot: Plot = None,
    style: Style = "light",
    save: Save = None,
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Delta for every epsilon at once, with the worst pair on each piece; of several runs with --compose."""
    if compose < 1:
        raise InvalidInput(f"--compose must be a whole number of at least 1; got {compose}.", value=compose)
    places = [("epsilon", one, ratio_of(one, None)) for one in _listed(epsilon, "--epsilon")]
    places += [("ratio", one, ratio_of(None, one)) for one in _listed(ratio, "--ratio")]
    wanted = delta if delta is not None or compose == 1 else _COMPOSED_DELTAS
    deltas = [required_delta(one) for one in _listed(wanted, "--delta")]
    if save is not None and compose > 1:
        raise InvalidInput("--save keeps the profile of one run; leave --compose out.", value=compose)
    check_outputs(plot, save, style=style)
    with budget(time_limit):
        query, options = _question(target, settings, neighbors, method)
        with closing_interval(query.name) as tell:
            once = query.model().profile(**options, progress=tell)
        found = once if compose == 1 else once.compose(compose)
        values = [(kind, one, *found.delta_interval(ratio=gamma)) for kind, one, gamma in places]
        bounds = [found.epsilon(one) for one in deltas]
        shown: list[RenderableType | None] = [
            text.profile_panel(query.label, found, once.neighbors),
            text.pieces_table(found),
            text.delta_table(values) if values else None,
            text.epsilon_table(bounds) if bounds else None,
        ]

        def record() -> dict[str, Any]:
            """The profile for programs, with the deltas and epsilons that were asked for."""
            rows = [{kind: one, "lower": text_of(low), "upper": text_of(high)} for kind, one, low, high in values]
            ends = [{**one.to_dict(), "neighbors": once.neighbors} for one in bounds]
            return {**found.to_dict(), "neighbors": once.neighbors, "deltas": rows, "epsilons": ends}

        _answer(query, once, shown, record, as_json, plot, style, found, save)


@app.command()
@with_workers
def tradeoff(
    target: Target,
    settings: Settings = None,
    alpha: Annotated[
        str | None, typer.Option(help="Errors of the first kind, with commas: 1/10,1/2.", show_default=False)
    ] = None,
    plot: Plot = None,
    style: Style = "light",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """The least error of the second kind with which neighbours can be told apart, for every error of the first."""
    alphas = [error_of_the_first_kind(one) for one in _listed(alpha, "--alpha")]
    check_outputs(plot, style=style)
    with budget(time_limit):
        query, options = _question(target, settings, neighbors, method)
        with closing_interval(query.name) as tell:
            curve = query.model().tradeoff(**options, progress=tell)
        shown: list[RenderableType | None] = [
            text.tradeoff_panel(query.label, curve),
            text.corner_table(_errors(curve, alphas)),
        ]

        def record() -> dict[str, Any]:
            """The curve for programs, with the values that were asked for."""
            rows = [
                {"alpha": text_of(at), "lower": text_of(low), "upper": text_of(high), "witness": plain_case(pair)}
                for at, low, high, pair in _errors(curve, alphas)
            ]
            return {**curve.to_dict(), "values": rows}

        _answer(query, curve, shown, record, as_json, plot, style, curve)


def _question(target: str, settings: list[str] | None, neighbors: str | None, method: str) -> tuple[Query, Any]:
    """What is asked of which mechanism; and how, as arguments of the model's methods."""
    check_method(method)
    query = read_query(target, settings or [])
    return query, {"neighbors": relation_of(query, neighbors), "method": method}


def _answer(
    query: Query,
    bound: Bound,
    shown: Sequence[RenderableType | None],
    record: Callable[[], dict[str, Any]],
    as_json: bool,
    plot: Path | None,
    style: str,
    drawn: Bound,
    save: Path | None = None,
) -> None:
    """Print one bound, draw it, save it, verify it, and end with its exit code."""
    announce(shown, as_json)
    draw(drawn, plot, style, query.label, as_json)
    keep(bound, save, as_json)
    check = verified(bound)
    if as_json:
        typer.echo(json_text({**record(), **asked(query), "verification": check.to_dict()}))
    say_verified({"": check}, as_json)
    finish([bound], [check], as_json)


def _several(
    query: Query,
    bounds: dict[str, Any],
    keys: Sequence[str],
    shown: RenderableType,
    as_json: bool,
    plot: Path | None,
    style: str,
) -> None:
    """Print several bounds, draw and verify them, and end with their exit code; ``keys``: where they stand in JSON."""
    announce([shown], as_json)
    draw(SeveralBounds(bounds), plot, style, query.label, as_json)
    checks = {name: verified(bound) for name, bound in bounds.items()}
    if as_json:
        found: dict[str, Any] = {**asked(query), "neighbors": next(iter(bounds.values())).neighbors}
        for key, (name, bound) in zip(keys, bounds.items(), strict=False):
            row = {**bound.to_dict(), "verification": checks[name].to_dict()}
            found[key] = row if key == "zcdp" else [*found.get(key, []), row]
        typer.echo(json_text(found))
    say_verified(checks, as_json)
    finish(bounds.values(), checks.values(), as_json)


def _listed(given: str | None, option: str) -> list[str]:
    """The words between commas, each once."""
    if given is None:
        return []
    words = [word.strip() for word in given.split(",")]
    if not all(words):
        raise InvalidInput(f"{option} {given}: write values with commas between them, like 2,4,8.", value=given)
    return list(dict.fromkeys(words))


def _measure(name: str) -> measures.Divergence:
    """A measure by its name here, or a class of a user's file."""
    found = named_function(name, MEASURES, "--measure")()
    if not isinstance(found, measures.Divergence):
        raise InvalidInput(f"--measure {name} is not a class derived from taut.measures.Divergence.", value=name)
    return found


def _errors(curve: TradeoffCurve, alphas: Sequence[Fraction]) -> list[tuple[Any, Any, Any, Any]]:
    """The points of a curve at the given errors of the first kind; if there are none, its corners, or some points."""
    if not alphas and curve.exact and len(curve.corners) <= _FEW_CORNERS:
        alphas = [corner.alpha for corner in curve.corners]
    places = alphas or [error_of_the_first_kind(one) for one in _SOME_ALPHAS]
    return [(alpha, *curve.interval(alpha), curve.worst(alpha)) for alpha in places]
