"""Dice programs as syntax trees: frozen nodes, each with its offset in the text, and walks of any depth."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from dataclasses import dataclass
from fractions import Fraction
from types import GeneratorType
from typing import Any

from taut.languages.dice.values import Type
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint

__all__ = [
    "Binary",
    "Binding",
    "Binomial",
    "Call",
    "Conditional",
    "DiceExpression",
    "Discrete",
    "EmptyList",
    "File",
    "Flip",
    "Function",
    "IntLiteral",
    "Iterate",
    "ListLiteral",
    "Name",
    "Pair",
    "Parameter",
    "PrefixOperation",
    "Shift",
    "Truth",
    "Uniform",
    "Visit",
    "walk",
]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class DiceExpression:
    """An expression; ``at`` is its offset."""

    at: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Truth(DiceExpression):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Name(DiceExpression):
    name: str


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Call(DiceExpression):
    name: str
    arguments: tuple[DiceExpression, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class IntLiteral(DiceExpression):
    width: int
    value: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Flip(DiceExpression):
    chance: Fraction


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Discrete(DiceExpression):
    weights: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Uniform(DiceExpression):
    """A number from ``low`` to ``high``, the latter excluded."""

    width: int
    low: int
    high: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Binomial(DiceExpression):
    width: int
    tosses: int
    chance: Fraction


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Pair(DiceExpression):
    left: DiceExpression
    right: DiceExpression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class PrefixOperation(DiceExpression):
    """An operator before its operand: ``!``, or a word such as ``fst``, ``head`` or ``observe``."""

    operator: str
    operand: DiceExpression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Binary(DiceExpression):
    """A binary operator; ``sign`` is its offset."""

    operator: str
    left: DiceExpression
    right: DiceExpression
    sign: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Shift(DiceExpression):
    operator: str
    operand: DiceExpression
    amount: int
    sign: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Conditional(DiceExpression):
    test: DiceExpression
    then: DiceExpression
    other: DiceExpression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Binding(DiceExpression):
    """``let name = value in body``."""

    name: str
    value: DiceExpression
    body: DiceExpression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Iterate(DiceExpression):
    """A function applied repeatedly."""

    function: str
    start: DiceExpression
    rounds: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ListLiteral(DiceExpression):
    items: tuple[DiceExpression, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class EmptyList(DiceExpression):
    """An empty list ``[] : type`` with the type of the list."""

    type: Type


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Parameter:
    at: int
    name: str
    type: Type


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Function:
    at: int
    name: str
    parameters: tuple[Parameter, ...]
    result: Type | None
    body: DiceExpression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class File:
    """Functions, and the program's expression, unless the file is a library of functions."""

    functions: tuple[Function, ...]
    main: DiceExpression | None


Visit = Generator[Any, Any, Any]
_DEEPEST = 250_000


def walk(root: Any, count: Callable[[int], None] | None = None) -> Any:
    """Run a visit to its value without recursion; each yielded visit is run first, and its value is sent back.

    A visit that waits for nothing need not be a generator: it is its value. ``count`` is told of every visit.
    """
    if type(root) is not GeneratorType:
        return root
    stack = [root]
    value: Any = None
    for rounds in itertools.count(1):
        if not rounds & 255:
            checkpoint()
        try:
            needed = stack[-1].send(value)
        except StopIteration as end:
            stack.pop()
            value = end.value
            if not stack:
                break
            continue
        if count is not None:
            count(1)
        if type(needed) is not GeneratorType:
            value = needed
            continue
        stack.append(needed)
        value = None
        if len(stack) > _DEEPEST:
            raise TooLarge(f"the program is nested more than {_DEEPEST} deep.", value=_DEEPEST)
    return value
