"""Results of runs as values that a program can have."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.languages.python.run.lazy import LazyNumber
from taut.languages.python.run.tree import ChoiceTree
from taut.program.operations import typed
from taut.support.errors import UnsupportedValue

__all__ = ["Outcome", "outcome_of"]


_SCALARS = (bool, int, float, str, bytes, type(None), Fraction)


@dataclass(frozen=True)
class Outcome:
    """A result: its value with tuples in place of lists, and the kinds of containers that it had."""

    key: Any
    value: Any = field(compare=False)
    shape: Any = None
    raw: Any = field(default=None, compare=False)
    """The value as it was returned."""


def outcome_of(tree: ChoiceTree, value: Any) -> Outcome:
    """Return the outcome of a run that returned this value."""
    plain, shape = _plain(tree, value)
    return Outcome((typed(plain), shape), plain, shape, value)


def _plain(tree: ChoiceTree, value: Any) -> tuple[Any, Any]:
    if type(value) is LazyNumber:
        value = value.returned()
    if type(value) in _SCALARS:
        if isinstance(value, float) and value != value:
            tree.refuse(UnsupportedValue(f"'{tree.name}' returns nan, which is no value that two runs can share."))
        return value, None
    kind = type(value)
    if isinstance(value, enum.Enum):
        return value, None
    if kind.__module__ == "numpy":
        if kind.__name__ == "ndarray":
            plain, _ = _plain(tree, value.tolist())
            return plain, "array"
        if hasattr(value, "item"):
            return _plain(tree, value.item())
    if isinstance(value, (list, tuple)):
        parts = [_plain(tree, item) for item in value]
        shapes = tuple([shape for _, shape in parts])
        made = tuple([part for part, _ in parts])
        if kind is not tuple:
            return made, ("list" if kind is list else kind.__name__, shapes if any(shapes) else None)
        return made, shapes if any(shapes) else None
    if isinstance(value, (range, Iterator)) and kind.__module__ in ("builtins", "itertools"):
        return _plain(tree, list(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return _plain(tree, tuple(parts))[0], kind.__name__
    if isinstance(value, (set, frozenset)):
        return _plain(tree, sorted(value, key=repr))[0], "set"
    if isinstance(value, dict):
        return _plain(tree, [(key, value[key]) for key in sorted(value, key=repr)])[0], "dict"
    tree.refuse(
        UnsupportedValue(
            f"'{tree.name}' returns a {kind.__name__}; a mechanism returns numbers, text, None, or lists, tuples and "
            "arrays of these.",
            value=value,
        )
    )
    raise AssertionError
