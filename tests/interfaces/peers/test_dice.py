"""Exported Dice programs mean what the mechanism means; the reader here types and runs them as Dice does."""

import os
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.corpus.case import Case
from tests.interfaces.peers.reader import distribution
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.oracle.test_corpus import CASES

import taut
from taut import ImpossibleEvidence, bits, discrete, flip, integer, ints, mechanism, observe, uniform
from taut.interfaces.peers.dice import dice_program
from taut.mechanisms import CATALOG, above_threshold, randomized_response
from taut.model.dice import dice
from taut.program import Coin, Program, enumerate_outcomes
from taut.program.program import reachable

EXAMPLES = int(os.environ.get("TAUT_EXAMPLES", "90")) // 5
MOST_RUNS = 3000


def can_be_read(program: Program) -> bool:
    """Return True if a program is small enough for the recursive reader of these tests, which lists all runs."""
    return runs(program) <= MOST_RUNS and len(dice_program(program).types) <= 100


def read_back(program: Program) -> dict[Any, Fraction]:
    exported = dice_program(program)
    found: dict[Any, Fraction] = {}
    for row, share in distribution(exported.text).items():
        y = exported.decode(row)
        found[y] = found.get(y, Fraction(0)) + share
    return found


def front_end(program: Program) -> dict[Any, Fraction]:
    """The same by way of the Dice front end."""
    exported = dice_program(program)
    found: dict[Any, Fraction] = {}
    for value, share in dice(exported.text).distribution().items():
        y = exported.decode(flat(value))
        found[y] = found.get(y, Fraction(0)) + share
    return found


def flat(value: Any) -> list[Any]:
    return [part for item in value for part in flat(item)] if isinstance(value, tuple) else [value]


def runs(program: Program) -> int:
    """Return an upper bound of the runs that the reader would make."""
    looked_at = {term.index for term in reachable([program.output, program.evidence]) if isinstance(term, Coin)}
    return prod(len(program.coins[index].outcomes) for index in looked_at)


def first_and_last(case: Case) -> list[Any]:
    inputs = [x for x, _ in case.inputs()]
    return [inputs[0], inputs[-1]] if len(inputs) > 1 else inputs


@pytest.mark.parametrize("name", CATALOG)
def test_every_shipped_mechanism_reads_back(name: str) -> None:
    model = CATALOG[name].model(2)
    inputs = list(model.domain)
    if runs(model.program.fix(inputs[0])) > 1 << 14:
        model = CATALOG[name].model(1)
        inputs = list(model.domain)
    for x in (inputs[0], inputs[len(inputs) // 2], inputs[-1]):
        assert read_back(model.program.fix(x)) == model.distribution(x)
        assert front_end(model.program.fix(x)) == model.distribution(x)
    exported = dice_program(model.program)
    assert {exported.decode(row): p for row, p in distribution(exported.text).items()} == model.distribution(inputs[0])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_mechanism_of_the_corpus_reads_back(case: Case) -> None:
    model = case.model()
    dice_program(model.program)
    for x in first_and_last(case):
        program = model.program.fix(x)
        exported = dice_program(program)
        assert all(len(line) < 2000 for line in exported.text.splitlines())
        assert front_end(program) == model.distribution(x)
        if can_be_read(program):
            assert read_back(program) == model.distribution(x)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(program=programs(without=frozenset({"grow"})))
def test_random_programs_read_back(program: GeneratedProgram) -> None:
    with loaded(program) as case:
        model = case.mechanism(**case.databases, **case.parameters)
        dice_program(model.program)
        for x in first_and_last(case):
            fixed = model.program.fix(x)
            try:
                truth = enumerate_outcomes(fixed, ())
            except ImpossibleEvidence:
                continue
            assert front_end(fixed) == truth, f"at {x!r}\n{dice_program(fixed).text}\n{program!r}"
            if can_be_read(fixed):
                assert read_back(fixed) == truth, f"at {x!r}\n{dice_program(fixed).text}\n{program!r}"


def test_randomized_response_for_one_input() -> None:
    model = randomized_response(bits(3), lam="1/5")
    assert dice_program(model.program.fix((1, 0, 1)), "three clients").text == (
        "// three clients\nlet c0 = flip 1/5 in\nlet c1 = flip 1/5 in\nlet c2 = flip 1/5 in\n((!c0), (c1, (!c2)))\n"
    )


@pytest.mark.parametrize("n", [2, 4, 30])
def test_above_threshold_has_two_lines_an_entry(n: int) -> None:
    model = above_threshold(ints(n, 0, 3), threshold=2, ratio="1/2", high=3)
    assert len(dice_program(model.program.fix((1,) * n)).text.splitlines()) == 2 * n + 3


def test_small_masses_are_written_as_flips() -> None:
    """Dice drops what a discrete has below 1e-4; a chain of flips has no such branch."""
    weights = {0: Fraction(99991, 100000), 1: Fraction(3, 100000), 2: Fraction(3, 100000), 3: Fraction(3, 100000)}
    model = mechanism(lambda x: x[0] + discrete(weights))(bits(1))
    text = dice_program(model.program.fix((0,))).text
    assert "discrete" not in text and "99991/100000" in text
    assert read_back(model.program.fix((1,))) == {value + 1: weight for value, weight in weights.items()}


def test_numbers_below_zero_are_explained() -> None:
    model = mechanism(lambda x: uniform(-3, 2) - x)(integer(0, 3))
    exported = dice_program(model.program.fix(3))
    assert "stands for -1" in exported.text
    assert "-" not in "".join(line for line in exported.text.splitlines() if not line.startswith("//")).replace(
        " - ", ""
    )
    assert read_back(model.program.fix(3)) == model.distribution(3)


def test_values_that_dice_has_not_are_numbered() -> None:
    @mechanism
    def talk(x: Any) -> Any:
        if flip("1/3"):
            return "a\nb"
        return None if x[0] else [x[0], "é"]

    model = talk(bits(1))
    for x in ((0,), (1,)):
        exported = dice_program(model.program.fix(x))
        assert exported.text.isascii()
        assert read_back(model.program.fix(x)) == model.distribution(x)


def test_evidence_is_observed() -> None:
    @mechanism
    def conditioned(x: Any) -> Any:
        a, b = flip("1/3"), flip("1/4")
        observe(a or b)
        return a ^ x[0]

    model = conditioned(bits(1))
    assert "observe" in dice_program(model.program.fix((0,))).text
    assert read_back(model.program.fix((1,))) == model.distribution((1,))


def test_keywords_are_no_names() -> None:
    @mechanism
    def discrete(x: Any) -> Any:
        return x[0] ^ flip("1/3")

    assert "fun mechanism_discrete(" in dice_program(discrete(bits(1)).program).text
    assert "fun lambda(" in dice_program(mechanism(lambda x: flip("1/3"))(bits(1)).program).text


def test_weights_with_exp_are_decimals_and_say_so() -> None:
    model = above_threshold(ints(1, 0, 1), threshold=1, ratio=taut.exp("-5"), high=1)
    assert "40 digits" in dice_program(model.program.fix((0,))).text
    truth = model.distribution((0,))
    assert all(abs(p - truth[y].mid) < Fraction(1, 10**39) for y, p in read_back(model.program.fix((0,))).items())


def test_what_is_possible_stays_possible_however_rare() -> None:
    model = mechanism(lambda x: taut.discrete_gaussian(x, "1/2", 0, 12))(taut.integer(0, 1))
    truth = model.distribution(0)
    assert truth[12].upper < Fraction(1, 10**50)
    found = read_back(model.program.fix(0))
    assert found.keys() == truth.keys() and sum(found.values()) == 1
    assert all(abs(found[y] / p.mid - 1) < Fraction(1, 10**38) for y, p in truth.items())
    assert "written with 40 digits" in dice_program(model.program.fix(0)).text


def test_long_programs_are_written_without_recursion() -> None:
    n = 1000
    text = dice_program(mechanism(lambda x: sum(b ^ flip("1/3") for b in x))(bits(n)).program.fix((0,) * n)).text
    assert text.count("flip") == n
    assert max(map(len, text.splitlines())) < 200


def test_numbers_and_truths_that_are_equal_are_told_apart() -> None:
    @mechanism
    def told(x: Any) -> Any:
        a = 0 if flip("1/3") else False
        b = False if flip("1/5") else 0
        return f"{min(a, b)} {min(b, a)} {x[0] or a}"

    model = told(bits(1))
    for x in ((0,), (1,)):
        truth = enumerate_outcomes(model.program, x)
        assert len(truth) > 2
        assert read_back(model.program.fix(x)) == front_end(model.program.fix(x)) == truth


def test_a_coin_that_is_returned_and_selected_is_one_coin() -> None:
    @mechanism
    def shared(x: Any) -> Any:
        a = flip("1/5")
        return a, [0, a][x[0]], [2, 3][[a, 1][x[0]]]

    model = shared(bits(1))
    exported = dice_program(model.program)
    assert {exported.decode(row): p for row, p in distribution(exported.text).items()} == model.distribution((0,))
    assert read_back(model.program.fix((1,))) == model.distribution((1,))


@pytest.mark.parametrize("k", [3, 5])
def test_sets_are_not_written_out_member_by_member(k: int) -> None:
    """Membership in several sets becomes cases over the entry, not over all combinations of memberships."""
    program = CATALOG["subset_selection"].model(1, k=k).program
    assert len(dice_program(program).text) < 700 * k
    for x in program.domains[0]:
        assert read_back(program.fix(x)) == front_end(program.fix(x)) == enumerate_outcomes(program, x)


def test_exported_functions_mean_the_mechanism_on_every_input() -> None:
    """The function with its inputs left free, called on each of them."""
    model = CATALOG["subset_selection"].model(1, k=4)
    program = dice_program(model.program)
    *function, _ = program.text.rstrip().splitlines()
    for value in range(4):
        called = "\n".join([*function, f"subset_selection(int(2,{value}))"])
        found = dice(called + "\n").distribution()
        assert {program.decode(flat(row)): weight for row, weight in found.items()} == model.distribution((value,))
