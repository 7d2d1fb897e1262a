"""The solver that decomposes a program: cells, their statistics, changes of these, and the answer of each measure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.neighbors import Entrywise, Neighbors
from taut.neighbors.relations import changes_one
from taut.program import Program
from taut.questions.bound import Bound, joined
from taut.questions.loss import Atom, LossDistribution
from taut.questions.pair_measure import PairCase, PairMeasure, PairWitness
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.support.exact import INFINITY, Ball, large
from taut.support.process import collector_paused
from taut.synthesis.decompose.cells import Cell, Cells, cells_of, items_of, without_coins
from taut.synthesis.decompose.changes import Case, Changes, Finder, Walked, walked_values
from taut.synthesis.decompose.components import Components
from taut.synthesis.decompose.joined import JoinedEntries, joined_entries
from taut.synthesis.decompose.kernel import Loss
from taut.synthesis.decompose.losses import coarse, product_of
from taut.synthesis.decompose.mixtures import MixedLoss
from taut.synthesis.decompose.reach import Reach
from taut.synthesis.decompose.screens import atoms_for, envelope_of_all, is_large, largest_ratio, likely_worst
from taut.synthesis.decompose.selections import selection_of, worst_selection
from taut.synthesis.decompose.statistic import Dependence
from taut.synthesis.decompose.together import Together
from taut.synthesis.problem import Budget, ByTerms, Problem

__all__ = ["Decomposition", "event_cases", "loss_by_cells"]

_NEARLY = 1 + Fraction(1, 10**6)
"""Ratio of a theorem's bound to the attained value below which no better bound is sought."""
_MANY_SUMS = 4
_SAME = (Atom(Fraction(1), Fraction(1), Fraction(1)),)


class Decomposition(ByTerms):
    """Independent cells of a program, and the pairs of their statistics that neighbours reach."""

    name = "decomposition"

    def serves(self, problem: Problem) -> bool:
        measure = problem.measure
        if problem.neighbors is None:
            return measure.of_event
        return measure.is_ratio or (isinstance(measure, PairMeasure) and _decomposes(problem.neighbors))

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        start, program = time.perf_counter(), problem.program
        assert program is not None
        if problem.neighbors is None:
            return _event(problem, program)
        if program.conditioned:
            if not changes_one(problem.neighbors):  # walks through selections change one entry
                raise TooLarge("what is observed joins all draws, and several entries may change.", value=program)
            selection = problem.known.once("selection", lambda: selection_of(program) if _plain(program) else None)
            if selection is None:
                raise TooLarge("what is observed joins all draws.", value=program)
            return worst_selection(problem, selection, start)
        found = _decomposed(problem, program, problem.neighbors, problem.measure.is_ratio)
        answer = _Answer(problem, program, found.cells)
        bound = answer.ratio(found.cases) if problem.measure.is_ratio else answer.pairs(found.cases)
        stats = {**found.stats, "stopped": None, "inference_seconds": round(time.perf_counter() - start, 6)}
        return replace(bound, stats=stats, count=None)


def _event(problem: Problem, program: Program) -> Bound:
    """Return the input with the least, or the largest, probability of an event that depends on statistics."""
    start, measure = time.perf_counter(), problem.measure
    if not _plain(program):
        raise TooLarge("weights are functions of parameters.", value=program)
    cases = event_cases(program)

    def located(place: int) -> Any:
        return lambda: measure.witness([program.space.at(cases[place][1]())], None)

    worst = measure.classes((value, 1, located(place)) for place, (value, _) in enumerate(cases))[0]
    stats = {
        "values": len(cases),
        "why": f"whether it happens depends on statistics alone, which have {_count(len(cases), 'value')}",
        "stopped": None,
        "inference_seconds": round(time.perf_counter() - start, 6),
    }
    return measure.bound(worst.value, worst.value, method="decomposition", stats=stats, witness=worst.witness)


def loss_by_cells(program: Program | None, x: Any, x_prime: Any) -> LossDistribution | None:
    """Return the loss distribution of two inputs, cell by cell; None if the program has no cells, or too many atoms."""
    if program is None or not program.inputs or not _plain(program):
        return None
    try:
        cells = cells_of(program)
        joined = joined_entries(program) if cells is None else None
        places = [program.space.positions(one) for one in (x, x_prime)]
        if joined is not None:
            cells = cells_of(joined.program)
            places = places if cells is None else [tuple(joined.joined(one)) for one in places]
        cells = cells or cells_of(program, whole=True)
        if cells is None:
            return None
        factors = []
        for cell in cells.cells:
            own, primed = (tuple([one.at(side) for one in cell.statistics]) for side in places)
            if own != primed:
                factors.append(cell.kernel.loss(own, primed).atoms)
        return LossDistribution(x, x_prime, product_of(factors) if factors else _SAME)
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        return None


def _plain(program: Program) -> bool:
    """Return True if all weights are numbers, not functions of parameters."""
    different = {id(coin.weights): coin for coin in program.coins}
    return all(coin.kinds <= {Fraction, int, Ball} for coin in different.values())


@dataclass(frozen=True, eq=False)
class _Decomposed:
    """The part of the work that all measures share: the cells, the different cases, and the description of both."""

    cells: Cells
    cases: Sequence[Case]
    stats: Mapping[str, Any]


def _decomposed(problem: Problem, program: Program, neighbors: Neighbors, largest: bool) -> _Decomposed:
    """Return the cases of a program, found once for all questions.

    Raises
    ------
    TooLarge
        The program does not decompose, or into too much.
    """
    if not _decomposes(neighbors):
        return _of_cells(problem, program, neighbors, largest, True)
    try:
        return _of_cells(problem, program, neighbors, largest, False)
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        joined = problem.known.once("joined", lambda: joined_entries(program) if _plain(program) else None)
        if joined is not None:
            try:
                return _of_groups(problem, joined, neighbors, largest)
            except (OutOfTime, OutOfMemory):
                raise
            except TooLarge:
                pass
        if changes_one(neighbors) and _walked_in_vain(problem, program):
            raise
        return _of_cells(problem, program, neighbors, largest, True)


def _walked_in_vain(problem: Problem, program: Program) -> bool:
    """Return True if a walk would have to remember many sums, which are the terms that draws use as they are."""
    cells = problem.known.once(("cells", False, False), lambda: cells_of(program) if _plain(program) else None)
    if cells is None or max(len(cell.statistics) for cell in cells.cells) < _MANY_SUMS:
        return False
    known = {one.term for cell in cells.cells for one in cell.statistics if one.values is None}
    return known.issuperset(without_coins([program.output], Dependence(program)))


def _of_groups(problem: Problem, joined: JoinedEntries, neighbors: Neighbors, largest: bool) -> _Decomposed:
    """Return the cases with groups of entries taken as one, and sums of what these add as statistics."""
    assert isinstance(neighbors, Entrywise)
    neighbors.require(problem.space)
    relation = problem.known.once(("groups", neighbors), lambda: joined.neighbors(neighbors))
    found = _of_cells(problem, joined.program, relation, largest, False, grouped=True)

    def single(case: Case) -> Callable[[], tuple[list[int], list[int]]]:
        def pair() -> tuple[list[int], list[int]]:
            own, other = case.pair()
            return joined.positions(own), joined.positions(other)

        return pair

    why = f"{joined.told()}; {found.stats['why']}"
    return replace(
        found, cases=[replace(case, pair=single(case)) for case in found.cases], stats={**found.stats, "why": why}
    )


def _of_cells(
    problem: Problem, program: Program, neighbors: Neighbors, largest: bool, whole: bool, *, grouped: bool = False
) -> _Decomposed:
    """Return the cases with sums as statistics, or with ``whole`` terms; of a program over groups where ``grouped``."""
    with collector_paused():
        cells = problem.known.once(
            ("cells", whole, grouped), lambda: cells_of(program, whole=whole) if _plain(program) else None
        )
    if cells is None:
        raise TooLarge("no statistics were found that the random terms use.", value=program)
    together = whole and not changes_one(neighbors)
    if largest and not together and all(cell.kernel.exactly_translated for cell in cells.cells):
        largest = False  # those losses have the largest quotients too

    def decomposed() -> _Decomposed:
        changes: Finder
        if together:
            changes = Together(program, cells, problem.automaton, largest=largest)
        else:
            assert isinstance(neighbors, Entrywise)
            neighbors.require(program.space)
            kind = Walked if whole else Changes if neighbors.most else Components
            changes = kind(program, cells, neighbors, largest=largest)
        cases = list(changes.cases())
        if not changes.related:
            raise TooLarge("nothing is related.", value=program)
        return _Decomposed(cells, cases, _told(changes))

    return problem.known.once(("decomposed", neighbors, largest, whole), decomposed)


def _decomposes(neighbors: Neighbors | None) -> bool:
    """Return True if entries change independently of each other: one may change, or all."""
    return isinstance(neighbors, Entrywise) and neighbors.most in (1, None) and type(neighbors).read is Entrywise.read


class _Answer:
    """The bound of a measure from the cases."""

    def __init__(self, problem: Problem, program: Program, cells: Cells) -> None:
        self.problem, self.program, self.cells = problem, program, cells

    def ratio(self, cases: Sequence[Case]) -> Bound:
        """Return the largest ratio: that of independent parts is the product of their largest ratios."""
        measure = self.problem.measure
        cases = _screened(cases, lambda losses: [largest_ratio(losses)])
        values = [(_times([loss.ratio for _, loss in case.parts]), case) for case in cases]
        worst = measure.classes((value, 1, lambda case=case: case) for value, case in values)[0]  # type: ignore[misc]
        most = [_times([_above(loss)[-1].ratio for _, loss in case.parts]) for case in cases]
        case, limit = worst.locate(), measure.classes((value, 1, lambda: None) for value in most)[0].value
        x, x_prime = self._inputs(case)
        witness = measure.witness([x, x_prime], self._output(case))
        ends = joined(worst.value, limit)
        return measure.bound(*ends, method="decomposition", stats={}, witness=witness)

    def pairs(self, cases: Sequence[Case]) -> Bound:
        """Return the bound from the loss distributions of all cases, equal ones once."""
        measure = self.problem.measure
        assert isinstance(measure, PairMeasure)
        if measure.ignores_tiny:
            cases = [
                replace(
                    case, parts=tuple([(c, coarse(one) if isinstance(one, Loss) else one) for c, one in case.parts])
                )
                for case in cases
            ]
        if measure.profile and _mixed_only(cases):
            return self._envelope(measure, cases)
        cases = _screened(cases, lambda losses: likely_worst(measure, losses))
        attained = self._losses(cases, [[_atoms(measure, loss) for _, loss in case.parts] for case in cases])
        if measure.additive:
            return self._added(measure, cases, attained)
        bound = measure.worst(attained, True, method="decomposition", stats={})
        if all(loss.above is None for case in cases for _, loss in case.parts):
            return bound
        beyond = self._losses(cases, [[_above(loss) for _, loss in case.parts] for case in cases])
        return bound.limited_by(measure.worst(beyond, True, method="decomposition", stats={}))

    def _added(self, measure: PairMeasure, cases: Sequence[Case], attained: Sequence[PairCase]) -> Bound:
        """Return the largest value; that of independent parts is at most the sum of theirs."""
        parts = [[loss.rho for _, loss in case.parts] for case in cases]
        known = [[rho for rho in case if rho is not None] for case in parts]
        whole = list(map(len, known)) == list(map(len, parts))
        proved = max([sum(one, Fraction(0)) for one in known]) if whole else None
        bound = measure.worst(attained, True, proved=proved, method="decomposition", stats={})
        if all(loss.above is None for case in cases for _, loss in case.parts):
            return bound
        if proved is not None and bound.lower != INFINITY and proved <= bound.lower * _NEARLY:
            return replace(bound, upper=max(bound.lower, proved))
        beyond = self._losses(cases, [[_above(loss) for _, loss in case.parts] for case in cases])
        return bound.limited_by(measure.worst(beyond, True, proved=proved, method="decomposition", stats={}))

    def _envelope(self, measure: PairMeasure, cases: Sequence[Case]) -> Bound:
        """Return the envelope of the curves of many pairs, made from few of their lines."""
        known = {case.parts[0][1]: case for case in cases}

        def pair(loss: MixedLoss) -> PairWitness:
            return PairWitness(*self._inputs(known[loss]))

        curve, one = envelope_of_all([loss for loss in known if isinstance(loss, MixedLoss)], pair)
        return measure.bound(curve, curve, tight=one, method="decomposition", stats={})

    def _losses(self, cases: Sequence[Case], parts: Sequence[Sequence[tuple[Atom, ...]]]) -> list[PairCase]:
        known: dict[Any, PairCase] = {}
        for case, factors in zip(cases, parts, strict=True):
            atoms = product_of(factors) if factors else _SAME
            if atoms not in known:
                known[atoms] = PairCase(LossDistribution(*self._inputs(case), atoms), 1)
        return list(known.values())

    def _inputs(self, case: Case) -> tuple[Any, Any]:
        own, other = case.pair()
        return self.program.space.at(own), self.program.space.at(other)

    def _output(self, case: Case) -> Any:
        """Return the output at which the ratio is largest: any likely item where nothing changes."""
        changed = {id(cell): loss for cell, loss in case.parts}
        items: dict[int, Any] = {}
        positions = case.pair()[0]
        for cell in self.cells.cells:
            loss: Loss | MixedLoss | None = changed.get(id(cell))
            if loss is not None:
                items.update(items_of(cell, loss.output))
                continue
            values = tuple([one.at(positions) for one in cell.statistics])
            items.update(items_of(cell, cell.kernel.row(values).outcomes[0]))
        return self.cells.output(items)


def _mixed(case: Case) -> MixedLoss | None:
    """Return the loss of a case that is one of random contributions alone."""
    loss = case.parts[0][1] if len(case.parts) == 1 else None
    return loss if isinstance(loss, MixedLoss) else None


def _mixed_only(cases: Sequence[Case]) -> bool:
    """Return True if there are many cases, all of random contributions to one kind of cell."""
    losses = [loss for loss in map(_mixed, cases) if loss is not None]
    return len(losses) == len(cases) and is_large(losses)


def _screened(cases: Sequence[Case], choose: Callable[[list[MixedLoss]], list[MixedLoss]]) -> Sequence[Case]:
    """Return the cases without those that are certainly not the worst, where there are many."""
    losses = [loss for loss in map(_mixed, cases) if loss is not None]
    if not is_large(losses):
        return cases
    kept = set(choose(losses))
    return [case for case in cases for loss in [_mixed(case)] if loss is None or loss in kept]


def _atoms(measure: PairMeasure, loss: Loss | MixedLoss) -> tuple[Atom, ...]:
    return atoms_for(measure, loss) if isinstance(loss, MixedLoss) else loss.atoms


def _above(loss: Loss | MixedLoss) -> tuple[Atom, ...]:
    return loss.atoms if loss.above is None else loss.above


def _times(ratios: Sequence[Any]) -> Any:
    if any(isinstance(ratio, float) and ratio == INFINITY for ratio in ratios):
        return INFINITY
    product: Any = Fraction(1)
    for ratio in ratios:
        product = product * ratio
    return product


def _told(found: Finder) -> Mapping[str, Any]:
    """Describe the work in words."""
    cells = found.cells.cells
    kernels = len({cell.kernel.number for cell in cells})
    sizes = [1 + one.ends[1] - one.ends[0] for one in found.statistics]
    why = (
        f"the output is {_count(len(cells), 'independent part')}, {kernels} different, of "
        f"{_count(len(found.statistics), 'statistic')} with up to {large(max(sizes, default=1))} values; of "
        f"{_count(len(found.program.inputs), 'entry', 'entries')} {found.different} differ in what they do, and "
        f"{_count(found.pairs, 'pair')} of values are reached by changing {found.changing}"
    )
    why = "; ".join(filter(None, [why, found.told()]))
    return {"parts": len(cells), "different_parts": kernels, "statistics": len(found.statistics), "why": why}


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{large(number)} {one if number == 1 else several or one + 's'}"


_MOST = 1 << 14


def event_cases(program: Program) -> list[tuple[Any, Callable[[], list[int]]]]:
    """Return the probability of True for every value of the statistics, each with positions of an input that has it.

    Raises
    ------
    TooLarge
        There is more than one cell, or there are too many values.
    """
    try:
        return _of_sums(program, _cells(program, False))
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        pass
    joined = joined_entries(program)
    try:
        if joined is not None:
            return [
                (chance, lambda at=at: joined.positions(at()))  # type: ignore[misc]
                for chance, at in _of_sums(joined.program, _cells(joined.program, False))
            ]
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        pass
    (cell,) = _cells(program, True).cells
    cases: list[tuple[Any, Callable[[], list[int]]]] = []
    for values, positions in walked_values(program, cell):
        if len(cases) > _MOST:
            raise TooLarge("too many values of statistics are reachable.", value=len(cases)) from None
        cases.append((_chance(cell, values), positions))
    return cases


def _cells(program: Program, whole: bool) -> Cells:
    cells = cells_of(program, whole=whole)
    if cells is None or len(cells.cells) != 1:
        raise TooLarge("an event has one cell.", value=program)
    return cells


def _chance(cell: Cell, values: tuple[Any, ...]) -> Any:
    """Return the probability of True where the statistics have these values."""
    row = cell.kernel.row(values)
    masses = [weight for outcome, weight in zip(row.outcomes, row.weights, strict=True) if outcome == 1]
    return sum(masses[1:], masses[0]) if masses else Fraction(0)


def _of_sums(program: Program, cells: Cells) -> list[tuple[Any, Callable[[], list[int]]]]:
    """Return the same for statistics that are sums."""
    (cell,) = cells.cells
    kinds: dict[Any, list[int]] = {}
    for entry in sorted({entry for one in cell.statistics for entry in one.tables}):
        size = len(program.inputs[entry].values)
        tables = [one.tables.get(entry, (0,) * size) for one in cell.statistics]
        kinds.setdefault(tuple(zip(*tables, strict=True)), []).append(entry)
    choices = [list(dict.fromkeys(vectors)) for vectors in kinds]
    reach = Reach([(c, len(entries)) for c, entries in zip(choices, kinds.values(), strict=True)], len(cell.statistics))
    if reach.size > _MOST:
        raise TooLarge("too many values of statistics are reachable.", value=reach.size)
    cell.kernel.require_few(reach.size)

    places = [[vectors.index(one) for one in chosen] for vectors, chosen in zip(kinds, choices, strict=True)]

    def located(totals: tuple[int, ...]) -> Callable[[], list[int]]:
        def positions() -> list[int]:
            x = [0] * len(program.inputs)
            for entries, first, numbers in zip(kinds.values(), places, reach.choice(totals), strict=True):
                for entry, number in zip(entries, numbers, strict=True):
                    x[entry] = first[number]
            return x

        return positions

    cases = []
    for totals in reach.totals():
        values = tuple([one.value(total) for one, total in zip(cell.statistics, totals, strict=True)])
        cases.append((_chance(cell, values), located(totals)))
    return cases
