"""The program that draws its input gives every row of the table, by the enumerator and as a Dice program."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from tests.interfaces.peers.reader import distribution

from taut import bits, categories, flip, geometric, integer, ints, mechanism, observe, uniform
from taut.interfaces.peers.dice import dice_program
from taut.program import enumerate_outcomes


@mechanism
def late(x, y):
    """Two databases; an entry that only the output looks at; a list read at an input."""
    table = [flip("1/3"), flip("1/4"), flip("1/5")]
    return [table[x[0]], y[0], y[1] ^ flip("1/7")]


@mechanism
def noisy_number(x):
    return geometric(x, "1/2", 0, 2)


@mechanism
def words(x):
    if flip("1/3"):
        return x[0]
    return "nothing" if flip("1/4") else x[1]


@mechanism
def first_above(x):
    bar = geometric(1, "1/2", 0, 2)
    for place, value in enumerate(x):
        if geometric(value, "1/2", 0, 2) >= bar:
            return place
    return None


@mechanism
def seen(x):
    draw = uniform(0, 2)
    observe(draw + x[0] >= 1)
    return (draw, x[1] ^ flip("1/5"))


MODELS = {
    "late": late(ints(1, 0, 2), bits(2)),
    "number": noisy_number(integer(0, 2)),
    "words": words(categories(2, ["a", "b", "c"])),
    "first above": first_above(ints(2, 0, 2)),
    "seen": seen(bits(2)),
}


def rows(joint: dict[Any, Fraction], width: int) -> dict[Any, dict[Any, Fraction]]:
    """The distributions of the output, input by input."""
    found: dict[Any, dict[Any, Fraction]] = {}
    for (*entries, y), share in joint.items():
        found.setdefault(tuple(entries[:width]), {})[y] = share
    return {x: {y: share / sum(row.values()) for y, share in row.items()} for x, row in found.items()}


@pytest.mark.parametrize("name", MODELS)
def test_the_joint_program_has_every_row(name: str) -> None:
    program = MODELS[name].program
    inputs = list(itertools.product(*[variable.values for variable in program.inputs]))
    truth = {x: enumerate_outcomes(program, program.database(x)) for x in inputs}
    joint = program.joint()
    assert not joint.inputs and len(joint.coins) == len(program.coins) + len(program.inputs)
    assert rows(enumerate_outcomes(joint, ()), len(program.inputs)) == truth
    exported = dice_program(joint)
    written = {exported.decode(row): share for row, share in distribution(exported.text).items()}
    assert rows(written, len(program.inputs)) == truth


def test_an_entry_is_drawn_before_the_coins_that_it_meets() -> None:
    @mechanism
    def response(x):
        return [bit ^ flip("1/5") for bit in x]

    names = [coin.draw for coin in response(bits(3)).program.joint().coins]
    assert names == [3, 0, 4, 1, 5, 2]
