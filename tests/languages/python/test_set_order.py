"""The order of a set is Python's own, or refused: it depends on what was in the set before."""

import random
from typing import Any

import pytest

import taut
from taut import UnsupportedValue, bits, mechanism


@mechanism
def history(x: Any, start: Any, steps: Any) -> Any:
    """A set with one element that depends on x, changed in place, and then run through."""
    s = set(start)
    if x[0]:
        s.add(7)
    for name, elements in steps:
        if name == "add":
            for element in elements:
                s.add(element)
        elif name == "discard":
            for element in elements:
                s.discard(element)
        elif name == "|=":
            s |= set(elements)
        elif name == "-=":
            s -= set(elements)
        elif name == "&=":
            s &= set(elements)
        else:
            s ^= set(elements)
    return tuple(s)


def drawn(draw: random.Random, name: str) -> Any:
    """Small numbers; one may not be in its own place, since another one was, which is then taken out."""
    small = draw.sample(range(6), 3)
    if name in GROWS:
        return draw.sample(range(6), 3), [(name, small)]
    if name == "larger":
        return draw.sample(range(10), 3), [("add", draw.sample(range(10), 2))]
    start = [small[0] + draw.choice([8, 32, 64]), small[0], *draw.sample(range(6), draw.randrange(2))]
    return start, [(name, start[1:] if name == "&=" else start[:1]), ("add", draw.sample(range(6), 3))]


GROWS = ("add", "|=")


@pytest.mark.parametrize("name", [*GROWS, "larger", "discard", "-=", "&=", "^="])
def test_a_set_that_was_changed_in_place_is_run_through_as_python_does_or_refused(name: str) -> None:
    draw = random.Random(name)
    with taut.options(validate="off"):
        for _ in range(40):
            start, steps = drawn(draw, name)
            try:
                model = history(bits(1), start=start, steps=steps)
            except UnsupportedValue:
                if name in GROWS:
                    raise
                continue
            for x in bits(1):
                assert model.distribution(x) == {history.function(x, start, steps): 1}


@mechanism
def made_by_operator(x: Any, operator: Any, left: Any, right: Any, later: Any) -> Any:
    s = set(left)
    if x[0]:
        s.add(7)
    other = set(right)
    u = s ^ other if operator == "^" else s - other if operator == "-" else s & other if operator == "&" else s | other
    for element in later:
        u.add(element)
    return tuple(u)


@pytest.mark.parametrize("operator", ["^", "-", "&", "|"])
def test_sets_made_of_two_have_the_order_of_python_too(operator: str) -> None:
    draw = random.Random(operator)
    for _ in range(40):
        left = [draw.choice([8, 16, 32])]
        right = [left[0], *draw.sample(range(6), draw.randrange(1, 3))]
        later = draw.sample(range(6), 3)
        for x in ((0,), (1,)):
            wanted = made_by_operator.function(x, operator, left, right, later)
            try:
                model = made_by_operator(bits(1), operator=operator, left=left, right=right, later=later)
                assert model.distribution(x) == {wanted: 1}
            except UnsupportedValue:
                continue
