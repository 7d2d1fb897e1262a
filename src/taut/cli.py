"""The command ``taut``."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from taut._version import __version__
from taut.errors import InvalidInput, TautError, TooLarge
from taut.mechanisms import CATALOG, Entry
from taut.neighbors import Custom, neighbors_of
from taut.numbers import number
from taut.report import text
from taut.report.arguments import Query, load_function, named_function, read_query, read_sweep
from taut.report.files import check_writable, write_file
from taut.report.questions import ask_accuracy, ask_privacy, check_size
from taut.report.targets import DISTANCES, TARGETS

__all__ = ["app", "main"]

WRONG, BAD_INPUT, TOO_LARGE, INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Exact, tight privacy and accuracy bounds of differentially private algorithms, with their worst cases.",
    epilog="TARGET is a built-in mechanism (taut list; names may be shortened) or file.py:function.",
)


def main() -> None:
    """Run the command; whatever goes wrong is one sentence on stderr and an exit code, never a traceback.

    Exit codes: 0 an answer, 2 bad input, 3 too large, 130 interrupted; 1 is a fault of taut itself.
    """
    try:
        code = app(prog_name="taut", standalone_mode=False)
    except TooLarge as problem:
        _stop(str(problem), TOO_LARGE)
    except TautError as problem:
        _stop(str(problem), BAD_INPUT)
    except MemoryError:
        _stop("there is not enough memory for this.", TOO_LARGE)
    except (KeyboardInterrupt, typer.Abort):
        _stop("interrupted.", INTERRUPTED)
    except BrokenPipeError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as problem:
        if hasattr(problem, "format_message"):  # a usage error of Click, also where Typer brings its own copy of it
            _usage(problem)
        if os.environ.get("TAUT_TRACEBACK"):
            raise
        _stop(f"this is a fault in taut: {type(problem).__name__}: {problem} (TAUT_TRACEBACK=1 shows where).", WRONG)
    if code == INTERRUPTED:  # what Typer makes of Ctrl-C inside a command
        _stop("interrupted.", INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


# ---------------------------------------------------------------------------------------------------------- options


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"taut {__version__}")
        raise typer.Exit


def _names(incomplete: str) -> list[str]:
    return [name for name in ["rr", *CATALOG] if name.startswith(incomplete)]


Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET", help="A built-in mechanism, or file.py:function.", autocompletion=_names, show_default=False
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=VALUE]...",
        help="Arguments: n=8, lam=1/5, 'x=ints(6,0,3)', 'x=categories(2,[a,b])'; built-ins have defaults.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
NeighborsOption = Annotated[
    str | None,
    typer.Option(
        help="one_differ, one_step, all_step or file.py:predicate; by default the mechanism's own.", show_default=False
    ),
]
Method = Annotated[str, typer.Option(help="auto, exhaustive or restricted (the paper's sets).")]
Alpha = Annotated[str, typer.Option(help="How far from the target still counts as close.", show_default=False)]
MaybeAlpha = Annotated[
    str | None, typer.Option(help="How far from the target still counts as close.", show_default=False)
]
TargetFunction = Annotated[
    str, typer.Option("--target", help=f"What is estimated: {', '.join(TARGETS)}, or file.py:function.")
]
DistanceOption = Annotated[
    str, typer.Option("--distance", help=f"How far an output is: {', '.join(DISTANCES)}, or file.py:function.")
]


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that stand before any command."""


# --------------------------------------------------------------------------------------------------------- commands


@app.command("list")
def list_mechanisms(as_json: AsJson = False) -> None:
    """List the built-in mechanisms, their arguments and what they do."""
    rows = [_described(entry) for entry in CATALOG.values()]
    if as_json:
        typer.echo(text.json_text(rows))
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for heading in ("mechanism", "arguments", "what it does"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "mechanism")
    for row in rows:
        table.add_row(row["name"], ", ".join(_spelled(argument) for argument in row["arguments"]), row["summary"])
    _print(table)


@app.command()
def show(target: Target, as_json: AsJson = False) -> None:
    """Show a mechanism: what it does, its arguments, its source and where it comes from."""
    query = read_query(target, [])
    if query.entry is not None:
        described = _described(query.entry)
    else:
        described = {"name": query.name, "arguments": _arguments(query.mechanism.function, {}), "reference": ""}
        described["summary"] = (inspect.getdoc(query.mechanism.function) or "").partition("\n")[0]
    described["documentation"] = inspect.getdoc(query.mechanism.function) or ""
    described["source"] = inspect.getsource(query.mechanism.function)
    if as_json:
        typer.echo(text.json_text(described))
        return
    from rich.syntax import Syntax

    domains = query.entry.domain(query.entry.default_n) if query.entry is not None else {}
    rows = []
    for argument in described["arguments"]:
        name = argument["name"]
        if name in domains:
            default = f"{domains[name]}; other sizes by n="
        else:
            default = str(argument.get("tried_with", argument.get("default", "none, it must be given")))
        rows.append((name, default))
    rows.append(("--neighbors", query.neighbors))
    _print(text.simple_table(query.name, ["argument", "default"], rows, words=True))
    if described["reference"]:
        _print(f"Reference: {described['reference']}\n")
    _print(Syntax(described["source"], "python", background_color="default", word_wrap=True))


@app.command()
def privacy(
    target: Target,
    settings: Settings = None,
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    as_json: AsJson = False,
) -> None:
    """The exact e^eps of a mechanism, with a worst pair of neighbours and output."""
    query = read_query(target, settings or [])
    relation = _relation(query, neighbors)
    bound = ask_privacy(query, relation, method)
    if as_json:
        typer.echo(text.json_text(bound.to_dict()))
        return
    verified = bound.verify()
    _print(text.privacy_panel(query.label, bound, neighbors_of(relation).name, verified))
    _demand(bool(verified))


@app.command()
def accuracy(
    target: Target,
    alpha: Alpha,
    settings: Settings = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    method: Method = "auto",
    top: Annotated[int, typer.Option(help="Also list this many lowest different 1-beta.")] = 0,
    as_json: AsJson = False,
) -> None:
    """The exact 1-beta of a mechanism: how surely it comes within alpha of a target, with a worst input."""
    query = read_query(target, settings or [])
    reach = _reach(alpha)
    function, far = named_function(aim, TARGETS, "--target"), named_function(distance, DISTANCES, "--distance")
    _check_top(top, least=0)
    if top:
        check_size(query)
    bound = ask_accuracy(query, function, reach, far, method)
    classes = query.model().worst_inputs(function, reach, top, distance=far) if top else []
    if as_json:
        worst = {"worst_inputs": [_input_class(one) for one in classes]} if top else {}
        typer.echo(text.json_text({**bound.to_dict(), **worst}))
        return
    verified = bound.verify()
    _print(text.accuracy_panel(query.label, bound, aim, verified))
    if classes:
        _print(text.input_table("Lowest different 1-beta", classes))
    _demand(bool(verified))


@app.command()
def worst(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    top: Annotated[int, typer.Option(help="How many different values to list.")] = 4,
    as_json: AsJson = False,
) -> None:
    """The worst pairs of neighbours; with --alpha the worst inputs. Different values only, each with its count."""
    query = read_query(target, settings or [])
    _check_top(top, least=1)
    check_size(query)
    if alpha is None:
        pairs = query.model().worst_pairs(top, _relation(query, neighbors))
        rows = [_pair_class(one) for one in pairs]
        table = text.pair_table(f"Worst pairs of {query.label}", pairs)
    else:
        function, far = named_function(aim, TARGETS, "--target"), named_function(distance, DISTANCES, "--distance")
        inputs = query.model().worst_inputs(function, _reach(alpha), top, distance=far)
        rows = [_input_class(one) for one in inputs]
        table = text.input_table(f"Worst inputs of {query.label}, alpha={alpha}, target {aim}", inputs)
    if as_json:
        typer.echo(text.json_text(rows))
    else:
        _print(table)


@app.command()
def sweep(
    target: Target,
    settings: Settings = None,
    alpha: MaybeAlpha = None,
    aim: TargetFunction = "sum",
    distance: DistanceOption = "absolute",
    neighbors: NeighborsOption = None,
    method: Method = "auto",
    accuracy_only: Annotated[bool, typer.Option("--accuracy-only", help="With --alpha: leave e^eps out.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves: .png, .svg or .pdf.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the numbers.")] = None,
    as_json: AsJson = False,
) -> None:
    """Bounds against a parameter: one setting is a range low:high:step or a list a,b,c.

    Without --alpha this is e^eps, with --alpha also 1-beta.
    """
    from taut.report.sweep import Accuracy, run_sweep

    query, parameter, values = read_sweep(target, settings or [])
    wanted = None
    if alpha is not None:
        function, far = named_function(aim, TARGETS, "--target"), named_function(distance, DISTANCES, "--distance")
        wanted = Accuracy(function, _reach(alpha), far)
    elif accuracy_only:
        raise InvalidInput("--accuracy-only needs --alpha, how far from the target still counts as close.")
    suffix = ""
    if plot is not None:
        from taut.report.plots import check_plot

        suffix = check_plot(plot)
    for path in (plot, csv):
        if path is not None:
            check_writable(path)
    relation = None if accuracy_only else _relation(query, neighbors)
    with _progress(f"{parameter} of {query.name}", len(values)) as step:
        found = run_sweep(
            query, parameter, values, neighbors=relation, accuracy=wanted, method=method, step=lambda: step("")
        )
    if plot is not None:
        from taut.report.plots import picture, sweep_figure

        write_file(plot, picture(sweep_figure(found), suffix))
    if csv is not None:
        write_file(csv, found.to_csv())
    if as_json:
        typer.echo(text.json_text(found.to_dict()))
        return
    _print(text.sweep_table(found))
    for path in (plot, csv):
        if path is not None:
            typer.echo(f"wrote {path}")


@app.command()
def draw(
    target: Target,
    out: Annotated[Path, typer.Option(help="Where to: .svg, .png, .pdf or .dot.", show_default=False)],
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Draw the decision diagram that a mechanism is compiled to."""
    query = read_query(target, settings or [])
    check_writable(out)
    model = query.model()
    model.draw(out)
    if as_json:
        typer.echo(text.json_text({"mechanism": query.label, "file": str(out), "nodes": model.size}))
    else:
        typer.echo(f"wrote {out}: {query.label}, {model.size} nodes")


@app.command()
def paper(
    out: Annotated[Path, typer.Option(help="The folder to write to; it is made if need be.", show_default=False)],
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes, under a minute.")] = False,
    as_json: AsJson = False,
) -> None:
    """Recompute every table and figure of the paper, ours beside the published numbers."""
    from taut.report.files import check_folder, write_all
    from taut.report.paper import PARTS, reproduce

    with check_folder(out) as folder:
        with _progress("the paper", PARTS) as step:
            found = reproduce(quick, step)
        write_all(folder, found.files)
    if as_json:
        typer.echo(text.json_text({"folder": str(out), "files": sorted(found.files), "checks": found.checks}))
        return
    wrong = [check for check in found.checks if not check["agrees"]]
    if wrong:
        rows = [[check["what"], check["published"], check["source"], check["ours"]] for check in wrong]
        _print(text.simple_table("These differ", ["what", "expected", "from", "taut"], rows))
    agree = len(found.checks) - len(wrong)
    typer.echo(f"wrote {len(found.files)} files to {out}; start with {out / 'report.md'}")
    typer.echo(f"{agree} of {len(found.checks)} numbers agree with the paper, with Dice or with a closed form")


# ---------------------------------------------------------------------------------------------------------- helpers


def _relation(query: Query, given: str | None) -> Any:
    if given is None:
        return query.neighbors
    if ".py:" in given:
        predicate = load_function(given)
        if not callable(predicate):
            raise InvalidInput(f"--neighbors {given} is no predicate f(x, x_prime).", value=given)
        return Custom(predicate, given)
    neighbors_of(given)
    return given


def _reach(alpha: str) -> Any:
    reach = number(alpha, "--alpha")
    if reach < 0:
        raise InvalidInput(f"--alpha must not be negative; got {alpha}.", value=alpha)
    return reach


def _check_top(top: int, least: int) -> None:
    if top < least:
        raise InvalidInput(f"--top must be a whole number of at least {least}; got {top}.", value=top)


def _input_class(one: Any) -> dict[str, Any]:
    return {"probability": one.value, "count": one.count, "witness": {"x": one.witness.x}}


def _pair_class(one: Any) -> dict[str, Any]:
    witness = {"x": one.witness.x, "x_prime": one.witness.x_prime, "y": one.witness.y}
    return {"ratio": one.value, "count": one.count, "witness": witness}


def _described(entry: Entry) -> dict[str, Any]:
    """A mechanism as plain data: its arguments in order, its first sentence and where it comes from."""
    return {
        "name": entry.name,
        "arguments": _arguments(entry.mechanism.function, entry.parameters),
        "summary": entry.summary,
        "reference": entry.reference,
        "neighbors": entry.neighbors,
        "default_n": entry.default_n,
    }


def _arguments(function: Callable[..., Any], tried: dict[str, Any]) -> list[dict[str, Any]]:
    """The arguments of a function; ``tried`` are the values that built-ins have on the command line."""
    arguments = []
    for parameter in inspect.signature(function).parameters.values():
        argument: dict[str, Any] = {"name": parameter.name, "required": parameter.default is parameter.empty}
        if not argument["required"]:
            argument["default"] = parameter.default
        if parameter.name in tried:
            argument["tried_with"] = tried[parameter.name]
        arguments.append(argument)
    return arguments


def _spelled(argument: dict[str, Any]) -> str:
    value = argument.get("tried_with", argument.get("default"))
    return argument["name"] if "tried_with" not in argument and argument["required"] else f"{argument['name']}={value}"


def _print(what: RenderableType) -> None:
    Console(highlight=False, markup=False).print(what)


@contextlib.contextmanager
def _progress(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, nothing elsewhere; what is called with a text advances it."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=total)

        def step(doing: str) -> None:
            bar.update(task, advance=1, description=f"{title}: {doing}" if doing else title)

        yield step


def _demand(verified: bool) -> None:
    if not verified:
        _stop("replaying the witness gave another number; this is a fault in taut.", WRONG)


def _usage(problem: Any) -> NoReturn:
    """A command line that cannot be read; without any arguments the help is the answer."""
    if type(problem).__name__ == "NoArgsIsHelpError":
        print(problem.format_message(), file=sys.stderr)
        sys.exit(BAD_INPUT)
    message = problem.format_message().strip()
    message += "" if message.endswith((".", "?")) else "."
    path = problem.ctx.command_path if getattr(problem, "ctx", None) is not None else "taut"
    _stop(f"{message} See '{path} --help'.", BAD_INPUT)


def _stop(message: str, code: int) -> NoReturn:
    print(f"taut: {message}", file=sys.stderr)
    sys.exit(code)
