"""Privacy bound synthesis: the largest quotient of two probabilities over neighbours (Algorithm 2)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.bounds.clock import Clock
from taut.bounds.results import PrivacyBound, Witness
from taut.channel.channel import Channel
from taut.errors import InvalidNeighbors, NoNeighbors, TooLarge
from taut.neighbors import Entrywise, Neighbors, Pairs
from taut.numbers import ends, in_groups, largest, quotient

__all__ = ["RatioClass", "classes_of_quotients", "exhaustive_privacy", "privacy_from_triples", "ratio_classes"]

Numbers = npt.NDArray[np.int32]
_COUNTED = 1 << 22
_MOST_PAIRS = 4_000_000


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
    values: dict[Any, int] = {}
    counts: dict[tuple[int, int], int] = {}
    places: dict[tuple[int, int], Callable[[], Witness]] = {}
    for fixed, table in (clock or Clock()).timed(channel.tables()):
        number = [values.setdefault(value, len(values)) for value in table.values]
        grid = table.numbers.reshape((*table.numbers.shape[: table.inputs], -1))
        free = table.numbers.shape[table.inputs :]
        for a, b, locate in _pairs(channel, neighbors, grid):
            for first, second, count, place in _count_pairs(a, b, len(number)):
                key = (number[first], number[second])
                counts[key] = counts.get(key, 0) + count
                if key not in places:
                    places[key] = functools.partial(_witness, channel, free, fixed, locate, place)
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


def _pairs(channel: Channel, neighbors: Neighbors, grid: Numbers) -> Iterator[tuple[Numbers, Numbers, Any]]:
    """The probabilities of x and of x' for families of related pairs, and how to find a pair by its place."""
    if isinstance(neighbors, Entrywise):
        for block in neighbors.blocks(channel.values):
            here = tuple(own for own, _ in block)
            there = tuple(other for _, other in block)
            yield grid[here], grid[there], (here, there)
        return
    pairs = np.array(list(_explicit_pairs(channel, neighbors)), dtype=np.int64).reshape(-1, 2)
    flat = grid.reshape(channel.inputs, -1)
    step = max(1, (1 << 22) // max(1, flat.shape[1]))
    for start in range(0, len(pairs), step):
        some = pairs[start : start + step]
        yield flat[some[:, 0]], flat[some[:, 1]], some


def _explicit_pairs(channel: Channel, neighbors: Neighbors) -> Iterator[tuple[int, int]]:
    """Related pairs by their numbers: those listed, or all that the predicate relates."""
    if channel.inputs > 1 << 20:
        raise TooLarge(f"'{channel.name}' has {channel.inputs} inputs, too many for a relation without structure.")
    inputs = [channel.x(place) for place in np.ndindex(*[len(values) for values in channel.values])]
    if isinstance(neighbors, Pairs):
        number = {x: place for place, x in enumerate(inputs)}
        for x, x_prime in neighbors.pairs:
            for one in (x, x_prime):
                if one not in number:
                    raise InvalidNeighbors(f"neighbors: {one!r} is no input of '{channel.name}'.", value=one)
            yield number[x], number[x_prime]
        return
    if len(inputs) ** 2 > _MOST_PAIRS:
        raise TooLarge(
            f"a predicate on the {len(inputs)} inputs of '{channel.name}' would have to be asked {len(inputs) ** 2} "
            f"times; at most {_MOST_PAIRS}. Use one_differ, one_step or all_step, or list the pairs.",
            value=len(inputs) ** 2,
        )
    for (a, x), (b, x_prime) in itertools.product(enumerate(inputs), repeat=2):
        if neighbors.related(x, x_prime):
            yield a, b


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


def _witness(channel: Channel, free: Sequence[int], fixed: dict[int, int], locate: Any, place: int) -> Witness:
    """The triple at a place of a family of pairs; ``free`` are the sizes of the outputs that are not fixed."""
    sizes = [len(values) for values in channel.values]
    width = int(np.prod(free, dtype=np.int64))
    row, column = divmod(place, width)
    if isinstance(locate, np.ndarray):
        x, x_prime = ([int(v) for v in np.unravel_index(int(number), sizes)] for number in locate[row])
    else:
        x, x_prime = _entries(locate, sizes, row)
    rest = iter(np.unravel_index(column, free) if free else ())
    outputs = [fixed[index] if index in fixed else int(next(rest)) for index in range(len(channel.relation.outputs))]
    return Witness(channel.x(x), channel.x(x_prime), channel.y(outputs))


def _entries(locate: tuple[Any, Any], sizes: Sequence[int], row: int) -> tuple[list[int], list[int]]:
    """The entries of the pair in a given row of a block."""
    here, there = locate
    ranges = [range(size)[own] if isinstance(own, slice) else None for own, size in zip(here, sizes, strict=True)]
    lengths = [len(span) for span in ranges if span is not None]
    places = iter(np.unravel_index(row, lengths) if lengths else ())
    x, x_prime = [], []
    for own, other, size, span in zip(here, there, sizes, ranges, strict=True):
        if span is None:
            x.append(own)
            x_prime.append(other)
        else:
            place = int(next(places))
            x.append(span[place])
            x_prime.append(range(size)[other][place])
    return x, x_prime
