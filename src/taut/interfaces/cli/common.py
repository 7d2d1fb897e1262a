"""Options that the commands share, and their reports of progress."""

from __future__ import annotations

import contextlib
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.interfaces.cli.app import AsJson as AsJson
from taut.interfaces.cli.app import app as app
from taut.interfaces.cli.app import command as command
from taut.interfaces.queries.targets import DISTANCES, TARGETS
from taut.mechanisms.catalog import CATALOG, SHORT_NAMES
from taut.neighbors import relation_names
from taut.support.files import check_writable
from taut.support.package import __version__

if TYPE_CHECKING:
    from taut.interfaces.queries.query import Query
    from taut.questions.bound import Interval


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
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw it: .png, .svg or .pdf.", show_default=False)]
Style = Annotated[str, typer.Option("--style", help="Of the drawing: light or dark.")]
Save = Annotated[
    Path | None,
    typer.Option("--save", help="Keep the result: .json, for taut explain and taut replay.", show_default=False),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say how the bound was found.")]
MaybeAlpha = Annotated[
    str | None, typer.Option(help="How far from the target still counts as close.", show_default=False)
]
TargetFunction = Annotated[
    str, typer.Option("--target", help=f"What is estimated: {', '.join(TARGETS)}, or file.py:function.")
]
DistanceOption = Annotated[
    str, typer.Option("--distance", help=f"How far an output is: {', '.join(DISTANCES)}, or file.py:function.")
]


def asked(query: Query, without: str | None = None) -> dict[str, Any]:
    """Return the question of an answer in JSON, so that it can be asked again from the file alone.

    A parameter that takes many values in one answer is left out.
    """
    return with_versions(query.to_dict(without))


def with_versions(question: dict[str, Any]) -> dict[str, Any]:
    """A question for machines, with who answered it."""
    return {**question, "versions": {"taut": __version__, "python": platform.python_version()}}


def not_replayed(reason: str) -> dict[str, Any]:
    """Return the verification of an answer in JSON if there is none."""
    return {"verification": {"done": False, "reason": reason}}


@contextlib.contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on a terminal, else nothing; returns a function that advances it."""
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
    """A bar on a terminal with the certified interval as it closes, nothing elsewhere."""
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
    """The suffix of a plot; refuses, before any work, where it or another file cannot be written."""
    suffix = ""
    if plot is not None:
        from taut.support.pictures.style import check_plot, check_style

        suffix = check_plot(plot)
        check_style(style)
    for path in (plot, *others):
        if path is not None:
            check_writable(path)
    return suffix


def tell_written(*paths: Path | None) -> None:
    for path in paths:
        if path is not None:
            typer.echo(f"wrote {path}")
