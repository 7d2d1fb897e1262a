"""Inference by tables: the variables of a program without inputs are summed out one by one."""

from __future__ import annotations

from taut.inference.elimination import Elimination, planned_elimination
from taut.inference.engine import EnginePlan, InferenceQuery

__all__ = ["ByTables"]

_FREE, _EACH = 1 << 13, 256
"""Entries of tables, for each program and for each of its terms, that take no more time than compiling these does."""
_ENTRIES_PER_NODE = 8
"""Number of table entries that take as long as one node of a diagram."""
_MOST = 1 << 26
"""Entries of tables that are ever made, whatever diagrams may have."""


class ByTables:
    """The masses of outputs from products of tables, whose entries are counted before any is summed.

    Naming an order of variables asks for a diagram, so then tables do not serve.
    """

    name = "tables"

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        program, options = asked.program, asked.options
        if program is None or program.inputs or asked.ready or options.order != "auto":
            return None
        found = planned_elimination(program, min(_MOST, options.max_nodes * _ENTRIES_PER_NODE), thorough)
        if found is None or found.outputs > options.max_outcomes:
            return None
        return EnginePlan(_cost(found), lambda _: found.masses(), f"tables have {found.entries} entries in all")


def _cost(found: Elimination) -> int:
    """The cost as an equivalent number of diagram nodes; 0 for tables cheaper than any compilation."""
    return 0 if found.entries <= _FREE + _EACH * found.network.size else max(1, found.entries // _ENTRIES_PER_NODE)
