"""One case of each orbit: symmetries of the channel tell which cases have equal values, and how many there are."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.inference.channel import Channel
from taut.questions.accuracy import InputMeasure
from taut.questions.bound import Bound, Interval
from taut.questions.measure import Locate, Measure, OutputMeasure
from taut.support.errors import TautError, TooLarge
from taut.support.exact import large
from taut.support.limits import checkpoint
from taut.support.parallel.executors import current_executor, width
from taut.support.parallel.pieces import mapped
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.symmetry import Orbit, Orbits, SymmetryGroup, find_symmetries

__all__ = ["MOST_ORBITS", "BySymmetry", "evidence_of_orbits", "symmetries_of"]

_CELLS = 1 << 23
_SENT = 1 << 9
"""Orbits that are worth being sent to a worker."""
MOST_ORBITS = 2_000_000
Case = dict[str, list[int]]
"""A case in positions: the 'input', and where there are any the 'other' and the 'output'."""
_Batch = tuple[Mapping[str, npt.NDArray[np.int64]], list[int]]


def symmetries_of(channel: Channel) -> SymmetryGroup:
    """Return the symmetries of a channel that can be found, each verified; they are looked for once."""
    if "symmetries" not in channel.kept:
        channel.kept["symmetries"] = find_symmetries(channel.relation, channel.space)
    found: SymmetryGroup = channel.kept["symmetries"]
    return found


class BySymmetry:
    """The values of one case per orbit of the channel's symmetries, counted as often as the orbit is large."""

    name = "restricted"
    needs_channel = True

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
        """Return the values of all cases, worst first, each with its count, from one case of each orbit."""
        channel, measure = problem.channel, problem.measure
        batch = _batch_of(channel)
        if channel.conditioned:
            evidence_of_orbits(channel)
        _, orbits = self._orbits(problem)
        few = _few(channel, orbits, measure.cases)
        if isinstance(measure, InputMeasure):
            shared, batch = _Rows(channel.in_positions()), max(1, batch // channel.outputs)
            value = _value_of_row(channel, measure)
        else:
            assert isinstance(measure, OutputMeasure)
            watched = measure.fixed_outputs(channel)
            shared, value = _Rows(channel.in_positions(), measure.runs, watched), measure.value
        executor = current_executor()
        if executor is not None and channel.exact:  # balls that were met together are rounded together
            batch = min(batch, max(_SENT, -(-orbits.count // (4 * width(executor)))))
        total = -(-orbits.count // batch)
        parts: dict[int, list[tuple[tuple[Any, ...], int, Case]]] = {}
        for number, part in mapped(_weighed, shared, map(_positions, _batches(few, batch))):
            parts[number] = part
            if budget.progress is not None:
                budget.progress(Interval(len(parts), total, None, None))
        cases: dict[tuple[Any, ...], tuple[int, Locate]] = {}
        for _, part in sorted(parts.items()):
            for masses, size, case in part:
                count, locate = cases.get(masses, (0, functools.partial(_witness, measure, channel, case)))
                cases[masses] = (count + size, locate)
        if not cases:
            raise problem.without_neighbors()
        return measure.classes((value(*masses), *counted) for masses, counted in cases.items())

    def _orbits(self, problem: Problem) -> tuple[SymmetryGroup, Orbits]:
        """Return the symmetries that keep the value of every case, and their orbits of cases."""
        group = symmetries_of(problem.channel)
        if problem.neighbors is not None:
            return group, group.triple_orbits(problem.neighbors)
        group = group.without(lambda permutation: bool(permutation.outputs))
        return group, group.input_orbits()


def evidence_of_orbits(channel: Channel) -> list[tuple[Any, Any]]:
    """Return the mass of the evidence at one input of each orbit, with that input; refused if it is 0."""
    found: list[tuple[Any, Any]] = []
    for some in _batches(_few(channel, symmetries_of(channel).input_orbits(), "inputs"), _batch_of(channel)):
        rows = np.stack([orbit.rows["input"] for orbit in some])
        inputs = [channel.x(row.tolist()) for row in rows]
        found += zip(channel.require_evidence(rows), inputs, strict=True)
    return found


def _batch_of(channel: Channel) -> int:
    """Return the number of cases in one batch."""
    return _CELLS // (1 + len(channel.relation.inputs) + len(channel.relation.outputs))


def _few(channel: Channel, orbits: Orbits, what: str) -> Orbits:
    """Return the orbits, or refuse if they are too many to list."""
    if orbits.count > MOST_ORBITS:
        raise TooLarge(
            f"'{channel.name}' has too many {what} to look at all: its symmetries leave {large(orbits.count)} of them, "
            f"at most {MOST_ORBITS} are looked at.",
            value=orbits.count,
        )
    return orbits


def _value_of_row(channel: Channel, measure: InputMeasure) -> Callable[..., Any]:
    """Return the value of an input by the probabilities of all outputs, in their order."""
    sizes = [len(output.values) for output in channel.relation.outputs]
    outputs = [channel.y(positions) for positions in itertools.product(*map(range, sizes))]

    def value(*masses: Any) -> Any:
        return measure.value({y: mass for y, mass in zip(outputs, masses, strict=True) if mass})

    return value


def _positions(orbits: list[Orbit]) -> _Batch:
    """Return the cases of some orbits, row by row, and how many each stands for."""
    copies = {copy: np.stack([orbit.rows[copy] for orbit in orbits]) for copy in orbits[0].rows}
    return copies, [orbit.size for orbit in orbits]


@dataclass(frozen=True)
class _Rows:
    """Data shared by all batches of orbits: a channel in positions, and the probabilities asked of a case.

    With one run these are of the ``watched`` outputs, None if none of them occurs; with none, of all outputs.
    """

    channel: Channel
    runs: int = 0
    watched: Mapping[int, int] | None = None

    def masses(self, copies: Mapping[str, npt.NDArray[np.int64]]) -> list[tuple[Any, ...]]:
        """For each case the probabilities that are asked for."""
        channel, inputs = self.channel, copies["input"]
        count = len(inputs)
        if not self.runs:
            every = channel.outputs
            outputs = np.indices([len(output.values) for output in channel.relation.outputs]).reshape(-1, every).T
            masses = channel.masses(np.repeat(inputs, every, axis=0), np.tile(outputs, (count, 1)))
            return [tuple(masses[start : start + every]) for start in range(0, len(masses), every)]
        if self.watched is None:
            return [(channel.zero,) * self.runs] * count
        if self.runs > 1:
            outputs = copies["output"]
        else:
            row = [self.watched[place] for place in range(len(channel.relation.outputs))]
            outputs = np.tile(np.array(row, dtype=np.int64), (count, 1))
        runs = [copies[copy] for copy in ("input", "other")[: self.runs]]
        masses = channel.masses(np.concatenate(runs), np.concatenate([outputs] * self.runs))
        return list(zip(*[masses[run * count : (run + 1) * count] for run in range(self.runs)], strict=True))


def _weighed(rows: _Rows, batch: _Batch) -> list[tuple[tuple[Any, ...], int, Case]]:
    """Return the different probabilities of a batch, the number of their cases, and the first positions."""
    copies, sizes = batch
    found: dict[tuple[Any, ...], list[int]] = {}
    for place, (masses, size) in enumerate(zip(rows.masses(copies), sizes, strict=True)):
        known = found.setdefault(masses, [0, place])
        known[0] += size
    return [
        (masses, count, {copy: row[place].tolist() for copy, row in copies.items()})
        for masses, (count, place) in found.items()
    ]


def _witness(measure: Measure, channel: Channel, case: Case) -> Any:
    copies = ("input", "other")[: measure.runs]
    y = channel.y(case["output"]) if "output" in case else None
    return measure.witness([channel.x(case[copy]) for copy in copies], y)


def _batches(orbits: Iterable[Orbit], size: int) -> Iterator[list[Orbit]]:
    rest = iter(orbits)
    while some := list(islice(rest, max(1, size))):
        checkpoint()
        yield some
