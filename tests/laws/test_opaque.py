"""Values of the reading have no truth, equality, hash, order or number by accident: Python is refused an answer."""

import importlib
import operator
import pkgutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import taut.languages.python
import taut.program
from taut import UnsupportedValue
from taut.languages.python.values import Code, Members
from taut.program.operations import UNDEFINED
from taut.program.placeholders import Opaque
from taut.program.terms import Term
from taut.program.values import ANY

for package in (taut.languages.python, taut.program):
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found.name)

BY_IDENTITY = (Term, Code)
"""What tables are keyed by: two of these are equal if they are one object, and a term is made once."""
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "truth": bool,
    "not": operator.not_,
    "equality": lambda value: value == 1,
    "inequality": lambda value: value != 1,
    "equality from the right": lambda value: value == 1,
    "search": lambda value: value in [1],
    "hash": hash,
    "set": lambda value: {value},
    "order": lambda value: value < 1,
    "order from the right": lambda value: value >= 1,
    "largest": lambda value: max(1, value),
    "sorting": lambda value: sorted([value, 1]),
    "length": len,
    "items": list,
    "item": lambda value: value[0],
    "sum": lambda value: sum([value]),
    "product from the right": lambda value: 2 * value,
    "integer": int,
    "float": float,
    "index": lambda value: [1, 2][value],
    "rounding": round,
    "text": str,
    "format": lambda value: f"{value}",
}
IDENTITY = ("equality", "inequality", "equality from the right", "search", "hash", "set")


def kinds(kind: type) -> Iterator[type]:
    """Yield all classes below one; a dataclass with slots has a copy without, which nobody uses."""
    for inner in kind.__subclasses__():
        if getattr(sys.modules[inner.__module__], inner.__name__) is inner:
            yield inner
            yield from kinds(inner)


KINDS = sorted(set(kinds(Opaque)), key=lambda kind: kind.__qualname__)


@pytest.mark.parametrize("question", QUESTIONS)
def test_python_gives_no_answer_about_a_value_of_the_reading(question: str) -> None:
    assert len(KINDS) > 15
    for kind in KINDS:
        if question in IDENTITY and issubclass(kind, BY_IDENTITY):
            continue
        value = kind.__new__(kind)
        with pytest.raises(UnsupportedValue):
            QUESTIONS[question](value)


def test_contents_of_sets_are_not_compared() -> None:
    for ask in (bool, lambda value: value == {}, lambda value: value != {}):
        with pytest.raises(UnsupportedValue):
            ask(Members())


def test_failures_and_unknown_values_have_no_truth() -> None:
    for value in (UNDEFINED, ANY):
        with pytest.raises(AssertionError):
            bool(value)
