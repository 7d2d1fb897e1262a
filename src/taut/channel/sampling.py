"""Samples of the output, drawn down the diagram with exact conditional probabilities."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from taut.channel.fold import Skips, class_weights, node_values, reached, rows_of
from taut.compile import Relation
from taut.semiring import EXACT, FLOAT64, Semiring

__all__ = ["sample_outputs"]


def sample_outputs(
    relation: Relation, inputs: Sequence[int], count: int, source: random.Random, *, rational: bool
) -> list[tuple[int, ...]]:
    """``count`` independent outputs given the evidence, as positions of the output variables.

    With rational weights every step is drawn from integers, so the samples have exactly the model's distribution.
    """
    semiring: Semiring[Any] = EXACT if rational else FLOAT64
    arrays = relation.arrays
    choices = rows_of(relation, semiring, inputs)
    values, _ = node_values(arrays, choices, semiring)
    skips = Skips(arrays, choices, reached(arrays, choices), semiring)
    weights_of = class_weights(arrays, semiring)
    partition, children, depth = arrays.lists
    tables: dict[int, tuple[list[Any], list[int]]] = {}

    def step(node: int) -> int:
        """The class of the node that a random path takes."""
        choice = choices[depth[node]]
        if isinstance(choice, int):
            return int(arrays.classes[partition[node]][choice])
        if node not in tables:
            weights = weights_of(choice, partition[node])
            kids = children[node]
            shares = [
                semiring.mul(weight, skips.over(values[kid], depth[node] + 1, depth[kid]))
                for weight, kid in zip(weights, kids, strict=True)
            ]
            tables[node] = (shares, list(range(len(kids))))
        return _pick(*tables[node], source)

    drawn = []
    for _ in range(count):
        node = arrays.root
        positions = [0] * len(relation.outputs)
        while node != arrays.true:
            place = step(node)
            level = arrays.levels[depth[node]]
            if level.kind == "output":
                positions[level.index] = arrays.classes[partition[node]].tolist().index(place)
            node = children[node][place]
        drawn.append(tuple(positions))
    return drawn


def _pick(shares: Sequence[Any], places: Sequence[int], source: random.Random) -> int:
    if isinstance(shares[0], int):
        ticket: Any = source.randrange(sum(shares))
    else:
        ticket = source.random() * sum(shares)
    for share, place in zip(shares, places, strict=True):
        if ticket < share:
            return place
        ticket -= share
    return next(place for share, place in zip(reversed(shares), reversed(places), strict=True) if share)
