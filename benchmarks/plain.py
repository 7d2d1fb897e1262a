"""Plain loops over every input, neighbour and output, in fractions, without taut."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

__all__ = [
    "largest_ratio",
    "plain_above_threshold",
    "plain_count",
    "plain_exponential",
    "plain_histogram",
    "plain_median",
    "plain_noisy_max",
    "plain_response",
    "plain_tree",
]

Distribution = dict[Any, Fraction]
Neighbors = Callable[[tuple[int, ...], int], Iterator[tuple[int, ...]]]


def one_differ(x: tuple[int, ...], values: int) -> Iterator[tuple[int, ...]]:
    for place, entry in enumerate(x):
        for other in range(values):
            if other != entry:
                yield (*x[:place], other, *x[place + 1 :])


def all_step(x: tuple[int, ...], values: int) -> Iterator[tuple[int, ...]]:
    for other in itertools.product(*[range(max(0, e - 1), min(values, e + 2)) for e in x]):
        if other != x:
            yield other


def largest_ratio(
    n: int, values: int, run: Callable[[tuple[int, ...]], Distribution], neighbors: Neighbors
) -> Fraction:
    """The largest ratio of the probabilities of an output on two neighbours."""
    channel = {x: run(x) for x in itertools.product(range(values), repeat=n)}
    best = Fraction(0)
    for x, own in channel.items():
        for other in neighbors(x, values):
            theirs = channel[other]
            for y, p in own.items():
                best = max(best, p / theirs[y])
    return best


def geometric(center: int, low: int, high: int) -> list[tuple[int, Fraction]]:
    """Two-sided geometric noise with ratio 1/2, clamped."""
    shares = []
    for value in range(low, high + 1):
        distance = Fraction(1, 2 ** abs(value - center))
        shares.append((value, distance * (Fraction(2, 3) if value in (low, high) else Fraction(1, 3))))
    return shares


def chosen(scores: Iterable[int]) -> Distribution:
    weights = [Fraction(2) ** score for score in scores]
    total = sum(weights)
    return {place: weight / total for place, weight in enumerate(weights)}


def flipped(bit: int) -> list[tuple[int, Fraction]]:
    """A bit that is told wrongly one time in five."""
    return [(bit, Fraction(4, 5)), (1 - bit, Fraction(1, 5))]


def drawn(rows: Iterable[list[tuple[Any, Fraction]]], output: Callable[[tuple[Any, ...]], Any]) -> Distribution:
    """The distribution of a function of independent draws, outcome by outcome."""
    found: Distribution = {}
    for draws in itertools.product(*rows):
        mass = Fraction(1)
        for _, share in draws:
            mass *= share
        y = output(tuple(value for value, _ in draws))
        found[y] = found.get(y, Fraction(0)) + mass
    return found


def plain_response(n: int) -> Fraction:
    return largest_ratio(n, 2, lambda x: drawn(map(flipped, x), tuple), one_differ)


def plain_count(n: int) -> Fraction:
    return largest_ratio(n, 2, lambda x: drawn(map(flipped, x), sum), one_differ)


def plain_above_threshold(n: int) -> Fraction:
    def output(draws: tuple[int, ...]) -> int:
        bar, *values = draws
        return next((place for place, value in enumerate(values) if value >= bar), n)

    def run(x: tuple[int, ...]) -> Distribution:
        return drawn([geometric(2, 0, 3), *[geometric(value, 0, 3) for value in x]], output)

    return largest_ratio(n, 4, run, all_step)


def plain_exponential(n: int) -> Fraction:
    return largest_ratio(n, 3, chosen, one_differ)


def plain_median(n: int, high: int) -> Fraction:
    def run(x: tuple[int, ...]) -> Distribution:
        return chosen(-abs(sum(e < v for e in x) - sum(e > v for e in x)) for v in range(high + 1))

    return largest_ratio(n, high + 1, run, one_differ)


def plain_noisy_max(n: int) -> Fraction:
    def run(x: tuple[int, ...]) -> Distribution:
        return drawn([geometric(score, 0, 3) for score in x], lambda noisy: noisy.index(max(noisy)))

    return largest_ratio(n, 4, run, all_step)


def plain_histogram(n: int, k: int) -> Fraction:
    def run(x: tuple[int, ...]) -> Distribution:
        return drawn([geometric(x.count(value), 0, n) for value in range(k)], tuple)

    return largest_ratio(n, k, run, one_differ)


def plain_tree(n: int) -> Fraction:
    ends = [(right - (right & -right), right) for right in range(1, n + 1)]

    def prefixes(draws: tuple[int, ...]) -> tuple[int, ...]:
        sums: list[int] = [0]
        for right, (left, _) in enumerate(ends, 1):
            sums.append(sums[left] + draws[right - 1])
        return tuple(sums[1:])

    def run(x: tuple[int, ...]) -> Distribution:
        return drawn([geometric(sum(x[left:right]), 0, right - left) for left, right in ends], prefixes)

    return largest_ratio(n, 2, run, one_differ)
