"""Relations are used again only for programs that are equal but for their weights."""

import itertools
from fractions import Fraction
from typing import Any

from taut import bits, categories, flip, mechanism
from taut.diagrams.compile.relation import structure


@mechanism
def returned(x: Any, value: Any, chance: Any) -> Any:
    return value if flip(chance) else x[0]


@mechanism
def echoed(x: Any, chance: Any) -> Any:
    return x[0] if flip(chance) else "none"


ALIKE: list[Any] = [0, False, 0.0, 2, 2.0, "two", (0,), (False,), (0.0,), (-0.0,), (2, "y"), (2.0, "y")]
"""Values that Python has for equal, or prints alike."""
ENTRIES: list[Any] = [*ALIKE, -0.0]


def test_values_that_are_not_the_same_make_programs_that_are_not() -> None:
    constants = [structure(returned(bits(1), value=value, chance="1/3").program) for value in ALIKE]
    entries = [structure(echoed(categories(1, [value, "z"]), chance="1/3").program) for value in ENTRIES]
    for made, values in ((constants, ALIKE), (entries, ENTRIES)):
        for one, other in itertools.combinations(range(len(values)), 2):
            assert made[one] != made[other], (values[one], values[other])


def test_weights_do_not_matter() -> None:
    for value in ALIKE:
        one, other = (returned(bits(1), value=value, chance=chance).program for chance in ("1/3", Fraction(3, 4)))
        assert structure(one) == structure(other)
