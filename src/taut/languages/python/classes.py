"""User classes whose instances are interpreted field by field: only classes that behave like their fields."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from taut.support.errors import UnsupportedValue

__all__ = ["is_record", "refuse_unlike_tuple"]

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
