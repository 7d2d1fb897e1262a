"""Relations and distributions whose masses do not sum to 1 are faults, and sums of balls are those of the terms."""

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.synthesis.symmetry.small import SMALL

from taut import Ball, InternalFault, bits, exp, flip, ints, mechanism, observe, uniform
from taut.diagrams.compile import compile_program
from taut.diagrams.compile.totals import require_at_most_one_output, require_defined_outputs, require_one_output
from taut.inference.channel import Channel
from taut.inference.elimination import planned_elimination
from taut.inference.fold import require_total
from taut.program import UNDEFINED, CoinVariable, Program, Terms, enumerate_outcomes
from taut.support.options import Options


@mechanism
def chosen(x: Any, powers: Any, shape: Any) -> Any:
    """A probability computed from balls that inputs and a coin choose, by sums in several orders."""
    p = exp(powers[0]) if x[0] else exp(powers[1])
    q = exp(powers[2]) if flip("1/3") else Fraction(1, 7)
    if shape == 0:
        return flip(1 - p)
    if shape == 1:
        return flip((1 - p) / 2 + q / 3)
    if shape == 2:
        return flip(1 - p / 2 - q / 3 - exp(powers[2]) / 7)
    if shape == 3:
        return flip(1 - (p + q + Fraction(1, 5)) / 4 - -p / 4)
    return flip(max(p, q, Fraction(1, 9))) + flip(min(1 - p, abs(q - 1), 1 - q / 2))


@pytest.mark.parametrize("shape", range(5))
def test_sums_of_balls_are_those_of_the_terms(shape: int) -> None:
    source = random.Random(shape)
    for _ in range(4):
        powers = [Fraction(-source.randint(1, 40), source.randint(1, 9)) for _ in range(3)]
        model = chosen(bits(1), powers, shape)
        table = model.inference((x, y) for x in bits(1) for y in enumerate_outcomes(model.program, x))
        for x in bits(1):
            for y, mass in enumerate_outcomes(model.program, x).items():
                assert table[x, y].arb.overlaps(mass.arb) and table[x, y].radius < 10**-60
        distances = [
            abs(table[(0,), y] - table[(1,), y]) for y in {y for x, y in table if x == (0,)} & {y for _, y in table}
        ]
        delta = model.delta(ratio=1).delta
        assert (delta - sum(distances) / 2 if isinstance(delta, Ball) else Ball(delta)).contains(0)


def test_the_negative_of_a_ball_is_as_narrow() -> None:
    ball = exp(-1)
    negative = -ball
    assert -negative == ball and abs(negative) == ball and abs(ball) == ball and 1 - ball == 1 + negative


@pytest.mark.parametrize("name", [name for name in SMALL if name != "told_lies"])
def test_an_edge_that_leads_elsewhere_is_a_fault(name: str) -> None:
    """Edges of right relations are led to TRUE, FALSE or another node: what is then not a function is found out."""
    relation, source = SMALL[name].relation, random.Random(name)
    arrays = relation.arrays
    require_one_output(name, arrays, relation.coins)
    require_at_most_one_output(name, arrays)
    for _ in range(10 if len(arrays.child) else 0):
        edge, child = source.randrange(len(arrays.child)), arrays.child.copy()
        child[edge] = arrays.false if child[edge] != arrays.false else arrays.true
        broken = replace(arrays, child=child)
        with pytest.raises(InternalFault, match="sum to 1"):
            require_one_output(name, broken, relation.coins)


def test_relations_with_wide_levels_are_checked_as_well() -> None:
    """The fold is made level by level if levels have many nodes."""
    model = mechanism(_total)(bits(1))
    arrays = model.relation.arrays
    assert len(arrays.child) > 24 * len(arrays.levels)
    require_one_output("total", arrays, model.relation.coins)
    for edge in np.random.default_rng(1).integers(0, len(arrays.child), 20).tolist():
        child = arrays.child.copy()
        child[edge] = arrays.false if child[edge] != arrays.false else arrays.true
        with pytest.raises(InternalFault):
            require_one_output("total", replace(arrays, child=child), model.relation.coins)


def _total(x: Any) -> Any:
    total = x[0]
    for _ in range(12):
        total += uniform(0, 5)
    return total


def program_of(numbers: list[Fraction], *, evidence: bool, reachable: bool) -> Program:
    """Select an item by a coin whose last outcome has none; evidence may rule that outcome out."""
    terms = Terms()
    coin = CoinVariable("c", tuple(range(len(numbers))), tuple(numbers), 0)
    draw = terms.coin(0, coin.outcomes)
    last = len(numbers) - 1
    output = terms.select(draw, list(range(last)), [terms.const(place % 2) for place in range(last)])
    held = terms.apply("lt", draw, terms.const(last + reachable)) if evidence else terms.true
    return Program("selected", (), (), (coin,), output, held, terms)


@pytest.mark.parametrize("evidence", [False, True])
def test_an_output_without_a_value_is_a_fault(evidence: bool) -> None:
    program = program_of([Fraction(1, 3)] * 3, evidence=evidence, reachable=True)
    with pytest.raises(InternalFault):
        compile_program(replace(program, evidence=_observed(program)) if evidence else program, Options())
    plan = planned_elimination(program, 1000)
    if plan is not None:
        with pytest.raises(InternalFault):
            plan.masses()


def _observed(program: Program) -> Any:
    """Evidence that is no constant and does not rule the last outcome out."""
    terms = program.terms
    return terms.apply("ge", terms.coin(0, program.coins[0].outcomes), terms.const(1))


def test_an_output_without_a_value_may_be_impossible_or_ruled_out() -> None:
    ruled_out = compile_program(program_of([Fraction(1, 3)] * 3, evidence=True, reachable=False), Options())
    channel = Channel(ruled_out, (), conditioned=True)
    assert channel.distribution(()) == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    impossible = [Fraction(1, 2), Fraction(1, 2), Fraction(0)]
    certain = compile_program(program_of(impossible, evidence=False, reachable=True), Options())
    assert Channel(certain, ()).distribution(()) == {0: Fraction(1, 2), 1: Fraction(1, 2)}


def test_two_outputs_at_once_are_a_fault_also_with_evidence() -> None:
    relation = SMALL["told_lies"].relation
    arrays = relation.arrays
    require_at_most_one_output("told_lies", arrays)
    (level, *_) = [level for level in arrays.levels if level.kind == "output"]
    child = arrays.child.copy()
    edges = slice(arrays.first[level.start], arrays.first[level.start + 1])
    child[edges] = np.where(child[edges] == arrays.false, child[edges].min(), child[edges])
    with pytest.raises(InternalFault, match="more than"):
        require_at_most_one_output("told_lies", replace(arrays, child=child))


def test_undefined_positions_that_can_occur_are_told() -> None:
    relation = SMALL["rr"].relation
    require_defined_outputs("rr", relation.arrays, relation.coins, {})
    with pytest.raises(InternalFault):
        require_defined_outputs("rr", relation.arrays, relation.coins, {1: 0})


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_masses_must_sum_to_one(count: int) -> None:
    source = random.Random(count)
    weights = [source.randint(1, 10**6) for _ in range(count)]
    masses = [Fraction(weight, sum(weights)) for weight in weights]
    balls = [Ball(mass) * exp(1) / exp(1) for mass in masses]
    less = [*masses[:-1], masses[-1] * Fraction(9, 10)]
    require_total("m", masses)
    require_total("m", balls)
    require_total("m", less, conditioned=True)
    require_total("m", [Fraction(1, (1 << 61) - 1), 1 - Fraction(1, (1 << 61) - 1)])
    for wrong in (less, [*balls[:-1], balls[-1] * Fraction(9, 10)], []):
        with pytest.raises(InternalFault, match="sum to 1"):
            require_total("m", wrong)
    with pytest.raises(InternalFault):
        require_total("m", [*masses, Fraction(1, 10**9)], conditioned=True)


def test_evidence_may_leave_out_what_has_no_value() -> None:
    @mechanism
    def divided(x: Any) -> Any:
        by = uniform(0, 3)
        observe(by > 0)
        return (6 + x[0]) // by

    model = divided(ints(1, 0, 2))
    for x in model.domain:
        assert model.distribution(x) == enumerate_outcomes(model.program, x)
    assert model.privacy(method="exhaustive").max_ratio == model.privacy(method="restricted").max_ratio
    assert all(value is not UNDEFINED for output in model.relation.outputs for value in output.values)
