"""Refusals of calls say what was called, with which parameters, and stand at the user's line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import taut
from taut import InvalidInput, bits, choice, flip, geometric, helper, ints, mechanism
from taut.support.errors import TautError, WrongArguments


@helper
def both(a: Any, b: Any) -> Any:
    return a + b


SAID: dict[str, tuple[Callable[..., Any], str]] = {
    "argument left out": (lambda x: both(x[0]), "both(a: Any, b: Any) is called without 'b', which has no default."),
    "draw without a parameter": (
        lambda x: geometric(x[0]),  # type: ignore[call-arg]
        "geometric(center, ratio, low=None, high=None): 'ratio' is not given and has no default.",
    ),
    "misspelt keyword": (
        lambda x: geometric(x[0], "1/2", low=0, hihg=1),  # type: ignore[call-arg]
        "has no argument 'hihg'. Did you mean 'high'?",
    ),
    "too much": (lambda x: flip("1/3", 2), "flip(p) is called with more arguments than it takes."),  # type: ignore[call-arg]
    "misspelt function": (lambda x: taut.flp("1/3"), "has no attribute 'flp'. Did you mean 'flip'?"),
    "attribute of a number": (lambda x: x[0].foo(), "a random value (0, say) has no attribute 'foo'."),
    "method of a list": (lambda x: list(x).apend(1), "a list has no attribute 'apend'. Did you mean 'append'"),
    "format": (lambda x: f"{x[0]:zz}", "'format' fails for some values that are possible here"),
    "unhashable": (lambda x: {(1, 2): 3, [1]: 2}, "a list cannot be a key or an element of a set"),  # type: ignore[dict-item]
    "nothing to choose from": (lambda x: choice([]), "choice([]): there must be at least one item."),
}


@pytest.mark.parametrize("name", SAID)
def test_messages(name: str) -> None:
    function, words = SAID[name]
    with pytest.raises(TautError) as caught:
        mechanism(function)(ints(2, 0, 1)).privacy()
    assert words in str(caught.value)
    place = caught.value.place
    assert place is not None and place.file == "test_messages.py"
    lines, first = inspect.getsourcelines(function)
    assert first <= place.line < first + len(lines)


class Client:
    def __init__(self, lie: str = "1/3") -> None:
        self.lie = lie

    def tell(self, bit: int) -> int:
        if flip(self.lie):
            return 1 - bit
        return bit

    def report(self, x: Any) -> Any:
        return [self.tell(bit) for bit in x]

    @mechanism
    def decorated(self, x: Any) -> Any:
        return self.tell(x[0])


def test_methods_may_branch_on_random_values_without_a_mark() -> None:
    assert mechanism(Client().report)(bits(2)).privacy().max_ratio == 2


def test_a_mechanism_in_a_class_belongs_to_its_object() -> None:
    assert Client("1/4").decorated(bits(1)).privacy().max_ratio == 3
    assert Client.decorated(Client("1/5"), bits(1)).privacy().max_ratio == 4


def test_a_function_of_a_class_needs_its_object() -> None:
    with pytest.raises(WrongArguments, match=r"It is a method: write mechanism\(Client\(\.\.\.\)\.report\)"):
        mechanism(Client.report)(bits(1))


def test_only_functions_are_helpers() -> None:
    with pytest.raises(InvalidInput, match="marks a function; got 3"):
        helper(3)  # type: ignore[arg-type]
