"""Records that can be exchanged as wholes, and symmetries in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from taut.diagrams.compile import Relation
from taut.synthesis.symmetry.permutation import Coordinate, Permutation

__all__ = ["Record", "RecordClass", "description", "record_classes", "record_of", "sentences"]


Exchange = tuple[int, int, Permutation]
"""Two groups of entries, by number, and the symmetry that exchanges them."""


@dataclass(frozen=True)
class Record:
    """Coordinates that move together: an entry, or a few of them, then the outputs that belong to them.

    Records of a class correspond: the value ``values[k][v]`` of the k-th coordinate of one record corresponds to the
    value with the same k and v of every other record.
    """

    coordinates: tuple[Coordinate, ...]
    values: tuple[tuple[int, ...], ...]

    @property
    def entries(self) -> list[int]:
        return [index for kind, index in self.coordinates if kind == "input"]


@dataclass(frozen=True)
class RecordClass:
    """Records that may be permuted at will; ``swaps`` are symmetries that generate all of their permutations.

    ``pointers`` are outputs that name a record, such as the index that a selection returns: for each such output, the
    value that stands for each record. ``local`` are symmetries of the first record alone; by permuting records every
    other has its own copy of them.
    """

    records: tuple[Record, ...]
    pointers: Mapping[Coordinate, tuple[int, ...]] = field(default_factory=dict)
    swaps: tuple[Permutation, ...] = ()
    local: tuple[Permutation, ...] = ()

    @property
    def size(self) -> int:
        """The number of records."""
        return len(self.records)

    @property
    def inputs(self) -> list[int]:
        """All entries of the class."""
        return [entry for record in self.records for entry in record.entries]

    def part(self, start: int, stop: int) -> RecordClass:
        """Return some records that follow one another, with the outputs that name them: these occur even if nothing
        moves.

        Local symmetries stay with the first record.
        """
        if (start, stop) == (0, self.size):
            return self
        pointers = {coordinate: values[start:stop] for coordinate, values in self.pointers.items()}
        return replace(
            self, records=self.records[start:stop], pointers=pointers, swaps=(), local=self.local if start == 0 else ()
        )

    @property
    def generators(self) -> tuple[Permutation, ...]:
        """The symmetries behind the orbits of this class."""
        return (*self.swaps, *self.local)


def record_of(coordinates: Sequence[Coordinate], arities: Mapping[Coordinate, int]) -> Record:
    """Return coordinates as a record in which every value corresponds to itself."""
    return Record(tuple(coordinates), tuple(tuple(range(arities[coordinate])) for coordinate in coordinates))


def record_classes(
    groups: Sequence[Sequence[Coordinate]],
    exchanges: Mapping[tuple[int, int], Permutation],
    arities: Mapping[Coordinate, int],
) -> tuple[list[RecordClass], list[Permutation]]:
    """Return classes of records, from symmetries that exchange two groups of entries each; and those that fit in no
    class.

    Groups that a chain of exchanges connects form a class if it can be told which outputs belong to which of them.
    """
    links: dict[int, list[tuple[int, Permutation]]] = {}
    for (one, other), permutation in exchanges.items():
        links.setdefault(one, []).append((other, permutation))
        links.setdefault(other, []).append((one, permutation))
    classes: list[RecordClass] = []
    misfits: list[Permutation] = []
    reached = set[int]()
    for start in range(len(groups)):
        if start in reached:
            continue
        reached.add(start)
        tree: list[Exchange] = []
        queue = [start]
        for here in queue:
            for there, permutation in links.get(here, []):
                if there not in reached:
                    reached.add(there)
                    tree.append((here, there, permutation))
                    queue.append(there)
        connected, unfitting = _connected(groups, start, tree, arities)
        classes += connected
        misfits += unfitting
    return classes, misfits


def _connected(
    groups: Sequence[Sequence[Coordinate]], start: int, tree: Sequence[Exchange], arities: Mapping[Coordinate, int]
) -> tuple[list[RecordClass], list[Permutation]]:
    """Return the class that a tree of exchanges generates, and the exchanges of groups that do not fit in it."""
    outputs, marks = _belonging(start, tree)
    records = {start: record_of((*groups[start], *outputs), arities)}
    pointers: dict[Coordinate, dict[int, int]] = {coordinate: {start: value} for coordinate, value in marks.items()}
    swaps, misfits, alone = [], [], []
    for here, there, permutation in tree:
        image = _image(records[here], permutation) if here in records else None
        if image is None or not _exchanges(permutation, records[here], image, pointers, here):
            misfits.append(permutation)
            alone.append(there)
            continue
        records[there] = image
        for coordinate, values in pointers.items():
            values[there] = permutation.image(coordinate, arities[coordinate])[1][values[here]]
        swaps.append(permutation)
    order = sorted(records)
    if len(order) == 1:
        connected = RecordClass((record_of(groups[start], arities),))
    else:
        named = {coordinate: tuple(values[number] for number in order) for coordinate, values in pointers.items()}
        connected = RecordClass(tuple(records[number] for number in order), named, tuple(swaps))
    return [connected, *[RecordClass((record_of(groups[number], arities),)) for number in alone]], misfits


def _belonging(start: int, tree: Sequence[Exchange]) -> tuple[tuple[Coordinate, ...], dict[Coordinate, int]]:
    """Return the outputs that belong to the first group, and the values by which others point to it.

    One exchange does not show which of two outputs belongs to which group; an output that a second exchange, of one of
    the two groups with a third, moves as well belongs to the shared group.
    """
    if not tree:
        return (), {}
    first = tree[0][2].outputs.moves
    swapped = sorted(coordinate for coordinate, (target, _) in first.items() if target != coordinate)
    pointing = {
        coordinate: {before for before, after in enumerate(values) if before != after}
        for coordinate, (target, values) in first.items()
        if target == coordinate
    }
    if len(tree) == 1:
        own = [coordinate for coordinate in swapped if coordinate < first[coordinate][0]]
        return tuple(own), {coordinate: min(values) for coordinate, values in pointing.items()}
    shared, _, second = tree[1]
    start_is_shared = shared == start
    own = [coordinate for coordinate in swapped if (coordinate in second.moves) == start_is_shared]
    marks = {}
    for coordinate, values in pointing.items():
        again = second.moves.get(coordinate, (coordinate, ()))[1]
        both = {value for value in values if value < len(again) and again[value] != value}
        marks[coordinate] = min((both if start_is_shared else values - both) or values)
    return tuple(own), marks


def _image(record: Record, permutation: Permutation) -> Record | None:
    """Return the record to which a permutation takes one; None if it leaves a part of it where it is."""
    coordinates, values = [], []
    for coordinate, own in zip(record.coordinates, record.values, strict=True):
        target, changed = permutation.moves.get(coordinate, (coordinate, ()))
        if target in record.coordinates:
            return None
        coordinates.append(target)
        values.append(tuple(changed[value] for value in own))
    return Record(tuple(coordinates), tuple(values))


def _exchanges(
    permutation: Permutation, here: Record, there: Record, pointers: Mapping[Coordinate, Mapping[int, int]], number: int
) -> bool:
    """Return True if a permutation exchanges two records and the pointers to them, and moves nothing else."""
    if _image(there, permutation) != here:
        return False
    if set(permutation.moves) - set(here.coordinates) - set(there.coordinates) != set(pointers):
        return False
    for coordinate, values in pointers.items():
        target, mapped = permutation.moves[coordinate]
        changed = {before for before, after in enumerate(mapped) if before != after}
        mine = values[number]
        theirs = mapped[mine]
        if target != coordinate or changed != {mine, theirs} or theirs == mine or theirs in values.values():
            return False
    return True


_SHOWN = 6
_NOUNS = {"input": ("entry", "entries"), "output": ("output", "outputs")}


def sentences(relation: Relation, classes: Sequence[RecordClass], others: Sequence[Permutation]) -> list[str]:
    """Describe all symmetries: a sentence per class of records, per its local symmetries, per other symmetry."""
    lines = []
    for records in classes:
        if records.size > 1:
            lines.append(_permuted(relation, records))
        if records.local:
            changes = "; ".join(description(relation, permutation) for permutation in records.local[:_SHOWN])
            more = f"; and {len(records.local) - _SHOWN} more" if len(records.local) > _SHOWN else ""
            copies = ", and likewise in each of the others" if records.size > 1 else ""
            lines.append(f"{changes}{more}{copies}")
    different = list(dict.fromkeys(others))
    lines += [description(relation, permutation) for permutation in different[:_SHOWN]]
    if len(different) > _SHOWN:
        lines.append(f"and {len(different) - _SHOWN} more of this kind")
    return lines or ["nothing may be moved"]


def description(relation: Relation, permutation: Permutation) -> str:
    """Describe how a permutation moves entries, and outputs together with them."""
    parts = [_moves(relation, permutation, kind) for kind in ("input", "output")]
    return " together with ".join(part for part in parts if part) or "nothing moves"


def _permuted(relation: Relation, records: RecordClass) -> str:
    first = records.records[0]
    if len(first.entries) == 1:
        text = f"entries {_range(records.inputs)} may be permuted"
    else:
        groups = _shown("(" + ", ".join(map(str, record.entries)) + ")" for record in records.records)
        text = f"the groups of entries {groups} may be permuted"
    if len(first.entries) < len(first.coordinates):
        text += " together with their outputs"
    for pointer, values in records.pointers.items():
        names = _values(relation, pointer)
        whose = "the output's" if len(relation.outputs) == 1 else f"output {pointer[1]}'s"
        text += f"; {whose} values {_shown(repr(names[value]) for value in values)} move along"
    return text


def _moves(relation: Relation, permutation: Permutation, kind: str) -> str:
    """Describe the moves of the coordinates of one kind; those that move alike are named together."""
    alike: dict[str, list[int]] = {}
    for (what, index), (target, values) in sorted(permutation.moves.items()):
        if what == kind:
            alike.setdefault(_change(relation, (what, index), target, values), []).append(index)
    single = kind == "output" and len(relation.outputs) == 1
    return _shown(
        f"{'the output' if single else f'{_NOUNS[kind][len(indices) > 1]} {_range(indices)}'}: {change}"
        for change, indices in alike.items()
    )


def _change(relation: Relation, coordinate: Coordinate, target: Coordinate, values: Sequence[int]) -> str:
    here, there = _values(relation, coordinate), _values(relation, target)
    pairs = [(here[a], there[b]) for a, b in enumerate(values) if here[a] != there[b]]
    arrow = "->"
    if all((b, a) in pairs for a, b in pairs):
        arrow = "<->"
        pairs = [(a, b) for number, (a, b) in enumerate(pairs) if (b, a) not in pairs[:number]]
    text = _shown(f"{a!r} {arrow} {b!r}" for a, b in pairs)
    return " ".join(part for part in (f"to {target[1]}" if target != coordinate else "", text) if part)


def _values(relation: Relation, coordinate: Coordinate) -> tuple[Any, ...]:
    kind, index = coordinate
    return relation.inputs[index].values if kind == "input" else relation.outputs[index].values


def _shown(parts: Iterable[str]) -> str:
    """Return the first few of some texts."""
    every = list(parts)
    return ", ".join(every[:_SHOWN] + (["..."] if len(every) > _SHOWN else []))


def _range(indices: Sequence[int]) -> str:
    """Format numbers briefly: '3', '0 and 1', '0..499', '0, 2, 5'."""
    runs: list[list[int]] = []
    for index in sorted(indices):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    parts = [part for run in runs for part in ([f"{run[0]}..{run[-1]}"] if len(run) > 2 else map(str, run))]
    return " and ".join(parts) if len(parts) == 2 else _shown(parts)
