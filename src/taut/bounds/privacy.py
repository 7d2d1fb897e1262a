"""Privacy bound synthesis: the largest quotient of two probabilities over neighbours (Algorithm 2)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.bounds.clock import Clock
from taut.bounds.results import PrivacyBound, Witness
from taut.channel.channel import Channel
from taut.errors import NoNeighbors
from taut.neighbors import Block, Neighbors, blocks
from taut.numbers import Ball, in_groups, quotient

__all__ = ["RatioClass", "classes_of_quotients", "exhaustive_privacy", "privacy_from_triples", "ratio_classes"]

Numbers = npt.NDArray[np.int32]
_COUNTED = 1 << 22


@dataclass(frozen=True)
class RatioClass:
    """All ordered triples (x, x', y) with one quotient: the quotient, how many there are, and one of them."""

    value: Any
    count: int
    locate: Callable[[], Witness] = field(repr=False, compare=False)

    @property
    def witness(self) -> Witness:
        return self.locate()


def ratio_classes(
    channel: Channel, neighbors: Neighbors, top: int | None = None, clock: Clock | None = None
) -> list[RatioClass]:
    """The different quotients over all related pairs and outputs, the largest first, each with its exact count.

    Raises:
        NoNeighbors: the relation relates no two inputs of the domain.
    """
    automaton = neighbors.automaton(channel.space)
    values: dict[Any, int] = {}
    counts: dict[tuple[int, int], int] = {}
    places: dict[tuple[int, int], Callable[[], Witness]] = {}
    for fixed, table in (clock or Clock()).timed(channel.tables()):
        number = [values.setdefault(value, len(values)) for value in table.values]
        grid = table.numbers.reshape((*table.numbers.shape[: table.inputs], -1))
        free = table.numbers.shape[table.inputs :]
        for block in blocks(automaton, max(1, _COUNTED // max(1, grid.shape[-1]))):
            for first, second, count, place in _count_pairs(grid[block.own], grid[block.other], len(number)):
                key = (number[first], number[second])
                counts[key] = counts.get(key, 0) + count
                if key not in places:
                    places[key] = functools.partial(_witness, channel, free, fixed, block, place)
    if not counts:
        raise NoNeighbors(f"neighbors='{neighbors.name}' relates no two inputs of '{channel.name}'.", value=neighbors)
    return classes_of_quotients(list(values), counts, places)[:top]


def classes_of_quotients(
    values: Sequence[Any], counts: dict[tuple[int, int], int], places: dict[tuple[int, int], Callable[[], Witness]]
) -> list[RatioClass]:
    """Pairs of probabilities with the same quotient made one class; of each, the first pair that was met."""
    groups: dict[Any, tuple[int, Callable[[], Witness]]] = {}
    for (p, q), count in counts.items():
        value = quotient(values[p], values[q])
        if value is not None:
            known = groups.get(value, (0, places[p, q]))
            groups[value] = (known[0] + count, known[1])
    quotients = list(groups)
    classes = []
    for members in reversed(in_groups(quotients)):
        values = [quotients[position] for position in members]
        witness = groups[max(values, key=lambda value: ends(value)[1])][1]
        classes.append(RatioClass(largest(values), sum(groups[value][0] for value in values), witness))
    return classes


def exhaustive_privacy(channel: Channel, neighbors: Neighbors) -> PrivacyBound:
    """The bound, by looking at all inputs, neighbours and outputs."""
    clock = Clock()
    (best,) = ratio_classes(channel, neighbors, 1, clock)
    stats = {
        "nodes": channel.relation.arrays.size,
        "inputs": channel.inputs,
        "probabilities": channel.inputs * channel.outputs,
        **clock.stats(),
    }
    return PrivacyBound(best.value, best.value, "exhaustive", stats, best.count, witness=best.witness)


def privacy_from_triples(
    matrix: Any, triples: Sequence[tuple[Any, Any, Any]], method: str, stats: dict[str, Any]
) -> PrivacyBound:
    """The bound over given triples, from their probabilities: the paper's loop."""
    clock = Clock()
    cases = [(quotient(matrix[x, y], matrix[x_prime, y]), Witness(x, x_prime, y)) for x, x_prime, y in triples]
    possible = [(value, witness) for value, witness in cases if value is not None]
    if not possible:
        raise NoNeighbors("the privacy set holds no triple with a possible output.", value=triples)
    best = largest(value for value, _ in possible)
    _, witness = max(possible, key=lambda case: ends(case[0])[1])
    stats = {**stats, "triples": len(triples), "synthesis_seconds": round(clock.seconds, 6)}
    return PrivacyBound(best, best, method, stats, None, witness=witness)


def _order(value: Any) -> Any:
    return value.mid if isinstance(value, Ball) else value


def _count_pairs(a: Numbers, b: Numbers, values: int) -> Iterator[tuple[int, int, int, int]]:
    """The different pairs of numbers, how often each occurs, and where first."""
    joint = (a.astype(np.int64) * values + b).ravel()
    if not len(joint):
        return
    if values * values <= _COUNTED:
        counts = np.bincount(joint, minlength=values * values)
        used = np.flatnonzero(counts)
        first = np.zeros(values * values, dtype=np.int64)
        first[joint[::-1]] = np.arange(len(joint) - 1, -1, -1)
        rows = zip(used.tolist(), counts[used].tolist(), first[used].tolist(), strict=True)
    else:
        different, places, times = np.unique(joint, return_index=True, return_counts=True)
        rows = zip(different.tolist(), times.tolist(), places.tolist(), strict=True)
    for key, count, place in rows:
        yield key // values, key % values, count, place


def _witness(channel: Channel, free: Sequence[int], fixed: dict[int, int], block: Block, place: int) -> Witness:
    """The triple at a place of a block; ``free`` are the sizes of the outputs that are not fixed."""
    row, column = divmod(place, math.prod(free))
    x, x_prime = block.pair(row)
    rest = iter(np.unravel_index(column, free) if free else ())
    outputs = [fixed[index] if index in fixed else int(next(rest)) for index in range(len(channel.relation.outputs))]
    return Witness(channel.x(x), channel.x(x_prime), channel.y(outputs))
