"""Looking at every case: all inputs or related pairs, and all outputs, with classes of values and their counts."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from taut.channel.channel import Channel
from taut.errors import TautError, TooLarge
from taut.measures import OutputMeasure
from taut.measures.measure import Locate
from taut.neighbors import Entrywise, Index, Pairs
from taut.results import Bound
from taut.solvers.problem import Budget, Problem

__all__ = ["Exhaustive"]

T = TypeVar("T")
Numbers = npt.NDArray[np.int32]
Family = npt.NDArray[np.int64] | tuple[tuple[Index, ...], ...]
"""Which inputs stand in the rows of a family: the numbers of the inputs of each row, or an index per run and entry."""
_COUNTED = 1 << 22
_MOST_PAIRS = 4_000_000


class Exhaustive:
    """All cases, from tables of all probabilities; equal probabilities are one number, so each is compared once."""

    name = "exhaustive"

    def refuses(self, problem: Problem) -> TautError | None:
        return problem.refused_as_sum(self.name)

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
            "probabilities": channel.inputs * (channel.outputs if measure.runs > 1 else 1),
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
        assert isinstance(measure, OutputMeasure)
        watched = measure.fixed_outputs(channel)
        if watched is None:
            if channel.conditioned:
                channel.evidence_table(budget.max_beliefs)
            first = measure.witness([channel.x([0] * len(channel.values))], None)
            return measure.classes([(channel.zero, channel.inputs, lambda: first)])
        values: dict[Any, int] = {}
        counts: dict[tuple[int, ...], int] = {}
        places: dict[tuple[int, ...], Locate] = {}
        for fixed, table in _timed(channel.tables(budget.max_beliefs, watched), [] if waited is None else waited):
            number = [values.setdefault(value, len(values)) for value in table.values]
            free = table.numbers.shape[table.inputs :]
            grid = table.numbers.reshape((*table.numbers.shape[: table.inputs], -1))
            for runs, family in _families(problem, grid):
                for masses, count, place in _count(runs, len(number)):
                    key = tuple(number[mass] for mass in masses)
                    counts[key] = counts.get(key, 0) + count
                    if key not in places:
                        places[key] = functools.partial(_witness, measure, channel, free, fixed, family, place)
        if not counts:
            raise problem.without_neighbors()
        known = list(values)
        return measure.classes((measure.value(*[known[m] for m in key]), n, places[key]) for key, n in counts.items())


def _timed(items: Iterator[T], waited: list[float]) -> Iterator[T]:
    """The same items; how long each was waited for is noted."""
    while True:
        start = time.perf_counter()
        item = next(items, None)
        waited.append(time.perf_counter() - start)
        if item is None:
            return
        yield item


def _families(problem: Problem, grid: Numbers) -> Iterator[tuple[list[Numbers], Family]]:
    """The probabilities in each run for families of cases, and which inputs these are."""
    channel, neighbors = problem.channel, problem.neighbors
    if neighbors is None:
        yield [grid], ((slice(None),) * len(channel.values),)
    elif isinstance(neighbors, Entrywise):
        for block in neighbors.blocks(channel.values):
            indices = tuple(own for own, _ in block), tuple(other for _, other in block)
            yield [grid[index] for index in indices], indices
    else:
        pairs = np.array(list(_explicit_pairs(problem)), dtype=np.int64).reshape(-1, 2)
        flat = grid.reshape(channel.inputs, -1)
        step = max(1, (1 << 22) // max(1, flat.shape[1]))
        for start in range(0, len(pairs), step):
            some = pairs[start : start + step]
            yield [flat[some[:, run]] for run in (0, 1)], some


def _explicit_pairs(problem: Problem) -> Iterator[tuple[int, int]]:
    """Related pairs by their numbers: those listed, or all that the predicate relates."""
    channel, neighbors = problem.channel, problem.neighbors
    assert neighbors is not None
    if channel.inputs > 1 << 20:
        raise TooLarge(f"'{channel.name}' has {channel.inputs} inputs, too many for a relation without structure.")
    sizes = [len(values) for values in channel.values]
    if isinstance(neighbors, Pairs):
        for pair in neighbors.pairs:
            x, x_prime = (int(np.ravel_multi_index(channel.positions(x), sizes)) if sizes else 0 for x in pair)
            yield x, x_prime
        return
    if channel.inputs**2 > _MOST_PAIRS:
        raise TooLarge(
            f"a predicate on the {channel.inputs} inputs of '{channel.name}' would have to be asked "
            f"{channel.inputs**2} times; at most {_MOST_PAIRS}. Use one_differ, one_step or all_step, or list the "
            "pairs.",
            value=channel.inputs**2,
        )
    inputs = [channel.x(positions) for positions in np.ndindex(*sizes)]
    for (a, x), (b, x_prime) in itertools.product(enumerate(inputs), repeat=2):
        if neighbors.related(x, x_prime):
            yield a, b


def _count(runs: Sequence[Numbers], values: int) -> Iterator[tuple[list[int], int, int]]:
    """The different probabilities of cases in all runs, by their numbers; how often each occurs, and where first."""
    together = runs[0].astype(np.int64)
    for numbers in runs[1:]:
        together = together * values + numbers
    joint = together.ravel()
    if not len(joint):
        return
    keys = values ** len(runs)
    if keys <= _COUNTED:
        counts = np.bincount(joint, minlength=keys)
        used = np.flatnonzero(counts)
        first = np.zeros(keys, dtype=np.int64)
        first[joint[::-1]] = np.arange(len(joint) - 1, -1, -1)
        rows = zip(used.tolist(), counts[used].tolist(), first[used].tolist(), strict=True)
    else:
        different, places, times = np.unique(joint, return_index=True, return_counts=True)
        rows = zip(different.tolist(), times.tolist(), places.tolist(), strict=True)
    for key, count, place in rows:
        yield [key // values**power % values for power in reversed(range(len(runs)))], count, place


def _witness(
    measure: OutputMeasure,
    channel: Channel,
    free: Sequence[int],
    fixed: Mapping[int, int],
    family: Family,
    place: int,
) -> Any:
    """The case at a place of a family; ``free`` are the sizes of the outputs that are not fixed."""
    sizes = [len(values) for values in channel.values]
    row, column = divmod(place, int(np.prod(free, dtype=np.int64)))
    if isinstance(family, np.ndarray):
        runs = [[int(v) for v in np.unravel_index(number, sizes)] for number in family[row].tolist()]
    else:
        runs = _inputs(family, sizes, row)
    rest = iter(np.unravel_index(column, free) if free else ())
    outputs = [fixed[index] if index in fixed else int(next(rest)) for index in range(len(channel.relation.outputs))]
    return measure.witness([channel.x(positions) for positions in runs], channel.y(outputs))


def _inputs(family: tuple[tuple[Index, ...], ...], sizes: Sequence[int], row: int) -> list[list[int]]:
    """The positions of the inputs, one per run, in a row of a family; runs move along the same entries."""
    runs = [
        [range(size)[index] if isinstance(index, slice) else index for index, size in zip(indices, sizes, strict=True)]
        for indices in family
    ]
    lengths = [len(index) for index in runs[0] if isinstance(index, range)]
    places = [int(place) for place in np.unravel_index(row, lengths)] if lengths else []
    chosen = []
    for indices in runs:
        rest = iter(places)
        chosen.append([index[next(rest)] if isinstance(index, range) else index for index in indices])
    return chosen
