"""The kernel against plain enumeration of all assignments, on random diagrams, in every semiring."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taut.diagrams import ChosenValue, Diagrams, Kind, LevelArrays, Summed, WeightedDiagram, export_levels
from taut.diagrams.kernel import backward_many, forward_floats
from taut.diagrams.semirings import BALL, BOOLEAN, EXACT, FLOAT64, BitsetSemiring, FieldSemiring, Semiring

QUICK = settings(max_examples=36, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
FIELD = FieldSemiring(2**61 - 1)
SEMIRINGS: list[Semiring[Any]] = [EXACT, FLOAT64, BALL, FIELD, BOOLEAN, BitsetSemiring(3)]
every_semiring = pytest.mark.parametrize("semiring", SEMIRINGS, ids=lambda semiring: semiring.name)
Weights = list[Fraction]


@st.composite
def diagrams(draw: st.DrawFn) -> tuple[LevelArrays, list[bool], list[int]]:
    """A diagram with its truth table; levels of arity 2 to 4, of which the function need not look at all."""
    arities = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    rows = list(itertools.product(*map(range, arities)))
    read = draw(st.lists(st.booleans(), min_size=len(arities), max_size=len(arities)))
    seen = {tuple(value if looks else 0 for value, looks in zip(row, read, strict=True)): False for row in rows}
    for key in seen:
        seen[key] = draw(st.booleans())
    truth = [seen[tuple(value if looks else 0 for value, looks in zip(row, read, strict=True))] for row in rows]
    made = Diagrams(10_000)

    def build(level: int, table: Sequence[bool]) -> int:
        if level == len(arities):
            return made.true if table[0] else made.false
        part = len(table) // arities[level]
        parts = [build(level + 1, table[value * part : (value + 1) * part]) for value in range(arities[level])]
        return made.node(level, made.partitions.full(arities[level]), tuple(parts))

    kinds: list[tuple[Kind, int, int]] = [("coin", number, arity) for number, arity in enumerate(arities)]
    return export_levels(made, build(0, truth), kinds), truth, arities


@st.composite
def wide(draw: st.DrawFn) -> tuple[LevelArrays, list[bool], list[int], list[Weights | int]]:
    """One level of many values, few runs of which are told apart, above one of two values."""
    arity = draw(st.integers(33, 90))
    cuts = draw(st.lists(st.integers(1, arity - 1), max_size=4, unique=True).map(sorted))
    ends = [*cuts, arity]
    rows = [draw(st.tuples(st.booleans(), st.booleans())) for _ in ends]
    made = Diagrams(1000)
    below = [made.node(1, made.partitions.full(2), (made.leaf(low), made.leaf(high))) for low, high in rows]
    root = made.node(0, *made.partitions.of_runs(zip(ends, below, strict=True)))
    truth = [value for start, end, row in zip([0, *cuts], ends, rows, strict=True) for value in row * (end - start)]
    small = st.fractions(min_value=0, max_value=2, max_denominator=7)
    many = draw(st.one_of(st.lists(small, min_size=arity, max_size=arity), st.integers(0, arity - 1)))
    two = draw(st.one_of(st.lists(small, min_size=2, max_size=2), st.integers(0, 1)))
    return export_levels(made, root, [("coin", 0, arity), ("coin", 1, 2)]), truth, [arity, 2], [many, two]


@st.composite
def weighted(draw: st.DrawFn) -> tuple[LevelArrays, list[bool], list[int], list[Weights | int]]:
    """A diagram, and for each level weights (which need not sum to one, and may all be 0) or a chosen value."""
    arrays, truth, arities = draw(diagrams())
    small = st.fractions(min_value=0, max_value=2, max_denominator=7)
    choices: list[Weights | int] = [
        draw(st.one_of(st.lists(small, min_size=arity, max_size=arity), st.integers(0, arity - 1))) for arity in arities
    ]
    return arrays, truth, arities, choices


def enumerated(truth: list[bool], arities: list[int], choices: list[Weights | int]) -> Fraction:
    """The sum over all assignments that agree with the choices and are true, of the product of their weights."""
    total = Fraction(0)
    for row, true in zip(itertools.product(*map(range, arities)), truth, strict=True):
        if true:
            total += math.prod(
                [
                    Fraction(value == choice) if isinstance(choice, int) else choice[value]
                    for value, choice in zip(row, choices, strict=True)
                ]
            )
    return total


def converted(choices: list[Weights | int], semiring: Semiring[Any]) -> list[Any]:
    return [choice if isinstance(choice, int) else semiring.row(choice) for choice in choices]


def stands_for(semiring: Semiring[Any], result: Any, value: Fraction) -> bool:
    """Return True if a number of the semiring, as it is shown, is the image of the rational."""
    if semiring is FLOAT64:
        return math.isclose(result, value, rel_tol=1e-12)
    if semiring is BALL:
        return bool(result.contains(value)) and result.radius < Fraction(1, 10**60)
    if semiring is FIELD:
        return bool(result == FIELD.residue(value))
    if isinstance(semiring, BitsetSemiring):
        return bool(result == (semiring.one if value else semiring.zero))
    return bool(result == value)


@every_semiring
@QUICK
@given(case=st.one_of(weighted(), wide()))
def test_backward_is_the_sum_over_all_paths(semiring: Semiring[Any], case: Any) -> None:
    arrays, truth, arities, choices = case
    diagram = WeightedDiagram(arrays, converted(choices, semiring), semiring)
    assert stands_for(semiring, diagram.value, enumerated(truth, arities, choices))


@every_semiring
@QUICK
@given(case=st.one_of(weighted(), wide()))
def test_forward_times_backward_is_the_same_at_every_cut(semiring: Semiring[Any], case: Any) -> None:
    arrays, truth, arities, choices = case
    diagram = WeightedDiagram(arrays, converted(choices, semiring), semiring)
    values, belief = diagram.backward(), diagram.start
    for cut in range(len(arities) + 1):
        diagram.forward(belief, max(0, cut - 1), cut)
        assert all(diagram.depth[node] >= cut for node in belief)
        mass = semiring.zero
        for node, amount in belief.items():
            mass = semiring.add(mass, semiring.mul(amount, values[node]))
        assert stands_for(semiring, semiring.value(mass, diagram.skipped.scale), enumerated(truth, arities, choices))


@every_semiring
@QUICK
@given(case=st.one_of(weighted(), wide()))
def test_steps_from_cut_to_cut_end_with_the_same_mass(semiring: Semiring[Any], case: Any) -> None:
    arrays, truth, arities, choices = case
    belief = {} if arrays.root == arrays.false else {arrays.root: semiring.one}
    scale = semiring.one
    for level, choice in enumerate(converted(choices, semiring)):
        if isinstance(choice, int):
            belief = ChosenValue(arrays, choice, semiring).step(level, belief)
        else:
            scale = semiring.mul(scale, choice.scale)
            belief = Summed(arrays, choice, semiring).step(level, belief)
    assert set(belief) <= {arrays.true}
    mass = semiring.value(belief.get(arrays.true, semiring.zero), scale)
    assert stands_for(semiring, mass, enumerated(truth, arities, choices))


@QUICK
@given(case=st.one_of(weighted(), wide()), data=st.data())
def test_many_questions_at_once(case: Any, data: st.DataObject) -> None:
    """Levels at which a value is chosen: each question chooses its own."""
    arrays, truth, arities, choices = case
    questions = data.draw(st.integers(1, 3))
    chosen = {
        level: data.draw(st.lists(st.integers(0, arities[level] - 1), min_size=questions, max_size=questions))
        for level, choice in enumerate(choices)
        if isinstance(choice, int)
    }
    rows = [
        np.array(chosen[level]) if level in chosen else row for level, row in enumerate(converted(choices, FLOAT64))
    ]
    results = backward_many(arrays, rows, questions)
    for question, result in enumerate(results.tolist()):
        own = [chosen[level][question] if level in chosen else choice for level, choice in enumerate(choices)]
        assert math.isclose(result, enumerated(truth, arities, own), rel_tol=1e-12)


@QUICK
@given(case=st.one_of(weighted(), wide()))
def test_floats_pushed_down_by_numpy_are_those_pushed_node_by_node(case: Any) -> None:
    arrays, _, arities, choices = case
    sums = [choice if isinstance(choice, int) else sum(choice) for choice in choices]
    normal = [
        choice
        if isinstance(choice, int)
        else ([weight / total for weight in choice] if total else [Fraction(1, len(choice))] * len(choice))
        for choice, total in zip(choices, sums, strict=True)
    ]
    diagram = WeightedDiagram(arrays, converted(normal, FLOAT64), FLOAT64)
    assert not diagram.skipped.cost
    for stop in range(len(arities) + 1):
        belief = diagram.start
        diagram.forward(belief, 0, stop)
        expected = {node: mass for node, mass in belief.items() if mass}
        assert forward_floats(diagram, stop) == pytest.approx(expected, rel=1e-12)
