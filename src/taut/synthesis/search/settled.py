"""Live nodes, and the values of the outputs that are still possible below them: one fold over sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from taut.diagrams import Choice, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import BitsetSemiring, Row
from taut.inference.fold import rows_of
from taut.support.limits import checkpoints

__all__ = ["SettledOutputs"]


class SettledOutputs:
    """For each node the outputs with which it leads to TRUE with positive weight, some outputs being ``fixed``.

    The values of all outputs in ``open_outputs`` are the bits of one set. A path meets each output once and leaves it
    the one value it takes, so the union over all paths below a node holds every output's possible values.
    """

    def __init__(self, relation: Relation, fixed: Mapping[int, int], open_outputs: Sequence[int]) -> None:
        self.bits: dict[int, tuple[int, int]] = {}
        """For each open output where its bits begin, and all of them."""
        width = 0
        for level in relation.arrays.levels:
            if level.kind == "output" and level.index in open_outputs:
                self.bits[level.index] = (width, (1 << level.arity) - 1)
                width += level.arity
        sets = BitsetSemiring(max(1, width))
        choices: list[Choice[int]] = rows_of(relation, sets)
        for number, level in enumerate(relation.arrays.levels):
            if level.kind == "output" and level.index in fixed:
                choices[number] = fixed[level.index]
            elif level.kind == "output" and level.index in self.bits:
                start, values = self.bits[level.index]
                others = sets.one & ~(values << start)
                choices[number] = Row(tuple(others | 1 << start + v for v in range(level.arity)), sets.one, sets.one)
        self._sets: dict[int, int] = WeightedDiagram(relation.arrays, choices, sets).backward()
        self.live = frozenset(node for node, possible in self._sets.items() if possible)
        """The nodes that are reached, and from which TRUE is reached with positive weight."""

    def parts(self, output: int, block: Sequence[int]) -> list[tuple[int, list[int]]]:
        """The finest division of nodes such that no value is possible in two parts, in the order of the values.

        Each part with its values, as bits.
        """
        start, values = self.bits[output]
        parts: list[tuple[int, list[int]]] = []
        for node in checkpoints(block):
            mask, members = self._sets[node] >> start & values, [node]
            others = []
            for part in parts:
                if part[0] & mask:
                    mask |= part[0]
                    members = part[1] + members
                else:
                    others.append(part)
            parts = [*others, (mask, members)]
        return sorted(((mask, sorted(members)) for mask, members in parts), key=lambda part: part[0] & -part[0])
