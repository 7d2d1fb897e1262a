"""Logs of a reading: draws and conditions, to compare with the function itself; what was read, and what was run."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.program import Term
from taut.support.errors import Place

__all__ = [
    "Account",
    "Around",
    "BranchDecisions",
    "BranchLog",
    "Cells",
    "Chain",
    "Draw",
    "RunCall",
    "Site",
    "Weighed",
    "site_of",
    "uses_runs",
]


@dataclass(frozen=True, slots=True)
class Chain:
    """A draw made by several coins: ``chosen``, one of the outcomes, is decided step by step.

    At first the first outcome is chosen. A step has, for each value of its index, the coin (or a constant) that decides
    whether the next outcome takes the place of what was chosen before.
    """

    chosen: Term
    outcomes: tuple[Any, ...]
    steps: tuple[tuple[Term, Mapping[Any, Term]], ...]


@dataclass(frozen=True, slots=True)
class Around:
    """Noise around a centre with too many values to list: a coin of noise around 0, added to the centre and clamped.

    ``value`` is the result, between ``low`` and ``high``.
    """

    coin: Term
    center: Term
    value: Term
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """A draw of a candidate in proportion to weights that depend on the inputs.

    ``place`` is a uniform coin, the number of a candidate. ``given`` has for each candidate the term that its weight
    depends on; ``accepted`` has for each value of that term a coin (or a constant) that is true in proportion to the
    weight, which is the evidence of the program. ``chosen`` is the candidate itself.
    """

    place: Term
    chosen: Term
    outcomes: tuple[Any, ...]
    given: tuple[Term, ...]
    accepted: Mapping[Any, Term]


@dataclass(eq=False, slots=True)
class Cells:
    """A uniform number between two places from 0 to 1: a coin shows which of its parts the number lies in.

    It gets its coin and its parts when a comparison splits it. Places are probabilities to be below.
    """

    low: Any = Fraction(0)
    high: Any = Fraction(1)
    toss: Any = None
    parts: list[Cells] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw: its position, the condition under which it is made, and its coin.

    A reading lists its draws in the order in which it makes them; for any input and coin outcomes those whose
    condition is true are the draws of that run. ``tosses`` has for each value of ``index`` the coin that decides (or a
    constant, where only one outcome is possible); a draw with ordinary parameters has one toss, no index, and keeps the
    ``arguments``; one that is decided in another way has a ``chain`` that says how, and no
    tosses.
    """

    name: str
    place: Place | None
    condition: Term
    index: Term | None
    tosses: tuple[tuple[Any, Term], ...]
    arguments: tuple[Any, ...] | None = None
    chain: Chain | Weighed | Around | Cells | None = None


Site = tuple[str, int, int, int, int]
"""The position of a condition: file, start line and column, end line and column (excluded)."""

_MOST = 1000
"""Number of decisions kept for one condition."""


@dataclass
class BranchDecisions:
    """The decisions of one condition: each has the guard of its world and the condition as a term."""

    file: str
    read: dict[tuple[Term, Term], None] = field(default_factory=dict)
    complete: bool = True
    """True if ``read`` has every decision; False if some were dropped or are not a single term."""


class BranchLog:
    """The conditions met by a reading: of 'if', 'while', comprehensions, 'and', 'or', and comparisons.

    A comparison that is a condition as well is noted twice: the value that was read for it, and what it decides.
    """

    def __init__(self) -> None:
        self._noted: dict[tuple[ast.expr, bool], BranchDecisions] = {}

    def note(self, file: str, node: ast.expr, guard: Term, test: Term | None, decides: bool) -> None:
        """Record a decision, or the value of a comparison; ``test`` is None if it is not a single term."""
        known = self._noted.get((node, decides))
        if known is None:
            known = self._noted[node, decides] = BranchDecisions(file)
        if test is None or len(known.read) >= _MOST:
            known.complete = False
        else:
            known.read[guard, test] = None

    def by_site(self) -> dict[Site, list[BranchDecisions]]:
        """Return the records at each position, with decisions separate from values of comparisons."""
        merged: dict[tuple[Site, bool], BranchDecisions] = {}
        for (node, decides), noted in self._noted.items():
            known = merged.setdefault((site_of(noted.file, node), decides), BranchDecisions(noted.file))
            known.read.update(noted.read)  # a source that was parsed twice has two nodes at one place
            known.complete = known.complete and noted.complete
        found: dict[Site, list[BranchDecisions]] = {}
        for (site, _), decisions in merged.items():
            found.setdefault(site, []).append(decisions)
        return found


def site_of(file: str, node: ast.expr) -> Site:
    """Return the position of an expression from Python's parser."""
    return file, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def uses_runs(draws: Any) -> bool:
    """Return True if some draw of a reading stands for a call that is run."""
    return any(isinstance(draw, Draw) and draw.name == "run" for draw in draws)


@dataclass(frozen=True)
class RunCall:
    """A function that was run because it cannot be read.

    Attributes:
        name: the function.
        values: different values of its arguments.
        runs: runs, one for each sequence of draws of each of these.
        draws: what it draws with, and other things worth knowing, such as a seed that is ignored.
        remainder: the largest probability of runs that were not followed.
        inline: True for an expression inside of a function that was read: it is run apart, as a draw of its own.
        cells: for a uniform number that is kept in variables, the cells that comparisons cut it into.
    """

    name: str
    values: int
    runs: int
    draws: tuple[str, ...] = ()
    remainder: Any = 0
    inline: bool = False
    cells: int = 0

    def __str__(self) -> str:
        if self.cells:
            more = f" ({', '.join(self.draws)})" if self.draws else ""
            return (
                f"kept and compared: {self.name}, {_counted(self.values, 'time')}, {_counted(self.cells, 'cell')}{more}"
            )
        kind = "drawn in place" if self.inline else "run"
        told = f"{kind}: {self.name}, {_counted(self.values, 'value')}, {_counted(self.runs, 'run')}"
        if self.draws:
            told += f" ({', '.join(self.draws)})"
        if self.remainder:
            told += f"; runs that were not followed have probability at most {float(self.remainder):.3g}"
        return told


ALMOST_ONE = "thresholds that only rounding may keep from being 1, so what lies above them counts"
"""The words for draws that are compared with such thresholds."""


@dataclass(frozen=True)
class Account:
    """The functions of a mechanism that were read and those that were run."""

    read: tuple[str, ...] = ()
    run: tuple[RunCall, ...] = field(default=())

    def __str__(self) -> str:
        parts = [f"read: {', '.join(self.read)}"] if self.read else []
        return "\n".join([*parts, *map(str, self.run)])

    @property
    def has_open_sums(self) -> bool:
        """Return True if a random number was compared with a threshold that rounding may keep from being 1."""
        return any(ALMOST_ONE in call.draws for call in self.run)

    def to_dict(self) -> dict[str, Any]:
        """Return the account as JSON has it."""
        calls = [{**vars(one), "draws": list(one.draws), "remainder": str(one.remainder)} for one in self.run]
        return {"read": list(self.read), "run": calls}


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
