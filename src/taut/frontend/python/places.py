"""Whole numbers where Python wants nothing else: places in lists, counts, numbers of repetitions."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from taut.frontend.python.values import Alternatives, Symbolic, kind_of
from taut.frontend.python.worlds import failure_like
from taut.ir.values import Interval

if TYPE_CHECKING:
    from taut.frontend.python.reader import Reader

__all__ = ["whole_number"]


def whole_number(reader: Reader, value: Any) -> Any:
    """Return a number as operator.index does: True is 1, and a float or a Fraction is refused even if it is whole."""
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: whole_number(reader, option))
    if isinstance(value, Symbolic):
        known = isinstance(value.term.values, Interval)
        return value if known else reader.operators.pointwise(operator.index, value)
    try:
        return operator.index(value)
    except TypeError:
        message = f"{kind_of(value)} stands where Python wants an integer; use int(...) or //."
        return reader.worlds.fail(failure_like(TypeError(), message))
