"""Dice programs as syntax trees: frozen nodes, each with its offset in the text."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from taut.frontend.dice.types import Type

__all__ = [
    "Binary",
    "Binding",
    "Binomial",
    "Call",
    "Conditional",
    "Discrete",
    "EmptyList",
    "Expression",
    "File",
    "Flip",
    "Function",
    "IntLiteral",
    "Iterate",
    "ListLiteral",
    "Name",
    "Pair",
    "Parameter",
    "Prefix",
    "Shift",
    "Truth",
    "Uniform",
]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Expression:
    """Anything that has a value; ``at`` is where it begins."""

    at: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Truth(Expression):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Name(Expression):
    name: str


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Call(Expression):
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class IntLiteral(Expression):
    width: int
    value: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Flip(Expression):
    chance: Fraction


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Discrete(Expression):
    weights: tuple[Fraction, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Uniform(Expression):
    """A number from ``low`` to ``high``, the latter excluded."""

    width: int
    low: int
    high: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Binomial(Expression):
    width: int
    tosses: int
    chance: Fraction


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Pair(Expression):
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Prefix(Expression):
    """An operator before its operand: ``!``, or a word such as ``fst``, ``head`` or ``observe``."""

    operator: str
    operand: Expression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Binary(Expression):
    """An operator between its operands; ``sign`` is where it stands."""

    operator: str
    left: Expression
    right: Expression
    sign: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Shift(Expression):
    operator: str
    operand: Expression
    amount: int
    sign: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Conditional(Expression):
    test: Expression
    then: Expression
    other: Expression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Binding(Expression):
    """``let name = value in body``."""

    name: str
    value: Expression
    body: Expression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Iterate(Expression):
    """A function applied so many times."""

    function: str
    start: Expression
    rounds: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ListLiteral(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class EmptyList(Expression):
    """``[] : type``, the type being that of the list."""

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
    body: Expression


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class File:
    """Functions, and the program's expression, unless the file is a library of functions."""

    functions: tuple[Function, ...]
    main: Expression | None
