"""Limits and choices that are not part of a mechanism, set by ``with taut.options(...)``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any

from taut.errors import InvalidOption

__all__ = ["LEVELS", "ORDERS", "Options", "active", "explicit", "options"]

ORDERS = ("auto", "program", "interleaved", "search")
LEVELS = ("default", "off", "thorough")
_WORDS = {"order": ORDERS, "validate": LEVELS}


@dataclass(frozen=True)
class Options:
    """What may be set, with its default."""

    max_nodes: int = 20_000_000
    """Nodes that one diagram may have."""
    max_outcomes: int = 4_000_000
    """Rows that a listed distribution may have."""
    max_rounds: int = 1_000
    """Rounds that a 'while' loop may take if whether it goes on is random (twenty times as many if it is not)."""
    max_beliefs: int = 1_000_000
    """Beliefs that a search may hold."""
    order: str = "auto"
    """Variable order: 'auto' takes 'program' or 'interleaved', whichever looks better; 'search' builds both."""
    validate: str = "default"
    """How long a reading is compared with Python running the function: 'off', 'default', or 'thorough'."""


_explicit: ContextVar[Mapping[str, Any]] = ContextVar("taut_options", default={})  # noqa: B039 - never mutated


def explicit() -> Mapping[str, Any]:
    """The options that an enclosing ``with`` has set, and only those."""
    return _explicit.get()


def active(captured: Mapping[str, Any] | None = None) -> Options:
    """The options in force: defaults, then what was captured earlier, then what an enclosing ``with`` sets."""
    return replace(Options(), **{**(captured or {}), **_explicit.get()})


@contextmanager
def options(**settings: Any) -> Iterator[Options]:
    """Set limits for the models made, and the queries asked, inside a ``with`` block.

    >>> with options(max_nodes=1000) as current:
    ...     current.max_nodes
    1000
    """
    known = {field.name: field for field in fields(Options)}
    for name, value in settings.items():
        if name not in known:
            raise InvalidOption(f"options({name}=...): no such option; there are {', '.join(known)}.", value=name)
        if name in _WORDS:
            if value not in _WORDS[name]:
                words = ", ".join(_WORDS[name])
                raise InvalidOption(f"options({name}={value!r}): {name} must be one of {words}.", value=value)
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InvalidOption(f"options({name}={value!r}): {name} must be a whole number of at least 1.", value=value)
    token = _explicit.set({**_explicit.get(), **settings})
    try:
        yield active()
    finally:
        _explicit.reset(token)
