"""One case of each orbit: symmetries of the channel tell which cases have equal values, and how many there are."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from taut.channel.channel import Channel
from taut.errors import TautError, TooLarge
from taut.limits import checkpoint
from taut.measures import InputMeasure, OutputMeasure
from taut.measures.measure import Locate, Measure
from taut.numbers import large
from taut.results import Bound
from taut.solvers.problem import Budget, Problem
from taut.solvers.symmetry import Orbit, Orbits, SymmetryGroup, find_symmetries

__all__ = ["MOST_ORBITS", "BySymmetry", "evidence_of_orbits", "symmetries_of"]

_CELLS = 1 << 23
MOST_ORBITS = 2_000_000
_known: WeakKeyDictionary[Channel, SymmetryGroup] = WeakKeyDictionary()


def symmetries_of(channel: Channel) -> SymmetryGroup:
    """The symmetries of a channel that can be found, each verified; they are looked for once."""
    if channel not in _known:
        _known[channel] = find_symmetries(channel.relation, channel.space)
    return _known[channel]


class BySymmetry:
    """The values of one case per orbit of the channel's symmetries, counted as often as the orbit is large."""

    name = "restricted"

    def refuses(self, problem: Problem) -> TautError | None:
        return problem.refused_as_sum(self.name, InputMeasure)

    def cost(self, problem: Problem) -> int:
        return self._orbits(problem)[1].count

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start = time.perf_counter()
        symmetries_of(problem.channel)
        known = time.perf_counter()
        worst = self.classes(problem, budget)[0]
        group, orbits = self._orbits(problem)
        stats = {
            "nodes": problem.channel.relation.arrays.size,
            problem.measure.cases: orbits.count,
            "symmetries": group.method,
            "build_seconds": round(known - start, 6),
            "inference_seconds": round(time.perf_counter() - known, 6),
        }
        method = self.name if group.exact else f"{self.name}; symmetries by {group.method}"
        return problem.measure.bound(
            worst.value, worst.value, method=method, stats=stats, witness=worst.witness, count=worst.count
        )

    def classes(self, problem: Problem, budget: Budget) -> list[Any]:
        """The different values of all cases, the worst first, each with its count, from one case of each orbit."""
        channel, measure = problem.channel, problem.measure
        batch = _batch_of(channel)
        if channel.conditioned:
            evidence_of_orbits(channel)
        group, orbits = self._orbits(problem)
        cases: dict[tuple[Any, ...], tuple[int, Locate]] = {}
        if isinstance(measure, InputMeasure):
            masses_of, value, batch = _row_masses, _value_of_row(channel, measure), max(1, batch // channel.outputs)
        else:
            assert isinstance(measure, OutputMeasure)
            masses_of, value = functools.partial(_masses, measure=measure), measure.value
        for some in _batches(_few(channel, orbits, measure.cases), batch):
            for orbit, masses in zip(some, masses_of(channel, some), strict=True):
                count, locate = cases.get(masses, (0, functools.partial(_witness, measure, group, orbit)))
                cases[masses] = (count + orbit.size, locate)
        if not cases:
            raise problem.without_neighbors()
        return measure.classes((value(*masses), *counted) for masses, counted in cases.items())

    def _orbits(self, problem: Problem) -> tuple[SymmetryGroup, Orbits]:
        """The symmetries that keep the value of every case, and their orbits of cases."""
        group = symmetries_of(problem.channel)
        if problem.neighbors is not None:
            return group, group.triple_orbits(problem.neighbors)
        group = group.without(lambda permutation: bool(permutation.outputs))
        return group, group.input_orbits()


def evidence_of_orbits(channel: Channel) -> list[tuple[Any, Any]]:
    """The mass of the evidence at one input of each orbit, with that input; refused if it is 0."""
    found: list[tuple[Any, Any]] = []
    for some in _batches(_few(channel, symmetries_of(channel).input_orbits(), "inputs"), _batch_of(channel)):
        rows = np.stack([orbit.rows["input"] for orbit in some])
        inputs = [channel.x(row.tolist()) for row in rows]
        found += zip(channel.require_evidence(rows), inputs, strict=True)
    return found


def _batch_of(channel: Channel) -> int:
    """How many cases are looked at together."""
    return _CELLS // (1 + len(channel.relation.inputs) + len(channel.relation.outputs))


def _few(channel: Channel, orbits: Orbits, what: str) -> Orbits:
    """The same orbits, unless they are too many to be listed."""
    if orbits.count > MOST_ORBITS:
        raise TooLarge(
            f"'{channel.name}' has too many {what} to look at all: its symmetries leave {large(orbits.count)} of them, "
            f"at most {MOST_ORBITS} are looked at.",
            value=orbits.count,
        )
    return orbits


def _row_masses(channel: Channel, orbits: list[Orbit]) -> Iterator[tuple[Any, ...]]:
    """For each orbit the probabilities of all outputs on its input."""
    count = channel.outputs
    outputs = np.indices([len(output.values) for output in channel.relation.outputs]).reshape(-1, count).T
    inputs = np.stack([orbit.rows["input"] for orbit in orbits])
    masses = channel.masses(np.repeat(inputs, count, axis=0), np.tile(outputs, (len(orbits), 1)))
    return (tuple(masses[start : start + count]) for start in range(0, len(masses), count))


def _value_of_row(channel: Channel, measure: InputMeasure) -> Callable[..., Any]:
    """The value of an input by the probabilities of all outputs, in their order."""
    sizes = [len(output.values) for output in channel.relation.outputs]
    outputs = [channel.y(positions) for positions in itertools.product(*map(range, sizes))]

    def value(*masses: Any) -> Any:
        return measure.value({y: mass for y, mass in zip(outputs, masses, strict=True) if mass})

    return value


def _masses(channel: Channel, orbits: list[Orbit], measure: OutputMeasure) -> Iterator[tuple[Any, ...]]:
    """For each orbit the probabilities of its output in all runs."""
    watched = measure.fixed_outputs(channel)
    if watched is None:
        return iter([(channel.zero,) * measure.runs] * len(orbits))
    width = len(channel.relation.outputs)
    rows = [
        orbit.rows["output"] if measure.runs > 1 else np.array([watched[place] for place in range(width)])
        for orbit in orbits
    ]
    copies = ("input", "other")[: measure.runs]
    inputs = np.stack([orbit.rows[copy] for copy in copies for orbit in orbits])
    masses = channel.masses(inputs, np.stack(rows * measure.runs))
    count = len(orbits)
    return zip(*[masses[run * count : (run + 1) * count] for run in range(measure.runs)], strict=True)


def _witness(measure: Measure, group: SymmetryGroup, orbit: Orbit) -> Any:
    copies = ("input", "other")[: measure.runs]
    inputs = [group.database(orbit, copy) for copy in copies]
    return measure.witness(inputs, group.output(orbit) if "output" in orbit.rows else None)


def _batches(orbits: Iterable[Orbit], size: int) -> Iterator[list[Orbit]]:
    rest = iter(orbits)
    while some := list(islice(rest, max(1, size))):
        checkpoint()
        yield some
