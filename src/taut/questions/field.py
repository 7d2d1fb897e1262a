"""Fields of questions: the values that a question is asked with, as Python, commands, forms and files give them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.program.domains import Domain
from taut.support.errors import InvalidInput, InvalidNumber, InvalidProbability
from taut.support.exact import Ball, ends, number

__all__ = [
    "REQUIRED",
    "Field",
    "Numbers",
    "as_given",
    "asked",
    "at_least",
    "call",
    "literal",
    "several",
    "share",
    "words",
]


REQUIRED: Any = object()
"""The default of a field that has none."""


@dataclass(frozen=True)
class Numbers:
    """The numbers that a saved file may have at a place: between two ends, both included."""

    least: int
    most: Any
    rational: bool = False
    """True if balls are refused."""
    above: bool = False
    """True if ``least`` itself is refused."""
    listed: bool = False
    """True if a list of such numbers is meant, at least one."""


@dataclass(frozen=True)
class Field:
    """One value that a question is asked with.

    Attributes:
        name: the keyword in Python, the option ``--name`` of the command, the name in forms and in saved files.
        read: returns the value of what was given in Python or typed; raises InvalidNumber or the like.
        help: one sentence for the command line.
        default: REQUIRED where there is none.
        kind: 'text' for a value that is typed; 'texts' for several with commas that are read together; 'target' and
            'distance' for functions that have names; 'flag'; 'python' for a value that only Python can give.
        label, first: the label of the field in a form, and the text that stands there at first. No label: the form
            leaves it out. A text such as ``ratio=2`` in the form field of another name gives the field ``ratio``
            instead.
        usual: the text that stands for an option that is left out; empty if it has to be given, or has a default.
        named: the values that have a name of their own on the command line, where others are given as
            ``file.py:name``.
        each: for a command or form that takes several values with commas, one question for each: the key of the
            list of answers in JSON. Empty for a single value.
        keyword: whether Python takes it by keyword only.
        saved: the numbers that a saved file may have for it; 'flag', 'function' or 'maybe function' where it is
            that; None if it is not in the file.
    """

    name: str
    read: Callable[[Any], Any]
    help: str
    default: Any = REQUIRED
    kind: str = "text"
    label: str = ""
    first: str = ""
    each: str = ""
    keyword: bool = False
    saved: Numbers | str | None = None
    usual: str = ""
    named: Mapping[str, Any] | None = None

    @property
    def required(self) -> bool:
        """True if there is no default."""
        return self.default is REQUIRED


def asked(
    read: Callable[[Any], Any],
    *,
    help: str,
    default: Any = REQUIRED,
    kind: str = "text",
    label: str = "",
    first: str = "",
    each: str = "",
    kw_only: bool = False,
    saved: Numbers | str | None = None,
    usual: str = "",
    named: Mapping[str, Any] | None = None,
) -> Any:
    """Declare a field of a question, as the value of an annotated name in its class; see ``Field``."""
    made = Field("", read, help, default, kind, label, first, each, kw_only, saved, usual, named)
    if default is REQUIRED:
        return dataclasses.field(kw_only=kw_only, metadata={"field": made})
    return dataclasses.field(default=default, kw_only=kw_only, metadata={"field": made})


def as_given(value: Any) -> Any:
    """Read a value that is taken as it is: a function, a set, a flag."""
    return value


def at_least(least: int, what: str) -> Callable[[Any], Any]:
    """Return a reader of a number that is not below ``least``; ``what`` begins its error."""

    def read(value: Any) -> Any:
        found = number(value, what)
        if ends(found)[0] < least:
            raise InvalidNumber(f"{what} must be at least {least}; got {value}.", value=value)
        return found

    return read


def share(what: str) -> Callable[[Any], Fraction]:
    """Return a reader of a rational number in [0, 1]; ``what`` begins its error."""

    def read(value: Any) -> Fraction:
        found = number(value, what)
        if isinstance(found, Ball) or not 0 <= found <= 1:
            raise InvalidProbability(f"{what} must be a rational number in [0, 1]; got {value}.", value=value)
        return found

    return read


def words(given: str, what: str) -> list[str]:
    """Return the words between commas, each once; ``what`` begins the error if one is empty."""
    found = [word.strip() for word in given.split(",")]
    if not all(found):
        raise InvalidInput(f"{what} '{given}': write values with commas between them, like 2,4,8.", value=given)
    return list(dict.fromkeys(found))


def several(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a reader of several values: a sequence, or a text with commas."""

    def read_all(values: Any) -> tuple[Any, ...]:
        if isinstance(values, str):
            values = dict.fromkeys(word.strip() for word in values.split(","))
        return tuple(read(value) for value in values)

    return read_all


def call(question: Any, more: Iterable[str] = (), without: Collection[str] = ()) -> str:
    """Return the call of a model's method that asks a question; ``more`` are other arguments, as they are typed.

    Fields in ``without``, and those that only change what is shown besides, are left out.

    >>> from taut.questions.delta import Delta
    >>> call(Delta(ratio="3/2"), ['neighbors="one_step"'])
    'model.delta(ratio="3/2", neighbors="one_step")'
    """
    arguments = []
    for one in question.fields:
        if one.name in question.given and one.name not in without and one.kind != "texts":
            value = literal(question.given[one.name])
            arguments.append(f"{one.name}={value}" if one.keyword else value)
    return f"model.{question.name}({', '.join([*arguments, *more])})"


def literal(value: Any) -> str:
    """Return a value as Python that makes it: fractions as text, which is read exactly.

    >>> literal(Fraction(1, 5)), literal([Fraction(1, 2), "a"])
    ('"1/5"', '["1/2", "a"]')
    """
    if isinstance(value, Fraction):
        return str(value) if value.denominator == 1 else f'"{value}"'
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Domain):
        return str(value)
    return str(getattr(value, "__name__", repr(value))) if callable(value) else repr(value)
