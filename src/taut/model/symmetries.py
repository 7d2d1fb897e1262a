"""What a model knows about its symmetries: the group, claims about it, and the sets and counts that follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from taut.bounds import (
    AccuracyWitness,
    InputClass,
    PrivacyBound,
    RatioClass,
    Witness,
    classes_of_quotients,
    gathered_classes,
)
from taut.channel.channel import Channel
from taut.channel.pairs import pair_probabilities
from taut.domains import InputSpace
from taut.errors import NoNeighbors, TooLarge
from taut.model.inference import InferenceModel
from taut.model.predicates import relation_for
from taut.neighbors import Neighbors
from taut.numbers import Ball, in_groups, large
from taut.solvers.sets import InferenceSet, PrivacySet
from taut.solvers.symmetry import (
    Orbit,
    Permutation,
    SymmetryCheck,
    SymmetryGroup,
    check_symmetry,
    find_symmetries,
    read_permutation,
)

__all__ = ["SymmetricModel", "classes_of_inputs", "restricted_by"]

_CELLS = 1 << 23
_MOST_ORBITS = 2_000_000
_MOST_CELLS = 1 << 24
"""Up to so many pairs of input and output, all of them are looked at, which is quicker."""


class SymmetricModel(InferenceModel):
    """A model that finds its own symmetries; they are looked for once, when they are first needed."""

    _group: SymmetryGroup | None = None

    def symmetries(self) -> SymmetryGroup:
        """The symmetries that can be found, each verified: P(A(g x) = g y) = P(A(x) = y) for all x and y.

        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> print(randomized_response(bits(40), lam="1/5").symmetries())
        Symmetries of randomized_response, by exact comparison:
        - entries 0..39 may be permuted together with their outputs
        - entry 0: 0 <-> 1 together with output 0: 0 <-> 1, and likewise in each of the others
        """
        if self._group is None:
            self._group = find_symmetries(self.relation, self.space)
        return self._group

    def check_symmetry(
        self,
        entries: Mapping[int, int] | Sequence[int] | None = None,
        values: Mapping[Any, Any] | None = None,
        outputs: Any = None,
        output_values: Mapping[Any, Any] | None = None,
        *,
        permutation: Permutation | None = None,
    ) -> SymmetryCheck:
        """Whether a claimed symmetry holds; if not, with an input and an output at which it fails.

        ``entries`` says where entries go, {0: 1, 1: 0}; ``values`` which value becomes which, {0: 1, 1: 0} in all
        entries or {2: {0: 1, 1: 0}} in entry 2 only. ``outputs`` and ``output_values`` do the same for the components
        of the output and their values; where the output is a single value, ``outputs`` maps values, or is a function.
        ``demand()`` of the answer raises InvalidSymmetry if the claim does not hold.
        """
        if permutation is None:
            permutation = read_permutation(self.relation, entries, values, outputs, output_values)
        return check_symmetry(self.relation, permutation, self.space.database, self.probability)

    def inference_set(self) -> InferenceSet:
        """Pairs (x, y), one for each orbit of the symmetries: every probability is that of one of them."""
        return self.symmetries().inference_set()

    def privacy_set(self, neighbors: Any = "one_differ") -> PrivacySet:
        """Triples (x, x', y) of neighbours, one for each orbit: every quotient is that of one of them."""
        return self.symmetries().privacy_set(self.neighbors(neighbors))

    # -- inside --------------------------------------------------------------------------------------------------

    @property
    def space(self) -> InputSpace:
        return self.program.space

    def neighbors(self, given: Any) -> Neighbors:
        """The relation that a user gives, its predicate read if it is one."""
        return relation_for(given, self.program, self.options)

    def _symmetric_privacy(self, neighbors: Any) -> PrivacyBound:
        """The bound from one triple of each orbit, with the number of triples that attain it."""
        start = time.perf_counter()
        group = self.symmetries()
        found = time.perf_counter()
        worst = self._orbit_ratios(neighbors, 1)[0]
        stats = {
            "nodes": self.size,
            "triples": group.triple_orbits(neighbors).count,
            "symmetries": group.method,
            "build_seconds": round(found - start, 6),
            "inference_seconds": round(time.perf_counter() - found, 6),
        }
        return PrivacyBound(worst.value, worst.value, restricted_by(group), stats, worst.count, witness=worst.witness)

    def _orbits(self, neighbors: Neighbors) -> int | None:
        """How many triples the symmetries leave, None if that is too much to tell."""
        try:
            return self.symmetries().cost(neighbors).representatives
        except TooLarge:
            return None

    def _prefers_orbits(self, neighbors: Neighbors | None, channel: Channel) -> bool:
        """Whether all cases are too many to be listed, while the orbits of the symmetries are few enough."""
        if channel.inputs * (1 if neighbors is None else channel.outputs) <= _MOST_CELLS:
            return False
        if neighbors is None:
            return True
        return self.symmetries().cost(neighbors).representatives <= _MOST_ORBITS

    def _orbit_ratios(self, neighbors: Neighbors, top: int | None = None) -> list[RatioClass]:
        """The different quotients with their counts, from one triple of each orbit."""
        group = self.symmetries()
        orbits = group.triple_orbits(neighbors)
        self._bounded(orbits.count, "triples")
        numbers: dict[Any, int] = {}
        counts: dict[tuple[int, int], int] = {}
        places: dict[tuple[int, int], Callable[[], Witness]] = {}
        for some in _batches(orbits, _CELLS // (1 + len(self.relation.inputs) + len(self.relation.outputs))):
            here, there = self._masses(some)
            for orbit, p, q in zip(some, here, there, strict=True):
                key = (numbers.setdefault(p, len(numbers)), numbers.setdefault(q, len(numbers)))
                counts[key] = counts.get(key, 0) + orbit.size
                if key not in places:
                    places[key] = _Located(group, orbit)
        if not counts:
            raise NoNeighbors(f"neighbors='{neighbors.name}' relates no two inputs of '{self.name}'.", value=neighbors)
        return classes_of_quotients(list(numbers), counts, places)[:top]

    def _masses(self, orbits: Sequence[Orbit]) -> tuple[list[Any], list[Any]]:
        """The probabilities of the outputs of some orbits on both of their inputs."""
        relation, count = self.relation, len(orbits)
        inputs = np.stack([orbit.rows[copy] for copy in ("input", "other") for orbit in orbits])
        outputs = np.stack([orbit.rows["output"] for orbit in orbits] * 2)
        masses = pair_probabilities(relation, inputs, outputs)
        if self._conditioned:
            evidence = pair_probabilities(relation, inputs, None)
            for row, share in zip(inputs.tolist(), evidence, strict=True):
                if not share:
                    raise self._impossible(self.space.at(row))
            masses = [mass / share for mass, share in zip(masses, evidence, strict=True)]
        return masses[:count], masses[count:]

    def _bounded(self, count: int, what: str) -> None:
        if count > _MOST_ORBITS:
            raise TooLarge(
                f"'{self.name}' has too many {what} to look at all: its symmetries leave {large(count)} of them, at "
                f"most {_MOST_ORBITS} are looked at.",
                value=count,
            )


class _Located:
    """The triple of an orbit, made when it is asked for."""

    def __init__(self, group: SymmetryGroup, orbit: Orbit) -> None:
        self.group, self.orbit = group, orbit

    def __call__(self) -> Witness:
        group, orbit = self.group, self.orbit
        x, other = (group.database(orbit, copy) for copy in ("input", "other"))
        return Witness(x, other, group.output(orbit))


def restricted_by(group: SymmetryGroup) -> str:
    """The name of the method; it states the probability of an error if there is any."""
    return "restricted" if group.exact else f"restricted; symmetries by {group.method}"


def classes_of_inputs(weighted: Iterable[tuple[Any, int]], accuracies: Mapping[Any, Any]) -> list[InputClass]:
    """Inputs that stand for many, gathered by how accurate the mechanism is on them, the lowest first."""
    counts: dict[Any, int] = {}
    first: dict[Any, Any] = {}
    for x, count in weighted:
        value = accuracies[x]
        counts[value] = counts.get(value, 0) + count
        first.setdefault(value, x)
    return gathered_classes(counts, {value: AccuracyWitness(x) for value, x in first.items()})


def _batches(orbits: Iterable[Orbit], size: int) -> Iterator[list[Orbit]]:
    rest = iter(orbits)
    while some := list(islice(rest, max(1, size))):
        yield some
