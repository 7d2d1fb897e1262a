"""Questions and values as Python that one would type."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import Any

from taut.domains import Domain

__all__ = ["call", "literal"]


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
