"""Limits and choices that are not part of a mechanism, set by ``with taut.options(...)``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, TypeVar

from taut.support.errors import InvalidOption, TautError, meant
from taut.support.exact import exact, fraction_of_text, is_number
from taut.support.interruption import guarded
from taut.support.limits import limits
from taut.support.parallel.executors import check_executor, using

__all__ = [
    "LEVELS",
    "ORDERS",
    "REMAINDER_SHARE",
    "Options",
    "active",
    "captured_options",
    "check_seconds",
    "options",
    "reading_seconds",
    "worked",
]

T = TypeVar("T")
_READING = 600.0
ORDERS = ("auto", "program", "interleaved", "search")
LEVELS = ("default", "off", "thorough")
RANDOMNESS = ("ideal", "machine")
_WORDS = {"order": ORDERS, "validate": LEVELS, "randomness": RANDOMNESS}


@dataclass(frozen=True)
class Options:
    """The options with their defaults."""

    max_nodes: int = 20_000_000
    """Nodes that one diagram may have."""
    max_outcomes: int = 4_000_000
    """Rows that a listed distribution may have."""
    max_rounds: int = 1_000
    """Rounds that a 'while' loop with a random condition may take; twenty times as many with another condition."""
    max_beliefs: int = 1_000_000
    """Beliefs that a search may hold."""
    max_memory: int = 4_000_000_000
    """Bytes by which the process may grow while a model is read or a question answered."""
    time_limit: float | None = None
    """Seconds, from the beginning of the ``with`` block, for all reading and all questions inside it."""
    executor: Any = None
    """A ``concurrent.futures.Executor`` for parallel work; None for this process."""
    order: str = "auto"
    """Variable order: 'auto' chooses 'program' or 'interleaved' by an estimate; 'search' builds both."""
    randomness: str = "ideal"
    """Uniform reals of code that is run: 'ideal', real numbers and thresholds as typed, or doubles of the 'machine'."""
    max_remainder: Fraction = Fraction(1, 2**100)
    """Limit for the probability of runs that are not followed, where a loop may go on for ever or noise has no ends."""
    max_runs: int = 100_000
    """Limit for the runs of one call of code that is run because it cannot be read."""
    validate: str = "default"
    """Effort of comparing a reading with Python's own runs of the function: 'off', 'default', or 'thorough'."""


REMAINDER_SHARE = Fraction(1, 2**20)
"""The share of ``max_remainder`` that one call or loop may leave: a model has many, and an output that is followed on
one input only costs about as much as all runs that are not followed.
"""
_explicit: ContextVar[Mapping[str, Any]] = ContextVar("taut_options", default={})  # noqa: B039 - never mutated


def captured_options() -> Mapping[str, Any]:
    """Return only the options that an enclosing ``with`` has set, for a model to keep.

    A time limit and an executor end with their block, so no model keeps them.
    """
    return {name: value for name, value in _explicit.get().items() if name not in ("time_limit", "executor")}


def active(captured: Mapping[str, Any] | None = None) -> Options:
    """Return the options in force: defaults, then ``captured``, then those of an enclosing ``with``."""
    return Options(**{**(captured or {}), **_explicit.get()})


def worked(
    work: Callable[[], T],
    captured: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    executor: Any = None,
) -> T:
    """Return the result of ``work`` within the limits of the options in force and its own time limit.

    Everything that users can ask for passes here, so limits hold whatever the work does: it is ended from outside if it
    does not end by itself. With an ``executor`` of its own, that one is in force too.
    """
    check_executor(executor, "executor", InvalidOption)
    with limits(seconds=time_limit, memory=active(captured).max_memory), using(executor):
        return guarded(work)


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
    for name, value in list(settings.items()):
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
        elif name == "max_remainder":
            settings = {**settings, name: _remainder(value)}
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InvalidOption(f"options({name}={value!r}): {name} must be a whole number of at least 1.", value=value)
    token = _explicit.set({**_explicit.get(), **settings})
    try:
        with limits(seconds=settings.get("time_limit")), using(settings.get("executor")):
            yield active()
    finally:
        _explicit.reset(token)


def reading_seconds() -> float | None:
    """Return the time limit for reading a mechanism if the user has set none: a reading need not end."""
    return None if "time_limit" in _explicit.get() else _READING


def _remainder(value: Any) -> Fraction:
    """Return the largest probability of what is not followed, a number below 1; a float or text is what it says."""
    read = fraction_of_text(value) if isinstance(value, str) else exact(value) if is_number(value) else None
    if read is None or not 0 < read < 1:
        raise InvalidOption(
            f"options(max_remainder={value!r}): max_remainder must be a number above 0 and below 1, such as "
            'Fraction(1, 2**100) or "1e-30".',
            value=value,
        )
    return Fraction(read)


def check_seconds(seconds: Any, what: str, error: type[TautError]) -> None:
    """Refuse a value that is neither None nor a positive number of seconds."""
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if seconds is not None and not (number and seconds > 0):
        raise error(f"{what} must be a positive number of seconds; got {seconds!r}.", value=seconds)
