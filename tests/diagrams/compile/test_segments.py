"""Orders cut into segments: the diagram is the one that is made without cuts, and chains grow linearly."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.languages.dice.direct import run_directly
from tests.languages.dice.test_random_programs import programs
from tests.oracle.test_random_terms import compiled, outcomes, random_programs

import taut
from taut import DiceWarning, ImpossibleEvidence, MechanismError, bits, dice, flip, integer, mechanism, observe, uniform
from taut.diagrams import Diagrams
from taut.diagrams.compile import compile_program, relation, segments
from taut.program import CoinVariable, Program, Terms, enumerate_outcomes
from taut.support.errors import InternalFault
from taut.support.options import Options

QUICK = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


Cutting = Callable[[pytest.MonkeyPatch], None]


def cut_everywhere(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(segments, "_SHORTEST", 1)
    patch.setattr(segments, "_VARIABLES_PER_STATE", 1e-6)
    patch.setattr(segments, "_WORTH", 1e12)


def cut_closely(patch: pytest.MonkeyPatch) -> None:
    """No term after term, however little it costs."""
    patch.setattr(segments, "_SHORTEST", 10**9)
    patch.setattr(segments, "_CLOSE", 1)
    patch.setattr(segments, "_FAR", 0)
    patch.setattr(segments, "_MOST_STATES", 1e9)
    patch.setattr(segments, "_TIMES", 0)
    patch.setattr(segments, "_LEAST", 0)


def cut_nowhere(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(segments, "_SHORTEST", 10**9)
    patch.setattr(segments, "_CLOSE", 10**9)


either_way = pytest.mark.parametrize("cut", [cut_everywhere, cut_closely])


@either_way
@QUICK
@given(program=random_programs())
def test_cut_everywhere_it_is_enumerated(cut: Cutting, program: Program) -> None:
    with pytest.MonkeyPatch.context() as patch:
        cut(patch)
        for x in program.domains[0]:
            assert compiled(program, x) == outcomes(program, x), f"at x={x!r}"


@either_way
@QUICK
@given(program=random_programs(evidence=False))
def test_cuts_do_not_change_the_diagram(cut: Cutting, program: Program) -> None:
    with pytest.MonkeyPatch.context() as patch:
        cut(patch)
        chained = compile_program(program, Options(order="program"))
        cut_nowhere(patch)
        whole = compile_program(program, Options(order="program"))
    assert [set(slot.values) for slot in chained.outputs] == [set(slot.values) for slot in whole.outputs]
    assert [level.stop - level.start for level in chained.arrays.levels] == [
        level.stop - level.start for level in whole.arrays.levels
    ]


@either_way
@pytest.mark.parametrize(("partial", "least"), [("floordiv", 2), ("mod", 1), ("truediv", 2)])
@pytest.mark.parametrize("below", [(0, 1, 2), (1, 2)])
def test_what_a_test_without_a_value_decides_has_none(
    cut: Cutting, partial: str, least: int, below: tuple[int, ...]
) -> None:
    """A quotient by 0 above a cut is not taken for true or false below it."""
    terms, third = Terms(), Fraction(1, 3)
    numbers = [CoinVariable("c0", below, (Fraction(1, len(below)),) * len(below), 0)]
    numbers += [CoinVariable(f"c{place}", (0, 1, 2), (third,) * 3, place) for place in (1, 2)]
    divisor, then, other = (terms.coin(place, coin.outcomes) for place, coin in enumerate(numbers))
    test = terms.apply("ge", terms.apply(partial, terms.const(3), divisor), terms.const(least))
    output = terms.ite(test, then, terms.apply("mul", other, other))
    program = Program("partial", (), (), tuple(numbers), output, terms.true, terms)
    with pytest.MonkeyPatch.context() as patch:
        cut(patch)
        if 0 in below:
            with pytest.raises(MechanismError):
                outcomes(program, ())
            with pytest.raises(InternalFault, match="exactly one output"):
                compiled(program, (), "program")
        else:
            assert compiled(program, (), "program") == outcomes(program, ())


@either_way
@settings(parent=QUICK, max_examples=24)
@given(text=programs())
def test_dice_programs_cut_everywhere_are_what_running_gives(cut: Cutting, text: str) -> None:
    truth, evidence = run_directly(text, limit=3, bound=4)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        cut(patch)
        warnings.simplefilter("ignore", DiceWarning)
        model = dice(text, recursion_limit=3, max_list_length=4)
        try:
            joint = model.joint()
        except ImpossibleEvidence:
            assert evidence == 0
            return
        size = model.bdd_size
        patch.undo()
        assert size == dice(text, recursion_limit=3, max_list_length=4).bdd_size
    assert joint.evidence == evidence
    assert {model.text(value): weight for value, weight in joint.distribution.items()} == truth


def first(step: int) -> str:
    return f"{step * 37 % 89 + 1}/97"


def second(step: int) -> str:
    return f"{step * 53 % 83 + 2}/101"


DIAMOND = "let x = if x then flip {} else flip {} in"


def diamonds(n: int) -> str:
    return "\n".join(DIAMOND.format(first(i), second(i)) for i in range(n))


CHAINS: dict[str, Callable[[int], str]] = {
    "lets": lambda n: f"let x = flip 1/2 in\n{diamonds(n)}\nx",
    "functions": lambda n: (
        "fun d(x: bool) { if x then flip 1/3 else flip 1/5 }\nlet x = flip 1/2 in\n" + "let x = d(x) in\n" * n + "x"
    ),
    "iterate": lambda n: f"fun d(x: bool) {{ if x then flip 1/3 else flip 1/5 }}\niterate(d, flip 1/2, {n})",
    "tossed before": lambda n: (
        "let x = flip 1/2 in\n"
        + "\n".join(
            f"let a = flip {first(i)} in let b = flip {second(i)} in let x = if x then a else b in" for i in range(n)
        )
        + "\nx"
    ),
    "observed": lambda n: (
        "let x = flip 1/2 in\n"
        + "\n".join(
            f"{DIAMOND.format(first(i), second(i))} let o = observe (x || flip {second(i + 3)}) in" for i in range(n)
        )
        + "\nx"
    ),
    "two outputs": lambda n: (
        f"let x = flip 1/2 in\n{diamonds(n // 2)}\nlet half = x in\n{diamonds(n - n // 2)}\n(half, x)"
    ),
    "routes": lambda n: (
        "let x = true in\n"
        + "\n".join(
            "let route = flip 1/2 in let up = if route then x else false in let down = if route then false else x in "
            f"let x = up || (down && flip {first(i)}) in"
            for i in range(n)
        )
        + "\nx"
    ),
    "exclusive or": lambda n: (
        "let x = flip 1/2 in\n"
        + "\n".join(f"let x = (x && flip {first(i)}) ^ flip {second(i)} in" for i in range(n))
        + "\nx"
    ),
    "ladder": lambda n: (
        "let a = flip 1/2 in let b = flip 2/5 in\n"
        + "\n".join(
            f"let r = flip 1/2 in let c = if r then (a && flip {first(i)}) else b in "
            f"let b = if r then b else (a ^ flip {second(i)}) in let a = c in"
            for i in range(n)
        )
        + "\n(a, b)"
    ),
    "integers": lambda n: (
        "let x = uniform(2, 0, 4) in\n"
        + "\n".join(
            f"let x = x + (if x < int(2, {i % 3 + 1}) then discrete(1/2, 1/4, 1/4) else discrete(1/3, 0, 2/3)) in"
            for i in range(n)
        )
        + "\nx"
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_short_chains_are_enumerated(name: str) -> None:
    text = CHAINS[name](4)
    truth, evidence = run_directly(text)
    with pytest.MonkeyPatch.context() as patch:
        cut_everywhere(patch)
        model = dice(text + "\n")
        assert {model.text(value): weight for value, weight in model.joint().distribution.items()} == truth
        assert model.joint().evidence == evidence


@pytest.mark.parametrize("name", CHAINS)
def test_cut_chains_are_as_chains_without_cuts(name: str) -> None:
    text = CHAINS[name](60) + "\n"
    cut = dice(text)
    with pytest.MonkeyPatch.context() as patch:
        cut_nowhere(patch)
        whole = dice(text)
        assert whole.joint() == cut.joint() and whole.size == cut.size and whole.bdd_size == cut.bdd_size


@pytest.mark.parametrize("name", CHAINS)
def test_chains_grow_linearly(name: str) -> None:
    """All the nodes ever made, not only those of the answer, are within a bound that grows with the chain."""
    with taut.options(max_nodes=160 * 600):
        assert sum(dice(CHAINS[name](600) + "\n").joint().distribution.values()) == 1


def test_a_chain_of_a_thousand_diamonds_is_what_recursion_gives() -> None:
    true = Fraction(1, 2)
    for i in range(1000):
        true = true * Fraction(first(i)) + (1 - true) * Fraction(second(i))
    assert dice(CHAINS["lets"](1000) + "\n").joint().distribution == {True: true, False: 1 - true}


@mechanism
def passed_along(x: Any, steps: int) -> Any:
    value = flip("1/3") if x[0] else flip("1/7")
    for _ in range(steps):
        value = flip("2/3") if value else flip("1/5")
    return value


@mechanism
def passed_and_seen(x: Any, steps: int) -> Any:
    value = x[0] == 1
    for step in range(steps):
        value = flip("2/3") if value else flip("1/5")
        if step % 10 == 0:
            observe(value or flip("1/2"))
    return value


def test_chains_in_python() -> None:
    with taut.options(max_nodes=40_000):
        for steps in (3, 600):
            high, low = Fraction(1, 3), Fraction(1, 7)
            for _ in range(steps):
                high, low = (chance * Fraction(2, 3) + (1 - chance) * Fraction(1, 5) for chance in (high, low))
            model = passed_along(bits(1), steps=steps)
            assert [model.probability((value,), True) for value in (0, 1)] == [low, high]
            channel = model.channel()
            assert channel.probability((1,), True) == high


def test_observed_chains_in_python() -> None:
    with taut.options(max_nodes=40_000):
        for steps in (4, 300):
            model = passed_and_seen(bits(1), steps=steps)
            for x in (0, 1):
                weights = {True: Fraction(x), False: Fraction(1 - x)}
                for step in range(steps):
                    true = weights[True] * Fraction(2, 3) + weights[False] * Fraction(1, 5)
                    weights = {True: true, False: sum(weights.values()) - true}
                    if step % 10 == 0:
                        weights[False] /= 2
                assert model.channel().distribution((x,))[True] == weights[True] / sum(weights.values())


@mechanism
def looked_at_on_the_way(x, n):
    total, high = x, 0
    for step in range(n):
        total = total + uniform(0, 2)
        if total * 2 > 3 * n or total == step:
            high = (high + total) % 3
    return (total, high)


def test_a_sum_that_is_looked_at_after_each_part_takes_nodes_of_the_size_of_the_diagram() -> None:
    """Whatever is made on the way, it is a multiple of the diagram, of n^2 nodes; term after term it is n^3."""
    made: list[Diagrams] = []

    class Watched(Diagrams):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            made.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relation, "Diagrams", Watched)
        for n in (60, 90):
            made.clear()
            size = looked_at_on_the_way(integer(0, 1), n=n).size
            assert len(made[-1]) < 12 * size


@pytest.mark.parametrize("n", [3, 6])
def test_sums_looked_at_on_the_way_are_enumerated(n: int) -> None:
    for cut in (cut_closely, cut_nowhere):
        with pytest.MonkeyPatch.context() as patch:
            cut(patch)
            model = looked_at_on_the_way(integer(0, 1), n=n)
            for x in (0, 1):
                assert model.distribution(x) == enumerate_outcomes(model.program, x)
