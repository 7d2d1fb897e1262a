"""Distributions by tables: what the enumerator and the diagrams give, with ==, however a program is divided."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.diagrams.compile.test_decisions import network
from tests.languages.dice.direct import run_directly
from tests.oracle.test_random_terms import QUICK, outcomes, random_programs

import taut
from taut import bits, dice, flip, mechanism, options
from taut.inference.elimination import masses, planned_elimination
from taut.inference.elimination import network as dividing
from taut.program import CoinVariable, Program, Terms

DIVIDED = {
    "as it is": {"_FREE": 10**6},
    "finely": {"_FREE": 10**6, "_SMALL": 0, "_LARGE": 1, "_ROWS": 0},
    "flatly": {"_FREE": 10**6, "_DEEPEST": 0, "_SMALL": 10**9},
    "coarsely": {"_FREE": 10**6, "_DEEPEST": 10**9, "_SMALL": 10**9},
}


def tabulated(program: Program) -> tuple[dict[Any, Fraction] | None, Fraction]:
    """The distribution by tables, None where the evidence is impossible, and the probability of the evidence."""
    plan = planned_elimination(program, 10**6)
    assert plan is not None
    found = plan.masses()
    evidence = sum(found.values(), start=Fraction(0))
    return {y: mass / evidence for y, mass in found.items()} or None, evidence


@settings(parent=QUICK, max_examples=120)
@given(program=random_programs(), divided=st.sampled_from(sorted(DIVIDED)))
def test_tabulated_is_enumerated(program: Program, divided: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in DIVIDED[divided].items():
            patch.setattr(dividing, name, value)
        for x in program.domains[0]:
            fixed = program.fix(x)
            assume(planned_elimination(fixed, 10**6) is not None)  # divided in an odd way, tables may be too large
            assert tabulated(fixed)[0] == outcomes(program, x), f"at x={x!r}"


@settings(max_examples=36, deadline=None)
@given(seed=st.integers(0, 10**6), divided=st.sampled_from(sorted(DIVIDED)))
def test_networks_are_what_running_gives(seed: int, divided: str) -> None:
    text = network(seed, 4)
    truth, evidence = run_directly(text)
    if evidence:
        model = dice(text + "\n")
        with pytest.MonkeyPatch.context() as patch:
            for name, value in DIVIDED[divided].items():
                patch.setattr(dividing, name, value)
            found, observed = tabulated(model.program)
        assert found is not None
        assert {model.text(value): weight for value, weight in found.items()} == truth
        assert observed == evidence


@pytest.mark.parametrize("seed", range(16))
def test_tables_and_diagrams_agree_on_larger_networks(seed: int) -> None:
    text = network(seed, 14) + "\n"
    with options(order="program"):
        by_diagram = dice(text).joint()
    assert dice(text).joint() == by_diagram
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masses, "_FREE", 0)
        patch.setattr(masses, "_EACH", 0)
        assert dice(text).joint() == by_diagram


def test_where_the_diagram_is_larger_the_tables_answer() -> None:
    text = network(3, 14) + "\n"
    expected = dice(text).joint()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masses, "_FREE", 0)
        patch.setattr(masses, "_EACH", 0)
        patch.setattr(masses, "_ENTRIES_PER_NODE", 10**4)  # so that no diagram may have more than a few nodes
        assert dice(text).joint() == expected


def test_what_diagrams_refuse_is_tabulated_at_whatever_cost() -> None:
    text = network(3, 14) + "\n"
    expected = dice(text).joint()
    with pytest.MonkeyPatch.context() as patch, options(max_nodes=20):
        patch.setattr(dividing, "_FREE", 0)
        patch.setattr(dividing, "_EACH", 0)
        patch.setattr(masses, "_ENTRIES_PER_NODE", 1)
        with pytest.raises(taut.DiagramTooLarge, match="max_nodes=20 "):
            dice(text).joint()
        patch.setattr(masses, "_ENTRIES_PER_NODE", 10**4)
        assert dice(text).joint() == expected


def chain(n: int) -> str:
    step = "let c = if flip 1/3 then (a && flip 1/5) else b in let b = (a ^ flip 2/7) in let a = c in"
    return "\n".join(["let a = flip 1/2 in let b = flip 2/5 in", *[step] * n, "(a, b)", ""])


def test_a_chain_takes_tables_in_proportion_to_its_length() -> None:
    plans = [planned_elimination(dice(chain(n)).program, 10**6) for n in (50, 100, 200)]
    first, second, third = [plan.entries for plan in plans if plan is not None]
    assert third - second == 2 * (second - first)


def test_fractions_do_not_grow_along_a_chain() -> None:
    """Each value is looked at once; after some steps it is a variable, whose table has numbers of those steps only."""
    steps = "".join(f"let x = if x then flip {n % 89 + 1}/97 else flip {n % 83 + 2}/101 in\n" for n in range(400))
    model = dice(f"let x = flip 1/2 in\n{steps}x\n")
    plan = planned_elimination(model.program, 10**6)
    assert plan is not None
    assert max(entry.bit_length() for table in plan.network.tables for entry in table.entries) < 1000
    with options(order="program"):
        assert model.distribution() == plan.masses()


def test_all_that_is_counted_is_all_that_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    product, summed_product = masses.product, masses.summed_product

    def counted_product(*given: Any) -> Any:
        table = product(*given)
        made.append(len(table.entries))
        return table

    def counted_sum(tables: Any, variable: int, scope: Any, sizes: Any) -> Any:
        table, common = summed_product(tables, variable, scope, sizes)
        made.append(len(table.entries) * sizes[variable])
        return table, common

    monkeypatch.setattr(masses, "product", counted_product)
    monkeypatch.setattr(masses, "summed_product", counted_sum)
    plan = planned_elimination(dice(network(7, 14) + "\n").program, 10**6)
    assert plan is not None and plan.masses()
    assert sum(made) == plan.entries


def test_the_rows_of_a_table_need_no_variable_each() -> None:
    rows = "discrete(0.5, 0.5)"
    for value in range(7):
        rows = f"if x == int(3, {value}) then discrete(0.{value + 1}, 0.{9 - value}) else {rows}"
    model = dice(f"let x = uniform(3, 0, 8) in let y = {rows} in y\n")
    assert len(model.program.coins) == 9
    plan = planned_elimination(model.program, 10**6)
    assert plan is not None
    assert sorted(len(values) for values in plan.network.values) == [2, 8]


def test_many_arguments_are_taken_two_by_two() -> None:
    flips = "".join(f"let b{n} = flip 1/{n + 2} in " for n in range(30))
    some = " || ".join(f"b{n}" for n in range(30))
    model = dice(f"{flips} let some = {some} in (some, (b3, b7))\n")
    plan = planned_elimination(model.program, 10**4)
    assert plan is not None
    none = Fraction(1, 31)  # the product of (n + 1) / (n + 2)
    found = plan.masses()
    assert found == model.distribution() and found[False, False, False] == none
    assert found[True, True, True] == Fraction(1, 5 * 9)


def test_constants_that_are_asked_for_are_constants_where_they_are_used() -> None:
    model = dice(
        "let x = uniform(2, 0, 4) in let y = x == int(2, 1) in let z = x == int(2, 1) in (int(2, 1), (y, z))\n"
    )
    plan = planned_elimination(model.program, 10**4)
    assert plan is not None
    assert sorted(table.scope for table in plan.network.tables) == [(0,), (1,)]  # the constant, and whether x is it
    assert plan.masses() == {(1, False, False): Fraction(3, 4), (1, True, True): Fraction(1, 4)}
    make = Terms()
    half, third = make.const(Fraction(1, 2)), make.const(Fraction(1, 3))
    coin = make.coin(0, (0, 1))
    output = make.tuple([half, third, make.apply("add", half, third, coin), coin])
    program = Program(
        "p", (), (), (CoinVariable("c", (0, 1), (Fraction(1, 3), Fraction(2, 3)), 0),), output, make.true, make
    )
    for divided in DIVIDED.values():
        with pytest.MonkeyPatch.context() as patch:
            for name, value in divided.items():
                patch.setattr(dividing, name, value)
            assert tabulated(program)[0] == outcomes(program, ())


def test_what_is_never_looked_at_again_is_one_distribution() -> None:
    text = "fun f(x: int(4)) { x + discrete(0.5, 0.25, 0.25, 0, 0, 0, 0, 0, 0) }\niterate(f, int(4, 0), 60)\n"
    plan = planned_elimination(dice(text).program, 10**4)
    assert plan is not None and len(plan.network.values) == 1
    with options(order="program"):
        assert dice(text).distribution() == plan.masses()


def test_what_tables_are_not_for_is_left_to_diagrams() -> None:
    @mechanism
    def noisy(x: Any, lam: Any) -> Any:
        return [bit ^ flip(lam) for bit in x]

    with_inputs = noisy(bits(2), lam="1/5").program
    irrational = noisy(bits(2), lam=taut.exp(-1)).fix((0, 1)).program
    many_outputs = noisy(bits(30), lam="1/5").fix((0,) * 30).program
    assert [planned_elimination(program, 10**6) for program in (with_inputs, irrational, many_outputs)] == [None] * 3
    assert noisy(bits(30), lam="1/5").fix((0,) * 30).probability((), (1,) * 30) == Fraction(1, 5**30)


def test_planning_does_not_take_longer_the_larger_the_limit() -> None:
    """The sums so far of 60 draws of 64 values have thousands of values, and tables of pairs of these are too many."""
    make = Terms()
    coins, total, seen = [], make.const(0), make.true
    for number in range(60):
        coins.append(CoinVariable(f"c{number}", tuple(range(64)), (Fraction(1, 64),) * 64, number))
        total = make.apply("add", total, make.coin(number, range(64)))
        seen = make.all(seen, make.apply("ne", total, make.const(number)))
    program = Program("sum", (), (), tuple(coins), total, seen, make)
    assert planned_elimination(program, 10**12) is None


def test_impossible_evidence_has_no_masses() -> None:
    make = Terms()
    coin = make.coin(0, (0, 1))
    seen = make.all(
        make.apply("eq", coin, make.const(0)), make.apply("eq", make.apply("mod", coin, make.const(2)), make.const(1))
    )
    program = Program("p", (), (), (CoinVariable("c", (0, 1), (Fraction(1, 3), Fraction(2, 3)), 0),), coin, seen, make)
    assert tabulated(program) == (None, 0)


def test_long_nested_conditions_are_no_recursion() -> None:
    text = "discrete(0.5, 0.5)"
    for value in range(255):
        text = f"if x == int(8, {value}) then discrete(1/{value + 2}, {value + 1}/{value + 2}) else {text}"
    found = dice(f"let x = uniform(8, 0, 256) in {text}\n").joint().distribution[0]
    assert found == (sum(Fraction(1, value + 2) for value in range(255)) + Fraction(1, 2)) / 256
    deep = "flip 1/2"
    for _ in range(3000):
        deep = f"(! ({deep}))"
    assert dice(f"let x = {deep} in x || flip 1/2\n").joint().distribution[True] == Fraction(3, 4)
