"""Masses of the outputs of a program without inputs, by eliminating its variables one after the other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.diagrams.compile.shape import Shape, shape_of, slots_of, sort_key
from taut.inference.elimination.conditionals import Unfit
from taut.inference.elimination.network import Network, network_of
from taut.inference.elimination.order import elimination_order
from taut.inference.elimination.tables import FactorTable, product, summed_product
from taut.program import UNDEFINED, Program
from taut.program.program import conjuncts
from taut.support.errors import internal_fault
from taut.support.limits import checkpoints
from taut.support.process import collector_paused

__all__ = ["Elimination", "planned_elimination"]


@dataclass(frozen=True, eq=False)
class Elimination:
    """The tables of a program, and an order in which its variables can be summed out.

    ``entries`` is how many numbers that takes, in all tables together; it is known before anything is summed.
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
        """The mass of every output that has any, not divided by the evidence, in the order of its values."""
        with collector_paused():
            return self._listed(*self._joint())

    def _joint(self) -> tuple[FactorTable, Fraction]:
        """The table over the variables to keep, and the factor of its entries."""
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
