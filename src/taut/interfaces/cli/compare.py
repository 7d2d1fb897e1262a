"""Commands about other tools: export, compare, and ``taut run`` for programs in the language of Dice."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from taut.interfaces.cli.common import (
    AsJson,
    NeighborsOption,
    Settings,
    Style,
    Target,
    TimeLimit,
    check_outputs,
    command,
    keyword,
    progress,
    signed,
    tell_written,
    with_workers,
)
from taut.interfaces.cli.dice_run import run_program
from taut.interfaces.cli.output import INTERVAL, WRONG, show, stop
from taut.interfaces.cli.supervisor import SECONDS, budget
from taut.interfaces.compare.comparison import Comparison
from taut.interfaces.compare.comparison import compare as run_comparison
from taut.interfaces.compare.measurement import METHODS, TOOLS, RecordFile, measurements_of
from taut.interfaces.peers import PEERS
from taut.interfaces.queries.literals import parse_choices, parse_value, read_input
from taut.interfaces.queries.query import read_query
from taut.interfaces.reports import text
from taut.interfaces.reports.formats import json_text
from taut.support.errors import InvalidInput, meant
from taut.support.files import check_writable, write_file

_WRITERS = {(peer.language, peer.encoding): peer.write for peer in PEERS.values()}
_LANGUAGES = sorted({language for language, _ in _WRITERS})
_ENCODINGS = list(dict.fromkeys(encoding for _, encoding in _WRITERS))


@command("export")
def export(
    target: Target,
    settings: Settings = None,
    to: Annotated[str, typer.Option(help="dice, or prism (which Storm reads).")] = "dice",
    at: Annotated[
        str | None,
        typer.Option(
            "--input", help="One input, its entries with commas: 0,1,0,1. Without it, all.", show_default=False
        ),
    ] = None,
    encoding: Annotated[
        str,
        typer.Option(
            help="sequential; for prism also naive (the paper's product chain of rr), for dice also joint (the input "
            "is drawn uniformly and returned with the output)."
        ),
    ] = "sequential",
    out: Annotated[Path | None, typer.Option(help="Write to a file instead of printing.", show_default=False)] = None,
    time_limit: TimeLimit = SECONDS,
    as_json: AsJson = False,
) -> None:
    """Run ``taut export``.

    With --input it is a program for that input; without, a function of the input (Dice) or a model with the input as
    constants (PRISM).
    """
    for given, known, option in ((to, _LANGUAGES, "--to"), (encoding, _ENCODINGS, "--encoding")):
        if given not in known:
            raise InvalidInput(f"{option} {given}: there are {', '.join(known)}.{meant(given, known)}", value=given)
    if (to, encoding) not in _WRITERS:
        others = " or ".join(language for language in _LANGUAGES if (language, encoding) in _WRITERS)
        raise InvalidInput(f"--encoding {encoding} is for --to {others}, not for --to {to}.", value=encoding)
    if at is not None and encoding == "joint":
        raise InvalidInput("--encoding joint draws the input; leave --input out.", value=at)
    if out is not None:
        check_writable(out)
    with budget(time_limit):
        query = read_query(target, settings or [])
        program, title = query.model().program, query.label
        if at is not None:
            x = read_input(query.model().program, at, "--input")
            program, title = program.fix(x), f"{title} at x = {x}"
        written = _WRITERS[to, encoding](program, ascii(title)[1:-1])
    if out is not None:
        write_file(out, written)
    if as_json:
        where = {"file": str(out)} if out is not None else {"text": written}
        typer.echo(json_text({"mechanism": query.label, "to": to, "lines": len(written.splitlines()), **where}))
    elif out is not None:
        typer.echo(f"wrote {out}: {query.label}, {len(written.splitlines())} lines")
    else:
        typer.echo(written, nl=False)


@command("compare")
@with_workers
def compare(
    target: Target,
    settings: Settings = None,
    sizes: Annotated[str, typer.Option(help="Sizes n: 2,4,6 or 2:10:2.")] = "2,3,4",
    tools: Annotated[str, typer.Option(help=f"Of {', '.join(TOOLS)}.")] = "taut,storm,dice",
    methods: Annotated[str, typer.Option(help=f"Of {', '.join(METHODS)}.")] = "exhaustive",
    neighbors: NeighborsOption = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for each cell.")] = 120.0,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep the cells as JSON lines; what is there already is not run again.", show_default=False),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw CPU seconds against n: .png, .svg or .pdf.")] = None,
    style: Style = "light",
    csv: Annotated[Path | None, typer.Option("--csv", help="Write all that was measured.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the table.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run ``taut compare``.

    The size goes into n, or to {n} in a setting: 'x=bits({n})'. Each cell is a process of its own. CPU s are those of
    the tool itself, without its start-up. An answer that differs from the exact one is marked wrong, or rounded if what
    the tool prints allows for the exact one. A tool that is asked in several ways has a star at the best. After Ctrl-C,
    --out has what was done so far. The exit code is 4 where no tool has an answer.
    """
    if not time_limit > 0:
        raise InvalidInput(f"--time-limit must be above 0; got {time_limit}.", value=time_limit)
    if any(setting.partition("=")[0].strip() == "n" for setting in settings or []):
        raise InvalidInput("compare: leave n out; --sizes 2,3,4 says for which n the tools are asked.", value=settings)
    asked = measurements_of(target, settings or [], _sizes(sizes), _words(tools), _words(methods), neighbors)
    suffix = check_outputs(plot, out, csv, markdown, style=style)
    file, comparison = RecordFile(out), Comparison()
    title = f"Privacy of {read_query(target, asked[0].settings).label_without('n')}"
    interrupted = False
    try:
        with progress(title, len(asked)) as step:
            run_comparison(asked, time_limit, file, step, into=comparison)
    except KeyboardInterrupt:
        interrupted = True
    if plot is not None:
        from taut.interfaces.compare.comparison import comparison_figure
        from taut.support.pictures.style import picture

        write_file(plot, picture(comparison_figure(comparison, title), suffix, style))
    if csv is not None:
        write_file(csv, comparison.to_csv())
    if markdown is not None:
        table, absent = comparison.table(title), comparison.missing.values()
        write_file(markdown, f"# {title}\n\n{table.markdown}" + "".join(f"\n{why}\n" for why in absent))
    if as_json:
        typer.echo(json_text(comparison.to_dict()))
    else:
        headings, rows = comparison.short_rows()
        words = title if "method" in headings or not rows else f"{title}, {comparison.records[0]['method']}"
        show(text.simple_table(words, headings, rows))
        if any(row[1].endswith("*") for row in rows):
            typer.echo("* the best of the ways in which this tool was asked")
        for record in comparison.records:
            if "why" in record:
                typer.echo(f"n={record['n']}, {record['tool']}, {record['method']}: {record['why']}")
        tell_written(out, plot, csv, markdown)
    for why in dict.fromkeys(comparison.missing.values()):
        typer.echo(why, err=True)
    if interrupted:
        raise KeyboardInterrupt
    if not any(record["status"] == "answer" for record in comparison.records):
        raise typer.Exit(INTERVAL)
    if any(record["tool"] == "taut" for record in comparison.wrong):
        stop("two methods of taut disagree; this is a fault in taut.", WRONG)


def _sizes(given: str) -> list[int]:
    values = parse_choices(given, "--sizes") or [parse_value(given, "--sizes")]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InvalidInput(f"--sizes {given}: sizes are whole numbers, 0 or more; got {value}.", value=value)
    return list(dict.fromkeys(values))


def _words(given: str) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in given.split(",") if word.strip()))


def _run_parameters() -> Iterator[inspect.Parameter]:
    """Yield the parameters of ``run_program`` as Typer reads them; its annotations are their help."""
    program = typer.Argument(metavar="PROGRAM.dice", help="A Dice program.", show_default=False)
    for one in inspect.signature(run_program, eval_str=True).parameters.values():
        if one.default is one.empty:
            yield one.replace(annotation=Annotated[one.annotation, program])
            continue
        kind, words = get_args(one.annotation)
        shown = f"{one.default:g}" if isinstance(one.default, float) else one.default is not None
        option = typer.Option(f"--{one.name.replace('_', '-')}", help=words, show_default=shown)
        yield keyword(one.name, Annotated[kind, option], one.default)


@command("run")
@signed(_run_parameters())
def run(**given: Any) -> None:
    """Run ``taut run``."""
    run_program(**given)
