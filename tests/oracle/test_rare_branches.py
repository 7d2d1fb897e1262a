"""Branches that few of many values reach: fractions and floats of more than 256 values, judged by plain Python.

Nothing is validated, and the output tells in which branch a run has been: a branch that the reading loses shows.
"""

import random

import pytest
from tests.oracle.generator import GeneratedProgram, loaded
from tests.oracle.native import native_distribution

import taut
from taut import RoundedFloat, integer

SEEDS = range(60)
PORTION = 20
HEADER = "import math\nfrom fractions import Fraction\n\nfrom taut import flip, helper, mechanism, uniform\n\n"
CLAMP = "@helper\ndef clamp(v, low, high):\n    return low if v < low else high if v > high else v\n\n\n"


def rare_branch(seed: int) -> GeneratedProgram:
    """A mechanism that tells its secret only where a computed number lies in a small part of its range."""
    source = random.Random(seed)
    size, below = source.randint(257, 900), source.choice([2, 3, 4, 7, 8, 10, 100])
    fractions = source.random() < 0.6
    number = f"Fraction(draw, {below})" if fractions else f"draw / {source.choice([2, 4, 8, 16])}"

    def constant() -> str:
        return f"Fraction({source.randint(-9, size)}, {below})" if fractions else str(source.randint(-9, size) / 4)

    def step(value: str) -> str:
        return source.choice(
            [
                f"min({value}, {constant()})",
                f"max({value}, {constant()})",
                f"max({value}, secret)",
                f"abs({value} - {constant()})",
                f"clamp({value}, {source.randint(-9, 9)}, {source.randint(10, 90)})",
                f"round({value})",
                f"round({value} / 3)" if fractions else f"round({value} / 4)",
                f"({value}) // {source.choice([1, 2, 3])}",
                f"({value}) % {source.choice([2, 3, 5])}",
                f"math.floor({value})",
                f"({value} if flip('1/3') else {constant()})",
                f"sum([{value}, {constant()}])",
                f"sorted([{value}, {constant()}, secret])[1]",
                f"-({value})",
                f"({value}) * 2",
            ]
        )

    text = HEADER + CLAMP + "@mechanism\ndef generated(secret):\n"
    text += f"    draw = uniform(0, {size - 1})\n    v = {number}\n"
    for _ in range(source.randint(1, 3)):
        text += f"    v = {step('v')}\n"
    comparison = source.choice(["v < {}", "v >= {}", "v == {}", "not v > {}", "{0} <= v < {0} + 1", "v in ({}, 3)"])
    bar = comparison.format(constant())
    text += f"    if {bar}:\n        return secret\n    return 'nothing'\n"
    return GeneratedProgram(text, {"secret": integer(0, 1)})


@pytest.mark.parametrize("start", SEEDS[::PORTION])
def test_no_branch_is_lost(start: int) -> None:
    right = 0
    for seed in range(start, start + PORTION):
        program = rare_branch(seed)
        with loaded(program) as case, taut.options(validate="off"):
            try:
                model = case.mechanism(**case.databases)
                answers = {x: model.distribution(x) for x, _ in case.inputs()}
            except RoundedFloat:
                continue
            for x, arguments in case.inputs():
                expected = native_distribution(case.mechanism, arguments)
                assert answers[x] == expected, f"seed {seed}, secret {x}\n{program.text}"
            right += 1
    assert right > PORTION // 2, "a reader that refuses everything is never wrong"
