"""Finding symmetries: generators are proposed from the structure of inputs and outputs, and kept if verified."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from taut.diagrams.compile import Relation
from taut.program.domains import InputSpace
from taut.synthesis.symmetry.claims import Verifier
from taut.synthesis.symmetry.group import SymmetryGroup
from taut.synthesis.symmetry.permutation import Coordinate, Permutation, arities_of, exchange
from taut.synthesis.symmetry.records import RecordClass, record_classes, record_of

__all__ = ["find_symmetries"]

Group = tuple[Coordinate, ...]
"""Entries that are moved together."""
_MOST_VALUES = 64
"""Number of values above which entries are tried with reversal and translation only."""
_MOST_BLOCKED = 256
"""Number of entries up to which blocks of them are tried."""


def find_symmetries(relation: Relation, space: InputSpace) -> SymmetryGroup:
    """Return the symmetries of a relation between inputs of a space that can be found, each verified."""
    search = _Discovery(relation, [domain.n for domain in space.domains])
    classes = search.classes()
    verifier = search.verifier
    exact = all(verifier.exact[permutation] for records in classes for permutation in records.generators)
    error = Fraction(0) if exact else verifier.error
    return SymmetryGroup(relation, space, tuple(classes), tuple(search.others), exact, error, verifier.complete)


class _Discovery:
    """One search for the symmetries of a relation; ``others`` are those that fit in no class of records."""

    def __init__(self, relation: Relation, sizes: Sequence[int]) -> None:
        self.relation, self.sizes = relation, list(sizes)
        self.verifier = Verifier(relation)
        self.arities = arities_of(relation)
        self.entries: list[Coordinate] = [("input", i) for i in range(len(relation.inputs))]
        self.outputs: list[Coordinate] = [("output", j) for j in range(len(relation.outputs))]
        self.others: list[Permutation] = []

    def classes(self) -> list[RecordClass]:
        """Return the records in classes, with their local symmetries."""
        classes = self._exchangeable()
        self._move_all_entries(classes)
        taken = {c for records in classes for record in records.records for c in record.coordinates}
        taken |= {pointer for records in classes for pointer in records.pointers}
        free = [output for output in self.outputs if output not in taken]
        classes = [self._with_local(records, free) for records in classes]
        classes += [self._with_local(RecordClass((record_of([output], self.arities),)), []) for output in free]
        self._change_all_values(classes)
        return classes

    # -- exchanging entries --------------------------------------------------------------------------------------

    def _exchangeable(self) -> list[RecordClass]:
        """Return classes of records, the smallest records with which any exchange is a symmetry."""
        alone: list[RecordClass] = []
        for groups in self._groupings():
            classes, misfits = record_classes(groups, self._exchanges(groups), self.arities)
            self.others += misfits
            if any(records.size > 1 for records in classes):
                return classes
            alone = alone or classes
        return alone

    def _groupings(self) -> Iterator[list[Group]]:
        """Yield entries one by one, then records across databases, then blocks of entries."""
        yield [(entry,) for entry in self.entries]
        starts = list(itertools.accumulate([0, *self.sizes]))
        if len(self.sizes) > 1 and len(set(self.sizes)) == 1 and self.sizes[0] > 1:
            yield [tuple(("input", start + i) for start in starts[:-1]) for i in range(self.sizes[0])]
        count = len(self.entries)
        for length in range(2, count // 2 + 1):
            if count % length == 0 and count <= _MOST_BLOCKED:
                yield [tuple(self.entries[start : start + length]) for start in range(0, count, length)]

    def _exchanges(self, groups: Sequence[Group]) -> dict[tuple[int, int], Permutation]:
        """Return exchanges of neighbouring groups, then of the ends of the chains that these form.

        Any two groups join two chains; the nearest are taken, since a test costs the levels in between.
        """
        exchanges: dict[tuple[int, int], Permutation] = {}
        tails: dict[int, int] = {0: 0} if groups else {}
        head = 0
        for one in range(len(groups) - 1):
            symmetry = self._exchange(groups, one, one + 1)
            if symmetry is None:
                head = one + 1
            else:
                exchanges[one, one + 1] = symmetry
            tails[head] = one + 1
        for one, other in itertools.combinations(list(tails), 2):
            if one in tails and other in tails and other > tails[one] + 1:
                symmetry = self._exchange(groups, tails[one], other)
                if symmetry is not None:
                    exchanges[tails[one], other] = symmetry
                    tails[one] = tails.pop(other)
        return exchanges

    def _exchange(self, groups: Sequence[Group], one: int, other: int) -> Permutation | None:
        """Return a symmetry that exchanges two groups: alone, with outputs at their positions, or that fit."""
        mine, theirs = ([self.relation.inputs[index].values for _, index in groups[g]] for g in (one, other))
        if mine != theirs:
            return None
        inputs = exchange(zip(groups[one], groups[other], strict=True), self.arities)
        guesses = [inputs]
        width, rest = divmod(len(self.outputs), len(groups))
        if width and not rest:
            pairs = [(self.outputs[one * width + k], self.outputs[other * width + k]) for k in range(width)]
            if all(self.arities[a] == self.arities[b] for a, b in pairs):
                guesses.append(_joined(inputs, exchange(pairs, self.arities)))
        return self.verifier.first(guesses, inputs)

    def _move_all_entries(self, classes: Sequence[RecordClass]) -> None:
        """Propose reversal and rotation of all entries, unless all are exchangeable."""
        count = len(self.entries)
        if count < 3 or any(records.size * 2 > count for records in classes):
            return
        if len({variable.values for variable in self.relation.inputs}) > 1:
            return
        guess_outputs = len(self.outputs) == count and len({self.arities[output] for output in self.outputs}) == 1
        for order in ([count - 1 - i for i in range(count)], [(i + 1) % count for i in range(count)]):
            inputs = self._reordered(self.entries, order)
            guesses = [inputs]
            if guess_outputs:
                guesses.append(_joined(inputs, self._reordered(self.outputs, order)))
            self._keep(self.verifier.first(guesses, inputs))

    def _reordered(self, some: Sequence[Coordinate], order: Sequence[int]) -> Permutation:
        return Permutation({c: (some[order[i]], tuple(range(self.arities[c]))) for i, c in enumerate(some)})

    # -- changing values -----------------------------------------------------------------------------------------

    def _with_local(self, records: RecordClass, free: list[Coordinate]) -> RecordClass:
        """Return the class with the symmetries of its first record alone.

        A record that stands alone takes along the free outputs that these move; they are then no longer free.
        """
        record = records.records[0]
        within = set(record.coordinates)
        local: dict[Permutation, None] = {}
        for values, inputs in self._local_changes([c for c in record.coordinates if c[0] == "input"]):
            fitting = [c for c in record.coordinates if c[0] == "output" and self.arities[c] == len(values)]
            guesses = [inputs, _joined(inputs, _changed(fitting, values))] if fitting else [inputs]
            symmetry = self.verifier.first(guesses, inputs)
            if symmetry is None:
                continue
            further = set(symmetry.moves) - within
            if further and records.size == 1 and further <= set(free):
                within |= further
                free[:] = [output for output in free if output not in further]
                further = set()
            if further:
                self.others.append(symmetry)
            else:
                local[symmetry] = None
        if records.size == 1:
            record = record_of([*record.coordinates, *sorted(within - set(record.coordinates))], self.arities)
            records = replace(records, records=(record,))
        for output in record.coordinates:
            if output[0] == "output":
                for a, b in self.verifier.relabelling.alike(output):
                    symmetry = self.verifier.first([_changed([output], _transposed(self.arities[output], a, b))])
                    if symmetry is not None:
                        local[symmetry] = None
        return replace(records, local=tuple(local))

    def _local_changes(self, entries: Sequence[Coordinate]) -> Iterator[tuple[tuple[int, ...], Permutation]]:
        """Yield changes of values in one of some entries, or the same in all of them."""
        together = [entries] if len(entries) > 1 and len({self.arities[entry] for entry in entries}) == 1 else []
        for some in [*[[entry] for entry in entries], *together]:
            for values in _value_changes(self.arities[some[0]]):
                yield values, _changed(some, values)

    def _change_all_values(self, classes: Sequence[RecordClass]) -> None:
        """The same change of values in all entries that have them, where it is not a product of local ones."""
        alike: dict[tuple[object, ...], list[Coordinate]] = {}
        for entry, variable in zip(self.entries, self.relation.inputs, strict=True):
            alike.setdefault(variable.values, []).append(entry)
        known = {symmetry.inputs for records in classes for symmetry in records.local}
        for entries in alike.values():
            touched = [records for records in classes if {("input", i) for i in records.inputs} & set(entries)]
            first = [("input", i) for records in touched for i in records.records[0].entries]
            for values in _value_changes(self.arities[entries[0]]) if len(entries) > 1 else []:
                if not all(_changed([entry], values) in known for entry in first):
                    inputs = _changed(entries, values)
                    self._keep(self.verifier.first([inputs], inputs))

    def _keep(self, symmetry: Permutation | None) -> None:
        if symmetry is not None:
            self.others.append(symmetry)


def _value_changes(size: int) -> list[tuple[int, ...]]:
    """Return changes of values to try: neighbouring ones exchanged, all reversed, all shifted by one."""
    changes = [_transposed(size, a, a + 1) for a in range(size - 1)] if size <= _MOST_VALUES else []
    if size > 2:
        changes += [tuple(range(size - 1, -1, -1)), (*range(1, size), 0)]
    return changes


def _transposed(size: int, a: int, b: int) -> tuple[int, ...]:
    return tuple(b if value == a else a if value == b else value for value in range(size))


def _changed(coordinates: Sequence[Coordinate], values: tuple[int, ...]) -> Permutation:
    """Return the same change of values in some coordinates."""
    return Permutation({coordinate: (coordinate, values) for coordinate in coordinates})


def _joined(inputs: Permutation, outputs: Permutation) -> Permutation:
    return Permutation({**inputs.moves, **outputs.moves})
