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
    """The conditions that a reading has met: of 'if', 'while', comprehensions, 'and', 'or', and comparisons."""

    def __init__(self) -> None:
        self._by_node: dict[ast.expr, Decisions] = {}

    def note(self, file: str, node: ast.expr, guard: Term, test: Term | None) -> None:
        """Keep a decision; ``test`` is None where the value read for the condition is no single term."""
        known = self._by_node.get(node)
        if known is None:
            known = self._by_node[node] = Decisions(file)
        if test is None or len(known.read) >= _MOST:
            known.complete = False
        else:
            known.read[guard, test] = None

    def by_site(self) -> dict[Site, Decisions]:
        """Return the decisions of each condition; a source that was parsed twice has two nodes for one place."""
        found: dict[Site, Decisions] = {}
        for node, decisions in self._by_node.items():
            site = site_of(decisions.file, node)
            if site in found:
                merged = {**found[site].read, **decisions.read}
                decisions = Decisions(decisions.file, merged, found[site].complete and decisions.complete)
            found[site] = decisions
        return found


def site_of(file: str, node: ast.expr) -> Site:
    """Return the place of an expression as Python's parser tells it."""
    return file, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
