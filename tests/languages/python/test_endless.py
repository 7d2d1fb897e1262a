"""Loops that can be seen never to end are refused after one round; all others are run."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc, operator"

from collections.abc import Callable
from typing import Any

import pytest
from tests.oracle.native import native_distribution

import taut
from taut import bits, flip, mechanism


def forgotten_step(x):
    i, total = 0, 0
    while i < len(x):
        total += x[i] ^ flip("1/4")
    return total


def forgotten_step_at_random(x):
    total = 0
    while total < x[0]:
        y = flip("1/2")
    return total + y


def always(x):
    while True:
        x = x[1:] + x[:1]
    return x


def only_the_wrong_variable(x):
    i, left = 0, sum(x)
    while left > 0 and i >= 0:
        i += 1 if flip("1/2") else 2
    return i


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (forgotten_step, "depends on 'i' and 'x'"),
        (forgotten_step_at_random, "depends on 'total' and 'x'"),
        (always, "always the same"),
    ],
)
def test_refused_after_one_round(function: Callable[..., Any], words: str) -> None:
    with taut.options(max_rounds=10**9), pytest.raises(taut.EndlessLoop, match=words) as caught:
        mechanism(function)(bits(2))
    assert caught.value.place is not None and "'while' never ends" in str(caught.value)


def test_a_variable_that_changes_is_not_judged() -> None:
    with taut.options(max_rounds=20), pytest.raises(taut.EndlessLoop, match="rounds"):
        mechanism(only_the_wrong_variable)(bits(2))


def by_break(x):
    i = 0
    while i < 1:
        if flip("1/2") or x[0]:
            break
        break
    return x


def by_a_list(x):
    todo = [1, 2]
    while len(todo) > 0:
        todo.pop()
    return todo


def by_a_closure(x):
    i = 0

    def go_on():
        nonlocal i
        i += 1 + flip("1/2")

    while i < 3:
        go_on()
    return i


def by_a_name_in_a_comprehension(x):
    i = 0
    while i < 2:
        _ = [(i := i + bit + 1) for bit in x]
    return i


def by_a_loop(x):
    i = 0
    while i < 1:
        for i in range(2):
            pass
    return i


def in_runs_that_do_not_exist(x):
    i, y = 0, flip("1/2")
    while y > i and y < 1:
        i = 0
    return y


def never_entered(x):
    while x[0] > 1:
        pass
    return x[0] ^ flip("1/3")


@pytest.mark.parametrize(
    "function",
    [
        by_break,
        by_a_list,
        by_a_closure,
        by_a_name_in_a_comprehension,
        by_a_loop,
        in_runs_that_do_not_exist,
        never_entered,
    ],
)
def test_followed_to_its_end(function: Callable[..., Any]) -> None:
    noisy = mechanism(function)
    model = noisy(bits(2))
    for x in model.domain:
        assert model.distribution(x) == native_distribution(noisy, {"x": x})
