"""Columns: entries that change places take their outputs along; which outputs belong to which entry is read off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from taut.solvers.symmetry.permutation import Coordinate, Image, Permutation

__all__ = ["Record", "RecordClass", "arranged"]

Edge = tuple[int, int]


@dataclass(frozen=True)
class Record:
    """Variables that move together, entries first, and for each the positions of its values in a common spelling.

    Columns of a class spell alike: the value ``places[k][v]`` of one column's k-th variable corresponds to the value
    with the same v in every other column.
    """

    variables: tuple[Coordinate, ...]
    places: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class RecordClass:
    """Columns that may be permuted at will.

    ``pointers`` are outputs that name a column: for each such output, the value that stands for every column.
    ``local`` are symmetries of the first column alone; by permuting columns every other has its own copy of them.
    """

    records: tuple[Record, ...]
    pointers: Mapping[Coordinate, tuple[int, ...]] = field(default_factory=dict)
    swaps: tuple[Permutation, ...] = ()
    local: tuple[Permutation, ...] = ()

    @property
    def size(self) -> int:
        return len(self.records)

    @property
    def inputs(self) -> list[int]:
        """All entries of the class."""
        return [index for column in self.records for kind, index in column.variables if kind == "input"]


def arranged(
    units: Sequence[Sequence[Coordinate]], edges: Mapping[Edge, Permutation], arities: Mapping[Coordinate, int]
) -> tuple[list[RecordClass], list[Permutation]]:
    """Classes of columns, from symmetries that exchange two units each; and the symmetries that fit in none.

    Units that a chain of exchanges connects form a class, if the outputs that move along are told apart by it.
    """
    links: dict[int, list[tuple[int, Permutation]]] = {}
    for (one, other), permutation in edges.items():
        links.setdefault(one, []).append((other, permutation))
        links.setdefault(other, []).append((one, permutation))
    classes, left, placed = [], [], set[int]()
    for start in range(len(units)):
        if start in placed:
            continue
        placed.add(start)
        tree: list[tuple[int, int, Permutation]] = []
        queue = [start]
        for here in queue:
            for there, permutation in links.get(here, []):
                if there not in placed:
                    placed.add(there)
                    tree.append((here, there, permutation))
                    queue.append(there)
        made, misfits = _grown(units, start, tree, arities)
        classes += made
        left += misfits
    return classes, left


def _grown(
    units: Sequence[Sequence[Coordinate]],
    start: int,
    tree: Sequence[tuple[int, int, Permutation]],
    arities: Mapping[Coordinate, int],
) -> tuple[list[RecordClass], list[Permutation]]:
    outputs, marks = _owned(start, tree)
    own = (*units[start], *outputs)
    columns = {start: Record(own, tuple(tuple(range(arities[variable])) for variable in own))}
    pointers: dict[Coordinate, dict[int, int]] = {variable: {start: value} for variable, value in marks.items()}
    swaps, misfits, alone = [], [], []
    for here, there, permutation in tree:
        fitted = _moved(columns[here], permutation) if here in columns else None
        if fitted is None or not _exchanges(permutation, columns[here], fitted, pointers, here):
            misfits.append(permutation)
            alone.append(there)
            continue
        columns[there] = fitted
        for variable, values in pointers.items():
            values[there] = permutation.image(variable, arities[variable])[1][values[here]]
        swaps.append(permutation)
    order = sorted(columns)
    named = {variable: tuple(values[place] for place in order) for variable, values in pointers.items()}
    found = [RecordClass(tuple(columns[place] for place in order), named if len(order) > 1 else {}, tuple(swaps))]
    if len(order) == 1:
        found = [_single(units[start], arities)]
    return [*found, *[_single(units[place], arities) for place in alone]], misfits


def _single(unit: Sequence[Coordinate], arities: Mapping[Coordinate, int]) -> RecordClass:
    return RecordClass((Record(tuple(unit), tuple(tuple(range(arities[variable])) for variable in unit)),))


def _owned(
    start: int, tree: Sequence[tuple[int, int, Permutation]]
) -> tuple[tuple[Coordinate, ...], dict[Coordinate, int]]:
    """The outputs that belong to the first unit, and the values by which others point to it.

    One exchange does not tell which of two outputs belongs to whom; what a second one, of one of the two units with a
    third, moves as well belongs to the unit that both share.
    """
    if not tree:
        return (), {}
    first = tree[0][2]
    second = tree[1] if len(tree) > 1 else None
    swapped = sorted({v for v, (target, _) in first.moves.items() if v[0] == "output" and target != v})
    pointing = {
        v: {place for place, value in enumerate(values) if place != value}
        for v, (target, values) in first.moves.items()
        if v[0] == "output" and target == v
    }
    if second is None:
        own = [v for v in swapped if v < first.moves[v][0]]
        return tuple(own), {v: min(values) for v, values in pointing.items()}
    common = {v for v in swapped if v in second[2].moves}
    shared_is_start = second[0] == start
    own = [v for v in swapped if (v in common) == shared_is_start]
    marks = {}
    for v, values in pointing.items():
        again = second[2].moves.get(v, (v, ()))[1]
        both = {place for place in values if place < len(again) and again[place] != place}
        mine = both if shared_is_start else values - both
        marks[v] = min(mine or values)
    return tuple(own), marks


def _moved(column: Record, permutation: Permutation) -> Record | None:
    """The column to which a permutation takes one; None if it leaves a part of it where it is."""
    variables, places = [], []
    for variable, spelled in zip(column.variables, column.places, strict=True):
        move: Image | None = permutation.moves.get(variable)
        if move is None or move[0] in column.variables:
            return None
        variables.append(move[0])
        places.append(tuple(move[1][place] for place in spelled))
    return Record(tuple(variables), tuple(places))


def _exchanges(
    permutation: Permutation,
    here: Record,
    there: Record,
    pointers: Mapping[Coordinate, Mapping[int, int]],
    place: int,
) -> bool:
    """Whether a permutation exchanges two columns and what points to them, and moves nothing else."""
    if _moved(there, permutation) != here:
        return False
    if set(permutation.moves) - set(here.variables) - set(there.variables) != set(pointers):
        return False
    for variable, values in pointers.items():
        target, mapped = permutation.moves[variable]
        changed = {a for a, b in enumerate(mapped) if a != b}
        mine = values[place]
        theirs = mapped[mine]
        if target != variable or changed != {mine, theirs} or theirs == mine or theirs in values.values():
            return False
    return True
