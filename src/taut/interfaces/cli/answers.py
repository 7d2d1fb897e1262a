"""Print the answers of commands: the bound as soon as it is known, then its verification; then set the exit code."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer
from rich.console import Console, RenderableType

from taut.interfaces.cli.output import INTERRUPTED, INTERVAL, WRONG, show, stop
from taut.interfaces.cli.supervisor import CLUSTER_LOST, MORE_TIME
from taut.interfaces.reports import text
from taut.interfaces.reports.checks import Verified
from taut.questions.bound import Bound
from taut.questions.drawn import Drawn
from taut.support.errors import InvalidInput, TooLarge

__all__ = ["announce", "draw", "finish", "keep", "say_verified", "text_of_part"]


def announce(parts: Iterable[RenderableType | None], as_json: bool) -> None:
    """Print an answer for people at once, texts unwrapped; JSON is printed at the end."""
    if as_json:
        return
    for part in parts:
        if isinstance(part, str):
            typer.echo(part)
        elif part is not None:
            show(part)
    sys.stdout.flush()


def text_of_part(part: RenderableType) -> str:
    """Return a part of an answer as it is printed."""
    if isinstance(part, str):
        return part
    console = Console(highlight=False, markup=False, file=io.StringIO())
    with console.capture() as captured:
        console.print(part)
    return captured.get().rstrip("\n")


def draw(what: Drawn | None, plot: Path | None, style: str, title: str, as_json: bool) -> str | None:
    """Draw an answer into a file; return the reason if that fails, so that the answer is still printed."""
    if plot is None or what is None:
        return None
    try:
        what.plot(plot, title=title, style=style)
    except (TooLarge, InvalidInput) as problem:
        if not as_json:
            typer.echo(f"{plot} is not drawn: {problem}")
        return str(problem)
    if not as_json:
        typer.echo(f"wrote {plot}")
    return None


def keep(bound: Bound, path: Path | None, as_json: bool) -> None:
    """Save a bound into a file that ``taut explain`` reads and ``taut replay`` checks."""
    if path is not None:
        bound.save(path)
        if not as_json:
            typer.echo(f"wrote {path}")


def say_verified(checks: Mapping[str, Verified], as_json: bool) -> None:
    """Print a line on the verification of each bound, after its name if it has one."""
    if as_json:
        return
    for name, check in checks.items():
        said = text.verification_text(check.outcome, check.reason, check.seconds)
        typer.echo(f"{name}: {said}" if name else said)


def finish(bounds: Iterable[Bound], checks: Iterable[Verified], as_json: bool) -> None:
    """End a command with the exit code of its answer: not confirmed, interrupted, or only an interval."""
    if any(check.outcome is not None and not check.outcome for check in checks):
        stop("replaying a witness gave another number; this is a fault in taut.", WRONG)
    open_ends = [bound for bound in bounds if not bound.complete]
    reasons = {bound.stats.get("stopped") for bound in open_ends}
    if "interrupted" in reasons:
        raise typer.Exit(INTERRUPTED)
    if open_ends:
        if not as_json and "time_limit" in reasons:
            typer.echo(f"This is an interval. {MORE_TIME}")
        if not as_json and "workers_gone" in reasons:
            typer.echo(f"This is an interval. {CLUSTER_LOST}")
        raise typer.Exit(INTERVAL)
