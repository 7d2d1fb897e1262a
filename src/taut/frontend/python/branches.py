"""The record of every condition that a reading decides, so that Python can be led to both of its sides."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from taut.ir import Term

__all__ = ["BranchLog", "Decisions", "Site", "site_of"]

Site = tuple[str, int, int, int, int]
"""A condition in a source: its file, and the line and column where it starts and where it ends (excluded)."""

_MOST = 1000
"""Decisions that are kept for one condition; in a long loop there are more."""


@dataclass
class Decisions:
    """The decisions of one condition: in each the guard of the world where it was read, and what was read for it."""

    file: str
    read: dict[tuple[Term, Term], None] = field(default_factory=dict)
    complete: bool = True
    """Whether ``read`` has every decision; else some were too many, or no single term."""


class BranchLog:
    """The conditions that a reading has met: of 'if', 'while', comprehensions, 'and', 'or', and comparisons.

    A comparison that is a condition as well is noted twice: the value that was read for it, and what it decides.
    """

    def __init__(self) -> None:
        self._noted: dict[tuple[ast.expr, bool], Decisions] = {}

    def note(self, file: str, node: ast.expr, guard: Term, test: Term | None, decides: bool) -> None:
        """Keep a decision, or the value of a comparison; ``test`` is None where that is no single term."""
        known = self._noted.get((node, decides))
        if known is None:
            known = self._noted[node, decides] = Decisions(file)
        if test is None or len(known.read) >= _MOST:
            known.complete = False
        else:
            known.read[guard, test] = None

    def by_site(self) -> dict[Site, list[Decisions]]:
        """Return what was noted at each place: decisions apart from values of comparisons."""
        merged: dict[tuple[Site, bool], Decisions] = {}
        for (node, decides), noted in self._noted.items():
            known = merged.setdefault((site_of(noted.file, node), decides), Decisions(noted.file))
            known.read.update(noted.read)  # a source that was parsed twice has two nodes at one place
            known.complete = known.complete and noted.complete
        found: dict[Site, list[Decisions]] = {}
        for (site, _), decisions in merged.items():
            found.setdefault(site, []).append(decisions)
        return found


def site_of(file: str, node: ast.expr) -> Site:
    """Return the place of an expression as Python's parser tells it."""
    return file, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
