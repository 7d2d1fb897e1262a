"""Readers of JSON that nobody vouches for: each takes one shape of value, of limited size, and refuses all others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import flint

__all__ = ["Damaged", "Reader", "integer", "listed", "mapping", "maybe", "one_of", "parsed", "record", "text", "word"]

MOST_DIGITS = 100_000
"""Of one whole number, so that no arithmetic with it takes long."""
_MOST_TEXT = 1 << 24
Reader = Callable[[Any, str], Any]
"""Takes a value and its place in the file, as in 'question.ratio'; returns what it means, or raises Damaged."""


class Damaged(ValueError):
    """A value that is not of the expected shape, with its place in the file."""


def parsed(data: bytes) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    Damaged
        The text is not JSON, is nested too deeply, or has a number of more than 100,000 digits.
    """
    try:
        return json.loads(data.decode("utf-8"), parse_int=integer)
    except RecursionError:
        raise Damaged("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise Damaged("it is not text in UTF-8") from None
    except json.JSONDecodeError as problem:
        raise Damaged(f"it is not JSON (line {problem.lineno})") from None


def integer(digits: str) -> int:
    """Return a whole number of at most 100,000 digits, also where Python would refuse to convert so many."""
    if len(digits) > MOST_DIGITS:
        raise Damaged(f"a number has {len(digits)} digits; at most {MOST_DIGITS} are read")
    return int(flint.fmpz(digits))


def text(most: int = _MOST_TEXT) -> Reader:
    """Read any text."""

    def read(value: Any, where: str) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise _unexpected(value, where, f"text of at most {most} characters")
        return value

    return read


def word(pattern: str = ".*", most: int = 1000) -> Reader:
    """Read a line of printable text that matches a pattern."""

    def read(value: Any, where: str) -> str:
        if not (isinstance(value, str) and len(value) <= most and value.isprintable() and re.fullmatch(pattern, value)):
            raise _unexpected(value, where, "a name" if pattern == ".*" else f"text like {pattern}")
        return value

    return read


def one_of(*allowed: Any) -> Reader:
    """Read one of some values, of the same type."""

    def read(value: Any, where: str) -> Any:
        if not any(type(value) is type(one) and value == one for one in allowed):
            raise _unexpected(value, where, " or ".join(map(repr, allowed)))
        return value

    return read


def maybe(inner: Reader) -> Reader:
    """Read null as None, and everything else by another reader."""
    return lambda value, where: None if value is None else inner(value, where)


def listed(inner: Reader, least: int = 0, most: int = 1_000_000) -> Reader:
    """Read a list of so many items as a tuple."""

    def read(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise _unexpected(value, where, f"a list of {least} to {most} items" if least != most else f"{most} items")
        return tuple(inner(item, f"{where}[{place}]") for place, item in enumerate(value))

    return read


def mapping(key: Reader, inner: Reader, most: int = 10_000) -> Reader:
    """Read an object with any keys."""

    def read(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > most:
            raise _unexpected(value, where, f"an object of at most {most} entries")
        return {key(name, where): inner(item, f"{where}.{name}") for name, item in value.items()}

    return read


def record(fields: Mapping[str, Reader]) -> Reader:
    """Read an object with exactly these keys."""

    def read(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _unexpected(value, where, f"an object with {', '.join(fields) or 'nothing in it'}")
        for name in [*fields, *value]:
            if name not in value:
                raise Damaged(f"{where or 'it'} lacks '{name}'")
            if name not in fields:
                raise Damaged(f"{where or 'it'} has {_brief(name)}, which means nothing there")
        return {name: inner(value[name], f"{where}.{name}".lstrip(".")) for name, inner in fields.items()}

    return read


def _unexpected(value: Any, where: str, wanted: str) -> Damaged:
    return Damaged(f"{where or 'it'} is {_brief(value)}, not {wanted}")


def _brief(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)} entries"
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a number of more than 40 digits"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
