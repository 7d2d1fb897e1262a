"""Variable elimination: tables are multiplied and summed in an order that is planned first."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.diagrams.compile.shape import Shape, shape_of, slots_of, sort_key
from taut.inference.elimination.conditionals import Unfit
from taut.inference.elimination.network import FactorTable, Network, network_of, product, summed_product
from taut.inference.engine import EnginePlan, InferenceQuery
from taut.program import UNDEFINED, Program
from taut.program.program import conjuncts
from taut.support.errors import internal_fault
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import collector_paused

__all__ = ["ByTables", "Elimination", "elimination_order", "planned_elimination"]


def elimination_order(
    sizes: Sequence[int], scopes: Iterable[Sequence[int]], keep: Sequence[int], most: int
) -> tuple[list[int], int]:
    """Return an elimination order for all variables but those to keep, and the number of table entries that it takes.

    Summing out a variable takes one table over all variables that share a table with it by then; the entries of these
    tables are counted, and of the one over the variables to keep. The order ends early where they are more than
    ``most``.

    >>> elimination_order([2] * 4, [(0,), (0, 1), (1, 2), (2, 3)], [3], 100)
    ([0, 1, 2], 14)
    """
    around: list[set[int]] = [set() for _ in sizes]
    for scope in scopes:
        for variable in scope:
            around[variable].update(scope)
    for variable in range(len(sizes)):
        around[variable].discard(variable)
    total = math.prod(sizes[variable] for variable in keep)
    kept = set(keep)
    cost = [math.prod([sizes[other] for other in around[variable]]) * sizes[variable] for variable in range(len(sizes))]
    waiting = [(cost[variable], variable) for variable in range(len(sizes)) if variable not in kept]
    heapq.heapify(waiting)
    order: list[int] = []
    done = [False] * len(sizes)
    while waiting and total <= most:
        expected, variable = heapq.heappop(waiting)
        if done[variable] or expected != cost[variable]:
            continue
        if not len(order) & 255:
            checkpoint()
        done[variable] = True
        order.append(variable)
        total += expected
        near = around[variable]
        for other in near:
            joined = around[other]
            joined |= near
            joined.discard(other)
            joined.discard(variable)
            if other not in kept:
                cost[other] = math.prod([sizes[third] for third in joined]) * sizes[other]
                heapq.heappush(waiting, (cost[other], other))
    return order, total


@dataclass(frozen=True, eq=False)
class Elimination:
    """The tables of a program, and an order in which its variables can be summed out.

    ``entries`` counts the numbers of all tables together; it is known before anything is summed.
    """

    network: Network
    order: list[int]
    entries: int
    shape: Shape

    @property
    def outputs(self) -> int:
        """Upper bound on the number of outputs."""
        return math.prod(len(self.network.values[variable]) for variable in self._keep)

    def masses(self) -> dict[Any, Fraction]:
        """Return the mass of every output that has any, not divided by the evidence, in the order of its values."""
        with collector_paused():
            return self._listed(*self._joint())

    def _joint(self) -> tuple[FactorTable, Fraction]:
        """Return the table over the variables to keep, and the factor of its entries."""
        sizes = [len(values) for values in self.network.values]
        above, tables = 1, dict(enumerate(self.network.tables))
        homes: list[set[int]] = [set() for _ in sizes]
        for number, table in tables.items():
            for variable in table.scope:
                homes[variable].add(number)
        for variable in self.order:
            near = [tables.pop(number) for number in sorted(homes[variable])]
            others = dict.fromkeys(other for table in near for other in table.scope if other != variable)
            table, common = summed_product(near, variable, tuple(others), sizes)
            above *= common
            number = len(self.network.tables) + variable
            tables[number] = table
            for other in others:
                homes[other] -= homes[variable]
                homes[other].add(number)
        return product(list(tables.values()), self._keep, sizes), Fraction(above, self.network.scale)

    def _listed(self, joint: FactorTable, scale: Fraction) -> dict[Any, Fraction]:
        values = [self.network.values[variable] for variable in self._keep]
        where = [self._keep.index(variable) for variable in self.network.slots]
        masses: dict[tuple[Any, ...], int] = {}
        for chosen, entry in checkpoints(zip(itertools.product(*values), joint.entries, strict=True)):
            if entry:
                row = tuple([chosen[place] for place in where])
                if UNDEFINED in row:
                    raise internal_fault("tables have an output without a value where the evidence holds.", value=row)
                masses[row] = masses.get(row, 0) + entry
        ordered = sorted(masses, key=lambda row: [sort_key(value) for value in row])
        return {self.shape.decode(iter(row)): masses[row] * scale for row in ordered}

    @property
    def _keep(self) -> tuple[int, ...]:
        return _different(self.network.slots)


def planned_elimination(program: Program, most: int, thorough: bool = False) -> Elimination | None:
    """Plan how to weigh the outputs of a program with tables of at most ``most`` entries together.

    None if that is not known to suffice, and for programs with inputs or with weights that are not rational. Planning
    takes about as long as reading the program did, whatever comes of it; if ``thorough``, as long as it has to.
    """
    if program.inputs or not all(type(weight) is Fraction for coin in program.coins for weight in coin.weights):
        return None
    shape = shape_of(program.output)
    slots = slots_of(program.terms, program.output, shape)
    evidence = [part for part in conjuncts(program.evidence) if part is not program.terms.true]
    with collector_paused():
        try:
            network = network_of(slots, evidence, program.coins, most, thorough)
        except Unfit:
            return None
        sizes = [len(values) for values in network.values]
        scopes = [table.scope for table in network.tables]
        order, entries = elimination_order(sizes, scopes, _different(network.slots), most)
    return Elimination(network, order, entries, shape) if entries <= most else None


def _different(slots: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(slots))


_FREE, _EACH = 1 << 13, 256
"""Entries of tables, per program and per term, that take no longer than compiling a diagram."""
_ENTRIES_PER_NODE = 8
"""Number of table entries that take as long as one node of a diagram."""
_MOST = 1 << 26
"""Limit for the entries of tables, whatever ``max_nodes`` is."""


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
    """Return the cost as an equivalent number of diagram nodes; 0 for tables cheaper than any compilation."""
    return 0 if found.entries <= _FREE + _EACH * found.network.size else max(1, found.entries // _ENTRIES_PER_NODE)
