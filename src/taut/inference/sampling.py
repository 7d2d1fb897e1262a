"""Samples of the output, drawn down the diagram with exact conditional probabilities."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from taut.diagrams import WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import EXACT, FLOAT64, Semiring
from taut.inference.fold import rows_of

__all__ = ["sample_outputs"]


def sample_outputs(
    relation: Relation, inputs: Sequence[int], count: int, source: random.Random, *, rational: bool
) -> list[tuple[int, ...]]:
    """``count`` independent outputs given the evidence, as positions of the output variables.

    With rational weights every step is drawn from integers, so the samples have exactly the model's distribution.
    """
    semiring: Semiring[Any] = EXACT if rational else FLOAT64
    arrays = relation.arrays
    diagram = WeightedDiagram(arrays, rows_of(relation, semiring, inputs), semiring)
    values = diagram.backward()
    partition, children, depth = arrays.lists
    shares: dict[int, tuple[Any, list[tuple[int, Any]]]] = {}
    drawn = []
    for _ in range(count):
        node = arrays.root
        positions = [0] * len(relation.outputs)
        while node != arrays.true:
            if node not in shares:
                edges = [(kid, weight * values[kid]) for kid, weight in diagram.edges(node)]
                shares[node] = (sum(share for _, share in edges), edges)
            level = arrays.levels[depth[node]]
            kid = shares[node][1][0][0] if level.kind == "input" else _pick(*shares[node], source)
            if level.kind == "output":
                positions[level.index] = arrays.partitions[partition[node]].first(children[node].index(kid))
            node = kid
        drawn.append(tuple(positions))
    return drawn


def _pick(total: Any, shares: list[tuple[int, Any]], source: random.Random) -> int:
    """One of several nodes, with a probability proportional to its share of a total."""
    ticket: Any = source.randrange(total) if isinstance(total, int) else source.random() * total
    for node, share in shares:
        if ticket < share:
            return node
        ticket -= share
    return [node for node, share in shares if share][-1]  # a float ticket may end beyond the last share
