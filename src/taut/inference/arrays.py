"""Values of a term for many entries at once, where they are whole numbers and Booleans computed exactly by NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.program import Apply, Const, Input, Ite, Term

__all__ = ["values_at"]

Array = NDArray[Any]
_MOST = 1 << 62
"""Limit for the sizes of all numbers, below which no sum of two leaves 64 bits."""
_ARITHMETIC: Mapping[str, Callable[[Array, Array], Array]] = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
_COMPARISONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
_ENDS: Mapping[str, Callable[[Array, Array], Array]] = {"min": np.minimum, "max": np.maximum}
_CONNECTIVES: Mapping[str, Callable[[Array, Array], Array]] = {"and": np.logical_and, "or": np.logical_or}


class _Unknown(Exception):
    """A part that is not computed with arrays."""


def values_at(root: Term, entries: Sequence[Sequence[Any]]) -> list[Any] | None:
    """Return the values of a term, each of the type that the enumerator gives; None if arrays would not be exact.

    Parameters:
        root: a term without coins.
        entries: the values of each input, one for each place, or one for all.
    """
    known: dict[Term, Array] = {}
    try:
        columns = [_column(one) for one in entries]
        stack = [root]
        while stack:
            term = stack[-1]
            missing = [part for part in _parts(term) if part not in known]
            if missing:
                stack += missing
            else:
                known[stack.pop()] = _computed(term, [known[part] for part in _parts(term)], columns)
    except _Unknown:
        return None
    found = known[root]
    return list(np.broadcast_to(found, max(map(len, entries))).tolist())


def _column(values: Sequence[Any]) -> Array:
    kinds = set(map(type, values))
    if not (kinds == {bool} or (kinds == {int} and max(map(abs, values)) < _MOST)):
        raise _Unknown
    return np.array(values, dtype=np.bool_ if kinds == {bool} else np.int64)


def _parts(term: Term) -> tuple[Term, ...]:
    if isinstance(term, Apply):
        return term.args
    return (term.test, term.then, term.other) if isinstance(term, Ite) else ()


def _computed(term: Term, parts: Sequence[Array], columns: Sequence[Array]) -> Array:
    if isinstance(term, Const):
        return _column([_whole(term.value)])
    if isinstance(term, Input):
        return columns[term.index]
    if isinstance(term, Ite):
        test, then, other = parts
        if then.dtype != other.dtype:
            raise _Unknown
        return np.where(test, then, other)
    if not isinstance(term, Apply):
        raise _Unknown
    name = term.operation.name
    if any(isinstance(arg, Const) and type(arg.value) is Fraction for arg in term.args) and name not in _COMPARISONS:
        raise _Unknown  # the result is a fraction too
    if name in _ARITHMETIC and len(parts) > 1:
        total = parts[0].astype(np.int64)
        for part in parts[1:]:
            _require_room(name, total, part)
            total = _ARITHMETIC[name](total, part.astype(np.int64))
        return total
    if name in _COMPARISONS and len(parts) == 2:
        return _COMPARISONS[name](*parts)
    if name in _ENDS and len({part.dtype for part in parts}) == 1 and len(parts) > 1:
        end = parts[0]
        for part in parts[1:]:
            end = _ENDS[name](end, part)
        return end
    if name in _CONNECTIVES and all(part.dtype == np.bool_ for part in parts):
        joined = parts[0]
        for part in parts[1:]:
            joined = _CONNECTIVES[name](joined, part)
        return joined
    if name == "not":
        return np.logical_not(parts[0])
    if name in ("abs", "neg"):
        whole = parts[0].astype(np.int64)
        return np.abs(whole) if name == "abs" else -whole
    raise _Unknown


def _whole(value: Any) -> Any:
    return int(value) if type(value) is Fraction and value.denominator == 1 else value


def _require_room(name: str, a: Array, b: Array) -> None:
    one, other = (int(np.abs(part.astype(np.int64)).max(initial=0)) for part in (a, b))
    if (math.prod((one, other)) if name == "mul" else one + other) >= _MOST:
        raise _Unknown
