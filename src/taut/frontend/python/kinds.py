"""Kinds of numbers: True, 1, 1.0 and Fraction(1) are equal, and yet text, types and identity tell them apart.

While a mechanism is read, a term has numbers of one kind only; what may be of several kinds is kept as alternatives,
until an operation takes all kinds alike.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.algebra.expression import Frozen
from taut.frontend.python.floats import Float
from taut.ir import Apply, Term
from taut.ir.values import BOOLEAN, Anything, Interval
from taut.numbers import Ball

__all__ = ["has_balls", "has_fractions", "has_frozen", "kind_of_number", "kinds_of"]


def kind_of_number(value: Any) -> str | None:
    """Return which of the kinds of numbers that may be equal to each other a value is; None if it is not a number."""
    if isinstance(value, int):
        return "bool" if isinstance(value, bool) else "int"
    return "float" if isinstance(value, (Float, float)) else "Fraction" if isinstance(value, Fraction) else None


def kinds_of(term: Term, fractions: bool) -> frozenset[str]:
    """Return the kinds of the numbers that a term can be; ``fractions`` if there are others than integers at all."""
    values = term.values
    if isinstance(values, Interval):
        return _INTEGERS
    if isinstance(values, frozenset):
        return frozenset([kind for kind in map(kind_of_number, values) if kind is not None])
    name = term.operation.name if isinstance(term, Apply) else ""
    if name in BOOLEAN or name in _TESTS or name.startswith("is"):
        return _BOOLEANS
    return _ALL if fractions else _INTEGERS


_INTEGERS, _BOOLEANS = frozenset({"int"}), frozenset({"bool"})
_ALL = frozenset({"int", "float", "Fraction"})
_TESTS = frozenset({"startswith", "endswith", "contains"})
"""Functions of text that give Booleans; the others have names that begin with 'is'."""


def has_fractions(values: Any) -> bool:
    """Whether a value of a term may be a number other than an integer."""
    if isinstance(values, Interval):
        return False
    return isinstance(values, Anything) or any(isinstance(value, (Float, float, Fraction)) for value in values)


def has_balls(values: Any) -> bool:
    """Return True if a value of a term is a number that is known to many digits only."""
    return isinstance(values, frozenset) and any(isinstance(value, Ball) for value in values)


def has_frozen(values: Any) -> bool:
    """Whether a value of a term is an expression in parameters."""
    return isinstance(values, frozenset) and any(isinstance(value, Frozen) for value in values)
