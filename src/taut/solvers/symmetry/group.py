"""The symmetry group of a mechanism: what it permutes, how it reads in words, and the sets that follow from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.compile import Relation
from taut.domains import InputSpace
from taut.errors import TooLarge
from taut.neighbors import neighbors_of
from taut.numbers import large
from taut.solvers.symmetry.columns import ColumnClass
from taut.solvers.symmetry.identity import power_of_two
from taut.solvers.symmetry.letters import Case
from taut.solvers.symmetry.orbits import Orbit, Orbits
from taut.solvers.symmetry.permutation import Permutation, Variable
from taut.solvers.symmetry.sets import AccuracySet, InferenceSet, PrivacySet
from taut.solvers.symmetry.steps import Steps
from taut.solvers.symmetry.words import sentences

__all__ = ["SymmetryCost", "SymmetryGroup"]

_MOST = 1_000_000
_INPUTS = Case(("input",), False)
_PAIRS = Case(("input",), True)
_TRIPLES = Case(("input", "other"), True)


@dataclass(frozen=True)
class SymmetryCost:
    """What a question costs with symmetries: representatives, and nodes of the relation that each may visit."""

    representatives: int
    nodes: int

    @property
    def operations(self) -> int:
        return self.representatives * self.nodes


@dataclass(frozen=True)
class SymmetryGroup:
    """Verified symmetries g of a mechanism A: P(A(g x) = g y) = P(A(x) = y) for all x and y.

    Guarantee:
        ``classes`` generate a product of column permutations and local symmetries; orbits are those of this product.
        ``others`` hold as well and are not used for orbits. If ``exact``, every symmetry behind the orbits has been
        confirmed by exact arithmetic; otherwise all of them hold but for a probability of at most ``error``.
    """

    relation: Relation
    space: InputSpace
    classes: tuple[ColumnClass, ...]
    others: tuple[Permutation, ...]
    exact: bool
    error: Fraction
    complete: bool = True
    """Whether everything was tried; False if a limit on the number of tests was reached."""

    @property
    def generators(self) -> list[Permutation]:
        """The symmetries that generate the group."""
        return [p for one in self.classes for p in (*one.swaps, *one.local)] + list(self.others)

    @property
    def trivial(self) -> bool:
        """Whether nothing can be moved."""
        return not self.generators

    @property
    def method(self) -> str:
        """How sure the symmetries behind the orbits are."""
        if self.exact:
            return "exact comparison"
        return f"random weights modulo a random prime, wrong with probability below {power_of_two(self.error)}"

    def __str__(self) -> str:
        return "\n".join([f"Symmetries of {self.relation.name}, by {self.method}:", *[f"- {s}" for s in self.words]])

    def __repr__(self) -> str:
        return f"<SymmetryGroup of {self.relation.name}: {'; '.join(self.words)}>"

    @property
    def words(self) -> list[str]:
        """The symmetries in words."""
        return sentences(self.relation, self.classes, self.others)

    def to_dict(self) -> dict[str, Any]:
        inputs = self.input_orbits()
        return {
            "mechanism": self.relation.name,
            "symmetries": self.words,
            "exact": self.exact,
            "error": "0" if self.exact else power_of_two(self.error),
            "method": self.method,
            "complete": self.complete,
            "generators": len(self.generators),
            "classes": [sorted(one.inputs) for one in self.classes if one.size > 1],
            "inputs": str(math.prod(len(variable.values) for variable in self.relation.inputs)),
            "representatives": str(inputs.count),
        }

    # -- orbits --------------------------------------------------------------------------------------------------

    def input_orbits(self) -> Orbits:
        """Orbits of inputs x."""
        return Orbits(self.classes, self._arities, _INPUTS)

    def pair_orbits(self) -> Orbits:
        """Orbits of pairs (x, y)."""
        return Orbits(self.classes, self._arities, _PAIRS)

    def triple_orbits(self, neighbors: Any = "one_differ") -> Orbits:
        """Orbits of ordered triples (x, x', y) of related inputs; symmetries act on x and x' alike.

        Symmetries that do not preserve the relation are left out.
        """
        steps = Steps(neighbors_of(neighbors), self.space, self.classes, self._arities)
        classes = steps.respected(self.classes)
        return Orbits(classes, self._arities, _TRIPLES, steps.follow, steps.start, lambda state: state[1] >= 0)

    def cost(self, neighbors: Any = None) -> SymmetryCost:
        """What it costs to look at all inputs, or at all triples of a neighbour relation; nothing is listed."""
        orbits = self.input_orbits() if neighbors is None else self.triple_orbits(neighbors)
        return SymmetryCost(orbits.count, self.relation.arrays.size)

    # -- sets ----------------------------------------------------------------------------------------------------

    def inputs(self) -> Iterator[tuple[Any, int]]:
        """One input of each orbit, with the number of inputs it stands for."""
        for orbit in self.input_orbits():
            yield self.database(orbit, "input"), orbit.size

    def input_set(self) -> AccuracySet:
        """One input of each orbit."""
        self._bounded(self.input_orbits().count, "inputs")
        return AccuracySet(x for x, _ in self.inputs())

    def inference_set(self) -> InferenceSet:
        """One pair (x, y) of each orbit."""
        orbits = self.pair_orbits()
        self._bounded(orbits.count, "pairs")
        return InferenceSet((self.database(orbit, "input"), self.output(orbit)) for orbit in orbits)

    def privacy_set(self, neighbors: Any = "one_differ") -> PrivacySet:
        """One triple (x, x', y) of each orbit of related inputs."""
        orbits = self.triple_orbits(neighbors)
        self._bounded(orbits.count, "triples")
        return PrivacySet(
            (
                self.database(orbit, "input"),
                self.database(orbit, "other"),
                self.output(orbit),
            )
            for orbit in orbits
        )

    def database(self, orbit: Orbit, copy: str) -> Any:
        """One copy of the input."""
        return self.space.at(orbit.rows[copy].tolist())

    def output(self, orbit: Orbit) -> Any:
        """The output."""
        return self.relation.decode(orbit.rows["output"].tolist())

    def without(self, dropped: Callable[[Permutation], bool]) -> SymmetryGroup:
        """The group without some of its generators; a class that loses an exchange falls apart."""
        classes: list[ColumnClass] = []
        for one in self.classes:
            local = tuple(p for p in one.local if not dropped(p))
            if any(dropped(p) for p in one.swaps):
                classes.append(ColumnClass(one.columns[:1], local=local))
                classes += [ColumnClass((column,)) for column in one.columns[1:]]
            else:
                classes.append(replace(one, local=local))
        return replace(self, classes=tuple(classes), others=())

    @property
    def _arities(self) -> dict[Variable, int]:
        sizes: dict[Variable, int] = {("input", i): len(v.values) for i, v in enumerate(self.relation.inputs)}
        sizes.update({("output", j): len(v.values) for j, v in enumerate(self.relation.outputs)})
        return sizes

    def _bounded(self, count: int, what: str) -> None:
        if count > _MOST:
            raise TooLarge(
                f"'{self.relation.name}': its symmetries leave {large(count)} {what}, too many to list "
                f"(at most {_MOST}).",
                value=count,
            )
