"""Limits and choices that are not part of a mechanism, set by ``with taut.options(...)``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any

from taut.errors import InvalidOption, TautError
from taut.limits import limits
from taut.parallel.executors import check_executor, using
from taut.spelling import meant

__all__ = [
    "LEVELS",
    "ORDERS",
    "Options",
    "active",
    "captured_options",
    "check_seconds",
    "options",
    "reading_seconds",
    "working",
]

_READING = 600.0
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
    max_memory: int = 4_000_000_000
    """Bytes by which the process may grow while a model is read or a question answered."""
    time_limit: float | None = None
    """Seconds, from the beginning of the ``with`` block, for all reading and all questions inside it."""
    executor: Any = None
    """A ``concurrent.futures.Executor`` that does what can be done in pieces; None: this process does it."""
    order: str = "auto"
    """Variable order: 'auto' takes 'program' or 'interleaved', whichever looks better; 'search' builds both."""
    validate: str = "default"
    """How long a reading is compared with Python running the function: 'off', 'default', or 'thorough'."""


_explicit: ContextVar[Mapping[str, Any]] = ContextVar("taut_options", default={})  # noqa: B039 - never mutated


def captured_options() -> Mapping[str, Any]:
    """The options that an enclosing ``with`` has set, and only those, for a model to keep.

    A time limit and an executor end with their block, so no model keeps them.
    """
    return {name: value for name, value in _explicit.get().items() if name not in ("time_limit", "executor")}


def active(captured: Mapping[str, Any] | None = None) -> Options:
    """The options in force: defaults, then what was captured earlier, then what an enclosing ``with`` sets."""
    return Options(**{**(captured or {}), **_explicit.get()})


@contextmanager
def working(
    captured: Mapping[str, Any] | None = None, time_limit: float | None = None, executor: Any = None
) -> Iterator[None]:
    """The limits of time and memory of one piece of work: those of the options in force, and its own time limit.

    With an ``executor`` of its own, that one is in force too.
    """
    check_executor(executor, "executor", InvalidOption)
    with limits(seconds=time_limit, memory=active(captured).max_memory), using(executor):
        yield


@contextmanager
def options(**settings: Any) -> Iterator[Options]:
    """Set limits for the models made, and the queries asked, inside a ``with`` block.

    Parameters
    ----------
    **settings
        Fields of ``Options``. A ``time_limit`` runs from the beginning of the block and covers everything inside it:
        reading, compiling, queries and verification.

    Raises
    ------
    InvalidOption
        There is no such option, or it does not take this value.

    Examples
    --------
    >>> with options(max_nodes=1000) as current:
    ...     current.max_nodes
    1000
    """
    known = {field.name: field for field in fields(Options)}
    for name, value in settings.items():
        if name not in known:
            raise InvalidOption(
                f"options({name}=...): no such option; there are {', '.join(known)}.{meant(name, known)}", value=name
            )
        if name in _WORDS:
            if value not in _WORDS[name]:
                words = ", ".join(_WORDS[name])
                raise InvalidOption(f"options({name}={value!r}): {name} must be one of {words}.", value=value)
        elif name == "time_limit":
            check_seconds(value, "options(time_limit=...)", InvalidOption)
        elif name == "executor":
            check_executor(value, "options(executor=...)", InvalidOption)
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InvalidOption(f"options({name}={value!r}): {name} must be a whole number of at least 1.", value=value)
    token = _explicit.set({**_explicit.get(), **settings})
    try:
        with limits(seconds=settings.get("time_limit")), using(settings.get("executor")):
            yield active()
    finally:
        _explicit.reset(token)


def reading_seconds() -> float | None:
    """The seconds for reading a mechanism where nobody has said anything about time: a reading need not end."""
    return None if "time_limit" in _explicit.get() else _READING


def check_seconds(seconds: Any, what: str, error: type[TautError]) -> None:
    """Refuse what is not a positive number of seconds, nor None."""
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if seconds is not None and not (number and seconds > 0):
        raise error(f"{what} must be a positive number of seconds; got {seconds!r}.", value=seconds)
