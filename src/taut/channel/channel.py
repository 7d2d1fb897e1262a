"""A channel: the relation of a mechanism together with what its inputs and outputs are, as bounds look at it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.channel.table import ExactTable, exact_table
from taut.compile import Relation
from taut.domains import InputSpace
from taut.errors import ImpossibleEvidence, TooLarge
from taut.numbers import large

__all__ = ["Channel"]

_CELLS = 1 << 24
_MOST_INPUTS = 1 << 24


@dataclass(frozen=True)
class Channel:
    """What a mechanism does, input by input.

    ``space`` says what its inputs are; ``probabilities`` answers for a list of pairs (x, y).
    """

    name: str
    relation: Relation
    space: InputSpace
    probabilities: Callable[[Sequence[tuple[Any, Any]]], list[Any]]
    conditioned: bool
    max_beliefs: int

    @property
    def values(self) -> list[tuple[Any, ...]]:
        """The values of each entry."""
        return [variable.values for variable in self.relation.inputs]

    @property
    def sizes(self) -> list[int]:
        """The number of values of each entry."""
        return [len(variable.values) for variable in self.relation.inputs]

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return math.prod(len(values) for values in self.values)

    @property
    def outputs(self) -> int:
        """The number of combinations of output variables; not all need be possible."""
        return math.prod(len(output.values) for output in self.relation.outputs)

    def x(self, positions: Sequence[int]) -> Any:
        """The input at these positions."""
        return self.space.at(positions)

    def y(self, positions: Sequence[int]) -> Any:
        """The output at these positions."""
        return self.relation.decode(positions)

    def tables(self) -> Iterator[tuple[dict[int, int], ExactTable]]:
        """All probabilities, in tables of bounded size: each with the outputs that are fixed in it."""
        if self.inputs > _MOST_INPUTS:
            raise TooLarge(
                f"'{self.name}' has {large(self.inputs)} inputs, too many to look at all (at most {_MOST_INPUTS}).",
                value=self.inputs,
            )
        sizes = [len(output.values) for output in self.relation.outputs]
        fixed, cells = 0, self.inputs * self.outputs
        while cells > _CELLS and fixed < len(sizes):
            cells //= sizes[fixed]
            fixed += 1
        evidence = self._evidence() if self.conditioned else None
        for chosen in np.ndindex(*sizes[:fixed]):
            outputs = dict(enumerate(chosen))
            table = exact_table(self.relation, self.max_beliefs, outputs)
            yield outputs, table if evidence is None else _conditioned(table, evidence)

    def require_evidence(self) -> None:
        """Refuse a mechanism whose evidence is impossible for some input."""
        if self.conditioned:
            self._evidence()

    def _evidence(self) -> ExactTable:
        evidence = exact_table(self.relation, self.max_beliefs, sum_outputs=True)
        impossible = [place for place, value in enumerate(evidence.values) if value == 0]
        if impossible and np.any(evidence.numbers == impossible[0]):
            x = self.x(np.argwhere(evidence.numbers == impossible[0])[0].tolist())
            raise ImpossibleEvidence(
                f"'{self.name}': what it observes has probability 0 at x={x!r}, so it has no distribution there.",
                value=x,
            )
        return evidence


def _conditioned(table: ExactTable, evidence: ExactTable) -> ExactTable:
    """Every mass divided by the evidence of its input."""
    shape = evidence.numbers.shape + (1,) * (table.numbers.ndim - evidence.numbers.ndim)
    count = len(evidence.values)
    joint = table.numbers.astype(np.int64) * count + evidence.numbers.reshape(shape)
    used, inverse = np.unique(joint, return_inverse=True)
    quotients = [table.values[key // count] / evidence.values[key % count] for key in used.tolist()]
    values = list(dict.fromkeys(quotients))
    place = {value: position for position, value in enumerate(values)}
    renumbered: npt.NDArray[np.int32] = np.array([place[value] for value in quotients], dtype=np.int32)
    return ExactTable(renumbered[inverse].reshape(joint.shape), values, table.inputs)
