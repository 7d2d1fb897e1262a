"""Accuracy bound synthesis: the smallest probability of coming close to the target (Algorithm 3)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from taut.bounds.clock import Clock
from taut.bounds.results import AccuracyBound, AccuracyWitness
from taut.channel.channel import Channel
from taut.numbers import Ball, in_groups

__all__ = ["InputClass", "exhaustive_accuracy", "input_classes"]


@dataclass(frozen=True)
class InputClass:
    """All inputs on which the mechanism is equally accurate: 1 - beta there, how many there are, and one of them."""

    value: Any
    count: int
    witness: AccuracyWitness


def input_classes(channel: Channel, clock: Clock | None = None) -> list[InputClass]:
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
    ordered = sorted(counts, key=lambda value: value.mid if isinstance(value, Ball) else value)
    return [
        InputClass(ordered[group[0]], sum(counts[ordered[place]] for place in group), places[ordered[group[0]]])
        for group in in_groups(ordered)
    ]


def exhaustive_accuracy(channel: Channel, alpha: Any, *, best: bool = False) -> AccuracyBound:
    """The smallest probability of coming close (or the largest), by looking at all inputs."""
    clock = Clock()
    worst = input_classes(channel, clock)[-1 if best else 0]
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
