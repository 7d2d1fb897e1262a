"""Finding symmetries: generators are proposed from the structure of inputs and outputs, and only kept if verified."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from taut.compile import Relation
from taut.domains import InputSpace
from taut.solvers.symmetry.columns import Column, ColumnClass, arranged
from taut.solvers.symmetry.fingerprint import Fingerprint
from taut.solvers.symmetry.group import SymmetryGroup
from taut.solvers.symmetry.identity import IdentityTest
from taut.solvers.symmetry.permutation import Permutation, Variable, swap
from taut.solvers.symmetry.relabel import Relabelling

__all__ = ["Discovery", "find_symmetries"]

_RELABEL_WORK = 4_000_000
"""How many nodes may be visited to find out which outputs have to move."""
_TESTS = 4_000
_VALUES = 64
"""Entries with more values are tried with reversal and translation only."""


def find_symmetries(relation: Relation, space: InputSpace, source: random.Random | None = None) -> SymmetryGroup:
    """The symmetries of a relation between inputs of a space that can be found."""
    search = Discovery(relation, [domain.n for domain in space.domains], source)
    classes = search.classes()
    used = [p for one in classes for p in (*one.swaps, *one.local)]
    exact = all(search.found[p] for p in used)
    error = Fraction(0) if exact else search.error
    return SymmetryGroup(relation, space, tuple(classes), tuple(search.others), exact, error, search.complete)


class Discovery:
    """One search for the symmetries of a relation.

    ``sizes`` are the lengths of the databases, whose entries follow one another.
    """

    def __init__(self, relation: Relation, sizes: Sequence[int], source: random.Random | None = None) -> None:
        self.relation = relation
        self.sizes = list(sizes)
        randomness = random.SystemRandom() if source is None else source
        self.test = IdentityTest(relation, randomness)
        # proposals are read off a point of their own: those that verify are drawn independently of them
        self.relabelling = Relabelling(Fingerprint(relation, randomness))
        self.arities = self.test.points[0].arity
        self.entries = len(relation.inputs)
        self.found: dict[Permutation, bool] = {}
        """The symmetries that were verified, and whether exactly."""
        self.others: list[Permutation] = []
        self.complete = True
        self._work = _RELABEL_WORK
        self._pattern = 0

    def classes(self) -> list[ColumnClass]:
        """The columns in classes, with their local symmetries; what fits in none of them is in ``others``."""
        classes = self._exchanged()
        self._global_moves(classes)
        taken = {v for one in classes for column in one.columns for v in column.variables}
        taken |= {v for one in classes for v in one.pointers}
        slots: list[Variable] = [("output", j) for j in range(len(self.relation.outputs))]
        free = [v for v in slots if v not in taken]
        classes = [self._with_local(one, free) for one in classes]
        classes += [self._with_local(ColumnClass((self._column([v]),)), []) for v in free]
        self._diagonal(classes)
        return classes

    def _column(self, variables: Sequence[Variable]) -> Column:
        return Column(tuple(variables), tuple(tuple(range(self.arities[v])) for v in variables))

    @property
    def error(self) -> Fraction:
        """The probability that any of the symmetries is none: no more than that of all tests together."""
        return self.test.error * self.test.tests

    # -- exchanges -----------------------------------------------------------------------------------------------

    def _exchanged(self) -> list[ColumnClass]:
        best: list[ColumnClass] = []
        for units in self._partitions():
            edges = self._edges(units)
            classes, left = arranged(units, edges, self.arities)
            self.others += left
            if not best or any(one.size > 1 for one in classes):
                best = classes
            if any(one.size > 1 for one in classes):
                break
        return best

    def _partitions(self) -> Iterator[list[tuple[Variable, ...]]]:
        """Entries one by one; if that finds nothing, records across databases, then blocks of entries."""
        everything: list[Variable] = [("input", i) for i in range(self.entries)]
        yield [(variable,) for variable in everything]
        starts = list(itertools.accumulate([0, *self.sizes]))
        if len(self.sizes) > 1 and len(set(self.sizes)) == 1 and self.sizes[0] > 1:
            yield [tuple(("input", start + i) for start in starts[:-1]) for i in range(self.sizes[0])]
        for length in range(2, self.entries // 2 + 1):
            if self.entries % length == 0 and self.entries <= 4 * _VALUES:
                yield [tuple(everything[start : start + length]) for start in range(0, self.entries, length)]

    def _edges(self, units: Sequence[tuple[Variable, ...]]) -> dict[tuple[int, int], Permutation]:
        """Exchanges of neighbouring units, then of the ends of the chains that these form.

        Any two units of two chains would do to join them; the nearest are taken, as a test costs what lies in between.
        """
        edges: dict[tuple[int, int], Permutation] = {}
        tails: dict[int, int] = {0: 0} if units else {}
        head = 0
        for one in range(len(units) - 1):
            found = self._exchange(units, one, one + 1)
            if found is None:
                head = one + 1
            else:
                edges[one, one + 1] = found
            tails[head] = one + 1
        for one, other in itertools.combinations(list(tails), 2):
            if one in tails and other in tails and other > tails[one] + 1:
                found = self._exchange(units, tails[one], other)
                if found is not None:
                    edges[tails[one], other] = found
                    tails[one] = tails.pop(other)
        return edges

    def _exchange(self, units: Sequence[tuple[Variable, ...]], one: int, other: int) -> Permutation | None:
        mine, theirs = units[one], units[other]
        if len(mine) != len(theirs):
            return None
        values = [self.relation.inputs[index].values for _, index in (*mine, *theirs)]
        if values[: len(mine)] != values[len(mine) :]:
            return None
        inputs = swap(zip(mine, theirs, strict=True), self.arities)
        guesses = [inputs]
        slots = len(self.relation.outputs)
        if slots and slots % len(units) == 0:
            width = slots // len(units)
            pairs: list[tuple[Variable, Variable]] = [
                (("output", one * width + k), ("output", other * width + k)) for k in range(width)
            ]
            if all(self.arities[a] == self.arities[b] for a, b in pairs):
                guesses.append(Permutation({**inputs.moves, **swap(pairs, self.arities).moves}))
        return self._first(guesses, inputs)

    # -- values --------------------------------------------------------------------------------------------------

    def _with_local(self, one: ColumnClass, free: list[Variable]) -> ColumnClass:
        """The class with the symmetries of its first column alone.

        A column that stands alone takes along the free outputs that these move; they are then no longer free.
        """
        column = one.columns[0]
        confined = set(column.variables)
        entries = [variable for variable in column.variables if variable[0] == "input"]
        candidates = [{v: values} for v in entries for values in value_moves(self.arities[v])]
        if len(entries) > 1 and len({self.arities[v] for v in entries}) == 1:
            candidates += [dict.fromkeys(entries, values) for values in value_moves(self.arities[entries[0]])]
        local: dict[Permutation, None] = {}
        for candidate in candidates:
            inputs = Permutation({v: (v, values) for v, values in candidate.items()})
            same = next(iter(candidate.values()))
            fitting = {v: (v, same) for v in column.variables if v[0] == "output" and self.arities[v] == len(same)}
            guesses = [inputs]
            if fitting:
                guesses.append(Permutation({**inputs.moves, **fitting}))
            found = self._first(guesses, inputs)
            if found is None:
                continue
            further = set(found.moves) - confined
            if further and one.size == 1 and further <= set(free):
                confined |= further
                free[:] = [v for v in free if v not in further]
                further = set()
            if further:
                self.others.append(found)
            else:
                local[found] = None
        if one.size == 1:
            column = self._column([*column.variables, *sorted(confined - set(column.variables))])
            one = replace(one, columns=(column,))
        for variable in column.variables:
            if variable[0] == "output":
                for a, b in self.relabelling.alike(variable):
                    found = self._first(
                        [Permutation({variable: (variable, _transposed(self.arities[variable], a, b))})]
                    )
                    if found is not None:
                        local[found] = None
        return replace(one, local=tuple(local))

    def _diagonal(self, classes: Sequence[ColumnClass]) -> None:
        """The same change of values in all entries that have them."""
        kinds: dict[tuple[object, ...], list[Variable]] = {}
        for index, variable in enumerate(self.relation.inputs):
            kinds.setdefault(variable.values, []).append(("input", index))
        known = {p.inputs for one in classes for p in one.local}
        for variables in kinds.values():
            if len(variables) < 2:
                continue
            for values in value_moves(self.arities[variables[0]]):
                inputs = Permutation({v: (v, values) for v in variables})
                if all(Permutation({v: (v, values)}) in known for v in self._representatives(classes, variables)):
                    continue  # a product of local ones
                found = self._first([inputs], inputs)
                if found is not None:
                    self.others.append(found)

    def _representatives(self, classes: Sequence[ColumnClass], variables: Sequence[Variable]) -> list[Variable]:
        """The first columns' variables of the classes in which some variables lie."""
        wanted = set(variables)
        touched = [one for one in classes if wanted & {("input", i) for i in one.inputs}]
        return [v for one in touched for v in one.columns[0].variables if v[0] == "input"]

    def _global_moves(self, classes: Sequence[ColumnClass]) -> None:
        """Reversal and rotation of all entries, where they are not all exchangeable anyway."""
        count = self.entries
        if count < 3 or any(one.size * 2 > count for one in classes):
            return
        if len({variable.values for variable in self.relation.inputs}) > 1:
            return
        same = tuple(range(self.arities["input", 0]))
        for target in ([count - 1 - i for i in range(count)], [(i + 1) % count for i in range(count)]):
            inputs = Permutation({("input", i): (("input", target[i]), same) for i in range(count)})
            guesses = [inputs]
            if len(self.relation.outputs) == count and len({len(v.values) for v in self.relation.outputs}) == 1:
                values = tuple(range(self.arities["output", 0]))
                outputs = {("output", i): (("output", target[i]), values) for i in range(count)}
                guesses.append(Permutation({**inputs.moves, **outputs}))
            found = self._first(guesses, inputs)
            if found is not None:
                self.others.append(found)

    # -- tests ---------------------------------------------------------------------------------------------------

    def _first(self, guesses: Sequence[Permutation], inputs: Permutation | None = None) -> Permutation | None:
        """The first guess that is a symmetry, the kind that was right last time before the others; then what the
        fingerprints of the outputs propose for a permutation of the inputs."""
        order = sorted(range(len(guesses)), key=lambda place: place != self._pattern)
        for place in order:
            if self._holds(guesses[place]):
                self._pattern = place
                return guesses[place]
        if inputs is None:
            return None
        if self._work < self.relabelling.cost:
            self.complete = False
            return None
        self._work -= self.relabelling.cost
        proposal = self.relabelling.matching(inputs)
        if proposal is not None and proposal not in guesses and self._holds(proposal):
            return proposal
        return None

    def _holds(self, permutation: Permutation) -> bool:
        if self.test.tests >= _TESTS:
            self.complete = False
            return False
        verdict = self.test.check(permutation)
        if verdict:
            self.found[permutation] = verdict.exact
        return bool(verdict)


def value_moves(size: int) -> list[tuple[int, ...]]:
    """Changes of values worth trying: neighbours exchanged, all reversed, all moved on by one."""
    made = [_transposed(size, a, a + 1) for a in range(size - 1)] if size <= _VALUES else []
    if size > 2:
        made += [tuple(range(size - 1, -1, -1)), (*range(1, size), 0)]
    return made


def _transposed(size: int, a: int, b: int) -> tuple[int, ...]:
    places = list(range(size))
    places[a], places[b] = b, a
    return tuple(places)
