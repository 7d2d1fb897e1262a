"""The application, and the options and progress bars that its commands share."""

from __future__ import annotations

import contextlib
import functools
import inspect
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.interfaces.cli.commands import COMMANDS
from taut.interfaces.queries.questions import DISTANCES, TARGETS
from taut.mechanisms.catalog import CATALOG, SHORT_NAMES
from taut.neighbors import relation_names
from taut.support.errors import InvalidOption
from taut.support.files import check_writable
from taut.support.options import options
from taut.support.package import __version__
from taut.support.process import silent_loggers

if TYPE_CHECKING:
    from taut.interfaces.queries.query import Query
    from taut.questions.bound import Interval
    from taut.questions.question import Question


def names_beginning(incomplete: str) -> list[str]:
    return [name for name in [*SHORT_NAMES, *CATALOG] if name.startswith(incomplete)]


Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A built-in mechanism, file.py:function, package.module:Class(epsilon=1).method, or file.dice:function.",
        autocompletion=names_beginning,
        show_default=False,
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
NeighborsOption = Annotated[
    str | None,
    typer.Option(help=f"{relation_names()} or file.py:predicate; by default the mechanism's own.", show_default=False),
]
Method = Annotated[
    str, typer.Option(help="auto, search, exhaustive or restricted (one case of each orbit of the symmetries).")
]
TimeLimit = Annotated[
    float,
    typer.Option(help="Seconds for everything, reading and verifying included; 0 for no limit.", show_default="60"),
]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw it: .png, .svg or .pdf.", show_default=False)]
Style = Annotated[str, typer.Option("--style", help="Style of the drawing: light or dark.")]
Save = Annotated[
    Path | None,
    typer.Option("--save", help="Keep the result: .json, for taut explain and taut replay.", show_default=False),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say how the bound was found.")]
MaybeAlpha = Annotated[
    str | None, typer.Option(help="The largest distance to the target that counts as close.", show_default=False)
]
TargetFunction = Annotated[
    str,
    typer.Option(
        "--target", help=f"The true value that the output estimates: {', '.join(TARGETS)}, or file.py:function."
    ),
]
DistanceOption = Annotated[
    str,
    typer.Option(
        "--distance", help=f"The distance of an output to the target: {', '.join(DISTANCES)}, or file.py:function."
    ),
]


def asked(query: Query, without: str | None = None) -> dict[str, Any]:
    """Return the question of an answer in JSON, so that it can be asked again from the file alone.

    A parameter that takes many values in one answer is left out.
    """
    return with_versions(query.to_dict(without))


def with_versions(question: dict[str, Any]) -> dict[str, Any]:
    """Add the versions of taut and Python to a question in JSON."""
    return {**question, "versions": {"taut": __version__, "python": platform.python_version()}}


def not_replayed(reason: str) -> dict[str, Any]:
    """Return the verification of an answer in JSON if there is none."""
    return {"verification": {"done": False, "reason": reason}}


@contextlib.contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """Show a progress bar if this is a terminal; yield the function that advances it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=total)

        def step(doing: str) -> None:
            bar.update(task, advance=1, description=f"{title}: {doing}" if doing else title)

        yield step


@contextlib.contextmanager
def closing_interval(title: str) -> Iterator[Callable[[Interval], None] | None]:
    """Show the certified interval of a search as it closes, if this is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from taut.support.exact import decimal

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[interval]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None, interval="")

        def tell(now: Interval) -> None:
            ends = ["?" if end is None else decimal(end, 8) for end in (now.lower, now.upper)]
            bar.update(task, completed=now.done, total=now.total, interval=f"[{ends[0]}, {ends[1]}]")

        yield tell


def check_outputs(plot: Path | None, *others: Path | None, style: str = "light") -> str:
    """Refuse files that cannot be written, before any work; return the suffix of the plot."""
    suffix = ""
    if plot is not None or style != "light":
        from taut.support.pictures.style import check_plot, check_style

        suffix = "" if plot is None else check_plot(plot)
        check_style(style)
    for path in (plot, *others):
        if path is not None:
            check_writable(path)
    return suffix


def tell_written(*paths: Path | None) -> None:
    for path in paths:
        if path is not None:
            typer.echo(f"wrote {path}")


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Exact, tight privacy and accuracy bounds of differentially private algorithms, with their worst cases.",
    epilog="TARGET is a built-in mechanism (taut list; names may be shortened), file.py:NAME or file.dice:NAME.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"taut {__version__}")
        raise typer.Exit


@app.callback()
def _before_any_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Read the options before the command, such as ``--version``."""


def command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command: its help is its sentence in ``taut --help``, then the later paragraphs of its docstring."""

    def added(function: Callable[..., None]) -> Callable[..., None]:
        details = (inspect.getdoc(function) or "").partition("\n\n")[2]
        app.command(name, help="\n\n".join(filter(None, [COMMANDS[name][1], details])))(with_memory(function))
        return function

    return added


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


MaxMemory = Annotated[
    float | None, typer.Option("--max-memory", help="GB of memory that it may take.", show_default="4")
]
Workers = Annotated[
    int | None, typer.Option("--workers", help="Divide the work among this many processes.", show_default=False)
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Divide the work among a Dask cluster: tcp://host:8786.", show_default=False),
]


_Command = Callable[..., None]


def signed(parameters: Iterable[inspect.Parameter], like: _Command | None = None) -> Callable[[_Command], _Command]:
    """Give a function the parameters from which Typer makes a command line; ``like`` lends it its name and its help."""
    listed = list(parameters)

    def made(run: _Command) -> _Command:
        if like is not None:
            functools.update_wrapper(run, like)
            del run.__wrapped__  # type: ignore[attr-defined]
        run.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in listed}
        return run

    return made


def keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Return a parameter that is an option."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _parameters(command: _Command) -> list[inspect.Parameter]:
    return list(inspect.signature(command, eval_str=True).parameters.values())


def with_memory(command: _Command) -> _Command:
    """Add the option ``--max-memory`` to a command that has a time limit."""
    parameters = _parameters(command)
    if not any(one.name == "time_limit" for one in parameters):
        return command

    @signed([*parameters, keyword("max_memory", MaxMemory, None)], command)
    def run(*args: Any, max_memory: float | None = None, **settings: Any) -> None:
        if max_memory is None:
            return command(*args, **settings)
        if not max_memory > 0 or max_memory == float("inf"):
            raise InvalidOption(f"--max-memory must be a positive number of GB; got {max_memory:g}.", value=max_memory)
        with options(max_memory=max(1, round(max_memory * 10**9))):
            return command(*args, **settings)

    return run


def with_workers(command: _Command) -> _Command:
    """Add the options ``--workers`` and ``--cluster`` to a command; they are in force while it runs."""

    @signed([*_parameters(command), keyword("workers", Workers, None), keyword("cluster", Cluster, None)], command)
    def run(*args: Any, workers: int | None = None, cluster: str | None = None, **settings: Any) -> None:
        with _executor(workers, cluster):
            command(*args, **settings)

    return run


@contextlib.contextmanager
def _executor(workers: int | None, address: str | None) -> Iterator[None]:
    """Put the executor that was asked for in force; a single worker is this process."""
    if workers is not None and address is not None:
        raise InvalidOption("--workers and --cluster are two ways to divide the work; give one of them.", value=workers)
    if workers is not None and workers < 1:
        raise InvalidOption(f"--workers must be at least 1; got {workers}.", value=workers)
    with contextlib.ExitStack() as stack:
        if address is not None:
            from taut.support.parallel.cluster import cluster

            stack.enter_context(silent_loggers())  # failures become errors of taut
            stack.enter_context(options(executor=stack.enter_context(cluster(address))))
        elif workers is not None and workers > 1:
            from taut.support.parallel.local import local_workers

            stack.enter_context(options(executor=stack.enter_context(local_workers(workers))))
        yield


def with_limits(wanted: Callable[[type[Question[Any]]], bool], begin: str) -> Callable[[_Command], _Command]:
    """Give a command an option for each keyword of the questions that are wanted, in the place of ``limits``.

    The command receives those that were typed as its argument ``limits``; ``begin`` begins their help. Questions about
    a target are left to the options of the command itself.
    """
    from taut.questions.registry import registered

    kinds = [kind for kind in registered().values() if wanted(kind) and not kind.about_target]
    said = {word: (kind, words) for kind in kinds for word, words in kind.limits().items()}
    options = [_option(word, str | None, f"{begin}{words}.", None) for word, (_, words) in said.items()]

    def read(typed: dict[str, Any]) -> dict[str, Any]:
        return {word: _parts(said[word][0], word, text) for word, text in typed.items()}

    return _with_options("limits", options, read)


def with_questions(begin: str) -> Callable[[_Command], _Command]:
    """Give a command an option for each question about neighbours except privacy and delta, in the place of ``also``.

    The command receives the questions that were asked for as its argument ``also``.
    """
    from taut.interfaces.queries.questions import question_of_text, typed_field
    from taut.questions.registry import registered

    kinds = [kind for name, kind in registered().items() if name not in ("privacy", "delta") and not kind.about_target]
    options = []
    for kind in kinds:
        title = kind.title or kind.name
        field, words = typed_field(kind), f"{begin} {title if title.startswith('Rényi') else title.lower()}"
        if field is None:
            options.append(_option(kind.name, bool, f"{words}.", False))
        else:
            options.append(_option(kind.name, str | None, f"{words}. {field.help}", None))

    def read(typed: dict[str, Any]) -> list[Question[Any]]:
        return [question_of_text(name if text is True else f"{name} {text}") for name, text in typed.items()]

    return _with_options("also", options, read)


def _with_options(
    place: str, options: list[inspect.Parameter], read: Callable[[dict[str, Any]], Any]
) -> Callable[[_Command], _Command]:
    """Replace an argument of a command by options, from which ``read`` makes its value."""

    def made(command: _Command) -> _Command:
        parameters: list[inspect.Parameter] = []
        for one in _parameters(command):
            parameters += options if one.name == place else [one.replace(kind=one.KEYWORD_ONLY)]

        @signed(parameters, command)
        def run(**given: Any) -> None:
            typed = {one.name: given.pop(one.name) for one in options}
            command(**given, **{place: read({name: one for name, one in typed.items() if one not in (None, False)})})

        return run

    return made


def _option(word: str, kind: Any, words: str, default: Any) -> inspect.Parameter:
    help_text = words[0].upper() + words[1:]
    annotation = Annotated[kind, typer.Option(f"--{word.replace('_', '-')}", help=help_text, show_default=False)]
    return keyword(word, annotation, default)


def _parts(kind: type[Question[Any]], word: str, text: str) -> Any:
    """Return the limit as claims are written: with the required fields before it, if the question has some."""
    needed = [one.name for one in kind.fields if one.required]
    if word != kind.name or not needed:
        return text
    words = text.split(",")
    if len(words) <= len(needed):
        form = ",".join([*[name.upper() for name in needed], "LIMIT"])
        raise InvalidOption(f"--{word} {text}: write {form}.", value=text)
    return words
