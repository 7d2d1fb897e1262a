"""Partition of all cases into pieces: entries with fixed values, from the first on, and outputs with fixed values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Cut", "Piece"]

Piece = tuple[tuple[int, ...], tuple[int, ...]]
"""The positions of the fixed entries, and of the outputs that are fixed for this piece."""
CELLS = 1 << 20
"""Probabilities that are looked at together: enough to be worth sending, few enough to be near the processor."""
TABLE = 1 << 22
"""Inputs of one table if pairs are compared: the tables of x and of x' are then mostly one and the same."""


@dataclass(frozen=True)
class Cut:
    """The first ``entries`` entries are fixed, and the ``spread`` outputs; beside those in ``watched``."""

    sizes: tuple[int, ...]
    outputs: tuple[int, ...]
    watched: Mapping[int, int]
    entries: int
    spread: tuple[int, ...]

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        outputs: Sequence[int],
        watched: Mapping[int, int],
        runs: int,
        most: int | None = None,
    ) -> Cut:
        """Pieces of bounded size, with at most ``most`` probabilities each if that is said.

        Which they are depends on the problem alone, and not on who does them.
        """
        together = CELLS if most is None else min(CELLS, most)
        table = CELLS if runs == 1 else TABLE
        table = table if most is None else min(table, most)
        entries, inputs = 0, math.prod(sizes)
        while inputs > table and entries < len(sizes):
            inputs //= sizes[entries]
            entries += 1
        free = {place: size for place, size in enumerate(outputs) if place not in watched}
        spread, cells = 0, inputs * math.prod(free.values())
        while cells > together and spread < len(free):
            cells //= list(free.values())[spread]
            spread += 1
        return cls(tuple(sizes), tuple(outputs), dict(watched), entries, tuple(free)[:spread])

    @property
    def count(self) -> int:
        """Number of pieces; it may be larger than Python can count in a list."""
        return math.prod(self.sizes[: self.entries]) * math.prod(self.outputs[place] for place in self.spread)

    def __iter__(self) -> Iterator[Piece]:
        for prefix in itertools.product(*map(range, self.sizes[: self.entries])):
            for chosen in itertools.product(*(range(self.outputs[place]) for place in self.spread)):
                yield prefix, chosen

    def fixed(self, chosen: Sequence[int]) -> dict[int, int]:
        """All outputs that are fixed in a piece."""
        return {**self.watched, **dict(zip(self.spread, chosen, strict=True))}
