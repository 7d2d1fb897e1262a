"""Integer arguments: indices, counts and repetitions."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like
from taut.languages.python.values import Alternatives, Symbolic, kind_of
from taut.program.values import IntegerRange

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["whole_number"]


def whole_number(reader: Reader, value: Any) -> Any:
    """Return a number as operator.index does: True becomes 1, a float or Fraction is refused even if integral."""
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: whole_number(reader, option))
    if isinstance(value, Symbolic):
        known = isinstance(value.term.values, IntegerRange)
        return value if known else reader.operators.pointwise(operator.index, value)
    try:
        return operator.index(value)
    except TypeError:
        message = f"{kind_of(value)} stands where Python wants an integer; use int(...) or //."
        return reader.worlds.fail(failure_like(TypeError(), message))
