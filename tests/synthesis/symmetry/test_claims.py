"""Claims are decided as by brute force; what is refuted has a counterexample, what cannot be decided says so."""

import itertools
from typing import Any

import pytest
from tests.synthesis.symmetry.small import SMALL, every_small, holds, truth

from taut import InvalidSymmetry, bits, exp, flip, mechanism, observe
from taut.support.exact import Ball
from taut.synthesis.symmetry import Permutation


def test_a_different_client_stands_alone() -> None:
    classes = [sorted(one.inputs) for one in SMALL["planted"].symmetries().classes]
    assert classes == [[0, 1, 3], [2]]
    check = SMALL["planted"].check_symmetry(entries={1: 2, 2: 1}, outputs={1: 2, 2: 1})
    assert not check and check.counterexample is not None
    case = check.counterexample
    assert SMALL["planted"].probability(case.x, case.y) == case.probability != case.probability_moved
    assert SMALL["planted"].probability(case.x_moved, case.y_moved) == case.probability_moved
    with pytest.raises(InvalidSymmetry, match="not a symmetry"):
        check.demand()


@every_small
def test_every_exchange_is_decided_as_by_brute_force(name: str) -> None:
    model = SMALL[name]
    table = truth(model)
    inputs = model.relation.inputs
    for i, j in itertools.combinations(range(len(inputs)), 2):
        if inputs[i].values == inputs[j].values:
            check = model.check_symmetry(entries={i: j, j: i})
            wanted = Permutation(
                {
                    ("input", i): (("input", j), tuple(range(len(inputs[i].values)))),
                    ("input", j): (("input", i), tuple(range(len(inputs[i].values)))),
                }
            )
            assert bool(check) == holds(model, wanted, table)
            if check:
                assert check.exact and str(check)
                check.demand()
            elif name != "told_lies":
                assert check.counterexample is not None and check.exact
                assert check.counterexample.probability != check.counterexample.probability_moved


# -- weights with exp are balls ----------------------------------------------------------------------------------


@mechanism
def equal_numbers(x: Any) -> Any:
    """Both answers lie with probability exp(-3), told in two ways; a third client, if any, lies with exp(-4)."""
    answers = [x[0] ^ (flip(exp("-1")) and flip(exp("-2"))), x[1] ^ flip(exp("-3"))]
    return answers + [bit ^ flip(exp("-4")) for bit in x[2:]]


@mechanism
def seen_equal_numbers(x: Any) -> Any:
    """The same, of which we know that not both lied."""
    first, second = flip(exp("-1")) and flip(exp("-2")), flip(exp("-3"))
    observe(not (first and second))
    return [x[0] ^ first, x[1] ^ second]


@pytest.mark.parametrize("noise", [equal_numbers, seen_equal_numbers])
def test_what_balls_cannot_tell_apart_is_neither_accepted_nor_refuted(noise: Any) -> None:
    check = noise(bits(2)).check_symmetry(entries={0: 1, 1: 0}, outputs={0: 1, 1: 0})
    assert not check.holds and not check.exact and check.counterexample is None
    assert "not decided" in check.method and "not decided" in str(check) and "not a symmetry" not in str(check)
    with pytest.raises(InvalidSymmetry, match="not decided"):
        check.demand()


@pytest.mark.parametrize("cycle", [[1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 2, 1]])
def test_a_wrong_claim_is_refuted_by_balls_that_do_not_overlap(cycle: list[int]) -> None:
    model = equal_numbers(bits(3))
    case = model.check_symmetry(entries=cycle, outputs=cycle).counterexample
    assert case is not None
    assert isinstance(case.probability, Ball) and not case.probability.arb.overlaps(case.probability_moved.arb)
    assert case.probability.arb.overlaps(model.probability(case.x, case.y).arb)
    assert case.probability_moved.arb.overlaps(model.probability(case.x_moved, case.y_moved).arb)


def test_the_same_power_is_the_same_weight_wherever_it_is_written() -> None:
    @mechanism
    def survey(x: Any) -> Any:
        return [x[0] ^ flip(exp("-3")), x[1] ^ flip(exp(-3)), x[2] ^ flip(exp("-2"))]

    model = survey(bits(3))
    assert model.check_symmetry(entries={0: 1, 1: 0}, outputs={0: 1, 1: 0})
    assert [sorted(records.inputs) for records in model.symmetries().classes] == [[0, 1], [2]]
