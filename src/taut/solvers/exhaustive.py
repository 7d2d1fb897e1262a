"""Looking at every case: all inputs or related pairs, and all outputs, with classes of values and their counts."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from taut.channel.channel import Channel
from taut.errors import TautError, TooLarge
from taut.limits import checkpoint, checkpoints
from taut.measures import InputMeasure, Measure, OutputMeasure
from taut.measures.measure import Locate
from taut.neighbors.blocks import Block, blocks
from taut.numbers import large
from taut.results import Bound
from taut.solvers.problem import Budget, Problem

__all__ = ["Exhaustive"]

T = TypeVar("T")
Numbers = npt.NDArray[np.int32]
_COUNTED = 1 << 22
_MOST_CELLS = 1 << 26


class Exhaustive:
    """All cases, from tables of all probabilities; equal probabilities are one number, so each is compared once."""

    name = "exhaustive"

    def refuses(self, problem: Problem) -> TautError | None:
        return problem.refused_as_sum(self.name, InputMeasure)

    def cost(self, problem: Problem) -> int | None:
        return problem.cases

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start, channel, measure = time.perf_counter(), problem.channel, problem.measure
        waited: list[float] = []
        worst = self.classes(problem, budget, waited)[0]
        inference = sum(waited)
        stats = {
            "nodes": channel.relation.arrays.size,
            "inputs": channel.inputs,
            "probabilities": channel.inputs * (1 if _one_output(measure) else channel.outputs),
            "inference_seconds": round(inference, 6),
            "synthesis_seconds": round(time.perf_counter() - start - inference, 6),
        }
        return measure.bound(
            worst.value, worst.value, method=self.name, stats=stats, witness=worst.witness, count=worst.count
        )

    def classes(self, problem: Problem, budget: Budget, waited: list[float] | None = None) -> list[Any]:
        """The different values of all cases, the worst first, each with its exact count.

        The seconds spent on the tables of probabilities are added to ``waited``.
        """
        channel, measure = problem.channel, problem.measure
        if isinstance(measure, InputMeasure):
            return _input_classes(channel, measure, budget, [] if waited is None else waited)
        assert isinstance(measure, OutputMeasure)
        watched = measure.fixed_outputs(channel)
        if watched is None:
            if channel.conditioned:
                channel.evidence_table(budget.max_beliefs)
            first = measure.witness([channel.x([0] * len(channel.values))], None)
            return measure.classes([(channel.zero, channel.inputs, lambda: first)])
        values: dict[Any, int] = {}
        counts: dict[tuple[int, ...], int] = {}
        witnesses: dict[tuple[int, ...], Locate] = {}
        for fixed, table in _timed(channel.tables(budget.max_beliefs, watched), [] if waited is None else waited):
            number = [values.setdefault(value, len(values)) for value in table.values]
            free = table.numbers.shape[table.inputs :]
            grid = table.numbers.reshape((*table.numbers.shape[: table.inputs], -1))
            for block in blocks(problem.automaton, max(1, _COUNTED // max(1, grid.shape[-1]))):
                checkpoint()
                runs = [grid[block.own], grid[block.other]][: measure.runs]
                for masses, count, position in _count(runs, len(number)):
                    key = tuple(number[mass] for mass in masses)
                    counts[key] = counts.get(key, 0) + count
                    if key not in witnesses:
                        witnesses[key] = functools.partial(_witness, measure, channel, free, fixed, block, position)
        if not counts:
            raise problem.without_neighbors()
        known = list(values)
        return measure.classes(
            (measure.value(*[known[m] for m in key]), n, witnesses[key]) for key, n in counts.items()
        )


def _one_output(measure: Measure) -> bool:
    """Whether every case is about one and the same output."""
    return measure.runs == 1 and isinstance(measure, OutputMeasure)


def _input_classes(channel: Channel, measure: InputMeasure, budget: Budget, waited: list[float]) -> list[Any]:
    """The different values of all inputs, each different distribution looked at once."""
    values: dict[Any, int] = {}
    columns: list[Numbers] = []
    outputs: list[Any] = []
    for fixed, table in _timed(channel.tables(budget.max_beliefs), waited):
        number = np.array([values.setdefault(value, len(values)) for value in table.values], dtype=np.int32)
        free = table.numbers.shape[table.inputs :]
        columns.append(number[table.numbers].reshape(channel.inputs, -1))
        for column in range(math.prod(free)):
            outputs.append(_output(channel, free, fixed, column))
        if channel.inputs * len(outputs) > _MOST_CELLS:
            raise TooLarge(
                f"'{channel.name}' has {large(channel.inputs)} inputs with {large(channel.outputs)} outputs, too many "
                f"to look at all of their distributions (at most {_MOST_CELLS} probabilities).",
                value=channel.inputs,
            )
    rows = np.concatenate(columns, axis=1)
    _, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    known = list(values)
    cases = []
    for position, count in checkpoints(zip(first.tolist(), counts.tolist(), strict=True)):
        masses = [known[mass] for mass in rows[position].tolist()]
        distribution = {y: mass for y, mass in zip(outputs, masses, strict=True) if mass}
        cases.append((measure.value(distribution), count, functools.partial(_input, measure, channel, position)))
    return measure.classes(cases)


def _input(measure: Measure, channel: Channel, position: int) -> Any:
    """The input at a position among all inputs."""
    return measure.witness([channel.x([int(place) for place in np.unravel_index(position, channel.sizes)])], None)


def _timed(items: Iterator[T], waited: list[float]) -> Iterator[T]:
    """The same items; how long each was waited for is noted."""
    while True:
        start = time.perf_counter()
        item = next(items, None)
        waited.append(time.perf_counter() - start)
        if item is None:
            return
        yield item


def _count(runs: Sequence[Numbers], values: int) -> Iterator[tuple[list[int], int, int]]:
    """The different probabilities of cases in all runs, by their numbers; how often each occurs, and where first."""
    together = runs[0].astype(np.int64)
    for numbers in runs[1:]:
        together = together * values + numbers
    joint = together.ravel()
    if not len(joint):
        return
    keys = values ** len(runs)
    if keys <= min(_COUNTED, 4 * len(joint)):  # a larger table of counts costs more than sorting
        counts = np.bincount(joint, minlength=keys)
        used = np.flatnonzero(counts)
        first = np.zeros(keys, dtype=np.int64)
        first[joint[::-1]] = np.arange(len(joint) - 1, -1, -1)
        rows = zip(used.tolist(), counts[used].tolist(), first[used].tolist(), strict=True)
    else:
        different, positions, times = np.unique(joint, return_index=True, return_counts=True)
        rows = zip(different.tolist(), times.tolist(), positions.tolist(), strict=True)
    for key, count, position in rows:
        yield [key // values**power % values for power in reversed(range(len(runs)))], count, position


def _witness(
    measure: OutputMeasure,
    channel: Channel,
    free: Sequence[int],
    fixed: Mapping[int, int],
    block: Block,
    position: int,
) -> Any:
    """The case at a position of a block; ``free`` are the sizes of the outputs that are not fixed."""
    row, column = divmod(position, math.prod(free))
    runs = block.pair(row)[: measure.runs]
    return measure.witness([channel.x(positions) for positions in runs], _output(channel, free, fixed, column))


def _output(channel: Channel, free: Sequence[int], fixed: Mapping[int, int], column: int) -> Any:
    """The output at a position among those that are not fixed."""
    rest = iter(np.unravel_index(column, free) if free else ())
    return channel.y([fixed[i] if i in fixed else int(next(rest)) for i in range(len(channel.relation.outputs))])
