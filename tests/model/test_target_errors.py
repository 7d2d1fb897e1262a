"""Errors in a target or a distance name the user's function and its line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import taut
from taut import bits, flip, mechanism


@mechanism
def noisy_count(x: Any) -> Any:
    return sum(bit ^ flip("1/5") for bit in x)


MODEL = noisy_count(bits(2))


def raises(*_: Any) -> Any:
    raise ValueError("no such thing")


def divides(x: Any, _: Any = 0) -> Any:
    return 1 // 0


def reads_outside(x: Any, _: Any = 0) -> Any:
    return [1][len((0, 0, 0))]


def loops(x: Any, _: Any = 0) -> Any:
    while True:
        pass


def takes_none() -> Any:
    return 0


def takes_three(x: Any, y: Any, z: Any) -> Any:
    return 0


ASKED: dict[str, Callable[..., Any]] = {
    "accuracy": lambda target, distance: MODEL.accuracy(target, 1, distance=distance),
    "restricted": lambda target, distance: MODEL.accuracy(target, 1, distance=distance, accuracy_set=[(0, 1)]),
    "worst_inputs": lambda target, distance: MODEL.worst_inputs(target, 1, distance=distance),
    "error": lambda target, distance: MODEL.error(target, distance=distance).mean,
}


@pytest.mark.parametrize("role", ["target", "distance"])
@pytest.mark.parametrize("function", [raises, divides, reads_outside, loops, takes_none, takes_three])
@pytest.mark.parametrize("ask", ASKED)
def test_who_fails_is_named_with_a_line_of_its_own(ask: str, function: Callable[..., Any], role: str) -> None:
    with taut.options(max_rounds=50), pytest.raises(taut.TautError) as caught:
        ASKED[ask](*((function, None) if role == "target" else (sum, function)))
    assert f"the {role} '{function.__name__}'" in str(caught.value) and "mechanism" not in str(caught.value)
    lines, first = inspect.getsourcelines(function)
    assert caught.value.place is not None and first <= caught.value.place.line < first + len(lines)
    assert caught.value.place.file.endswith("test_target_errors.py")


@pytest.mark.parametrize("given", [7, None, "sum"])
@pytest.mark.parametrize("ask", ASKED)
def test_what_is_not_a_function_has_no_line(ask: str, given: Any) -> None:
    with pytest.raises(taut.InvalidInput, match=f"^the target must be a function of the database.*; got {given!r}"):
        ASKED[ask](given, None)


@pytest.mark.parametrize("value", ["far", None, (1,)])
@pytest.mark.parametrize("ask", ASKED)
def test_a_distance_that_is_not_a_number_is_shown(ask: str, value: Any) -> None:
    def odd(y: Any, aim: Any) -> Any:
        return value

    with pytest.raises(taut.InvalidInput, match=r"^the distance 'odd' must return a number; it returns") as caught:
        ASKED[ask](sum, odd)
    assert repr(value) in str(caught.value)


def test_a_function_without_a_name_is_the_target() -> None:
    with pytest.raises(IndexError, match="in the target: index out of range"):
        MODEL.accuracy(lambda x: x[7], 1)


@pytest.mark.parametrize("ask", ASKED)
def test_an_output_and_a_target_without_a_difference_are_shown(ask: str) -> None:
    with pytest.raises(
        taut.InvalidInput, match=r"'noisy_count' returns a number \(such as 0\), the target a value such as"
    ):
        ASKED[ask](lambda x: "many", None)


@pytest.mark.parametrize("ask", ASKED)
def test_a_distance_that_is_not_a_number_at_times_is_shown(ask: str) -> None:
    with pytest.raises(taut.InvalidInput, match="the distance must return a number; it returns a value such as None"):
        ASKED[ask](sum, lambda y, aim: None if y > aim else 0)
