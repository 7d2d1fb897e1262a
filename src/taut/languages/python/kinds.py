"""Kinds of numbers: True, 1, 1.0 and Fraction(1) are equal, but differ in text, type and identity.

While a mechanism is read, a term has numbers of one kind only; what may be of several kinds is kept as alternatives,
until an operation takes all kinds alike. A member of an IntEnum, or a text of a class of its own, equals a number or
text that is not the same: it shares a term with nothing.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from fractions import Fraction
from typing import Any

from taut.languages.python.floats import Float, GivenNumber
from taut.program import Apply, Term
from taut.program.values import BOOLEAN, Anything, IntegerRange
from taut.support.algebra.expression import Frozen
from taut.support.errors import UnsupportedValue
from taut.support.exact import Ball

__all__ = [
    "has_balls",
    "has_fractions",
    "has_frozen",
    "is_lookalike",
    "is_record",
    "kind_of_number",
    "kinds_of",
    "refuse_unlike_tuple",
]


def kind_of_number(value: Any) -> str | None:
    """Return the kind of a number, None for other values."""
    if isinstance(value, int):
        return "bool" if isinstance(value, bool) else "int"
    return "float" if isinstance(value, (Float, float)) else "Fraction" if isinstance(value, Fraction) else None


def is_lookalike(value: Any) -> bool:
    """Return True if a constant may equal one of another class, or one of its own class that looks different."""
    kind = type(value)
    if kind in _UNMISTAKABLE:
        return False
    return isinstance(value, (int, float, complex, str, bytes, Fraction)) or is_record(kind)


def kinds_of(term: Term, fractions: bool) -> frozenset[str]:
    """Return the possible kinds of a term's numbers; ``fractions`` is True if the program has non-integers."""
    values = term.values
    if isinstance(values, IntegerRange):
        return _INTEGERS
    if isinstance(values, frozenset):
        return frozenset([kind for kind in map(kind_of_number, values) if kind is not None])
    name = term.operation.name if isinstance(term, Apply) else ""
    if name in BOOLEAN or name in _TESTS or name.startswith("is"):
        return _BOOLEANS
    return _ALL if fractions else _INTEGERS


_UNMISTAKABLE = frozenset({int, bool, float, str, bytes, Fraction, GivenNumber})
_INTEGERS, _BOOLEANS = frozenset({"int"}), frozenset({"bool"})
_ALL = frozenset({"int", "float", "Fraction"})
_TESTS = frozenset({"startswith", "endswith", "contains"})
"""String methods with Boolean results; the others have names that begin with 'is'."""


def has_fractions(values: Any) -> bool:
    """Return True if a term may be a number other than an integer."""
    if isinstance(values, IntegerRange):
        return False
    return isinstance(values, Anything) or any(isinstance(value, (Float, float, Fraction)) for value in values)


def has_balls(values: Any) -> bool:
    """Return True if a term may be a ball."""
    return isinstance(values, frozenset) and any(isinstance(value, Ball) for value in values)


def has_frozen(values: Any) -> bool:
    """Return True if a term may be an expression in parameters."""
    return isinstance(values, frozenset) and any(isinstance(value, Frozen) for value in values)


_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
_OF_TUPLES = tuple(f"__{name}__" for name in (*_COMPARED, "hash", "len", "iter", "contains", "getitem", "getattribute"))


def is_record(kind: Any) -> bool:
    """Return True for a frozen dataclass with generated construction, equality and fields."""
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return False
    parameters = kind.__dataclass_params__  # type: ignore[attr-defined]
    if not (parameters.frozen and parameters.eq and parameters.init):
        return False
    fields = kind.__dataclass_fields__.values()
    if hasattr(kind, "__getattr__") or kind.__getattribute__ is not object.__getattribute__:
        return False
    made = all(_is_generated(getattr(kind, name)) for name in ("__init__", "__eq__"))
    return made and kind.__new__ is object.__new__ and all(field.compare for field in fields)


def _is_generated(function: Any) -> bool:
    """Return True for a method that the dataclass decorator generated."""
    return getattr(getattr(function, "__code__", None), "co_filename", None) == "<string>"


def refuse_unlike_tuple(kind: type) -> None:
    """Refuse a tuple subclass that redefines comparison, length or search."""
    own = [name for name in _OF_TUPLES if getattr(kind, name) is not getattr(tuple, name)]
    own += [name for name in ("__bool__",) if hasattr(kind, name)]
    if own:
        raise UnsupportedValue(
            f"'{kind.__name__}' is a tuple with {own[0]} of its own, which is not followed; use a frozen dataclass or "
            "a function.",
            value=kind,
        )
