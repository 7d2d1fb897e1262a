"""One case of an orbit, by positions of values, from what its records hold and which of them outputs point to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from taut.synthesis.symmetry.contents import CaseShape, Contents
from taut.synthesis.symmetry.permutation import Coordinate
from taut.synthesis.symmetry.records import RecordClass

__all__ = ["Held", "Pointing", "Representatives"]

Positions = npt.NDArray[np.int64]
Held = tuple[tuple[int, int], ...]
"""Contents of records, class by class: the number of a content, and of consecutive records with it."""
Pointing = Sequence[Sequence[Sequence[Coordinate]]]
"""For each class groups of outputs that point to the same record of it, the first group to the first record."""


class Representatives:
    """Writes down cases of one shape: an array of positions for every copy of the input, and for the output."""

    def __init__(
        self,
        classes: Sequence[RecordClass],
        contents: Sequence[Contents],
        shape: CaseShape,
        arities: Mapping[Coordinate, int],
    ) -> None:
        self.classes, self.contents = classes, contents
        kinds = [kind for kind, _ in arities]
        self.lengths = {copy: kinds.count("output" if copy == "output" else "input") for copy in shape}
        self.targets = [self._targets(*both) for both in zip(classes, contents, strict=True)]

    def case(self, fixed: Mapping[Coordinate, int], pointing: Pointing, held: Held) -> dict[str, Positions]:
        """The case with given contents of records; ``fixed`` outputs point to none of them.

        Records that outputs point to come first in their class.
        """
        rows = {copy: np.zeros(length, dtype=np.int64) for copy, length in self.lengths.items()}
        for (_, index), value in fixed.items():
            rows["output"][index] = value
        start = 0
        for number, (records, groups) in enumerate(zip(self.classes, pointing, strict=True)):
            stop, filled = start, 0
            while filled < records.size:
                filled += held[stop][1]
                stop += 1
            contents = [self.contents[number].contents[content].values for content, _ in held[start:stop]]
            times = [count for _, count in held[start:stop]]
            for position, (copy, indices, own) in enumerate(self.targets[number]):
                values = np.repeat(np.array([one[position] for one in contents], dtype=np.int64), times)
                rows[copy][indices] = values if own is None else own[np.arange(records.size), values]
            for record, group in enumerate(groups):
                for coordinate in group:
                    rows["output"][coordinate[1]] = records.pointers[coordinate][record]
            start = stop
        return rows

    @staticmethod
    def _targets(records: RecordClass, contents: Contents) -> list[tuple[str, Positions, Positions | None]]:
        """For each position of a content: its copy, its coordinate in each record, and what values are called there.

        The last is None where all records call their values alike.
        """
        targets: list[tuple[str, Positions, Positions | None]] = []
        for copy, number in contents.layout:
            indices = np.array([record.coordinates[number][1] for record in records.records], dtype=np.int64)
            own = np.array([record.values[number] for record in records.records], dtype=np.int64)
            alike = bool((own == np.arange(own.shape[1])).all())
            targets.append((copy, indices, None if alike else own))
        return targets
