"""Accuracy bound synthesis: the smallest probability of coming close to the target (Algorithm 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from taut.bounds.clock import Clock
from taut.bounds.results import AccuracyBound, AccuracyWitness
from taut.channel.channel import Channel
from taut.numbers import Ball, ends, in_groups, largest, smallest

__all__ = ["InputClass", "exhaustive_accuracy", "gathered_classes", "input_classes"]


@dataclass(frozen=True)
class InputClass:
    """All inputs on which the mechanism is equally accurate: 1 - beta there, how many there are, and one of them."""

    value: Any
    count: int
    witness: AccuracyWitness


def input_classes(channel: Channel, clock: Clock | None = None, *, best: bool = False) -> list[InputClass]:
    """All different accuracies, the lowest first, each with its exact count.

    The channel's output is the event that the mechanism comes close enough, True or False.
    """
    counts: dict[Any, int] = {}
    places: dict[Any, AccuracyWitness] = {}
    (output,) = channel.relation.outputs
    if True not in output.values:
        channel.require_evidence()
        zero = AccuracyWitness(channel.x([0] * len(channel.values)))
        return [InputClass(_zero(channel), channel.inputs, zero)]
    close = output.values.index(True)
    for _, table in (clock or Clock()).timed(channel.tables()):
        numbers = table.numbers[..., close].ravel()
        used, first, times = np.unique(numbers, return_index=True, return_counts=True)
        sizes = [len(values) for values in channel.values]
        for number, place, count in zip(used.tolist(), first.tolist(), times.tolist(), strict=True):
            value = table.values[number]
            counts[value] = counts.get(value, 0) + count
            positions = [int(v) for v in np.unravel_index(place, sizes)] if sizes else []
            places.setdefault(value, AccuracyWitness(channel.x(positions)))
    return gathered_classes(counts, places, best=best)


def gathered_classes(
    counts: Mapping[Any, int], witnesses: Mapping[Any, AccuracyWitness], *, best: bool = False
) -> list[InputClass]:
    """Accuracies that cannot be told apart made one class, the lowest first; its value encloses the least of them.

    For a best case, the largest of them.
    """
    values = list(counts)
    classes = []
    for positions in in_groups(values):
        members = [values[position] for position in positions]
        first = max(members, key=lambda value: ends(value)[1]) if best else members[0]
        value = (largest if best else smallest)(members)
        classes.append(InputClass(value, sum(counts[member] for member in members), witnesses[first]))
    return classes


def exhaustive_accuracy(channel: Channel, alpha: Any, *, best: bool = False) -> AccuracyBound:
    """The smallest probability of coming close (or the largest), by looking at all inputs."""
    clock = Clock()
    worst = input_classes(channel, clock, best=best)[-1 if best else 0]
    stats = {
        "nodes": channel.relation.arrays.size,
        "inputs": channel.inputs,
        "probabilities": channel.inputs,
        **clock.stats(),
    }
    return AccuracyBound(
        worst.value, worst.value, "exhaustive", stats, worst.count, alpha=alpha, witness=worst.witness, best=best
    )


def _zero(channel: Channel) -> Any:
    balls = any(isinstance(weight, Ball) for coin in channel.relation.coins for weight in coin.weights)
    return Ball(0) if balls else Fraction(0)
