"""Answers for people: panels, tables, and sentences about a saved result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from taut.program.domains import Domain
from taut.questions.bound import NO_WITNESS, REPLAYS, Verification
from taut.questions.loss import LossDistribution
from taut.questions.question import Question
from taut.questions.ratio import epsilon_digits, epsilon_of
from taut.questions.rows import TextTable, count_text, seconds_text
from taut.questions.text import shown, surely, vector_text
from taut.support.exact import Ball, decimal
from taut.verification.saved import SavedResult

if TYPE_CHECKING:
    from taut.interfaces.sweep import Sweep

__all__ = [
    "answer_parts",
    "facts_panel",
    "loss_table",
    "pair_table",
    "sentences",
    "simple_table",
    "sweep_table",
    "text_table",
    "verification_text",
]


_MOST_ROWS = 24
_WHOLE = "mechanism"
"""The column whose cells stay on one line: a call would be cut anywhere."""


def answer_parts(title: str, question: Question[Any], bound: Any) -> list[RenderableType]:
    """Return one answer for people: a panel of its rows, then its tables."""
    tables = [text_table(one) for one in question.tables(bound)]
    return [facts_panel(title, question.rows(bound), question.good(bound)), *tables]


def text_table(table: TextTable) -> Group:
    """Return a table of texts; if it is ``cut``, the middle of a long one is left out."""
    rows = list(table.rows)
    if table.cut and len(rows) > _MOST_ROWS:
        half = _MOST_ROWS // 2
        left_out = [f"... {len(rows) - 2 * half} more", *[""] * (len(table.headings) - 1)]
        rows = [*rows[:half], left_out, *rows[-half:]]
    return _titled(table.title, _table(table.headings, set(table.right), rows))


def pair_table(title: str, classes: Sequence[Any]) -> Group:
    """Return the worst pairs with their ratios."""
    rows = []
    for position, one in enumerate(classes, 1):
        where = [vector_text(part) for part in (one.witness.x, one.witness.x_prime, one.witness.y)]
        rows.append([str(position), epsilon_digits(one.value), shown(one.value), count_text(one.count), *where])
    return _titled(title, _table(["", "eps", "e^eps", "triples", "x", "x'", "y"], {0, 1, 3}, rows))


def loss_table(title: str, loss: LossDistribution, divergences: Iterable[tuple[str, Any]]) -> Group:
    """Return the atoms of a loss distribution, and its divergences."""
    atoms = []
    for ratio, mass, mass_prime in loss.atoms:
        atoms.append([shown(ratio), decimal(epsilon_of(ratio), 6), shown(mass), shown(mass_prime)])
    headings = ["ratio", "loss", "mass under x", "mass under x'"]
    pair = f"x = {vector_text(loss.x)}, x' = {vector_text(loss.x_prime)}"
    values = [[name, surely(value)] for name, value in divergences]
    return Group(
        text_table(TextTable(f"{title}\n{pair}", headings, atoms, cut=True)),
        text_table(TextTable("Divergences", ["measure", "value"], values)),
    )


def sweep_table(sweep: Sweep) -> Group:
    """Return the bounds of a sweep, one row per value."""
    title = sweep.title if sweep.neighbors is None else f"{sweep.title}, {sweep.neighbors} neighbours"
    return simple_table(title, *sweep.table())


def simple_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], words: bool = False) -> Group:
    """Return a table of texts; all but the first column to the right, unless they are words."""
    return _titled(title, _table(headings, set() if words else set(range(1, len(headings))), rows))


def verification_text(outcome: Verification | None, reason: str, seconds: float) -> str:
    """Return the outcome of a replay as text: confirmed by which evaluation and in what time, or why not.

    >>> verification_text(None, "time", 1.0)
    'proved; replay of the witness by Python not finished (stopped after 1 s)'
    """
    if outcome is None:
        why = {"time": "stopped", "memory": "out of memory", "interrupted": "interrupted"}.get(reason, reason)
        return f"proved; replay of the witness by Python not finished ({why} after {seconds_text(seconds)})"
    if outcome.method == NO_WITNESS:
        return "no case was looked at, so there is nothing to replay; the interval holds for every mechanism"
    answer = "yes" if outcome else f"NO: replaying gives {shown(outcome.replayed)}"
    by = REPLAYS.get(outcome.method, outcome.method)
    return f"verified: {answer} ({by}), in {seconds_text(seconds)}"


def facts_panel(title: str, rows: Iterable[tuple[str, str]], good: bool) -> Panel:
    """Return names and values under each other; the first is the answer, red if it is bad news."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for position, (name, value) in enumerate(rows):
        bad = position == 0 and not good
        style = "bold red" if bad else "bold green" if position == 0 else ""
        grid.add_row(name, Text(value, style=style))
    return Panel(grid, title=Text(title), title_align="left", box=ROUNDED, expand=False)


def _titled(title: str, table: Table) -> Group:
    return Group(Text(title, style="bold"), table)


def _table(headings: Sequence[str], right: set[int], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for position, heading in enumerate(headings):
        table.add_column(
            heading, justify="right" if position in right else "left", overflow="fold", no_wrap=heading == _WHOLE
        )
    for row in rows:
        table.add_row(*row)
    return table


def sentences(saved: SavedResult) -> list[str]:
    """Return sentences on the saved question, its answer, its meaning, and how to check it; nothing is computed."""
    databases = [f"{name} from {value}" for name, value in saved.arguments.items() if isinstance(value, Domain)]
    settings = [f"{name}={_setting(value)}" for name, value in saved.arguments.items() if not isinstance(value, Domain)]
    about = f"'{saved.name or saved.path.stem}', with {', '.join([*databases, *settings])}"
    lines = [f"This result is about the mechanism {about}.", saved.asked.found(saved)]
    if not saved.complete:
        lines.append("The value is only known to lie in an interval: the computation was stopped.")
    if saved.witness is not None:
        lines.append(saved.asked.worst(saved))
    versions = ", ".join(f"{name} {version}" for name, version in saved.versions.items())
    lines.append(f"It was computed with {versions}. 'taut replay {saved.path}' checks it again.")
    return lines


def _setting(value: Any) -> str:
    """Return a parameter as it was given: numbers plainly, text in quotes."""
    return shown(value) if isinstance(value, Ball) else vector_text(value)
