"""The outputs of a program without inputs with their masses: from tables where these are small, else off a diagram."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.elimination import Elimination, planned_elimination
from taut.errors import DiagramTooLarge
from taut.ir import Program
from taut.options import Options
from taut.totals import require_total

if TYPE_CHECKING:
    from taut.compile import Relation

__all__ = ["masses_or_relation"]

_FREE, _EACH = 1 << 13, 256
"""Entries of tables, for each program and for each of its terms, that take no more time than compiling these does."""
_ENTRIES_PER_NODE = 8
"""How many entries of tables take as long as a node of a diagram."""
_MOST = 1 << 26
"""Entries of tables that are ever made, whatever diagrams may have."""


def masses_or_relation(
    program: Program, options: Options, compiled: Callable[[Program, Options], Relation]
) -> dict[Any, Fraction] | Relation:
    """The masses of all outputs, not divided by the evidence; or a relation to read them off, where that is smaller.

    How many entries tables have is known before any is summed. Few in proportion to the program are less work than a
    diagram. If they are many, a diagram with fewer nodes is tried before; where not even planning is little work, any
    diagram is, and only if that is refused are tables made at whatever cost. Naming an order asks for a diagram.

    Raises:
        DiagramTooLarge: neither is within the limits.
    """
    if options.order != "auto":
        return compiled(program, options)
    most = min(_MOST, options.max_nodes * _ENTRIES_PER_NODE)
    plan = planned_elimination(program, most)
    if plan is not None and plan.entries <= _FREE + _EACH * plan.network.size and plan.outputs <= options.max_outcomes:
        return _masses(program, plan)
    nodes = options.max_nodes if plan is None else plan.entries // _ENTRIES_PER_NODE
    try:
        return compiled(program, replace(options, max_nodes=nodes))
    except DiagramTooLarge:
        plan = plan or planned_elimination(program, most, thorough=True)
        if plan is None or plan.outputs > options.max_outcomes:
            raise
    return _masses(program, plan)


def _masses(program: Program, plan: Elimination) -> dict[Any, Fraction]:
    masses = plan.masses()
    require_total(program.name, masses.values(), conditioned=program.evidence is not program.terms.true)
    return masses
