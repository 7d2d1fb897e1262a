"""Possible contents of a record; those that local symmetries make equal count as one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from taut.support.errors import TooLarge
from taut.synthesis.symmetry.permutation import Coordinate, Permutation
from taut.synthesis.symmetry.records import RecordClass

__all__ = ["INPUTS", "NEIGHBORS", "PAIRS", "TRIPLES", "CaseShape", "Content", "Contents", "moved"]

Values = tuple[int, ...]
"""Values in a record, in the coordinates of the first record of its class."""
Action = list[tuple[int, tuple[int, ...] | None]]
"""The action of a local symmetry: for each value its new place, and its change (None: it stays)."""
CaseShape = tuple[str, ...]
"""The parts of a case: an input, perhaps a second one ('other', for a neighbour), and perhaps an output."""
INPUTS: CaseShape = ("input",)
PAIRS: CaseShape = ("input", "output")
NEIGHBORS: CaseShape = ("input", "other")
TRIPLES: CaseShape = ("input", "other", "output")
_MOST_CONTENTS = 1 << 16


@dataclass(frozen=True)
class Content:
    """An orbit of the local symmetries: what one record may hold, and how many contents they make equal to it."""

    values: Values
    size: int


class Contents:
    """The different contents of the records of one class, in cases of one shape.

    ``layout`` tells for each position of a content's values to which copy ('input', 'other' or 'output') and to which
    coordinate of the record, by number, it belongs.
    """

    def __init__(self, records: RecordClass, shape: CaseShape, arities: Mapping[Coordinate, int]) -> None:
        self.layout: list[tuple[str, int]] = []
        coordinates = self.coordinates = records.records[0].coordinates
        for number, (kind, _) in enumerate(coordinates):
            self.layout += [(copy, number) for copy in shape if (copy == "output") == (kind == "output")]
        sizes = [arities[coordinates[number]] for _, number in self.layout]
        if math.prod(sizes) > _MOST_CONTENTS:
            entries = len(records.records[0].entries)
            raise TooLarge(
                f"a record of {entries} entries and {len(coordinates) - entries} outputs has {math.prod(sizes)} "
                f"different contents, too many to tell their orbits (at most {_MOST_CONTENTS}).",
                value=math.prod(sizes),
            )
        actions = [self.action(one) for one in records.local if "output" in shape or one.inputs]
        self.contents: list[Content] = []
        seen: set[Values] = set()
        for values in itertools.product(*[range(size) for size in sizes]):
            if values in seen:
                continue
            seen.add(values)
            orbit = [values]
            for here in orbit:
                for there in [moved(here, action) for action in actions]:
                    if there not in seen:
                        seen.add(there)
                        orbit.append(there)
            self.contents.append(Content(values, len(orbit)))

    def agrees(self, content: Content) -> bool:
        """Return True if both inputs of a triple agree in a record with this content."""
        inputs = [
            (number, value)
            for (copy, number), value in zip(self.layout, content.values, strict=True)
            if copy != "output"
        ]
        return len(set(inputs)) == len({number for number, _ in inputs})

    def action(self, permutation: Permutation) -> Action:
        """Return the action of a local symmetry on values; it moves all copies of the input alike."""
        position_of = {(copy, self.coordinates[number]): index for index, (copy, number) in enumerate(self.layout)}
        action: Action = []
        for copy, number in self.layout:
            target, values = permutation.moves.get(self.coordinates[number], (self.coordinates[number], None))
            action.append((position_of[copy, target], values))
        return action


def moved(values: Values, action: Action) -> Values:
    """The values that a local symmetry makes of others."""
    image = list(values)
    for value, (target, changed) in zip(values, action, strict=True):
        image[target] = value if changed is None else changed[value]
    return tuple(image)
