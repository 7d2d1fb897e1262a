"""One piece of all inputs with all their outputs, for measures that see whole distributions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.diagrams.compile import Relation
from taut.inference.table import conditioned_table, exact_table
from taut.support.limits import checkpoints
from taut.support.process import cached_property

__all__ = ["AllInputs", "look_at_inputs"]

_CELLS = 1 << 22


@dataclass(frozen=True)
class AllInputs:
    """State that all pieces share: a relation in positions; a piece is the values of the first ``entries`` entries."""

    relation: Relation
    conditioned: bool
    max_beliefs: int

    @cached_property
    def sizes(self) -> list[int]:
        return [len(one.values) for one in self.relation.inputs]

    @cached_property
    def entries(self) -> int:
        """Number of entries that are fixed in a piece, so that it is not too large."""
        fixed, cells = 0, math.prod(self.sizes) * math.prod(len(one.values) for one in self.relation.outputs)
        while cells > _CELLS and fixed < len(self.sizes):
            cells //= self.sizes[fixed]
            fixed += 1
        return fixed

    @property
    def count(self) -> int:
        """Number of pieces; it may be larger than Python can count in a list."""
        return math.prod(self.sizes[: self.entries])

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(*map(range, self.sizes[: self.entries]))

    def look_at(self, prefix: Sequence[int]) -> list[tuple[tuple[Any, ...], int, int]]:
        """The different rows of probabilities, how many inputs have each, and the position of the first of these."""
        entries = dict(enumerate(prefix))
        table = exact_table(self.relation, self.max_beliefs, inputs=entries)
        if self.conditioned:
            evidence = exact_table(self.relation, self.max_beliefs, inputs=entries, sum_outputs=True)
            table = conditioned_table(table, evidence)
        inputs = math.prod(self.sizes[len(prefix) :])
        before = 0
        for position, size in zip(prefix, self.sizes, strict=False):
            before = before * size + position
        before *= inputs
        rows = table.numbers.reshape(inputs, -1)
        _, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        found = []
        for position, count in checkpoints(zip(first.tolist(), counts.tolist(), strict=True)):
            masses = tuple(table.values[number] for number in rows[position].tolist())
            found.append((masses, count, before + position))
        return found


def look_at_inputs(inputs: AllInputs, prefix: Sequence[int]) -> list[tuple[tuple[Any, ...], int, int]]:
    """Evaluate a piece of all inputs; a function of a module, so that workers can run it."""
    return inputs.look_at(prefix)
